"""Signals that hold a planar mechanism of rods at a place: generalized shooting with unknown parameters.

Unknowns are the unknowns of newton.py and as many signals s as there are conditions c(q, lambda) = 0 (Lan, Lee and Liou
2009, section 3: unknown parameters with conditions). As in solvers/nonlinear/inverse_step.py, Newton borders the
equilibrium with them; the derivatives of residuals and gaps between subintervals by the signals are found by
differences. It starts from the solution of finite elements on the same nodes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pliant.elements.rod_ivp.march import March
from pliant.elements.rod_ivp.slope import KEPT
from pliant.errors import ConvergenceError, SingularError
from pliant.formulations.shooting import adaptive, condense, equilibrium
from pliant.formulations.shooting.equilibrium import FREE, Solution, assembled
from pliant.formulations.shooting.joining import element_forces
from pliant.formulations.shooting.rod_outputs import base_of
from pliant.formulations.shooting.rod_state import Interior
from pliant.formulations.shooting.stability import vibrant
from pliant.formulations.shooting.system import Shooting
from pliant.linalg import ldl
from pliant.model.signals import sizes
from pliant.solvers.nonlinear.held_frame import Frame
from pliant.solvers.nonlinear.inverse import Inverse, Yielding
from pliant.solvers.nonlinear.inverse_step import LIMIT, SMALLEST_STEP, Reached, Wanted
from pliant.solvers.nonlinear.ramp import ramp
from pliant.solvers.nonlinear.signal_gradients import Gradient
from pliant.solvers.stepping.status import DONE
from pliant.system.equations import Scratch
from pliant.system.state import State

DIFFERENCE = 1e-7  # of the size of a signal, which enters almost linearly
TOLERANCE = 1e-10  # of Newton's last increment, in lengths of the model and radians


class Bordered(NamedTuple):
    """Right sides of Newton: of the residual, one for every signal; and the derivatives of the gaps by signals."""

    right: np.ndarray  # (unknowns,)
    columns: np.ndarray  # (signals, unknowns)
    gaps: np.ndarray  # (signals, subintervals, 3)


class _Unknowns(NamedTuple):
    """Unknowns of an equilibrium, and the signals."""

    solution: Solution
    u: np.ndarray

    def copy(self) -> _Unknowns:
        """Return a copy with separate arrays."""
        return _Unknowns(self.solution.copy(), self.u.copy())


class RodInverse(Inverse):
    """Newton for some signals of a planar system of rods, by their numbers."""

    system: Shooting

    def __post_init__(self) -> None:
        super().__post_init__()
        self.near = self.system.mesh.inverse(self.signals)
        self.drives = np.isin(self.signals, list(self.system.mesh.driving))
        begin = Solution(
            self.system.initial, np.zeros(self.system.constraints), element_forces(self.system, self.system.initial)
        )
        u = self.system.signals(np.zeros(1))[0]
        self.gamma = equilibrium.stiffness_scale(self.system, begin, u, self.system.scratch(), self.system.workspace())

    def follower(self, frame: Frame, stability: bool = True) -> None:
        """Return None: the insides of rods are found between the iterations, not in compiled code."""

    def toward(
        self,
        wanted: Wanted,
        start: State,
        u: np.ndarray,
        *,
        gamma: float | None = None,
        step: float = SMALLEST_STEP,
        limit: int = LIMIT,
    ) -> Reached:
        """Return the equilibrium for conditions: near the solution of finite elements, or in steps from the start."""
        found = self._corrected(wanted, self.near.toward(wanted, start, u, step=step, limit=limit), limit)
        return found if found.share == 1.0 else self._stepwise(wanted, start, u, step, limit)

    def followed(self, wanted: Wanted, start: State, u: np.ndarray) -> Reached:
        """Return the equilibrium for conditions on the branch of the start."""
        return self._corrected(wanted, self.near.followed(wanted, start, u), LIMIT)

    def driven(self, start: State, u: np.ndarray) -> Reached | None:
        """Return the equilibrium for signals, from the equilibrium of finite elements."""
        near = self.near.driven(start, u)
        if near is None:
            return None
        found = Solution(near.state.q.copy(), near.state.lam.copy(), element_forces(self.system, near.state.q))
        status, _ = equilibrium.solve(self.system, u, found, FREE)
        return self._reached(self.system, found, u, 1) if status == DONE else None

    def yielding(self, found: Reached, forces: np.ndarray) -> Yielding:
        """Return the compliance from one factorisation of the tangent. ``forces``: (forces, unknowns), overwritten."""
        system, u = self.system, found.signals
        system, force = base_of(system, found.state, u)
        at = Solution(found.state.q, found.state.lam, force)
        judged = equilibrium.judge(system, at, u, found.state.time)
        scratch, n = system.scratch(), system.freedoms
        bordered = self._bordered(vibrant(system), at, u, scratch, system.workspace())
        regular = self._factor(system, scratch)
        force = np.where(self.drives[:, None], 0.0, -bordered.columns[:, :n])
        slope, moved = Gradient(force, -bordered.columns[:, n:]), bordered.columns.copy()
        if regular:
            for side in (*forces, *moved):
                ldl.solve_lu(system.equations.pattern, scratch.s, scratch.w, scratch.factors, side)
        return Yielding(regular, judged.unstable_directions, judged.residual, slope, forces, moved)

    def _corrected(self, wanted: Wanted, near: Reached, limit: int) -> Reached:
        """Return the equilibrium of rods near one of finite elements; share 0 if Newton does not converge."""
        if near.share < 1.0:
            return near
        system, u = self.system, near.signals.copy()
        at = Solution(near.state.q.copy(), near.state.lam.copy(), equilibrium.base_forces(system, near.state, u))
        for _ in range(adaptive.ROUNDS):
            try:
                self._newton(system, wanted, at, u, limit)
            except (ConvergenceError, SingularError):
                return replace(near, share=0.0)
            work = system.workspace()
            assembled(system, at, u, self.gamma, system.scratch(), work)
            grid = adaptive.refined(system, adaptive.estimate(system, at.q, at.force, 0.0, 0.0, work))
            if grid is None:
                return self._reached(system, at, u, near.steps)
            system = system.with_grid(grid)
        return replace(near, share=0.0)

    def _stepwise(self, wanted: Wanted, start: State, u: np.ndarray, step: float, limit: int) -> Reached:
        """Return the equilibrium without finite elements, or the last one on the way."""
        force = equilibrium.base_forces(self.system, start, u)
        begin = _Unknowns(Solution(start.q.copy(), start.lam.copy(), force), u.copy())
        gap, _ = wanted.evaluate(start.q, start.lam, u, self.system.freedoms)

        def advance(at: _Unknowns, share: float) -> _Unknowns | None:
            moved = at.copy()
            try:
                self._newton(self.system, wanted, moved.solution, moved.u, limit, (1.0 - share) * gap)
            except (ConvergenceError, SingularError):
                return None
            return moved

        at, done, steps = ramp(advance, begin, smallest=step)
        found = self._reached(self.system, at.solution, at.u, steps)
        return self._corrected(wanted, found, limit) if done == 1.0 else replace(found, share=done)

    def _reached(self, system: Shooting, at: Solution, u: np.ndarray, steps: int) -> Reached:
        still = np.zeros_like(at.q)
        stations = np.zeros((4, system.rods.section.shape[0], KEPT))
        inside = Interior(at.force, *stations).row(system)
        state = State(at.q, still, still.copy(), at.lam, float(u[1]), interior=inside)
        return Reached(state, u, at.iterations, steps, 1.0)

    def _newton(
        self, system: Shooting, wanted: Wanted, at: Solution, u: np.ndarray, limit: int, left: np.ndarray | float = 0.0
    ) -> None:
        """Run Newton in place, on the unknowns and the signals, until the conditions have the residual ``left``."""
        scratch, n, before = system.scratch(), system.freedoms, np.inf
        for _ in range(limit):
            at.iterations += 1
            work = system.workspace()
            bordered = self._bordered(system, at, u, scratch, work)
            gap = condense.widest_gap(system.rods, system.weight, work)
            y, columns = bordered.right.copy(), bordered.columns.copy()
            if not self._factor(system, scratch):
                raise SingularError("The equations of rods are singular.")
            for side in (y, *columns):
                ldl.solve_lu(system.equations.pattern, scratch.s, scratch.w, scratch.factors, side)
            miss, slope = wanted.evaluate(at.q, at.lam, u, n)
            try:
                change = -np.linalg.solve(slope @ columns.T, miss - left + slope @ y)
            except np.linalg.LinAlgError:
                raise SingularError("The conditions do not determine the signals.") from None
            move = y + change @ columns
            size = float(np.max(np.abs(move[:n]) * system.weight, initial=0.0))
            scale = min(1.0, 0.5 / size) if size > 0.0 else 1.0
            work.gap[:] += np.tensordot(change, bordered.gaps, 1)
            off = condense.follow(system.rods, work, np.append(move[:n], np.zeros(3)), scale, at.force)
            size = max(size, off * system.weight[0])
            if not np.isfinite(size + gap):
                break
            at.q[:n] += scale * move[:n]
            at.lam += scale * move[n:]
            u[self.signals] += scale * change
            closed = scale == 1.0 and gap <= condense.JOINED
            if closed and (size <= TOLERANCE or (size < condense.JOINED and size > 0.5 * before)):
                return
            before = size
        raise ConvergenceError("Newton for the signals did not converge.")

    def _bordered(
        self, system: Shooting, at: Solution, u: np.ndarray, scratch: Scratch, work: March | None = None
    ) -> Bordered:
        """Compute the equations at a solution, in ``scratch`` and ``work``, and their derivatives by the signals."""
        work = system.workspace() if work is None else work
        assembled(system, at, u, self.gamma, scratch, work)
        right, gap = scratch.step.copy(), work.gap.copy()
        pushes = np.abs(at.lam) / system.joint_arms
        force = max(float(np.max(pushes, initial=0.0)), float(np.max(np.abs(at.force[:, :2]), initial=0.0)))
        columns, gaps = [], []
        for k in self.signals:
            name, other = system.layout.signals[k].name, u.copy()
            change = DIFFERENCE * sizes.size(system.model, name, u[k], system.length_scale, force)
            other[k] += change
            assembled(system, at, other, self.gamma, scratch, work)
            columns.append((scratch.step - right) / change)
            gaps.append((work.gap - gap) / change)
        assembled(system, at, u, self.gamma, scratch, work)
        return Bordered(right, np.array(columns), np.array(gaps))

    @staticmethod
    def _factor(system: Shooting, scratch: Scratch) -> bool:
        return bool(ldl.factor_lu(system.equations.pattern, scratch.s, scratch.w, scratch.factors) == ldl.OK)
