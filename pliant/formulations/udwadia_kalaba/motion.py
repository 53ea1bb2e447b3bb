"""Motion in time: the ordinary differential equations x'' = f(x, x', t), by compiled integrators or scipy's.

Accelerations of constrained systems are compiled as stages of Runge-Kutta (see ``solvers/ode/runge_kutta.py``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import OptionError, SingularError
from pliant.forces.state_force import callbacks
from pliant.formulations.udwadia_kalaba.accelerations import (
    Constraints,
    Inputs,
    Stabilisation,
    Work,
    accelerate,
    balance,
    constrain,
    push_apart,
    rub,
)
from pliant.formulations.udwadia_kalaba.system import NO_STABILISATION, Constrained
from pliant.jit import inlined_kernel, kernel
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels import charts
from pliant.kernels.sums import Instant, Into
from pliant.linalg import ldl
from pliant.solvers.contact import moreau
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
from pliant.solvers.stepping import methods
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drivers import Signals
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import Present
from pliant.solvers.stepping.status import SINGULAR, TOO_SMALL
from pliant.system.packing import fused
from pliant.system.state import State

TIME = 1  # place of the time among the signals


class Problem(NamedTuple):
    """The integrated equations, with workspace."""

    constraints: Constraints
    stabilise: Stabilisation
    work: Work
    lam: np.ndarray  # multipliers of the last evaluation
    drift: np.ndarray  # (2) largest gap of a joint and of its speed


@inlined_kernel
def add_power(problem: Problem, u: np.ndarray, rate: np.ndarray, run: Run, stage: int) -> None:
    """Add the powers at a stage."""
    equations, stages = problem.constraints.equations, run.stages
    supplied, dissipated = 0.0, problem.work.scratch.rubbed.lost[0]
    if problem.constraints.powers:
        supplied, lost = fused.power(equations.parts, stages.q[stage], stages.v[stage], u)
        dissipated += lost
    stages.power[stage, 0] = supplied + joints.power(equations.rows, problem.lam, rate)
    stages.power[stage, 1] = dissipated


@inlined_kernel
def evaluate(problem: Problem, signals: Signals, row: int, time: float, run: Run, stage: int) -> bool:
    """Compute acceleration and powers at a stage."""
    u, rate, stages = signals.u[row], signals.rate[row], run.stages
    u[TIME] = time
    run.counts.iterations += 1
    inputs = Inputs(u, rate, signals.second[row])
    found = accelerate(
        problem.constraints, problem.stabilise, stages.q[stage], stages.v[stage], inputs, problem.work,
        stages.a[stage], problem.lam,
    )  # fmt: skip
    add_power(problem, u, rate, run, stage)
    return found


@kernel
def recover(problem: Problem, signals: Signals, record: Record, run: Run, a: np.ndarray, lam: np.ndarray) -> bool:
    """Compute accelerations and multipliers at recorded instants; ``signals`` has a row for each, or one for all.

    The first stage of the run is left with the values of the last instant.
    """
    found = True
    for k in range(a.shape[0]):
        for i in range(a.shape[1]):
            run.stages.q[0, i], run.stages.v[0, i] = record.q[k, i], record.v[k, i]
        row = 0 if signals.u.shape[0] == 1 else k
        found = evaluate(problem, signals, row, record.time[k], run, 0) and found
        for i in range(a.shape[1]):
            a[k, i] = run.stages.a[0, i]
        fill(lam[k], problem.lam)
    return found


@inlined_kernel
def linearise(problem: Problem, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray, g: float) -> bool:
    """Factorise [M + g C + g^2 K, A^T; A, 0], symmetric, K with the stiffness of the constraint forces."""
    constraints, work = problem.constraints, problem.work
    equations, scratch = constraints.equations, work.scratch
    rows, s = equations.rows, scratch.s
    scratch.r[:] = 0.0
    s[:] = 0.0
    fused.add(
        equations.parts,
        Instant(q, v, a, u),
        Into(g * g, g, 1.0, scratch.r, s, scratch.w),
        scratch.stress,
        constraints.mixed,
    )
    for i in range(constraints.massless.size):
        s[constraints.massless[i]] += 1.0
    joints.add(rows, q, problem.lam, u, joints.Saddle(g * g, equations.gamma, scratch.r, scratch.g, s))
    if equations.rubbing.arm.size > 0:
        rubbing.rub(equations.rubbing, q, v, problem.lam, scratch.rubbed)
        rubbing.damp(equations.rubbing, g, scratch.rubbed, s)
    status, _ = ldl.factor(equations.pattern, s, scratch.factors)
    return status == ldl.OK


@inlined_kernel
def solve(
    problem: Problem,
    signals: Signals,
    row: int,
    time: float,
    run: Run,
    stage: int,
    g: float,
    tolerance: Tolerance,
) -> bool:
    """Solve an implicit stage: x'' with v = v* + g x'', x = x* + g v, by Newton with the matrix of the step's start."""
    constraints, work, u, rate = problem.constraints, problem.work, signals.u[row], signals.rate[row]
    u[TIME] = time
    q, v, a, change = run.stages.q[stage], run.stages.v[stage], run.stages.a[stage], work.change
    fill(a, run.stages.a[stage - 1])
    predict(run, stage, g, constraints.equations.freedoms)
    if stage == 1 and not linearise(problem, run.q, run.v, run.a, u, g):
        return False
    before = 0.0
    for iteration in range(NEWTON):
        run.counts.iterations += 1
        constrain(constraints.equations.rows, q, v, Inputs(u, rate, signals.second[row]), problem.stabilise, work)
        if constraints.equations.rubbing.arm.size > 0:
            rub(constraints, q, v, problem.lam, work)
        change[:] = 0.0
        balance(constraints, q, v, u, work, a, problem.lam, change)
        size = increment(change, g, tolerance, run, stage)
        verdict = settled(size, before, iteration)
        if verdict > 0:
            add_power(problem, u, rate, run, stage)
            return True
        if verdict < 0:
            return False
        before = size
    return False


@kernel
def close(problem: Problem, tolerance: Tolerance, run: Run, last: int) -> bool:
    """Close the joints of the new state if they have drifted: x and v move the least in the norm of M.

    The factors belong to the evaluation at this state. Returns whether anything was moved.
    """
    equations, work, stages = problem.constraints.equations, problem.work, run.stages
    n, rows, right = equations.freedoms, equations.rows, work.scratch.step
    for k in range(rows.offset.size):
        size = rows.weight[k] ** 0.5  # an angle as a length
        problem.drift[0] = max(problem.drift[0], size * abs(work.gap[k]))
        problem.drift[1] = max(problem.drift[1], size * abs(work.speed[k]))
    if tolerance.gap == 0.0:
        return False
    moved = False
    for turn in range(2):
        values, unit, x = work.gap, tolerance.position[0], stages.q[last]
        if turn == 1:
            values, unit, x = work.speed, tolerance.velocity[0], stages.v[last]
        worst = 0.0
        for k in range(rows.offset.size):
            worst = max(worst, abs(values[k]) * rows.weight[k] ** 0.5 / unit)
        if worst <= tolerance.gap:
            continue
        right[:] = 0.0
        for k in range(rows.offset.size):
            right[n + k] = -values[k]
        push_apart(problem.constraints, work.jacobian, right)
        ldl.solve(equations.pattern, work.scratch.s, work.scratch.factors, right)
        if turn == 0 and run.turning > 0:
            charts.shift(x, run.turning, right)
        else:
            for i in range(n):
                x[i] += right[i]
        moved = True
    return moved


advance = runge_kutta.advance_of(evaluate, solve, close)


ACCURACY = 1e-8
CLOSED = 0.1  # of the permitted error of a step: the gap of a joint from which projection closes it
DEAD, MOST_DEAD = 10.0, 1e-4  # times the accuracy: pivot of a row at a dead centre, relative to its terms
SOFTNESS, LEAST_SOFT, MOST_SOFT = 1e3, 1e-6, 1e-4  # of redundant rows: times the accuracy, within limits
ADVICE = (
    "a larger accuracy=, method='SDIRK4' where something is stiff, damping where something snaps, a larger speed= "
    "where joints rub; formulation='dae' to pass a dead centre"
)
REASONS = {
    TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or the motion is stiff)",
    SINGULAR: "the accelerations are not determined (a dead centre, a part without mass, jammed friction)",
}


def move(system: Constrained, begin: State, plan: Plan) -> TimeHistory:
    """Compute the motion from a state.

    ``accuracy`` is the largest error of a step, relative to the model's size (and in rad), for velocities to the
    largest. Instead, ``tolerances`` apply to every coordinate and velocity, in SI units.
    """
    if plan.velocity is not None:
        plan = replace(plan, velocity=system.of_bases(begin.q, plan.velocity))
    if isinstance(plan.method, methods.Moreau):
        plan.refuse("tolerances", why="not with method='Moreau', which takes equal steps. Give step= instead.")
        return moreau.move(system, begin, plan)
    plan.refuse(
        "step", why="not an option of the formulation 'udwadia_kalaba', whose step adapts. Give accuracy= or "
        "tolerances= and method= instead, or compile with formulation='dae'.",
    )  # fmt: skip
    duration = plan.end_time - begin.time
    if plan.velocity is not None or system.driving or begin.abar is None:
        begin = _consistent(system, begin, plan.velocity, 1e-3 * duration)
    equations = ConstrainedOde(system, begin, plan)
    return adapter.integrate(equations, begin.time, begin.q, begin.v, plan, ACCURACY)


def _consistent(system: Constrained, begin: State, velocity: np.ndarray | None, step: float) -> State:
    """Return a consistent start; without one, raise an error that explains inextensible chains."""
    try:
        return consistent(system, begin, time=begin.time, velocity=velocity, step=step)
    except SingularError as error:
        if not any(f"{beam.name} pin 1" in str(error) for beam in system.original.beams):
            raise
        raise SingularError(
            f"{error} Or it is a straight beam held at both ends: the links of a chain cannot be stretched. Let one "
            "end slide, start it bent, or compile with formulation='dae'."
        ) from error


class ConstrainedOde:
    """The constrained accelerations as ordinary differential equations (see ``solvers/ode/adapter.py``)."""

    augmented, one_size = False, False
    reasons = REASONS

    def __init__(self, system: Constrained, begin: State, plan: Plan) -> None:
        method: Any = plan.method
        by_scipy = isinstance(method, methods.ByScipy)
        if by_scipy and system.model.spatial:
            raise OptionError(
                f"method={type(method).__name__}: scipy's methods do not support rotations in space. Take SDIRK4 "
                "for stiff motion, otherwise DOP853."
            )
        self.system, self.units = system, 1.0 / system.equations.weight
        self.turning = int(system.equations.frames), int(system.equations.turning)
        self.way = method.constraints or ("none" if by_scipy else "projection")
        self.gap = CLOSED if self.way == "projection" else 0.0
        self.held = adapter.HeldSignals(system, begin.time, plan)
        self.steady, self.signals = self.held.steady, self.held.now
        self.stabilise = NO_STABILISATION
        if self.way == "baumgarte":
            rate = _fastest(system, begin, plan.end_time - begin.time)
            self.stabilise = Stabilisation(*(float(x) for x in method.baumgarte or (10.0 * rate, 1.0)))
        tolerances = plan.checked_tolerances()
        self.accuracy = {"tolerances": tolerances} if tolerances else {"accuracy": plan.accuracy or ACCURACY}
        sharp = tolerances[0] if tolerances else plan.accuracy or ACCURACY
        implicit = isinstance(method, methods.DiagonallyImplicit)  # Newton does not converge with rows that soft
        self.problem = Problem(
            constraints=guarded(system.compiled if implicit else softened(system, sharp), sharp),
            stabilise=self.stabilise,
            work=system.work(),
            lam=np.zeros(system.constraints),
            drift=np.zeros(2),
        )

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Compute acceleration and powers at a state, in the first stage. Returns whether they are determined."""
        record = Record(np.array([time]), q[None], v[None], np.zeros((1, 2)))
        found = self.recover(run, record, self.signals(record.time))[0]
        callbacks.reraise()
        return found and bool(np.all(np.isfinite(run.stages.a[0])))

    def recover(self, run: Run, record: Record, signals: Signals) -> tuple[bool, np.ndarray, np.ndarray]:
        """Return whether accelerations and multipliers at recorded instants are determined, and both."""
        system, count = self.system, record.time.size
        a, lam = np.zeros((count, record.q.shape[1])), np.zeros((count, system.constraints))
        return recover(self.problem, signals, record, run, a, lam), a, lam

    def present(self, run: Run, record: Record, signals: Signals) -> Present:
        """Return the system at the only instant of a record."""
        _, a, lam = self.recover(run, record, signals)
        return Present(run.q, run.v, np.pad(a[0], (0, run.q.size - a.shape[1])), lam[0])

    def undetermined(self, time: float) -> str:
        """Return the message for accelerations that are not determined."""
        return self.system.undetermined(time)

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """Take the steps of a span."""
        return advance(self.problem, table, tolerance, signals, span, run, record)

    def changing(self) -> tuple[np.ndarray, ...]:
        """Return the multipliers that start the next evaluation, and the drift of the joints."""
        return self.problem.lam, self.problem.drift

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Return the largest velocity so far, the reference of velocities."""
        return fastest

    def jacobian(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray | None:
        """Return the derivative of (v, x'') by (x, v), or None with friction."""
        system = self.system
        if system.rubs:
            return None
        still, rest = np.zeros(system.size), system.size - q.size
        state = State(np.pad(q, (0, rest)), np.pad(v, (0, rest)), still, np.zeros(system.constraints), time)
        return system.jacobian(state, stabilise=self.stabilise)

    def motion(self, run: Run, record: Record) -> TimeHistory:
        """Return the recorded motion, with accelerations and reactions."""
        system, time, lam = self.system, float(run.clock.time), self.problem.lam
        width = record.q.shape[1]
        self.evaluate(run, time, run.q[:width], run.v[:width])
        last = State(run.q.copy(), run.v.copy(), run.a.copy(), lam.copy(), time, run.a.copy())
        _, a, multipliers = self.recover(run, record, self.held.past(record.time))
        gap = np.zeros((record.time.size, system.constraints))
        places = np.pad(record.q, ((0, 0), (0, system.size - width)))
        for k, u in enumerate(system.signals(record.time)):
            joints.residual(system.equations.rows, places[k], u, gap[k])
        used = {"constraints": self.way, **self.accuracy}
        return TimeHistory(
            time=record.time,
            q=record.q,
            v=record.v,
            a=a,
            lam=multipliers,
            work=record.work,
            last=last,
            constraint_error=max(float(self.problem.drift[0]), float(np.max(np.abs(gap), initial=0.0))),
            counted="evaluations",
            lossless=True,
            used=used | ({"baumgarte": tuple(self.stabilise)} if self.way == "baumgarte" else {}),
            advice=ADVICE,
        )


def softened(system: Constrained, accuracy: float) -> Constraints:
    """Return the constraints with redundant rows as soft as the accuracy allows.

    If a mechanism with redundant rows passes a pose at which one more depends on the others, by sigma, a gap g of a
    joint turns that row by g / sigma^2, against the motion. Softness s removes its force below sigma^2 = s, so that it
    must be large relative to the gaps, which are a fraction of the accuracy; the resulting motion is of order s.
    """
    known = system.compiled
    rows = known.equations.rows
    softness = min(max(SOFTNESS * accuracy, LEAST_SOFT), MOST_SOFT)
    rows = rows._replace(softness=np.where(rows.softness > 0.0, softness, 0.0))
    return known._replace(equations=known.equations._replace(rows=rows))


def guarded(constraints: Constraints, accuracy: float) -> Constraints:
    """Return the constraints with evaluations at a dead centre refused: steps must pass over it, or the motion stops.

    Redundant rows are dependent everywhere; they are softened instead.
    """
    return constraints if constraints.redundant else constraints._replace(dead=min(DEAD * accuracy, MOST_DEAD))


def _fastest(system: Constrained, state: State, duration: float) -> float:
    """Return the rate of change (1/s), by velocities and accelerations, in lengths of the model and radians."""
    weight = system.equations.weight
    speed, push = (float(np.max(np.abs(x[: weight.size]) * weight, initial=0.0)) for x in (state.v, state.a))
    return max(speed, push**0.5, 1.0 / duration)
