"""The accelerations of independent coordinates as stages of Runge-Kutta (see ``solvers/ode/runge_kutta.py``), compiled.

Stages are formed of all coordinates; those of the dependent ones only tell Newton where to begin. The independent ones
are chosen anew at the start of every step, so that no pose at which a fixed choice fails is ever met. Where G itself
loses rank (a parallelogram that folds flat), stages keep a distance: steps pass over such a pose, or the motion stops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
from pliant.jit import inlined_kernel, kernel
from pliant.joints import rows as joints
from pliant.kernels import charts
from pliant.kernels.sums import Instant
from pliant.linalg import dense
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
