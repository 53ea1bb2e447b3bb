"""Newton along a path of relative equilibria: what `path.Tracer` asks of systems in turning axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._libraries import sparse
from pliant.solvers.paths.arclength import Arc
from pliant.solvers.paths.continuation import LIMIT, TOLERANCE, Corrected, Survey
from pliant.solvers.paths.parameter import PathParameter, SignalParameter
from pliant.solvers.spin import relative_equilibrium
from pliant.solvers.spin.relative_equilibrium import Residual, Stability
from pliant.solvers.spin.steady import refuse_unsteady
from pliant.system.packing import fused
from pliant.system.samples import Samples
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.solvers.spin.rotating import Rotating


class RelativePath:
    """The equations of a path, with a solver that pivots."""

    def __init__(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> None:
        self.parameter = parameter
        system = self._seen(p)
        if isinstance(parameter, SignalParameter):  # a load that grows from nothing has to be steady too
            refuse_unsteady(self._system(p + parameter.span), system.spin, parameter.time)
        self.freedoms, self.scratch = system.freedoms, system.scratch()
        self.gamma = relative_equilibrium.stiffness_scale(system, q, lam, parameter.signals(p), self.scratch)
        self._factors: Any = None
        self._known: tuple[np.ndarray, float, Stability] | None = None

    def correct(self, arc: Arc, lam: np.ndarray, p: float, guess: np.ndarray) -> Corrected:
        """The equilibrium on an arc, from its start moved by a guess of the displacements."""
        n, system = self.freedoms, self._seen(p)
        q = system.moved(arc.q, guess)
        self._stretch(system, arc.q, guess)
        for iteration in range(1, LIMIT + 1):
            matrix, left = self._tangent(q, lam, p, mixed=True)
            try:
                factors = sparse.linalg.splu(matrix)
            except RuntimeError:
                return Corrected(False, True, iteration, q, lam, p)
            y, z = factors.solve(left.right), -factors.solve(self.by_parameter(q, lam, p))
            short = arc.length - arc.across @ (system.apart(arc.q, q) + y[:n]) - arc.across_p * (p - arc.p)
            change = short / (arc.across @ z[:n] + arc.across_p)
            step = y + change * z
            size = max(float(np.max(np.abs(step[:n]) * system.weight)), abs(change) / self.parameter.span)
            if not np.isfinite(size):
                break
            self._stretch(system, q, step[:n])
            q, lam, p = system.moved(q, step[:n]), lam + step[n:], p + change
            if size <= TOLERANCE:
                return Corrected(True, False, iteration, q, lam, p)
        return Corrected(False, False, LIMIT, q, lam, p)

    def survey(self, q: np.ndarray, lam: np.ndarray, p: float) -> Survey:
        """What is known of an equilibrium; the factors of its matrix stay at hand for `solve`."""
        matrix, left = self._tangent(q, lam, p, mixed=False)
        try:
            self._factors = sparse.linalg.splu(matrix)
        except RuntimeError:
            return Survey(False, 0, left.force, left.gap, np.zeros(self.freedoms + lam.size))
        slope = -self._factors.solve(self.by_parameter(q, lam, p))
        negative = self._stability(q, lam, p).negative
        return Survey(True, negative + lam.size, left.force, left.gap, slope)

    def solve(self, p: float, right: np.ndarray) -> None:
        """Replace b by A^-1 b, with the factors at hand."""
        right[:] = self._factors.solve(right)

    def growing(self, q: np.ndarray, lam: np.ndarray, p: float) -> tuple[int | None, int]:
        """Number of motions about a point that grow (None: not known), and of those that oscillate as they do."""
        found = self._stability(q, lam, p)
        return found.growing, found.fluttering

    def insides(self, samples: Samples, p: Sequence[float]) -> None:
        """Nothing is between nodes."""

    def movers(self, q: np.ndarray, lam: np.ndarray, p: float) -> str:
        """Names of the parts that move freely."""
        return self._stability(q, lam, p).neutral or "some part"

    def _stability(self, q: np.ndarray, lam: np.ndarray, p: float) -> Stability:
        """Of the last point it is known."""
        if self._known is None or self._known[0] is not q or self._known[1] != p:
            zero = np.zeros_like(q)
            found = relative_equilibrium.stability(self._system(p), State(q, zero, zero, lam))
            self._known = (q, p, found)
        return self._known[2]

    def _system(self, p: float) -> Rotating:
        system: Any = self.parameter.system(p)
        return system

    def _seen(self, p: float) -> Rotating:
        """The system that signals are given to; always the same where only these change."""
        base: Any = self.parameter.base
        return base if isinstance(self.parameter, SignalParameter) else self._system(p)

    def _tangent(self, q: np.ndarray, lam: np.ndarray, p: float, *, mixed: bool) -> tuple[Any, Residual]:
        u = self.parameter.signals(p)
        return relative_equilibrium.tangent(self._seen(p), q, lam, u, self.scratch, gamma=self.gamma, mixed=mixed)

    def by_parameter(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Derivative of residual and gaps by p, by a central difference."""
        change, rights = self.parameter.change, []
        for place in (p - change, p + change):
            system, u = self._seen(place), self.parameter.signals(place)
            left = relative_equilibrium.residual(system, system.axes(q), lam, u, self.scratch, gamma=self.gamma)
            rights.append(left.right)
        return np.asarray((rights[0] - rights[1]) / (2.0 * change))

    def _stretch(self, system: Rotating, q: np.ndarray, step: np.ndarray) -> None:
        self.scratch.trial[: self.freedoms] = step
        fused.stretch(system.equations.parts, q, self.scratch.trial, self.scratch.stress)
