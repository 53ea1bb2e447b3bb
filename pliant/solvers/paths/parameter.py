"""Parameters of a path of equilibria.

A parameter moves signals along a line (loads, drives, rest lengths), is the rate of a spin, or makes another system
(materials, geometry).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from pliant.errors import OptionError
from pliant.system.capabilities import HasPaths, Turning, can

DIFFERENCE = 1e-7  # part of the parameter's span over which d(r, g)/dp is taken: less than a tendon needs to go slack


class PathParameter(Protocol):
    """Systems, or signals of one system, that depend on a number p."""

    base: HasPaths
    span: float

    @property
    def change(self) -> float:
        """Return the difference in p for derivatives."""

    def system(self, p: float) -> HasPaths:
        """Return the system at p."""

    def signals(self, p: float) -> np.ndarray:
        """Return the signals at p."""


@dataclass
class SignalParameter:
    """Signals moved along a line: ``u = zero + p line``."""

    base: HasPaths
    coefficients: Mapping[str, float]
    time: float
    span: float
    zero: np.ndarray = field(init=False)
    line: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.zero = self.base.signals(np.array([self.time]))[0]
        self.line = np.zeros_like(self.zero)
        for name, coefficient in self.coefficients.items():
            k = self.base.signal_number(name)
            self.zero[k], self.line[k] = 0.0, coefficient

    @property
    def change(self) -> float:
        """Return a small difference: loads and drives enter linearly."""
        return DIFFERENCE * self.span

    def system(self, p: float) -> HasPaths:
        """Return the system with its signals fixed at p."""
        return self.base.with_signals({name: p * value for name, value in self.coefficients.items()})

    def signals(self, p: float) -> np.ndarray:
        """Return zero + p line."""
        return self.zero + p * self.line


@dataclass
class SpinParameter:
    """Rate of a steady spin."""

    base: Any  # Turning
    time: float
    span: float

    @property
    def change(self) -> float:
        """Return a large difference: the equations are quadratic in the rate, and central differences are exact."""
        return 0.01 * self.span

    def system(self, p: float) -> Turning:
        """Return the system that turns at p."""
        return self.base.at_rate(p)

    def signals(self, p: float) -> np.ndarray:
        """Return the signals of the system at its time."""
        return self.base.signals(np.array([self.time]))[0]


@dataclass
class ModelParameter:
    """Function that makes the system at p: any material, any length."""

    make: Callable[[float], HasPaths]
    base: HasPaths  # at the beginning: all others must have its coordinates and joints
    time: float
    span: float
    _made: dict[float, HasPaths] = field(default_factory=dict)

    @property
    def change(self) -> float:
        """Return a difference well above the rounding of separately made systems."""
        return 1e-4 * self.span

    def system(self, p: float) -> HasPaths:
        """Return the system at p; the last few are cached."""
        if p not in self._made:
            made = self.make(p)
            if not can(made, HasPaths):
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

    def signals(self, p: float) -> np.ndarray:
        """Return the signals of the system at p."""
        return self.system(p).signals(np.array([self.time]))[0]
