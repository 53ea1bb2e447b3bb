"""Motion of a reduced mechanism: independent coordinates by Runge-Kutta with steps that adapt, all else from them.

The accelerations of independent coordinates as stages of Runge-Kutta (see ``solvers/ode/runge_kutta.py``), compiled.

Stages are formed of all coordinates; those of the dependent ones only tell Newton where to begin. The independent ones
are chosen anew at the start of every step, so that no pose at which a fixed choice fails is ever met. Where G itself
loses rank (a parallelogram that folds flat), stages keep a distance: steps pass over such a pose, or the motion stops.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import OptionError
from pliant.forces.state_force import callbacks
from pliant.formulations.geometric import reduction
from pliant.formulations.geometric.reduction import (
    BEST,
    Mechanism,
    Work,
    accelerate,
    along,
    choose,
    hold,
    load,
    multiply,
    settle,
)
from pliant.formulations.geometric.system import REGULAR, Reduced
from pliant.jit import inlined_kernel, kernel
from pliant.joints import rows as joints
from pliant.kernels import charts
from pliant.kernels.sums import Instant
from pliant.linalg import dense
from pliant.solvers.ode import adapter, runge_kutta
from pliant.solvers.ode.runge_kutta import (
    NEWTON,
    Record,
    Run,
    Span,
    Tableau,
    Tolerance,
    fill,
    increment,
    predict,
    settled,
)
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drive_discontinuities import refuse_kinks
from pliant.solvers.stepping.drivers import Signals, tabulate
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.status import SINGULAR, TOO_SMALL
from pliant.system.numbering.planar_layout import Layout
from pliant.system.packing import fused
from pliant.system.state import State

TIME = 1  # place of the time among the signals


class Problem(NamedTuple):
    """What is integrated, with room to work in."""

    mechanism: Mechanism
    work: Work
    lam: np.ndarray  # multipliers of the last evaluation


@inlined_kernel
def evaluate(problem: Problem, signals: Signals, row: int, time: float, run: Run, stage: int) -> bool:
    """Acceleration and powers at a stage, whose joints are closed first."""
    mechanism, work, stages = problem.mechanism, problem.work, run.stages
    u, rate, q, v = signals.u[row], signals.rate[row], stages.q[stage], stages.v[stage]
    u[TIME] = time
    run.counts.iterations += 1
    if stage <= 1 and not choose(mechanism, work, stages.q[0], u, BEST):
        return False
    if not accelerate(mechanism, work, Instant(q, v, stages.a[stage], u), rate, signals.second[row], problem.lam):
        return False
    spend(problem, u, rate, run, stage)
    return True


@kernel
def spend(problem: Problem, u: np.ndarray, rate: np.ndarray, run: Run, stage: int) -> None:
    """Powers at a stage, and in space the rates of its coordinates."""
    equations, stages, supplied, lost = problem.mechanism.equations, run.stages, 0.0, 0.0
    if run.turning > 0:
        charts.rates(run.turning, stages.q[stage], stages.v[stage], stages.rate[stage])
    if problem.mechanism.powers:
        supplied, lost = fused.power(equations.parts, stages.q[stage], stages.v[stage], u)
    stages.power[stage, 0] = supplied + joints.power(equations.rows, problem.lam, rate)
    stages.power[stage, 1] = lost


@inlined_kernel
def linearise(problem: Problem, run: Run, u: np.ndarray, rate: np.ndarray, second: np.ndarray, g: float) -> bool:
    """Factorise N^T (M + g C + g^2 K) N at the start of a step, symmetric, K with the stiffness of the joint forces."""
    mechanism, work, stages = problem.mechanism, problem.work, run.stages
    now = Instant(stages.q[0], stages.v[0], stages.a[0], u)
    if not (choose(mechanism, work, now.q, u, BEST) and settle(mechanism, work, now, rate, second)):
        return False
    load(mechanism, work, now, (g * g, g, 1.0))
    scratch = work.scratch
    joints.add(
        mechanism.equations.rows, now.q, problem.lam, u, joints.Saddle(g * g, 0.0, scratch.r, scratch.g, scratch.s)
    )
    multiply(mechanism, work, work.implicit)
    return dense.factor(work.implicit, work.basis.shape[1])


@inlined_kernel
def solve(
    problem: Problem, signals: Signals, row: int, time: float, run: Run, stage: int, g: float, tolerance: Tolerance
) -> bool:
    """An implicit stage: y'' with v = v* + g y'' and y = y* + g v, by Newton with the matrix of the step's start."""
    mechanism, work, stages = problem.mechanism, problem.work, run.stages
    u, rate, second = signals.u[row], signals.rate[row], signals.second[row]
    u[TIME] = time
    if stage == 1 and not linearise(problem, run, u, rate, second, g):
        return False
    now = Instant(stages.q[stage], stages.v[stage], stages.a[stage], u)
    fill(now.a, stages.a[stage - 1])
    predict(run, stage, g, mechanism.units.size)
    before = 0.0
    for iteration in range(NEWTON):
        run.counts.iterations += 1
        if not settle(mechanism, work, now, rate, second):
            return False
        load(mechanism, work, now, (0.0, 0.0, 0.0))
        along(mechanism, work, work.implicit)
        size = increment(work.change, g, tolerance, run, stage)
        verdict = settled(size, before, iteration)
        if verdict < 0:
            return False
        if verdict > 0:
            if not settle(mechanism, work, now, rate, second):
                return False
            load(mechanism, work, now, (0.0, 0.0, 0.0))
            hold(mechanism, work, problem.lam)
            spend(problem, u, rate, run, stage)
            return True
        before = size
    return False


@kernel
def recover(problem: Problem, signals: Signals, record: Record, run: Run, a: np.ndarray, lam: np.ndarray) -> bool:
    """Accelerations and multipliers at instants recorded, whose joints are closed too; ``signals`` has a row for each,
    or one for all. The first stage of the run is left with what belongs to the last of them.
    """
    found, stages, width = True, run.stages, a.shape[1]
    for k in range(a.shape[0]):
        for i in range(width):
            stages.q[0, i], stages.v[0, i] = record.q[k, i], record.v[k, i]
        row = 0 if signals.u.shape[0] == 1 else k
        found = evaluate(problem, signals, row, record.time[k], run, 0) and found
        if run.turning > 0:
            charts.land(stages.q[0], run.turning)
        for i in range(width):
            record.q[k, i], record.v[k, i], a[k, i] = stages.q[0, i], stages.v[0, i], stages.a[0, i]
        fill(lam[k], problem.lam)
    return found


advance = runge_kutta.advance_of(evaluate, solve, runge_kutta.stays_closed)


ACCURACY = 1e-8
ROUNDING = 0.42  # power of the accuracy, between those of velocities and accelerations: see regular
USUAL = 0.03  # of the pivots at the start: more is not asked for elsewhere
ADVICE = "a larger accuracy=, method='SDIRK4' where something is stiff, or formulation='dae'"


def move(reduced: Reduced, begin: State, plan: Plan) -> TimeHistory:
    """Motion from a state by DOP853, of order 8, or another method.

    ``accuracy`` is the largest error of a step, as a part of the model's size (and in rad); of velocities, of the
    largest. Kept are the steps taken, or the instants ``times`` from the method's own interpolant; every pose closes
    the joints.
    """
    why = "not an option of the formulation 'geometric', whose steps adapt"
    plan.refuse("step", "sampler", why=f"{why}. Give accuracy= instead, or compile with formulation='dae'.")
    method: Any = plan.method
    if method.constraints is not None:
        raise OptionError(f"constraints: {why}, and whose joints are always closed. Leave it out.")
    refuse_kinks(reduced.observed, begin.time, plan.end_time, reduced.formulation)
    if plan.velocity is not None or reduced.observed.driving:
        step = 1e-3 * (plan.end_time - begin.time)
        begin = consistent(reduced.observed, begin, time=begin.time, velocity=plan.velocity, step=step)
    return adapter.integrate(ReducedOde(reduced, begin, plan), begin.time, begin.q, begin.v, plan, ACCURACY)


def regular(reduced: Reduced, begin: State, accuracy: float) -> float:
    """How near to a dead centre a stage may be, by the pivots of G.

    At a pivot sigma rounding moves positions by eps / sigma, velocities by eps / sigma^2 and accelerations by eps /
    sigma^3; what a step makes of that is not to be more than the accuracy.
    """
    work = reduced.work()
    reduction.choose(reduced.compiled, work, begin.q, reduced.inputs(begin.time).u, reduction.BEST)
    wanted = (np.finfo(float).eps / max(accuracy, 1e-16)) ** ROUNDING
    return float(max(REGULAR, min(wanted, USUAL * work.pivot[0])))


class ReducedOde:
    """The accelerations of independent coordinates as ordinary differential equations (see
    ``solvers/ode/adapter.py``).
    """

    augmented, one_size, gap = False, False, 0.0

    def __init__(self, reduced: Reduced, begin: State, plan: Plan) -> None:
        self.reduced, self.system = reduced, reduced.observed
        self.units = reduced.compiled.units
        self.turning = int(self.system.equations.frames), int(self.system.equations.turning)
        self.steady = all(one.constant for k, one in enumerate(self.system.layout.signals) if k != Layout.TIME)
        tolerances = plan.checked_tolerances()
        sharp = tolerances[0] if tolerances else plan.accuracy or ACCURACY
        self.used = {"tolerances": tolerances} if tolerances else {"accuracy": sharp}
        mechanism = reduced.compiled._replace(regular=regular(reduced, begin, sharp))
        self.problem = Problem(mechanism, reduced.work(), np.zeros(self.system.constraints))
        self.start = begin.q
        self.reasons = {TOO_SMALL: "no step is small enough for the accuracy (a force may jump there)"}

    def signals(self, times: np.ndarray) -> Signals:
        """Signals at instants; one row if they do not change."""
        return tabulate(self.system, times[:1] if self.steady else times)

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Acceleration and powers at a state, in the first stage of the run. Returns whether they are determined."""
        record = Record(np.array([time]), q[None].copy(), v[None].copy(), np.zeros((1, 2)))
        found = self.recover(run, record)[0]
        callbacks.reraise()
        return found and bool(np.all(np.isfinite(run.stages.a[0])))

    def recover(self, run: Run, record: Record) -> tuple[bool, np.ndarray, np.ndarray]:
        """Close the joints at instants recorded. Whether all is determined there; accelerations and multipliers."""
        a, lam = np.zeros(record.q.shape), np.zeros((record.time.size, self.system.constraints))
        return recover(self.problem, self.signals(record.time), record, run, a, lam), a, lam

    def undetermined(self, time: float) -> str:
        """What to say where accelerations are not determined, at the start."""
        return self.reduced.undetermined(self.start, time, int(self.problem.work.why[0]))

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """Steps of a span."""
        ended: tuple[int, int] = advance(self.problem, table, tolerance, signals, span, run, record)
        if ended[0] == SINGULAR:
            joints = ", ".join(self.reduced.dependence(run.q))
            self.reasons[SINGULAR] = (
                f"the conditions of {joints} depend on each other there (a dead centre, beyond which it can go on in "
                "more than one way)"
            )
        return ended

    def changing(self) -> tuple[np.ndarray, ...]:
        """Multipliers, which an implicit stage begins with."""
        return (self.problem.lam,)

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Velocities compare with the largest so far."""
        return fastest

    def motion(self, run: Run, record: Record) -> TimeHistory:
        """Everything recorded, with accelerations and reactions."""
        time, width = float(run.clock.time), record.q.shape[1]
        self.evaluate(run, time, run.q[:width], run.v[:width])
        last = State(run.q.copy(), run.v.copy(), run.a.copy(), self.problem.lam.copy(), time, run.a.copy())
        _, a, lam = self.recover(run, record)
        if self.system.redundant:
            lam = self.least(record, a)
            last = replace(last, lam=lam[-1] if record.time[-1] == time else last.lam)
        return TimeHistory(
            time=record.time,
            q=record.q,
            v=record.v,
            a=a,
            lam=lam,
            work=record.work,
            last=last,
            constraint_error=float(self.problem.work.drift[0]),
            counted="evaluations",
            lossless=True,
            used=self.used,
            advice=ADVICE,
        )

    def least(self, record: Record, a: np.ndarray) -> np.ndarray:
        """Multipliers of least norm, without units, where redundant conditions leave a choice."""
        system, space = self.system, self.system.size - record.q.shape[1]
        states = (np.pad(x, ((0, 0), (0, space))) for x in (record.q, record.v, a))
        found = [
            self.reduced.held(State(q, v, push, np.zeros(system.constraints), float(time)))
            for time, q, v, push in zip(record.time, *states, strict=True)
        ]
        return np.array(found)
