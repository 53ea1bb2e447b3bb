"""Motion in relative coordinates: their accelerations as ordinary differential equations.

The accelerations of a tree as stages of Runge-Kutta (see ``solvers/ode/runge_kutta.py``), compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.errors import OptionError
from pliant.forces.state_force import callbacks
from pliant.formulations.relative.dynamics import Mechanism, Room, accelerate, load, place, project, react
from pliant.formulations.relative.loops import aim, lean, measure, pulled, support, tie, tighten
from pliant.formulations.relative.recursion import geometric, take
from pliant.formulations.relative.system import Relative
from pliant.jit import inlined_kernel, kernel
from pliant.jit.bundle import Bundle
from pliant.joints import rows as joints
from pliant.kernels import charts
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

TIME = 1  # place of the time among the signals


class Problem(Bundle):
    """What is integrated, with room to work in."""

    mechanism: Mechanism
    room: Room
    change: np.ndarray  # (coordinates) of the acceleration
    drift: np.ndarray  # (1) largest gap of a joint at which a loop is cut


class Shown(NamedTuple):
    """What is known of instants recorded, in the coordinates of the system, and Q''."""

    q: np.ndarray  # (times, size)
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray  # (times, rows)
    second: np.ndarray  # (times, coordinates)


@kernel
def drive(mechanism: Mechanism, u: np.ndarray, rate: np.ndarray, run: Run, stage: int) -> None:
    """Put driven coordinates where their signals have them; rates of all coordinates follow."""
    stages = run.stages
    for d in range(mechanism.signal.size):
        c, signal = mechanism.active[mechanism.free + d], mechanism.signal[d]
        stages.q[stage, c] = mechanism.gain[d] * u[signal] + mechanism.shift[d]
        stages.v[stage, c] = mechanism.gain[d] * rate[signal]
    if run.turning > 0:
        charts.rates(run.turning, stages.q[stage], stages.v[stage], stages.rate[stage])
        for i in range(6 * run.turning, run.frames):
            stages.rate[stage, i] = stages.v[stage, i]


@kernel
def spend(problem: Problem, u: np.ndarray, rate: np.ndarray, run: Run, stage: int) -> None:
    """Powers at a stage: of parts, of drives, whose forces are in ``right``, negative, and of driven rows."""
    mechanism, room, supplied, lost = problem.mechanism, problem.room, 0.0, 0.0
    if mechanism.powers:
        supplied, lost = fused.power(mechanism.equations.parts, room.q, room.v, u)
    if mechanism.loops.rank > 0:
        supplied += joints.power(mechanism.loops.rows, room.knot.pull, rate)
    for d in range(mechanism.free, mechanism.active.size):
        supplied -= room.right[d] * run.stages.v[stage, mechanism.active[d]]
    run.stages.power[stage, 0], run.stages.power[stage, 1] = supplied, lost


@inlined_kernel
def evaluate(problem: Problem, signals: Signals, row: int, time: float, run: Run, stage: int) -> bool:
    """Acceleration and powers at a stage."""
    mechanism, room, stages, u = problem.mechanism, problem.room, run.stages, signals.u[row]
    u[TIME] = time
    run.counts.iterations += 1
    drive(mechanism, u, signals.rate[row], run, stage)
    if not accelerate(mechanism, room, stages.q[stage], stages.v[stage], stages.a[stage], u, signals.second[row]):
        return False
    if mechanism.loops.rank > 0:
        measure(mechanism.loops, room.knot, room.q, room.v, u, signals.rate[row])
    spend(problem, u, signals.rate[row], run, stage)
    return True


@kernel
def linearise(mechanism: Mechanism, room: Room, run: Run, u: np.ndarray, g: float) -> bool:
    """Factorise N^T (M + g C + g^2 K) N at the start of a step, symmetric, with what the forces gain as N changes."""
    place(mechanism, room, run.stages.q[0], run.stages.v[0], run.stages.a[0])
    load(mechanism, room, u, g * g, g, 1.0)
    project(mechanism, room, room.implicit)
    take(mechanism.tree, room.work, mechanism.width, room.scratch.r)
    geometric(mechanism.tree, room.work, mechanism.rank, g * g, room.implicit)
    loops, knot = mechanism.loops, room.knot
    if loops.rank > 0 and knot.gamma[0] > 0.0:
        support(loops, knot, knot.gamma[0], room.implicit)
    return dense.factor(room.implicit, mechanism.free) and (loops.rank == 0 or tighten(loops, knot, room.implicit))


@inlined_kernel
def solve(
    problem: Problem, signals: Signals, row: int, time: float, run: Run, stage: int, g: float, tolerance: Tolerance
) -> bool:
    """An implicit stage: Q'' with v = v* + g Q'' and Q = Q* + g Q', by Newton with the matrix of the step's start."""
    mechanism, room, stages, u = problem.mechanism, problem.room, run.stages, signals.u[row]
    u[TIME] = time
    if stage == 1 and not linearise(mechanism, room, run, u, g):
        return False
    q, v, a, before = stages.q[stage], stages.v[stage], stages.a[stage], 0.0
    fill(a, stages.a[stage - 1])
    for d in range(mechanism.signal.size):
        a[mechanism.active[mechanism.free + d]] = mechanism.gain[d] * signals.second[row, mechanism.signal[d]]
    predict(run, stage, g, run.frames)
    drive(mechanism, u, signals.rate[row], run, stage)
    for iteration in range(NEWTON):
        run.counts.iterations += 1
        place(mechanism, room, q, v, a)
        load(mechanism, room, u, 0.0, 0.0, 0.0)
        for c in range(mechanism.active.size):
            room.right[c] = -room.out[mechanism.active[c]]
        if mechanism.loops.rank > 0:
            aim(mechanism.loops, room.knot, room.q, room.v, room.a, u, signals.second[row])
            lean(mechanism.loops, room.knot, room.right)
        dense.solve(room.implicit, mechanism.free, room.right)
        if mechanism.loops.rank > 0:
            tie(mechanism.loops, room.knot, room.knot.target, room.right)
            pulled(room.knot)
        problem.change[:] = 0.0
        for c in range(mechanism.free):
            problem.change[mechanism.active[c]] = room.right[c]
        size = increment(problem.change, g, tolerance, run, stage)
        verdict = settled(size, before, iteration)
        if verdict > 0:
            spend(problem, u, signals.rate[row], run, stage)
            return True
        if verdict < 0:
            return False
        before = size
    return False


@kernel
def close(problem: Problem, tolerance: Tolerance, run: Run, last: int) -> bool:
    """Put joints at which loops are cut right if they have drifted: Q and Q' move the least in the sense of N^T M N.
    All others are closed by their coordinates. The factors are those of the evaluation at this state.
    """
    mechanism, knot, right, stages = problem.mechanism, problem.room.knot, problem.room.right, run.stages
    loops, moved = mechanism.loops, False
    for turn in range(2 if loops.rank > 0 else 0):
        values, x = (knot.gap, stages.q[last]) if turn == 0 else (knot.speed, stages.v[last])
        unit = (tolerance.position[0] if turn == 0 else tolerance.velocity[0]) / mechanism.units[0]
        worst = 0.0
        for k in range(loops.number.size):
            if turn == 0:
                problem.drift[0] = max(problem.drift[0], abs(values[k]))
            worst = max(worst, abs(values[k]) / loops.widths[k])
        if worst <= tolerance.gap * unit:
            continue
        right[: mechanism.free] = 0.0
        tie(loops, knot, values, right)
        problem.change[:] = 0.0
        for c in range(mechanism.free):
            problem.change[mechanism.active[c]] = right[c]
        turning = run.turning if turn == 0 else 0
        if turning > 0:
            charts.shift(x, turning, problem.change)
        for i in range(6 * turning, problem.change.size):
            x[i] += problem.change[i]
        moved = True
    return moved


@kernel
def recover(problem: Problem, signals: Signals, record: Record, run: Run, into: Shown) -> bool:
    """What is known of instants recorded; ``signals`` has a row for each, or one for all. The first stage of the run is
    left with what belongs to the last of them.
    """
    mechanism, room, stages, found = problem.mechanism, problem.room, run.stages, True
    for k in range(record.time.size):
        for i in range(record.q.shape[1]):
            stages.q[0, i], stages.v[0, i] = record.q[k, i], record.v[k, i]
        row = 0 if signals.u.shape[0] == 1 else k
        found = evaluate(problem, signals, row, record.time[k], run, 0) and found
        place(mechanism, room, stages.q[0], stages.v[0], stages.a[0])
        react(mechanism, room, signals.u[row])
        for i in range(into.q.shape[1]):
            into.q[k, i], into.v[k, i], into.a[k, i] = room.q[i], room.v[i], room.a[i]
        fill(into.lam[k], room.lam)
        for i in range(into.second.shape[1]):
            into.second[k, i] = stages.a[0, i]
            record.q[k, i], record.v[k, i] = stages.q[0, i], stages.v[0, i]
    return found


advance = runge_kutta.advance_of(evaluate, solve, close)


ACCURACY = 1e-8
CLOSED = 0.1  # of the error allowed in a step: the gap of a loop from which it is closed
DEAD, MOST_DEAD = 10.0, 1e-4  # times the accuracy: see Loops, as of udwadia_kalaba
SOFT, LEAST_SOFT, MOST_SOFT = 1e3, 1e-6, 1e-4  # the same
ADVICE = "a larger accuracy=, method='SDIRK4' where something is stiff, or formulation='dae'"
REASONS = {
    TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or the motion is stiff)",
    SINGULAR: "the accelerations are not determined (a coordinate that moves no mass, or a loop at a dead centre)",
}


def move(system: Relative, begin: State, plan: Plan) -> TimeHistory:
    """Motion from a state; ``accuracy`` and ``tolerances`` as of udwadia_kalaba/motion.py."""
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


class TreeOde:
    """The accelerations of a tree as ordinary differential equations (see ``solvers/ode/adapter.py``)."""

    augmented, one_size, gap = False, False, CLOSED
    reasons = REASONS

    def __init__(self, tree: Relative, time: float, q: np.ndarray, plan: Plan) -> None:
        self.tree, self.system, self.units = tree, Charted(tree), tree.units
        self.turning = len(tree.names), tree.balls
        self.held = adapter.HeldSignals(tree, time, plan)
        self.steady, self.signals = self.held.steady, self.held.now
        tolerances = plan.checked_tolerances()
        self.used = {"tolerances": tolerances} if tolerances else {"accuracy": plan.accuracy or ACCURACY}
        sharp = tolerances[0] if tolerances else plan.accuracy or ACCURACY
        loops = tree.loops
        if loops.soft:
            loops = loops._replace(soft=min(max(SOFT * sharp, LEAST_SOFT), MOST_SOFT))
        else:
            loops = loops._replace(dead=min(DEAD * sharp, MOST_DEAD))
        mechanism = tree.compiled._replace(shift=tree.shifts(q, time), loops=loops)
        self.problem = Problem(mechanism, tree.room(), np.zeros(len(tree.names)), np.zeros(1))

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Acceleration and powers at a state, in the first stage of the run. Returns whether they are determined."""
        record = Record(np.array([time]), q[None].copy(), v[None].copy(), np.zeros((1, 2)))
        found = self.recover(run, record, self.signals(record.time))[0]
        callbacks.reraise()
        return found and bool(np.all(np.isfinite(run.stages.a[0])))

    def recover(self, run: Run, record: Record, signals: Signals) -> tuple[bool, Shown]:
        """Whether all is determined at instants recorded, and what is known of them."""
        count, tree = record.time.size, self.tree
        size = tree.size if tree.space.quaternions else tree.freedoms
        shapes = (count, size), (count, size), (count, size), (count, tree.constraints), (count, len(tree.names))
        shown = Shown(*map(np.zeros, shapes))
        return recover(self.problem, signals, record, run, shown), shown

    def present(self, run: Run, record: Record, signals: Signals) -> Present:
        """The system at the one instant of a record."""
        shown = self.recover(run, record, signals)[1]
        q, v, a = (np.pad(x[0], (0, self.tree.size - x.shape[1])) for x in shown[:3])
        return Present(q, v, a, shown.lam[0])

    def undetermined(self, time: float) -> str:
        """What to say where accelerations are not determined, at the start."""
        return self.tree.undetermined(time)

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """Steps of a span."""
        return advance(self.problem, table, tolerance, signals, span, run, record)

    def changing(self) -> tuple[np.ndarray, ...]:
        """Multipliers of loops, which an implicit stage begins with, and how far these have drifted."""
        return self.problem.room.knot.pull, self.problem.drift

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Velocities compare with the largest so far; those of beams in implicit steps with what moves them that far in
        a step, so that fast motion too small to be seen is damped, not followed.
        """
        step = float(run.clock["step"])
        return max(fastest, 1.0 / step) if table.gamma and step and self.tree.layout.beams else fastest

    def motion(self, run: Run, record: Record) -> TimeHistory:
        """Everything recorded, as nodes of the system and as coordinates of the tree."""
        time, width = float(run.clock.time), record.q.shape[1]
        now = Record(np.array([time]), run.q[None, :width].copy(), run.v[None, :width].copy(), np.zeros((1, 2)))
        last = self.present(run, now, self.signals(now.time))
        _, shown = self.recover(run, record, self.held.past(record.time))
        return TimeHistory(
            time=record.time,
            q=shown.q,
            v=shown.v,
            a=shown.a,
            lam=shown.lam,
            work=record.work,
            last=State(*last, time, last.a.copy()),
            counted="evaluations",
            constraint_error=max(float(self.problem.drift[0]), self.tree.openness(shown.q, record.time)),
            lossless=True,
            used=self.used,
            advice=ADVICE,
            own=self.tree.labelled(record.q, record.v, shown.second),
        )


class Charted:
    """The system as the driver knows it: in relative coordinates."""

    def __init__(self, tree: Relative) -> None:
        self.model, self.equations, self.moved = tree.model, tree.equations, tree.displaced
