"""Newton along a path of equilibria of rods, with the unknowns of newton.py and the parameter of the path.

It follows solvers/paths/arclength.py, with the base forces of the subintervals among the unknowns. They belong to a
configuration: base forces of the points found so far are stored, so that a path starts each step from the point it
leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pliant.formulations.shooting import adaptive, condense, equilibrium
from pliant.formulations.shooting.equilibrium import Solution, assembled
from pliant.formulations.shooting.rod_outputs import base_forces, note_forces, results_at_rest
from pliant.formulations.shooting.rods import Grid
from pliant.formulations.shooting.stability import inside, softened, vibrant
from pliant.formulations.shooting.system import Shooting
from pliant.linalg import ldl
from pliant.solvers.nonlinear import stability
from pliant.solvers.paths import arclength
from pliant.solvers.paths.arclength import Arc
from pliant.solvers.paths.continuation import LIMIT, Corrected, Survey, resting
from pliant.solvers.paths.parameter import PathParameter, SignalParameter
from pliant.system.samples import Samples

TOLERANCE = 1e-9  # of Newton's last increment, in lengths of the model, radians and spans of the parameter


SYSTEMS = 4  # that are stored if every value of the parameter has its own


class RodContinuation:
    """Equations of a path of rods; see `pliant.solvers.paths.continuation.Follower`."""

    def __init__(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> None:
        self.parameter = parameter
        self.known: dict[bytes, np.ndarray] = {}
        self.systems: dict[float, Shooting] = {}  # by the parameter; one if only signals change
        self.gamma = 0.0
        system = self._take(None, p)
        begin = Solution(q, lam, self.forces(q, lam, p))
        while not self._fits(begin, p):
            pass
        system = self._system(p)
        self.gamma = equilibrium.stiffness_scale(system, begin, parameter.signals(p), self.scratch, self.work)

    def forces(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Return the base forces in a configuration: stored forces, or forces that join its nodes."""
        if q.tobytes() not in self.known:
            near = next(reversed(self.known.values()), None)
            self.known[q.tobytes()] = base_forces(self._system(p), q, lam, self.parameter.signals(p), near)
        return self.known[q.tobytes()]

    def insides(self, samples: Samples, p: Sequence[float]) -> np.ndarray:
        """Return the data of results of the rods at points of the path."""
        forces = [self.forces(q, lam, each) for q, lam, each in zip(samples.q, samples.lam, p, strict=True)]
        for q, force, each in zip(samples.q, forces, p, strict=True):
            note_forces(self._system(each), q, force)
        return np.array(
            [
                results_at_rest(self._system(each), q, force, self.parameter.signals(each))
                for q, force, each in zip(samples.q, forces, p, strict=True)
            ]
        )

    def correct(self, arc: Arc, lam: np.ndarray, p: float, guess: np.ndarray) -> Corrected:
        """Find the equilibrium on an arc, from its start moved by a guess of the displacements."""
        at = Solution(arc.q.copy(), lam, self.forces(arc.q, lam, arc.p).copy())
        system, n = self._system(arc.p), guess.size
        self._assemble(system, at, arc.p)
        condense.follow(system.rods, self.work, np.append(guess, np.zeros(3)), 1.0, at.force)
        at.q[:n] += guess
        before = 0.0
        for iteration in range(1, LIMIT + 1):
            system = vibrant(self._system(p))
            raised, opened = self._further(at, p, vibrant)
            gap = self._assemble(system, at, p)[2]
            y, change = self.scratch.step.copy(), self.parameter.change
            z = -(raised + y) / change
            if ldl.factor_lu(system.equations.pattern, self.scratch.s, self.scratch.w, self.scratch.factors) != ldl.OK:
                return Corrected(False, True, iteration, at.q, at.lam, p)
            for side in (y, z):
                ldl.solve_lu(system.equations.pattern, self.scratch.s, self.scratch.w, self.scratch.factors, side)
            miss = arc.across @ (at.q[:n] - arc.q[:n] + y[:n]) + arc.across_p * (p - arc.p) - arc.length
            dp = -miss / (arc.across @ z[:n] + arc.across_p)
            y += dp * z
            size = max(float(np.max(np.abs(y[:n]) * system.weight, initial=0.0)), abs(dp) / self.parameter.span)
            if not np.isfinite(size + gap):
                break
            scale = min(1.0, 1.0 / size) if size > 0.0 else 1.0
            self.work.gap[:] += dp * (opened - self.work.gap) / change
            off = condense.follow(system.rods, self.work, np.append(y[:n], np.zeros(3)), scale, at.force)
            size = max(size, off * system.weight[0])
            at.q[:n] += scale * y[:n]
            at.lam += scale * y[n:]
            p += scale * dp
            closed = scale == 1.0 and gap <= condense.JOINED
            if closed and (size <= TOLERANCE or (iteration > 4 and size < condense.JOINED and size > 0.5 * before)):
                if not self._fits(at, p):
                    continue
                self.known[at.q.tobytes()] = at.force
                return Corrected(True, False, iteration, at.q, at.lam, p)
            before = size
        return Corrected(False, False, LIMIT, at.q, at.lam, p)

    def survey(self, q: np.ndarray, lam: np.ndarray, p: float) -> Survey:
        """Return the survey of an equilibrium; the factors of its matrix remain available for `solve`."""
        system, at = self._system(p), Solution(q, lam, self.forces(q, lam, p))
        force, gap, _ = self._assemble(system, at, p, 0.0)
        force = equilibrium.nodal_balance(system, self.scratch, self.work)
        soft = softened(system)
        raised, _ = self._further(at, p, softened)
        self._assemble(soft, at, p)
        slope = -(raised + self.scratch.step) / self.parameter.change
        regular, negatives = arclength.factor(system.equations, not system.conservative, self.scratch)
        if regular:
            self.solve(p, slope)
        within = inside(soft, self.work) if system.conservative else 0
        return Survey(bool(regular), int(negatives) + within, force, gap, slope)

    def solve(self, p: float, right: np.ndarray) -> None:
        """Replace b by A^-1 b, with the available factors."""
        system = self._system(p)
        arclength.solve(system.equations, not system.conservative, self.scratch, right)

    def by_parameter(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Return d(r, g)/dp at a point."""
        at = Solution(q, lam, self.forces(q, lam, p))
        raised, _ = self._further(at, p)
        self._assemble(self._system(p), at, p)
        return np.asarray((raised + self.scratch.step) / self.parameter.change)

    def growing(self, q: np.ndarray, lam: np.ndarray, p: float) -> tuple[int | None, int]:
        """Return the number of motions about a point that grow (None: not known), and how many of these oscillate."""
        return stability.growing(self.parameter.system(p), resting(q, lam))  # type: ignore[arg-type]

    def movers(self, q: np.ndarray, lam: np.ndarray, p: float) -> str:
        """Return the names of the parts that move in the softest direction."""
        return stability.movers(self.parameter.system(p), resting(q, lam))  # type: ignore[arg-type]

    def _fits(self, at: Solution, p: float) -> bool:
        """Return whether the steps along the rods are short enough for a solution; refine them if they adapt."""
        system = self._system(p)
        self._assemble(system, at, p)
        grid = adaptive.refined(system, adaptive.estimate(system, at.q, at.force, 0.0, 0.0, self.work))
        if grid is not None:
            self._take(grid, p)
        return grid is None

    def _take(self, grid: Grid | None, p: float) -> Shooting:
        """Continue with these steps along the rods; None: the system's."""
        self.grid = grid
        self.systems.clear()
        system = self._system(p)
        self.scratch, self.work = system.scratch(), system.workspace()
        return system

    def _system(self, p: float) -> Shooting:
        """Return the system at a parameter, always the same if only signals change."""
        key = 0.0 if isinstance(self.parameter, SignalParameter) else p
        if key not in self.systems:
            if len(self.systems) > SYSTEMS:
                self.systems.clear()
            parameter: Any = self.parameter
            found: Any = parameter.base if isinstance(self.parameter, SignalParameter) else parameter.system(p)
            self.systems[key] = found if self.grid is None else found.with_grid(self.grid)
        return self.systems[key]

    def _further(
        self, at: Solution, p: float, made: Callable[[Shooting], Shooting] = lambda system: system
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return residual and gaps between subintervals at p + change."""
        further = p + self.parameter.change
        self._assemble(made(self._system(further)), at, further)
        return -self.scratch.step, self.work.gap.copy()

    def _assemble(
        self, system: Shooting, at: Solution, p: float, gamma: float | None = None
    ) -> tuple[float, float, float]:
        weight = self.gamma if gamma is None else gamma
        return assembled(system, at, self.parameter.signals(p), weight, self.scratch, self.work)
