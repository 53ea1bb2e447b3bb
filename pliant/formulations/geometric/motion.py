"""Motion of a reduced mechanism: y'' by adaptive explicit Runge-Kutta, all else from the pose (thesis listing 2.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DOP853

from pliant.errors import ConvergenceError, OptionError, SingularError
from pliant.formulations.dae.motion import Motion
from pliant.formulations.geometric.reduction import Reduced
from pliant.joints import rows as joints
from pliant.solvers.starting import consistent
from pliant.system.state import State

ACCURACY = 1e-9
PATIENCE = 30  # poses that do not exist, without a clean step between: the motion has come to a dead centre
SHARPEST, COARSEST = 1e-13, 1e-6  # accuracies: rounding would steer the step; a dead centre could be stepped over
TURNING = 0.01  # of the best conditioning met: where y turns back below this, it was at a dead centre


def move(
    reduced: Reduced,
    begin: State,
    *,
    end_time: float,
    velocity: np.ndarray | None,
    times: np.ndarray | None,
    report: Callable[[float], None],
    accuracy: float = ACCURACY,
    **others: Any,
) -> Motion:
    """Motion from a state; of the options of ``transient`` only those that mean something here are taken."""
    if others:
        raise OptionError(
            f"{', '.join(others)}: not an option of the formulation 'geometric', which takes adaptive explicit steps. "
            "Give accuracy= instead, or compile with formulation='dae'."
        )
    if velocity is not None or reduced.dae.driving:
        begin = consistent(reduced.dae, begin, time=begin.time, velocity=velocity, step=1e-3 * (end_time - begin.time))
    return integrate(reduced, begin, end_time=end_time, accuracy=accuracy, times=times, report=report)


def integrate(
    reduced: Reduced,
    start: State,
    *,
    end_time: float,
    accuracy: float = ACCURACY,
    times: np.ndarray | None = None,
    report: Callable[[float], None] = lambda time: None,
) -> Motion:
    """From y, y' of a state to ``end_time`` by DOP853 (Hairer, Norsett, Wanner 1993), of order 8.

    ``accuracy`` bounds the local error of y (rad, and relative); one coarser than 1e-6 is taken as 1e-6. Kept are the
    steps taken, or the instants ``times`` from the method's own interpolant of order 7; every pose closes the joints.
    """
    run = _Run(reduced, start)
    solver = run.solver(end_time, min(max(accuracy, SHARPEST), COARSEST))
    wanted = None if times is None else np.clip(times, start.time, end_time)
    instants, values = [start.time], [solver.y.copy()]
    message, ok = "reached the end", True
    try:
        while solver.status == "running":
            cuts, rate = run.cuts, solver.y[1]
            if solver.step() is not None:
                raise run.stuck(solver.t)
            if rate * solver.y[1] < 0.0:
                run.turn(solver, rate)
            run.keep(solver.y[0], solver.t, clean=run.cuts == cuts)
            if wanted is None:
                instants.append(solver.t)
                values.append(solver.y.copy())
            else:
                passed = wanted[(wanted > solver.t_old) & (wanted <= solver.t)]
                instants += passed.tolist()
                values += list(solver.dense_output()(passed).T) if passed.size else []
            report(solver.t)
    except KeyboardInterrupt:
        message, ok = f"was interrupted at t = {solver.t:.6g} s", False
    if wanted is not None and wanted[0] > start.time and len(instants) > 1:
        instants, values = instants[1:], values[1:]
    return run.motion(np.array(instants), np.array(values), solver, message, ok)


class _Run:
    """Right-hand side of z = (y, y', energy supplied, energy dissipated), and what was met on the way."""

    def __init__(self, reduced: Reduced, start: State) -> None:
        self.reduced, self.start, self.near = reduced, start, start.q
        self.evaluations = self.steps = self.cuts = self.in_a_row = 0
        self.best = 0.0

    def solver(self, end_time: float, accuracy: float) -> DOP853:
        """The method, each part of z with a tolerance in its unit; the energies follow and steer nothing."""
        index, start = self.reduced.index, self.start
        first = np.array([start.q[index], start.v[index], 0.0, 0.0])
        second = self.reduced.point(first[0], first[1], start.q, start.time).second
        pace = max(abs(first[1]), abs(second) ** 0.5, 1.0 / (end_time - start.time))
        return DOP853(
            self.rates, start.time, first, end_time, rtol=accuracy, atol=[accuracy, accuracy * pace, np.inf, np.inf]
        )

    def rates(self, time: float, z: np.ndarray) -> np.ndarray:
        """z'; NaN where there is no pose, at which the method takes a smaller step."""
        self.evaluations += 1
        if not np.all(np.isfinite(z)):
            return np.full(4, np.nan)
        try:
            point = self.reduced.point(z[0], z[1], self.near, time)
        except SingularError:
            self.cuts += 1
            self.in_a_row += 1
            if self.in_a_row > PATIENCE:
                raise
            return np.full(4, np.nan)
        work = self.reduced.power(point) if self.reduced.dae.powered else (0.0, 0.0)
        return np.array([z[1], point.second, *work])

    def keep(self, y: float, time: float, *, clean: bool) -> None:
        """Go on from an accepted step; ``clean`` if every pose on the way existed."""
        self.near = self.reduced.gamma(y, self.near, time=time)
        self.steps += 1
        self.in_a_row = 0 if clean else self.in_a_row
        self.best = max(self.best, self.reduced.conditioning(self.near, time=time))

    def turn(self, solver: DOP853, rate: float) -> None:
        """Refuse a step in which y turns back at a dead centre: the mechanism would go on, on another branch."""
        share = rate / (rate - solver.y[1])
        time = float(solver.t_old + share * (solver.t - solver.t_old))
        q = self.reduced.gamma(float(solver.dense_output()(time)[0]), self.near, time=time)
        if self.reduced.conditioning(q, time=time) < TURNING * self.best:
            raise SingularError(self.reduced.dead_centre(q, time))

    def stuck(self, time: float) -> SingularError | ConvergenceError:
        """Why no step is small enough."""
        if self.in_a_row:
            return SingularError(self.reduced.dead_centre(self.near, time))
        return ConvergenceError(
            f"The motion of {self.reduced.model.name!r} stopped at t = {time:.6g} s: no step is small enough for the "
            "accuracy. Try a larger accuracy=; a force may jump there."
        )

    def motion(self, instants: np.ndarray, values: np.ndarray, solver: DOP853, message: str, ok: bool) -> Motion:
        """All coordinates at every instant, and at the end a state to go on from."""
        reduced, n = self.reduced, self.reduced.dae.freedoms
        near, points, gap = self.start.q, [], np.zeros((instants.size, reduced.dae.constraints))
        for k, (time, z) in enumerate(zip(instants, values, strict=True)):
            points.append(reduced.point(z[0], z[1], near, float(time)))
            near = points[-1].q
            joints.residual(reduced.dae.equations.rows, near, points[-1].inputs.u, gap[k])
        end = reduced.point(solver.y[0], solver.y[1], self.near, float(solver.t))
        return Motion(
            time=instants,
            q=np.array([point.q[:n] for point in points]),
            v=np.array([point.v[:n] for point in points]),
            a=np.array([point.a[:n] for point in points]),
            lam=np.array([reduced.multipliers(point) for point in points]),
            work=values[:, 2:],
            last=State(end.q, end.v, end.a, reduced.multipliers(end), float(solver.t)),
            steps=self.steps,
            iterations=self.evaluations,
            cut_backs=self.cuts,
            constraint_error=float(np.max(np.abs(gap), initial=0.0)),
            local_error=None,
            message=message,
            ok=ok,
            counted="evaluations",
            lossless=True,
        )
