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
    rub,
)
from pliant.joints import rows as joints
from pliant.solvers import ldl
from pliant.system import fused

DONE, SINGULAR, TOO_SMALL, COARSE = 0, 1, 2, 3
SAFETY, SHRINK, GROW, MEMORY = 0.9, 0.2, 6.0, 0.2
NEWTON, SOLVED = 10, 0.01  # iterations; what they may leave, of the error allowed
TIME = 1  # place of the time among the signals


class Table(NamedTuple):
    """Coefficients of a method with as many stages as ``c``; ``e`` and ``e3`` take the last stage too."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    e: np.ndarray
    e3: np.ndarray  # zero unless the method has a second estimate
    order: float  # of the error estimate
    gamma: float  # diagonal of the stages between first and last; 0: explicit


class Tolerance(NamedTuple):
    """What is allowed of the error of a step: place + part |x| of positions, pace + part |v| of velocities."""

    part: float
    place: np.ndarray  # (n)
    pace: np.ndarray  # (n)
    gap: float  # of the joints, in units of their allowed errors, from which they are closed; 0: never


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
    place: np.ndarray  # (stages + 1, n + 3)
    speed: np.ndarray  # (stages + 1, n + 3)
    push: np.ndarray  # (stages + 1, n + 3)
    power: np.ndarray  # (stages + 1, 2)


class Record(NamedTuple):
    """Instants recorded."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    spent: np.ndarray


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


@kernel
def combine(table: Table, stage: int, h: float, run: Run, n: int) -> None:
    """Place and speed of a stage from those before it; of the last, the new state."""
    last = table.c.size
    for i in range(n):
        x, y = 0.0, 0.0
        for j in range(stage):
            weight = table.b[j] if stage == last else table.a[stage, j]
            x += weight * run.speed[j, i]
            y += weight * run.push[j, i]
        run.place[stage, i] = run.q[i] + h * x
        run.speed[stage, i] = run.v[i] + h * y


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
        joints.evaluate(friction.sliding, e, q, u, work.local, work.hessian)
        speed = 0.0
        for i in range(6):
            speed += work.local[i] * v[friction.sliding.dofs[e, i]]
        steep = 1.0 - np.tanh(speed / friction.speed[e]) ** 2
        stiff, n = g * grip(constraints, e, run.lam, work) * steep / friction.speed[e], 0
        for i in range(6):
            for j in range(i + 1):
                s[rows.slots[friction.first[e], n]] += stiff * work.local[i] * work.local[j]
                n += 1
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
def error(table: Table, tolerance: Tolerance, h: float, run: Run, n: int) -> float:
    """Largest error of the step, in units of what is allowed."""
    last = table.c.size
    fifth, third = 0.0, 0.0
    for i in range(n):
        x5, y5, x3, y3 = 0.0, 0.0, 0.0, 0.0
        for j in range(last + 1):
            x5 += table.e[j] * run.speed[j, i]
            y5 += table.e[j] * run.push[j, i]
            x3 += table.e3[j] * run.speed[j, i]
            y3 += table.e3[j] * run.push[j, i]
        place = tolerance.place[i] + tolerance.part * max(abs(run.q[i]), abs(run.place[last, i]))
        pace = tolerance.pace[i] + tolerance.part * max(abs(run.v[i]), abs(run.speed[last, i]))
        here = max(abs(x5) / place, abs(y5) / pace)
        if not here <= fifth:  # NaN is passed on
            fifth = here
        third = max(third, max(abs(x3) / place, abs(y3) / pace))
    if third == 0.0:
        return h * fifth
    return h * fifth * fifth / np.sqrt(fifth * fifth + 0.01 * third * third)


@kernel
def close(constraints: Constraints, tolerance: Tolerance, run: Run, last: int, work: Work) -> bool:
    """Put the joints of the new state right if they have drifted: x and v move the least in the sense of M.

    The factors are those of the evaluation at this state. Returns whether anything was moved.
    """
    equations, n = constraints.equations, constraints.equations.freedoms
    rows, right, place, pace = equations.rows, work.scratch.step, tolerance.place[0], tolerance.pace[0]
    for k in range(rows.kind.size):
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
        for k in range(rows.kind.size):
            worst = max(worst, abs(values[k]) * rows.weight[k] ** 0.5 / unit)
        if worst <= tolerance.gap:
            continue
        right[:] = 0.0
        for k in range(rows.kind.size):
            right[n + k] = -values[k]
            push = -equations.gamma * rows.weight[k] * values[k]
            if push != 0.0:
                for i in range(6):
                    if rows.dofs[k, i] < n:
                        right[rows.dofs[k, i]] += push * work.jacobian[k, i]
        ldl.solve(equations.pattern, work.scratch.s, work.scratch.factors, right)
        for i in range(n):
            x[i] += right[i]
        moved = True
    return moved


@kernel
def keep(run: Run, record: Record, time: float, q: np.ndarray, v: np.ndarray, supplied: float, lost: float) -> None:
    """Record a state."""
    m = run.counts[3]
    record.time[m] = time
    for i in range(record.q.shape[1]):
        record.q[m, i] = q[i]
        record.v[m, i] = v[i]
    record.spent[m, 0], record.spent[m, 1] = supplied, lost
    run.counts[3] += 1


@kernel
def between(run: Run, record: Record, time: float, h: float, supplied: float, lost: float, last: int) -> None:
    """Record an instant within a step: quintic Hermite in position, whose slope is the velocity."""
    s, m = (time - run.clock[0]) / h, run.counts[3]
    record.time[m] = time
    for i in range(record.q.shape[1]):
        q, v, a = run.q[i], h * run.v[i], h * h * run.push[0, i]
        d = run.place[last, i] - q - v - 0.5 * a
        e = h * run.speed[last, i] - v - a
        f = h * h * run.push[last, i] - a
        c3, c4, c5 = 10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f
        record.q[m, i] = q + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))))
        record.v[m, i] = (v + s * (a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h
    for i in range(2):  # cubic Hermite
        p, d = h * run.power[0, i], (supplied if i == 0 else lost) - run.spent[i]
        f = h * run.power[last, i]
        record.spent[m, i] = run.spent[i] + s * (p + s * (3.0 * d - 2.0 * p - f + s * (p + f - 2.0 * d)))
    run.counts[3] += 1


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
    n, last = constraints.equations.freedoms, table.c.size
    steady = signals.u.shape[0] == 1
    power = 1.0 / (table.order + 1.0)
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
            row = 0 if steady else taken * last + stage
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
            factor = max(SHRINK, SAFETY * size ** (-power)) if size < np.inf else 0.5
            run.clock[1] = h * factor
            if run.clock[1] < smallest:
                return (TOO_SMALL if fine else SINGULAR), passed
            if not steady:
                return COARSE, passed
            continue
        if close(constraints, tolerance, run, last, work):
            run.counts[4] += 1
            row = 0 if steady else (taken + 1) * last
            if not evaluate(constraints, stabilise, signals, row, time + h, run, last, work):
                return SINGULAR, passed
        supplied, lost = run.spent[0], run.spent[1]
        for j in range(last):
            supplied += h * table.b[j] * run.power[j, 0]
            lost += h * table.b[j] * run.power[j, 1]
        taken += 1
        now = end if final else time + h
        while passed < wanted.size and wanted[passed] <= now:
            between(run, record, wanted[passed], h, supplied, lost, last)
            passed += 1
        run.counts[1] += 1
        fill(run.q, run.place[last])
        fill(run.v, run.speed[last])
        fill(run.a, run.push[last])
        fill(run.power[0], run.power[last])
        run.spent[0], run.spent[1] = supplied, lost
        if wanted.size == 0 and (run.counts[1] % every == 0 or final):
            keep(run, record, now, run.q, run.v, supplied, lost)
        size = max(size, 1e-4)
        factor = SAFETY * size ** (power * (0.75 * MEMORY - 1.0)) * run.clock[2] ** (power * MEMORY)
        run.clock[2] = size
        if not final:
            smaller = min(smaller, h * min(GROW, max(SHRINK, factor)))
            run.clock[1] = h if not steady else smaller
            if steady:
                smaller = np.inf
        run.clock[0] = now
    if not steady and smaller < np.inf:
        run.clock[1] = smaller
    return DONE, passed
