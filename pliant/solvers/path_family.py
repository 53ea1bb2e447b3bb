"""What a path runs along: equilibria of a system as a parameter changes.

The parameter moves signals along a line (loads, drives, rest lengths), or makes another system (materials, geometry).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pliant.errors import OptionError
from pliant.formulations.dae.generalized_alpha import DONE, NOT_CONVERGED
from pliant.solvers import arclength, newton
from pliant.solvers.arclength import DIFFERENCE, Arc
from pliant.solvers.multipliers import Multipliers
from pliant.system.equations import Equations, Scratch

TOLERANCE = 1e-8  # of Newton's last increment, in lengths of the model, radians and spans of the parameter
LIMIT = 12


class Family(Protocol):
    """Equilibria that depend on a parameter."""

    base: Multipliers
    span: float

    @property
    def change(self) -> float:
        """Over which d(r, g)/dp is taken."""

    def system(self, p: float) -> Multipliers:
        """The system at p."""

    def equations(self, p: float) -> Equations:
        """Its equations."""

    def signals(self, p: float) -> np.ndarray:
        """Its signals at p."""

    def correct(
        self, arc: Arc, gamma: float, q: np.ndarray, lam: np.ndarray, p: float, scratch: Scratch
    ) -> tuple[int, int, float]:
        """Newton onto the path, in place. Returns (status, iterations, p)."""

    def raised(self, gamma: float, q: np.ndarray, lam: np.ndarray, p: float, scratch: Scratch) -> np.ndarray:
        """Residual a little further on, at p + change."""


@dataclass
class SignalFamily:
    """Signals moved along a line: ``u = u0 + p d``."""

    base: Multipliers
    coefficients: Mapping[str, float]
    time: float
    span: float
    _zero: np.ndarray = field(init=False)
    _line: np.ndarray = field(init=False)
    _u: np.ndarray = field(init=False)
    _raised: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self._zero = self.base.signals(np.array([self.time]))[0]
        self._line = np.zeros_like(self._zero)
        for name, coefficient in self.coefficients.items():
            k = self.base.signal_number(name)
            self._zero[k], self._line[k] = 0.0, coefficient
        self._u = self._zero.copy()
        self._raised = np.zeros(self.base.freedoms + self.base.constraints)

    @property
    def change(self) -> float:
        """Loads and drives enter linearly, so that it may be small."""
        return DIFFERENCE * self.span

    def system(self, p: float) -> Multipliers:
        """The system with its signals held at p."""
        return self.base.with_signals({name: p * value for name, value in self.coefficients.items()})

    def equations(self, p: float) -> Equations:
        """Always the same."""
        return self.base.equations

    def signals(self, p: float) -> np.ndarray:
        """u0 + p d"""
        return self._zero + p * self._line

    def correct(
        self, arc: Arc, gamma: float, q: np.ndarray, lam: np.ndarray, p: float, scratch: Scratch
    ) -> tuple[int, int, float]:
        """All iterations in one compiled call."""
        system = self.base
        return arclength.advance(
            system.equations, self._zero, self._line, self.span, gamma, not system.conservative, arc, TOLERANCE, LIMIT,
            q, lam, p, self._u, self._raised, scratch,
        )  # fmt: skip

    def raised(self, gamma: float, q: np.ndarray, lam: np.ndarray, p: float, scratch: Scratch) -> np.ndarray:
        """Residual at p + change."""
        arclength.raise_parameter(
            self.base.equations, self._zero, self._line, self.change, gamma, q, lam, p, self._u, self._raised, scratch,
        )  # fmt: skip
        return self._raised


@dataclass
class ModelFamily:
    """A function that makes the system at p: any material, any length."""

    make: Callable[[float], Multipliers]
    base: Multipliers  # at the beginning: every other one must have its coordinates and joints
    time: float
    span: float
    _made: dict[float, Multipliers] = field(default_factory=dict)

    @property
    def change(self) -> float:
        """Two systems made apart differ by rounding, which must not show."""
        return 1e-4 * self.span

    def system(self, p: float) -> Multipliers:
        """The system at p; the last few are kept."""
        if p not in self._made:
            made = self.make(p)
            if not isinstance(made, Multipliers):
                raise OptionError(f"The function of the path gave {made!r:.60} at {p:g}; it must compile a system.")
            if (made.freedoms, made.constraints) != (self.base.freedoms, self.base.constraints):
                raise OptionError(
                    f"The function of the path gave a system with {made.freedoms} coordinates and {made.constraints} "
                    f"constraint rows at {p:g}, and {self.base.freedoms} and {self.base.constraints} at the beginning. "
                    "Parts, joints and elements must stay the same along a path."
                )
            if len(self._made) > 3:
                del self._made[next(iter(self._made))]
            self._made[p] = made
        return self._made[p]

    def equations(self, p: float) -> Equations:
        """Those of the system at p."""
        return self.system(p).equations

    def signals(self, p: float) -> np.ndarray:
        """Those of the system at p."""
        return self.system(p).signals(np.array([self.time]))[0]

    def correct(
        self, arc: Arc, gamma: float, q: np.ndarray, lam: np.ndarray, p: float, scratch: Scratch
    ) -> tuple[int, int, float]:
        """A new system every iteration."""
        status = NOT_CONVERGED
        for iteration in range(1, LIMIT + 1):
            raised = self.raised(gamma, q, lam, p, scratch)
            system = self.system(p)
            status, change, size = arclength.iterate(
                system.equations, self.signals(p), gamma, not system.conservative, arc, q, lam, p, raised,
                self.change, scratch,
            )  # fmt: skip
            p += change
            if status != DONE:
                return status, iteration, p
            if max(size, abs(change) / self.span) <= TOLERANCE:
                return DONE, iteration, p
        return NOT_CONVERGED, LIMIT, p

    def raised(self, gamma: float, q: np.ndarray, lam: np.ndarray, p: float, scratch: Scratch) -> np.ndarray:
        """Residual at p + change."""
        further = p + self.change
        newton.assemble(self.equations(further), q, lam, self.signals(further), gamma, 0.0, False, scratch)
        return -scratch.step
