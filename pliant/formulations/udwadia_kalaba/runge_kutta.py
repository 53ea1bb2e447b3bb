"""Runge-Kutta with a step that adapts, explicit or diagonally implicit, the whole loop compiled.

The stages are x_i = x + h sum a_ij v_j and v_i = v + h sum a_ij x''_j; the last one is the new state and the first of
the next step. The step follows the error of this step and of the one before (Hairer, Norsett, Wanner, Solving Ordinary
Differential Equations I, 1993, II.4), which keeps it quiet where stability, not accuracy, is the limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._jit import inlined_kernel, kernel
from pliant.formulations.dae.generalized_alpha import fill
from pliant.formulations.udwadia_kalaba.accelerations import (
    Constraints,
    Stabilisation,
    Work,
    accelerate,
    balance,
    constrain,
    grip,
    push_apart,
    rub,
)
from pliant.joints import rows as joints
from pliant.joints.rows.planar import ends, measured
from pliant.kernels.measures import planar as measures
from pliant.solvers import ldl
from pliant.solvers.runge_kutta import Record, Table, Tolerance, between, combine, error, grown, keep, shrunk
from pliant.system import fused

DONE, SINGULAR, TOO_SMALL, COARSE = 0, 1, 2, 3
NEWTON, SOLVED = 10, 0.01  # iterations; what they may leave, of the error allowed
TIME = 1  # place of the time among the signals


class Run(NamedTuple):
    """Everything that one step hands to the next, and room to work in."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    spent: np.ndarray  # (2) energy supplied and dissipated
    clock: np.ndarray  # time, step, error of the last step
    counts: np.ndarray  # evaluations, steps, rejected, records, joints closed
    drift: np.ndarray  # largest gap of a joint and of its speed
    place: np.ndarray  # (stages + 1 + k, n + 3)
    speed: np.ndarray  # (stages + 1 + k, n + 3)
    push: np.ndarray  # (stages + 1 + k, n + 3)
    power: np.ndarray  # (stages + 1 + k, 2)


class Signals(NamedTuple):
    """Signals and derivatives at the stages of steps of equal size; one row if none of them changes."""

    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray


@inlined_kernel
def spend(constraints: Constraints, u: np.ndarray, rate: np.ndarray, run: Run, stage: int, work: Work) -> None:
    """Powers at a stage."""
    supplied, dissipated = 0.0, work.lost[0]
    if constraints.powers:
        supplied, lost = fused.power(constraints.equations.parts, run.place[stage], run.speed[stage], u)
        dissipated += lost
    run.power[stage, 0] = supplied + joints.power(constraints.equations.rows, run.lam, rate)
    run.power[stage, 1] = dissipated


@inlined_kernel
def evaluate(
    constraints: Constraints,
    stabilise: Stabilisation,
    signals: Signals,
    row: int,
    time: float,
    run: Run,
    stage: int,
    work: Work,
) -> bool:
    """Acceleration and powers at a stage."""
    u, rate = signals.u[row], signals.rate[row]
    u[TIME] = time
    q, v = run.place[stage], run.speed[stage]
    run.counts[0] += 1
    found = accelerate(constraints, stabilise, q, v, u, rate, signals.second[row], work, run.push[stage], run.lam)
    spend(constraints, u, rate, run, stage, work)
    return found


@kernel
def tell(
    constraints: Constraints,
    stabilise: Stabilisation,
    signals: Signals,
    record: Record,
    run: Run,
    work: Work,
    a: np.ndarray,
    lam: np.ndarray,
) -> bool:
    """Accelerations and multipliers at instants recorded; ``signals`` has a row for each, or one for all.

    The first stage of the run is left with what belongs to the last of them.
    """
    found, n = True, a.shape[1]
    for k in range(a.shape[0]):
        for i in range(n):
            run.place[0, i], run.speed[0, i] = record.q[k, i], record.v[k, i]
        row = 0 if signals.u.shape[0] == 1 else k
        found = evaluate(constraints, stabilise, signals, row, record.time[k], run, 0, work) and found
        for i in range(n):
            a[k, i] = run.push[0, i]
        fill(lam[k], run.lam)
    return found


@inlined_kernel
def linearise(
    constraints: Constraints, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray, g: float, run: Run, work: Work
) -> bool:
    """Factorise [M + g C + g^2 K, A^T; A, 0], symmetric, K with the stiffness of the constraint forces."""
    equations, scratch = constraints.equations, work.scratch
    rows, s = equations.rows, scratch.s
    scratch.r[:] = 0.0
    s[:] = 0.0
    fused.add(equations.parts, q, v, a, u, g * g, g, 1.0, scratch.r, s, scratch.w, scratch.stress, constraints.mixed)
    for i in range(constraints.massless.size):
        s[constraints.massless[i]] += 1.0
    joints.add(rows, q, run.lam, u, g * g, equations.gamma, scratch.r, scratch.g, s)
    friction = constraints.friction
    for e in range(friction.first.size):
        x = measured(friction.sliding.kind[e], ends(friction.sliding, e, q))
        steep = 1.0 - np.tanh(measures.rate(x, v, friction.sliding.dofs, e) / friction.speed[e]) ** 2
        stiff = g * grip(constraints, e, run.lam, work) * steep / friction.speed[e]
        measures.add_hessian(s, rows.slots, friction.first[e], 0.0, stiff, x)
    status, _ = ldl.factor(equations.pattern, s, scratch.factors)
    return status == ldl.OK


@inlined_kernel
def solve(
    constraints: Constraints,
    stabilise: Stabilisation,
    signals: Signals,
    row: int,
    time: float,
    g: float,
    tolerance: Tolerance,
    run: Run,
    stage: int,
    work: Work,
) -> bool:
    """An implicit stage: x'' with v = v* + g x'' and x = x* + g v, by Newton with the matrix of the step's start."""
    n, u, rate = constraints.equations.freedoms, signals.u[row], signals.rate[row]
    u[TIME] = time
    q, v, a, change = run.place[stage], run.speed[stage], run.push[stage], work.change
    fill(a, run.push[stage - 1])
    for i in range(n):
        v[i] += g * a[i]
        q[i] += g * v[i]
    if stage == 1 and not linearise(constraints, run.q, run.v, run.a, u, g, run, work):
        return False
    before = 0.0
    for iteration in range(NEWTON):
        run.counts[0] += 1
        constrain(constraints.equations.rows, q, v, u, rate, signals.second[row], stabilise, work)
        if constraints.friction.first.size > 0:
            rub(constraints, q, v, u, run.lam, work)
        change[:] = 0.0
        balance(constraints, q, v, u, work, a, run.lam, change)
        size = 0.0
        for i in range(n):
            a[i] += change[i]
            v[i] += g * change[i]
            q[i] += g * g * change[i]
            place = tolerance.place[i] + tolerance.part * abs(q[i])
            pace = tolerance.pace[i] + tolerance.part * abs(v[i])
            here = max(abs(g * g * change[i]) / place, abs(g * change[i]) / pace)
            if not here <= size:
                size = here
        if not np.isfinite(size):
            return False
        rate_of = size / before if iteration > 0 else 0.5
        if iteration > 1 and rate_of > 0.9:
            return False
        if size * min(1.0, rate_of / max(1.0 - rate_of, 0.1)) <= SOLVED:
            spend(constraints, u, rate, run, stage, work)
            return True
        before = size
    return False


@kernel
def close(constraints: Constraints, tolerance: Tolerance, run: Run, last: int, work: Work) -> bool:
    """Put the joints of the new state right if they have drifted: x and v move the least in the sense of M.

    The factors are those of the evaluation at this state. Returns whether anything was moved.
    """
    equations, n = constraints.equations, constraints.equations.freedoms
    rows, right, place, pace = equations.rows, work.scratch.step, tolerance.place[0], tolerance.pace[0]
    for k in range(rows.offset.size):
        size = rows.weight[k] ** 0.5  # an angle as a length
        run.drift[0] = max(run.drift[0], size * abs(work.gap[k]))
        run.drift[1] = max(run.drift[1], size * abs(work.speed[k]))
    if tolerance.gap == 0.0:
        return False
    moved = False
    for turn in range(2):
        values, unit, x = work.gap, place, run.place[last]
        if turn == 1:
            values, unit, x = work.speed, pace, run.speed[last]
        worst = 0.0
        for k in range(rows.offset.size):
            worst = max(worst, abs(values[k]) * rows.weight[k] ** 0.5 / unit)
        if worst <= tolerance.gap:
            continue
        right[:] = 0.0
        for k in range(rows.offset.size):
            right[n + k] = -values[k]
        push_apart(constraints, work.jacobian, right)
        ldl.solve(equations.pattern, work.scratch.s, work.scratch.factors, right)
        for i in range(n):
            x[i] += right[i]
        moved = True
    return moved


@kernel
def advance(
    constraints: Constraints,
    stabilise: Stabilisation,
    table: Table,
    tolerance: Tolerance,
    signals: Signals,
    steps: int,
    end: float,
    smallest: float,
    wanted: np.ndarray,
    every: int,
    run: Run,
    record: Record,
    work: Work,
) -> tuple[int, int]:
    """Up to ``steps`` steps, or to ``end``. Returns a status and how many of the instants ``wanted`` were recorded.

    If the signals change, their rows are for steps of the present size: it stays, and a step that is too coarse ends
    the chunk (COARSE). What the next step should be is left in the clock. Without instants wanted, every ``every``-th
    step is recorded, and the last.
    """
    n, last, inner = constraints.equations.freedoms, table.c.size, table.inner_c.size
    stride = last + inner  # rows of signals a step
    steady = signals.u.shape[0] == 1
    taken, passed, smaller = 0, 0, np.inf
    while taken < steps and run.clock[0] < end:
        time, h = run.clock[0], run.clock[1]
        final = h >= (end - time) * (1.0 - 1e-12)
        if final:
            h = end - time
        fill(run.place[0], run.q)
        fill(run.speed[0], run.v)
        fill(run.push[0], run.a)
        fine = True
        for stage in range(1, last + 1):
            combine(table, stage, h, run, n)
            row = 0 if steady else taken * stride + (stage if stage < last else stride)
            at = time + h if stage == last else time + table.c[stage] * h
            if table.gamma == 0.0 or stage == last:
                fine = evaluate(constraints, stabilise, signals, row, at, run, stage, work)
            else:
                fine = solve(constraints, stabilise, signals, row, at, table.gamma * h, tolerance, run, stage, work)
            if not fine:
                break
        size = error(table, tolerance, h, run, n) if fine else np.inf
        if not size <= 1.0:
            run.counts[2] += 1
            run.clock[1] = h * shrunk(table, size)
            if run.clock[1] < smallest:
                return (TOO_SMALL if fine else SINGULAR), passed
            if not steady:
                return COARSE, passed
            continue
        if close(constraints, tolerance, run, last, work):
            run.counts[4] += 1
            row = 0 if steady else (taken + 1) * stride
            if not evaluate(constraints, stabilise, signals, row, time + h, run, last, work):
                return SINGULAR, passed
        supplied, lost = run.spent[0], run.spent[1]
        for j in range(last):
            supplied += h * table.b[j] * run.power[j, 0]
            lost += h * table.b[j] * run.power[j, 1]
        now = end if final else time + h
        if passed < wanted.size and wanted[passed] <= now:
            for k in range(inner):
                combine(table, last + 1 + k, h, run, n)
                row = 0 if steady else taken * stride + last + k
                at = time + table.inner_c[k] * h
                if not evaluate(constraints, stabilise, signals, row, at, run, last + 1 + k, work):
                    return SINGULAR, passed
        taken += 1
        while passed < wanted.size and wanted[passed] <= now:
            between(table, run, record, wanted[passed], h, supplied, lost, last)
            passed += 1
        run.counts[1] += 1
        fill(run.q, run.place[last])
        fill(run.v, run.speed[last])
        fill(run.a, run.push[last])
        fill(run.power[0], run.power[last])
        run.spent[0], run.spent[1] = supplied, lost
        if wanted.size == 0 and (run.counts[1] % every == 0 or final):
            keep(run, record, now, run.q, run.v, supplied, lost)
        factor = grown(table, size, run.clock)
        if not final:
            smaller = min(smaller, h * factor)
            run.clock[1] = h if not steady else smaller
            if steady:
                smaller = np.inf
        run.clock[0] = now
    if not steady and smaller < np.inf:
        run.clock[1] = smaller
    return DONE, passed
