"""Motion of a reduced mechanism: y'' by adaptive explicit Runge-Kutta, all else from the pose (thesis listing 2.2)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pliant.errors import ConvergenceError, OptionError, SingularError
from pliant.formulations.geometric.reduction import Reduced
from pliant.joints import rows as joints
from pliant.solvers import ode
from pliant.solvers.drivers import Signals
from pliant.solvers.motion import Motion, Plan
from pliant.solvers.runge_kutta import Record, Run, Span, Tableau, Tolerance
from pliant.solvers.starting import consistent
from pliant.system.state import State

ACCURACY = 1e-9
PATIENCE = 30  # poses that do not exist, without a clean step between: the motion has come to a dead centre
COARSEST = 1e-6  # accuracy above which a dead centre could be stepped over
TURNING = 0.01  # of the best conditioning met: where y turns back below this, it was at a dead centre


def move(reduced: Reduced, begin: State, plan: Plan) -> Motion:
    """Motion from y, y' of a state by DOP853 (Hairer, Norsett, Wanner 1993), of order 8.

    ``accuracy`` bounds the local error of y (rad, and relative); at most 1e-6, so that no dead centre is stepped over.
    Kept are the steps taken, or the instants ``times`` from the method's own interpolant of order 7; every pose closes
    the joints.
    """
    why = "not an option of the formulation 'geometric', which takes adaptive explicit steps"
    advice = "Give accuracy= instead, or compile with formulation='dae'."
    plan.refuse("step", "tolerances", "sampler", why=f"{why}. {advice}")
    method: Any = plan.method
    if method.constraints is not None:
        raise OptionError(f"constraints: {why}, and whose joints are always closed. Leave it out.")
    if plan.velocity is not None or reduced.observed.driving:
        step = 1e-3 * (plan.end_time - begin.time)
        begin = consistent(reduced.observed, begin, time=begin.time, velocity=plan.velocity, step=step)
    if plan.accuracy is not None and plan.accuracy > COARSEST:
        raise OptionError(
            f"accuracy={plan.accuracy:g}: the formulation 'geometric' takes at most {COARSEST:g}; coarser steps might "
            "pass over a dead centre."
        )
    y, rate = begin.q[reduced.index, None], begin.v[reduced.index, None]
    return ode.integrate(AngleOde(reduced, begin), begin.time, y, rate, plan, ACCURACY)


class AngleOde:
    """y'' of the mechanism, and what was met on the way (see ``solvers/ode.py``)."""

    compiled, steady, one_size, gap, relative, augmented = False, False, False, 0.0, True, True
    turning = 0, 0
    units = np.ones(1)
    reasons: ClassVar[dict[int, str]] = {}  # it stops with exceptions that name the pose

    def __init__(self, reduced: Reduced, start: State) -> None:
        self.reduced, self.system, self.start, self.near = reduced, reduced.observed, start, start.q
        self.missing = self.in_a_row = self.missing_before = 0
        self.best, self.rate_before = 0.0, float(start.v[reduced.index])

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """y'' and powers; NaN where there is no pose, at which the method takes a smaller step."""
        run.counts.iterations += 1
        second, power = np.nan, (np.nan, np.nan)
        if np.isfinite(q[0]) and np.isfinite(v[0]):
            try:
                point = self.reduced.point(q[0], v[0], self.near, time)
                second = point.second
                power = self.reduced.power(point) if self.system.powered else (0.0, 0.0)
            except SingularError:
                run.counts.cut_backs += 1
                self.missing += 1
                self.in_a_row += 1
                if self.in_a_row > PATIENCE or time == self.start.time:
                    raise
        run.stages.a[0, 0], run.stages.power[0] = second, power
        return True

    def undetermined(self, time: float) -> str:
        """What to say where y'' is not determined."""
        return self.reduced.dead_centre(self.near, time)

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """There is no compiled loop."""
        raise NotImplementedError

    def changing(self) -> tuple[np.ndarray, ...]:
        """Nothing but the state is handed on."""
        return ()

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Velocities compare with the largest so far."""
        return fastest

    def after_step(self, solver: Any) -> None:
        """Go on from an accepted step. Refuse one in which y turns back at a dead centre: the mechanism would go on, on
        another branch.
        """
        reduced, time, rate = self.reduced, float(solver.t), self.rate_before
        if rate * solver.y[1] < 0.0:
            turned = float(solver.t_old + rate / (rate - solver.y[1]) * (solver.t - solver.t_old))
            q = reduced.gamma(float(solver.dense_output()(turned)[0]), self.near, time=turned)
            if reduced.conditioning(q, time=turned) < TURNING * self.best:
                raise SingularError(reduced.dead_centre(q, turned))
        self.near = reduced.gamma(solver.y[0], self.near, time=time)
        self.in_a_row = 0 if self.missing == self.missing_before else self.in_a_row
        self.missing_before, self.rate_before = self.missing, float(solver.y[1])
        self.best = max(self.best, reduced.conditioning(self.near, time=time))

    def failed(self, solver: Any) -> int:
        """Why no step is small enough."""
        if self.in_a_row:
            raise SingularError(self.reduced.dead_centre(self.near, solver.t))
        raise ConvergenceError(
            f"The motion of {self.reduced.model.name!r} stopped at t = {solver.t:.6g} s: no step is small enough for "
            "the accuracy. Try a larger accuracy=; a force may jump there."
        )

    def motion(self, run: Run, record: Record) -> Motion:
        """All coordinates at every instant, and at the end a state to go on from."""
        reduced, n = self.reduced, self.system.freedoms
        near, points, gap = self.start.q, [], np.zeros((record.time.size, self.system.constraints))
        for k, time in enumerate(record.time):
            points.append(reduced.point(record.q[k, 0], record.v[k, 0], near, float(time)))
            near = points[-1].q
            joints.residual(self.system.equations.rows, near, points[-1].inputs.u, gap[k])
        end = reduced.point(run.q[0], run.v[0], self.near, float(run.clock.time))
        return Motion(
            time=record.time,
            q=np.array([point.q[:n] for point in points]),
            v=np.array([point.v[:n] for point in points]),
            a=np.array([point.a[:n] for point in points]),
            lam=np.array([reduced.multipliers(point) for point in points]),
            work=record.work,
            last=State(end.q, end.v, end.a, reduced.multipliers(end), float(run.clock.time)),
            constraint_error=float(np.max(np.abs(gap), initial=0.0)),
            counted="evaluations",
            lossless=True,
        )
