"""The accelerations of constrained systems as stages of Runge-Kutta (see ``solvers/ode/runge_kutta.py``), compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
from pliant.jit import inlined_kernel, kernel
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels import charts
from pliant.kernels.sums import Instant, Into
from pliant.linalg import ldl
from pliant.solvers.ode import runge_kutta
from pliant.solvers.ode.runge_kutta import (
    NEWTON,
    Record,
    Run,
    Tolerance,
    fill,
    increment,
    predict,
    settled,
)
from pliant.solvers.stepping.drivers import Signals
from pliant.system.packing import fused

TIME = 1  # place of the time among the signals


class Problem(NamedTuple):
    """What is integrated, with room to work in."""

    constraints: Constraints
    stabilise: Stabilisation
    work: Work
    lam: np.ndarray  # multipliers of the last evaluation
    drift: np.ndarray  # (2) largest gap of a joint and of its speed


@inlined_kernel
def spend(problem: Problem, u: np.ndarray, rate: np.ndarray, run: Run, stage: int) -> None:
    """Powers at a stage."""
    equations, stages = problem.constraints.equations, run.stages
    supplied, dissipated = 0.0, problem.work.scratch.rubbed.lost[0]
    if problem.constraints.powers:
        supplied, lost = fused.power(equations.parts, stages.q[stage], stages.v[stage], u)
        dissipated += lost
    stages.power[stage, 0] = supplied + joints.power(equations.rows, problem.lam, rate)
    stages.power[stage, 1] = dissipated


@inlined_kernel
def evaluate(problem: Problem, signals: Signals, row: int, time: float, run: Run, stage: int) -> bool:
    """Acceleration and powers at a stage."""
    u, rate, stages = signals.u[row], signals.rate[row], run.stages
    u[TIME] = time
    run.counts.iterations += 1
    inputs = Inputs(u, rate, signals.second[row])
    found = accelerate(
        problem.constraints, problem.stabilise, stages.q[stage], stages.v[stage], inputs, problem.work,
        stages.a[stage], problem.lam,
    )  # fmt: skip
    spend(problem, u, rate, run, stage)
    return found


@kernel
def recover(problem: Problem, signals: Signals, record: Record, run: Run, a: np.ndarray, lam: np.ndarray) -> bool:
    """Accelerations and multipliers at instants recorded; ``signals`` has a row for each, or one for all.

    The first stage of the run is left with what belongs to the last of them.
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
    """An implicit stage: x'' with v = v* + g x'' and x = x* + g v, by Newton with the matrix of the step's start."""
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
            spend(problem, u, rate, run, stage)
            return True
        if verdict < 0:
            return False
        before = size
    return False


@kernel
def close(problem: Problem, tolerance: Tolerance, run: Run, last: int) -> bool:
    """Put the joints of the new state right if they have drifted: x and v move the least in the sense of M.

    The factors are those of the evaluation at this state. Returns whether anything was moved.
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
