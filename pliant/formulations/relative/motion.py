"""Motion in relative coordinates: their accelerations as ordinary differential equations.

Compiled: the accelerations of a tree as stages of Runge-Kutta methods (see ``solvers/ode/runge_kutta.py``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.errors import OptionError
from pliant.forces.state_force import callbacks
from pliant.formulations.relative.dynamics import (
    Mechanism,
    Room,
    accelerate,
    choose,
    load,
    place,
    project,
    push,
    react,
    settle,
)
from pliant.formulations.relative.loops import DEAD_CENTRE, NOT_CLOSED, gather, hold, reduce, scatter
from pliant.formulations.relative.recursion import geometric, take
from pliant.formulations.relative.system import Relative
from pliant.jit import inlined_kernel, kernel
from pliant.jit.bundle import Bundle
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
from pliant.solvers.stepping.drivers import Signals
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import Present
from pliant.solvers.stepping.status import SINGULAR, TOO_SMALL
from pliant.system.packing import fused
from pliant.system.state import State

TIME = 1  # number of the time among the signals


class Problem(Bundle):
    """A mechanism to integrate, with its workspace."""

    mechanism: Mechanism
    room: Room
    change: np.ndarray  # (coordinates) change of the acceleration


class Shown(NamedTuple):
    """Recorded instants in the coordinates of the system, and Q''."""

    q: np.ndarray  # (times, size)
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray  # (times, rows)
    second: np.ndarray  # (times, coordinates)


@kernel
def drive(mechanism: Mechanism, u: np.ndarray, rate: np.ndarray, run: Run, stage: int) -> None:
    """Set the driven coordinates of a stage from their signals; compute the rates of all coordinates."""
    stages = run.stages
    for d in range(mechanism.signal.size):
        c, signal = mechanism.active[mechanism.free + d], mechanism.signal[d]
        stages.q[stage, c] = mechanism.gain[d] * u[signal] + mechanism.shift[d]
        stages.v[stage, c] = mechanism.gain[d] * rate[signal]
    if run.turning > 0:
        turn(run, stage)


@kernel
def turn(run: Run, stage: int) -> None:
    """Compute the rates of all coordinates of a stage, in space."""
    stages = run.stages
    charts.rates(run.turning, stages.q[stage], stages.v[stage], stages.rate[stage])
    for i in range(6 * run.turning, run.frames):
        stages.rate[stage, i] = stages.v[stage, i]


@kernel
def spend(problem: Problem, u: np.ndarray, rate: np.ndarray, run: Run, stage: int) -> None:
    """Compute powers at a stage: of parts, of drives (``right`` holds minus their forces) and of driven rows."""
    mechanism, room, supplied, lost = problem.mechanism, problem.room, 0.0, 0.0
    if mechanism.powers:
        supplied, lost = fused.power(mechanism.equations.parts, room.q, room.v, u)
    if mechanism.loops.rank > 0:
        supplied += joints.power(mechanism.loops.rows, room.closure.pull, rate)
    for d in range(mechanism.free, mechanism.active.size):
        supplied -= room.right[d] * run.stages.v[stage, mechanism.active[d]]
    run.stages.power[stage, 0], run.stages.power[stage, 1] = supplied, lost


@inlined_kernel
def evaluate(problem: Problem, signals: Signals, row: int, time: float, run: Run, stage: int) -> bool:
    """Close the loops at a stage, and compute its acceleration and powers."""
    mechanism, room, stages, u, rate = problem.mechanism, problem.room, run.stages, signals.u[row], signals.rate[row]
    q, v, a = stages.q[stage], stages.v[stage], stages.a[stage]
    u[TIME] = time
    run.counts.iterations += 1
    drive(mechanism, u, rate, run, stage)
    if mechanism.loops.rank > 0 and stage <= 1 and not choose(mechanism, room, stages.q[0], u):
        return False
    if not accelerate(mechanism, room, q, v, a, u, rate, signals.second[row]):
        return False
    if mechanism.loops.rank > 0 and run.turning > 0:
        turn(run, stage)
    spend(problem, u, rate, run, stage)
    return True


@inlined_kernel
def linearise(mechanism: Mechanism, room: Room, run: Run, signals: Signals, row: int, g: float) -> bool:
    """Factorise the symmetric matrix N^T (M + g C + g^2 K) N at the start of a step, with the geometric stiffness."""
    q, v, a, u = run.stages.q[0], run.stages.v[0], run.stages.a[0], signals.u[row]
    loops, matrix, count = mechanism.loops.rank > 0, room.implicit, mechanism.free
    if loops:
        matrix, count = room.matrix, room.closure.change.size
        if not (
            choose(mechanism, room, q, u)
            and settle(mechanism, room, Instant(q, v, a, u), signals.rate[row], signals.second[row], False)
        ):
            return False
    else:
        place(mechanism, room, q, v, a)
    load(mechanism, room, u, g * g, g, 1.0)
    project(mechanism, room, matrix)
    take(mechanism.tree, room.work, mechanism.width, room.scratch.r)
    geometric(mechanism.tree, room.work, mechanism.rank, g * g, matrix)
    if loops:
        reduce(mechanism.loops, room.closure, matrix, room.implicit)
    return dense.factor(room.implicit, count)


@inlined_kernel
def solve(
    problem: Problem, signals: Signals, row: int, time: float, run: Run, stage: int, g: float, tolerance: Tolerance
) -> bool:
    """Solve an implicit stage, v = v* + g Q'' and Q = Q* + g Q', by Newton with the matrix of the step's start."""
    mechanism, room, stages, u = problem.mechanism, problem.room, run.stages, signals.u[row]
    loops, closure, rate, second = mechanism.loops, room.closure, signals.rate[row], signals.second[row]
    u[TIME] = time
    if stage == 1 and not linearise(mechanism, room, run, signals, row, g):
        return False
    q, v, a, before = stages.q[stage], stages.v[stage], stages.a[stage], 0.0
    fill(a, stages.a[stage - 1])
    for d in range(mechanism.signal.size):
        a[mechanism.active[mechanism.free + d]] = mechanism.gain[d] * second[mechanism.signal[d]]
    predict(run, stage, g, run.frames)
    drive(mechanism, u, rate, run, stage)
    for iteration in range(NEWTON):
        run.counts.iterations += 1
        if loops.rank == 0:
            place(mechanism, room, q, v, a)
        elif not settle(mechanism, room, Instant(q, v, a, u), rate, second, iteration > 0):
            return False
        load(mechanism, room, u, 0.0, 0.0, 0.0)
        push(mechanism, room)
        step = room.right
        if loops.rank == 0:
            dense.solve(room.implicit, mechanism.free, step)
        else:
            gather(loops, closure, room.right)
            dense.solve(room.implicit, closure.change.size, closure.change)
            scatter(loops, closure)
            step = closure.step
        problem.change[:] = 0.0
        for c in range(mechanism.free):
            problem.change[mechanism.active[c]] = step[c]
        size = increment(problem.change, g, tolerance, run, stage)
        verdict = settled(size, before, iteration)
        if verdict < 0:
            return False
        if verdict > 0:
            if loops.rank > 0:
                hold(loops, closure, mechanism.scales, room.right)
                if run.turning > 0:
                    turn(run, stage)
            spend(problem, u, rate, run, stage)
            return True
        before = size
    return False


@kernel
def recover(problem: Problem, signals: Signals, record: Record, run: Run, into: Shown) -> bool:
    """Compute recorded instants; ``signals`` has a row for each, or one for all. Returns whether all are determined;
    the first stage of the run keeps the last instant.
    """
    mechanism, room, stages, found = problem.mechanism, problem.room, run.stages, True
    for k in range(record.time.size):
        for i in range(record.q.shape[1]):
            stages.q[0, i], stages.v[0, i] = record.q[k, i], record.v[k, i]
        row = 0 if signals.u.shape[0] == 1 else k
        found = evaluate(problem, signals, row, record.time[k], run, 0) and found
        if run.turning > 0:
            charts.land(stages.q[0], run.turning)
        place(mechanism, room, stages.q[0], stages.v[0], stages.a[0])
        react(mechanism, room, signals.u[row])
        for i in range(into.q.shape[1]):
            into.q[k, i], into.v[k, i], into.a[k, i] = room.q[i], room.v[i], room.a[i]
        fill(into.lam[k], room.lam)
        for i in range(into.second.shape[1]):
            into.second[k, i] = stages.a[0, i]
            record.q[k, i], record.v[k, i] = stages.q[0, i], stages.v[0, i]
    return found


advance = runge_kutta.advance_of(evaluate, solve, runge_kutta.stays_closed)


ACCURACY = 1e-8
ROUNDING = 0.42  # exponent of the accuracy, between 1/2 (velocities) and 1/3 (accelerations): see regular
USUAL = 0.03  # of the pivot at the start: the largest that is required elsewhere
ADVICE = "a larger accuracy=, method='SDIRK4' where something is stiff, or formulation='dae'"
REASONS = {
    TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or the motion is stiff)",
    SINGULAR: "the accelerations are not determined (a coordinate that moves no mass)",
}


def move(system: Relative, begin: State, plan: Plan) -> TimeHistory:
    """Integrate the motion from a state; ``accuracy`` and ``tolerances`` as in udwadia_kalaba/motion.py."""
    why = "not an option of the formulation 'relative', whose steps adapt"
    plan.refuse("step", why=f"{why}. Give accuracy= instead, or compile with formulation='dae'.")
    method: Any = plan.method
    if method.constraints is not None:
        raise OptionError(f"constraints: {why}, and whose joints are always closed. Leave it out.")
    refuse_kinks(system, begin.time, plan.end_time, system.formulation)
    if plan.velocity is not None or system.driving:
        step = 1e-3 * (plan.end_time - begin.time)
        begin = consistent(system, begin, time=begin.time, velocity=plan.velocity, step=step)
    q, v = system.coordinates(begin.q), system.rates(begin)
    return adapter.integrate(TreeOde(system, begin.time, q, plan), begin.time, q, v, plan, ACCURACY)


def regular(tree: Relative, q: np.ndarray, time: float, accuracy: float) -> float:
    """Return the smallest pivot of loops that a stage may have near a dead centre.

    At a pivot sigma rounding moves positions by eps / sigma, velocities by eps / sigma^2 and accelerations by eps /
    sigma^3; the resulting error of a step must not exceed the accuracy.
    """
    room = tree.room()
    choose(tree.compiled, room, q, tree.inputs(time)[0])
    wanted = (np.finfo(float).eps / max(accuracy, 1e-16)) ** ROUNDING
    return float(max(tree.loops.regular, min(wanted, USUAL * room.closure.pivot[0])))


class TreeOde:
    """The accelerations of a tree as ordinary differential equations (see ``solvers/ode/adapter.py``)."""

    augmented, one_size, gap = False, False, 0.0

    def __init__(self, tree: Relative, time: float, q: np.ndarray, plan: Plan) -> None:
        self.tree, self.system, self.units = tree, Charted(tree), tree.units
        self.turning = len(tree.names), tree.balls
        self.held = adapter.HeldSignals(tree, time, plan)
        self.steady, self.signals = self.held.steady, self.held.now
        tolerances = plan.checked_tolerances()
        self.used = {"tolerances": tolerances} if tolerances else {"accuracy": plan.accuracy or ACCURACY}
        sharp = tolerances[0] if tolerances else plan.accuracy or ACCURACY
        loops = tree.loops
        if loops.rank > 0:
            loops = loops._replace(regular=regular(tree, q, time, sharp))
        mechanism = tree.compiled._replace(shift=tree.shifts(q, time), loops=loops)
        self.problem = Problem(mechanism, tree.room(), np.zeros(len(tree.names)))
        self.start, self.reasons = q, dict(REASONS)

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Compute acceleration and powers at a state, in the first stage. Returns whether they are determined."""
        record = Record(np.array([time]), q[None].copy(), v[None].copy(), np.zeros((1, 2)))
        found = self.recover(run, record, self.signals(record.time))[0]
        callbacks.reraise()
        return found and bool(np.all(np.isfinite(run.stages.a[0])))

    def recover(self, run: Run, record: Record, signals: Signals) -> tuple[bool, Shown]:
        """Return whether all recorded instants are determined, and the system at these."""
        count, tree = record.time.size, self.tree
        size = tree.size if tree.space.quaternions else tree.freedoms
        shapes = (count, size), (count, size), (count, size), (count, tree.constraints), (count, len(tree.names))
        shown = Shown(*map(np.zeros, shapes))
        return recover(self.problem, signals, record, run, shown), shown

    def present(self, run: Run, record: Record, signals: Signals) -> Present:
        """Return the system at the one instant of a record."""
        shown = self.recover(run, record, signals)[1]
        q, v, a = (np.pad(x[0], (0, self.tree.size - x.shape[1])) for x in shown[:3])
        return Present(q, v, a, shown.lam[0])

    def undetermined(self, time: float) -> str:
        """Return the message that accelerations are not determined at the start."""
        return self.tree.undetermined(self.start, time, int(self.problem.room.closure.why[0]))

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """Take the steps of a span."""
        ended: tuple[int, int] = advance(self.problem, table, tolerance, signals, span, run, record)
        if ended[0] == SINGULAR and self.problem.room.closure.why[0] in (DEAD_CENTRE, NOT_CLOSED):
            joints = ", ".join(self.tree.dependence(self.tree.nodes_at(run.q)))
            self.reasons[SINGULAR] = (
                f"the conditions of {joints} depend on each other there (a dead centre, beyond which it can go on in "
                "more than one way)"
            )
        return ended

    def changing(self) -> tuple[np.ndarray, ...]:
        """Return arrays that steps change: multipliers, with which implicit stages begin, and the drift of loops."""
        return self.problem.room.closure.pull, self.problem.room.closure.drift

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Return the scale of velocities (1/s): the fastest rate so far; for beams in implicit steps at least 1 / step,
        so that fast motion too small to be visible is damped, not followed.
        """
        step = float(run.clock["step"])
        return max(fastest, 1.0 / step) if table.gamma and step and self.tree.layout.beams else fastest

    def motion(self, run: Run, record: Record) -> TimeHistory:
        """Return the recorded motion, as nodes of the system and as coordinates of the tree."""
        time, width = float(run.clock.time), record.q.shape[1]
        now = Record(np.array([time]), run.q[None, :width].copy(), run.v[None, :width].copy(), np.zeros((1, 2)))
        last = self.present(run, now, self.signals(now.time))
        _, shown = self.recover(run, record, self.held.past(record.time))
        if self.tree.redundant:
            padded = [np.pad(x, ((0, 0), (0, self.tree.size - x.shape[1]))) for x in shown[:3]]
            for k, (q, v, a, u) in enumerate(zip(*padded, self.tree.signals(record.time), strict=True)):
                shown.lam[k] = self.tree.held(q, v, a, u)
            last = last._replace(lam=self.tree.held(*last[:3], self.tree.signals(now.time)[0]))
        return TimeHistory(
            time=record.time,
            q=shown.q,
            v=shown.v,
            a=shown.a,
            lam=shown.lam,
            work=record.work,
            last=State(*last, time, last.a.copy()),
            counted="evaluations",
            constraint_error=max(float(self.problem.room.closure.drift[0]), self.tree.openness(shown.q, record.time)),
            lossless=True,
            used=self.used,
            advice=ADVICE,
            own=self.tree.labelled(record.q, record.v, shown.second),
        )


class Charted:
    """The system in relative coordinates, for the driver of Runge-Kutta steps."""

    def __init__(self, tree: Relative) -> None:
        self.model, self.equations, self.moved = tree.model, tree.equations, tree.displaced
