"""Newton along a path of equilibria: its interface, and its form for systems with multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from pliant.solvers.nonlinear import equilibrium, newton, stability
from pliant.solvers.paths import arclength
from pliant.solvers.paths.arclength import Arc, Point, SignalLine
from pliant.solvers.paths.parameter import PathParameter, SignalParameter
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, SINGULAR
from pliant.system.equations import Equations
from pliant.system.packing import fused
from pliant.system.samples import Samples
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.solvers.nonlinear.multipliers import Multipliers

TOLERANCE = 1e-8  # of Newton's last increment, in lengths of the model, radians and spans of the parameter
LIMIT = 12


class Corrected(NamedTuple):
    """End of Newton's iteration towards a path."""

    found: bool
    singular: bool
    iterations: int
    q: np.ndarray
    lam: np.ndarray
    p: float


class Survey(NamedTuple):
    """A point of a path: whether its matrix is regular, its negative pivots (symmetric systems), the largest unbalanced
    force times the length scale, the largest gap, and d(q, lambda)/dp.
    """

    regular: bool
    negatives: int
    force: float
    gap: float
    slope: np.ndarray


class Follower(Protocol):
    """Newton along a path of equilibria (q, lambda)(p), for `path.Tracer`."""

    def correct(self, arc: Arc, lam: np.ndarray, p: float, guess: np.ndarray) -> Corrected:
        """Find the equilibrium on an arc, from its start moved by a guess of the displacements."""

    def survey(self, q: np.ndarray, lam: np.ndarray, p: float) -> Survey:
        """Survey an equilibrium; its factorised tangent is kept for `solve`."""

    def solve(self, p: float, right: np.ndarray) -> None:
        """Replace b by A^-1 b, with the tangent of the last survey."""

    def by_parameter(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Return the derivative of residual and gaps by p."""

    def growing(self, q: np.ndarray, lam: np.ndarray, p: float) -> tuple[int | None, int]:
        """Return the number of growing motions (None: unknown), and of the oscillating ones among them."""

    def movers(self, q: np.ndarray, lam: np.ndarray, p: float) -> str:
        """Return the names of the parts that move in the softest direction."""

    def insides(self, samples: Samples, p: Sequence[float]) -> np.ndarray | None:
        """Return extra data of points for results, besides their coordinates; None: there are no such data."""


class Continuation:
    """Equations of a path. If only signals change, all iterations of Newton are one compiled call."""

    def __init__(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> None:
        base: Any = parameter.base
        self.parameter, self.base = parameter, base
        self.unsymmetric = not base.conservative
        self.scratch = base.scratch()
        self.gamma = equilibrium.stiffness_scale(base, q, lam, parameter.signals(p), self.scratch)
        self._u = parameter.signals(p)
        self._raised = np.zeros(base.freedoms + base.constraints)
        self._line: SignalLine | None = None
        self._known: tuple[np.ndarray, Survey] | None = None  # last point and survey of `correct`, with its factors
        if isinstance(parameter, SignalParameter):
            self._line = SignalLine(parameter.zero, parameter.line, parameter.span)

    def correct(self, arc: Arc, lam: np.ndarray, p: float, guess: np.ndarray) -> Corrected:
        """Find the equilibrium on an arc, from its start moved by a guess of the displacements."""
        n, trial = self.base.freedoms, self.scratch.trial
        trial[:n] = guess
        if self._line is None:
            fused.stretch(self._equations(p).parts, arc.q, trial, self.scratch.stress)
            q = self.base.moved(arc.q, guess)
            status, iterations, p = self._newton(arc, q, lam, p)
        else:
            q, slope, how = arc.q.copy(), np.empty(n + lam.size), self._iteration(self.unsymmetric)
            at, equations = Point(q, lam, self._u, self._raised), self.base.equations
            status, iterations, p, seen = arclength.arrive(equations, self._line, how, arc, at, p, slope, self.scratch)
            self._known = (q, Survey(*seen, slope))
        return Corrected(status == DONE, status == SINGULAR, iterations, q, lam, p)

    def survey(self, q: np.ndarray, lam: np.ndarray, p: float) -> Survey:
        """Survey an equilibrium; the factors of its matrix are kept for `solve`."""
        known, self._known = self._known, None
        if known is not None and known[0] is q:
            return known[1]
        raised = self._further(q, lam, p)
        slope = np.empty(self.base.freedoms + lam.size)
        at = Point(q, lam, self.parameter.signals(p), raised)
        how, change = self._iteration(self.unsymmetric), self.parameter.change
        found = arclength.survey(self._equations(p), how, at, change, slope, self.scratch)
        return Survey(*found, slope)

    def solve(self, p: float, right: np.ndarray) -> None:
        """Replace b by A^-1 b, with the factors of the last survey."""
        arclength.solve(self._equations(p), self.unsymmetric, self.scratch, right)

    def by_parameter(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Return d(r, g)/dp at a point."""
        self._known = None
        raised = self._further(q, lam, p).copy()
        newton.assemble(self._equations(p), q, lam, self.parameter.signals(p), self.gamma, 0.0, False, self.scratch)
        return np.asarray((raised + self.scratch.step) / self.parameter.change)

    def growing(self, q: np.ndarray, lam: np.ndarray, p: float) -> tuple[int | None, int]:
        """Return the number of growing motions about a point (None: unknown), and of oscillating ones among them."""
        return stability.growing(self._system(p), resting(q, lam))

    def movers(self, q: np.ndarray, lam: np.ndarray, p: float) -> str:
        """Return the names of the parts that move in the softest direction."""
        return stability.movers(self._system(p), resting(q, lam))

    def insides(self, samples: Samples, p: Sequence[float]) -> None:
        """Return None: the nodes describe everything."""

    def _system(self, p: float) -> Multipliers:
        system: Any = self.parameter.system(p)
        return system

    def _equations(self, p: float) -> Equations:
        """Return the equations at p: constant if only signals change."""
        return (self._system(p) if self._line is None else self.base).equations

    def _further(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Return the residual at p + change."""
        parameter, further = self.parameter, p + self.parameter.change
        if self._line is not None:
            at, change = Point(q, lam, self._u, self._raised), parameter.change
            arclength.raise_parameter(self.base.equations, self._line, change, self.gamma, at, p, self.scratch)
            return self._raised
        newton.assemble(
            self._equations(further), q, lam, parameter.signals(further), self.gamma, 0.0, False, self.scratch
        )
        return -self.scratch.step

    def _iteration(self, unsymmetric: bool) -> newton.Iteration:
        return newton.Iteration(self.gamma, unsymmetric, TOLERANCE, LIMIT)

    def _newton(self, arc: Arc, q: np.ndarray, lam: np.ndarray, p: float) -> tuple[int, int, float]:
        """Run Newton onto the path with a new system in every iteration, in place. Returns (status, iterations, p)."""
        parameter = self.parameter
        for iteration in range(1, LIMIT + 1):
            raised, system = self._further(q, lam, p), self._system(p)
            how, at = self._iteration(not system.conservative), Point(q, lam, parameter.signals(p), raised)
            status, change, size = arclength.iterate(system.equations, how, arc, at, p, parameter.change, self.scratch)
            p += change
            if status != DONE:
                return status, iteration, p
            if max(size, abs(change) / parameter.span) <= TOLERANCE:
                return DONE, iteration, p
        return NOT_CONVERGED, LIMIT, p


def resting(q: np.ndarray, lam: np.ndarray) -> State:
    """Return a state at rest with multipliers."""
    zero = np.zeros_like(q)
    return State(q, zero, zero, lam)
