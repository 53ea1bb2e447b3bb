"""Runge-Kutta for x'' = f(x, x', t) with adaptive steps, explicit or diagonally implicit: the single compiled loop.

The stages are x_i = x + h sum a_ij x'_j and v_i = v + h sum a_ij v'_j; the last one is the new state and the first of
the next step. In the plane x' = v; in space the rotations among x are increments within the step (kernels/charts.py).
The step size follows the errors of this step and of the previous one (Hairer, Norsett, Wanner, Solving Ordinary
Differential Equations I, 1993, II.4), which keeps it smooth where stability, not accuracy, is the limit.

A formulation provides its work at a stage as three kernels (see `advance`), which become part of its own compiled loop;
coefficients are data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import inlined_kernel, kernel
from pliant.kernels import charts
from pliant.solvers.stepping.drivers import Counts, Signals
from pliant.solvers.stepping.status import DONE, REJECTED, SINGULAR, TOO_SMALL

SAFETY, SHRINK, GROW, MEMORY = 0.9, 0.2, 6.0, 0.2
NEWTON, SOLVED = 10, 0.01  # iterations of an implicit stage; their remainder, relative to the allowed error

Clock = Any  # numpy.record with the fields of CLOCK: ``clock.step``
CLOCK = np.dtype([("time", np.float64), ("step", np.float64), ("error", np.float64)])  # error of the last step

Steps = Callable[..., tuple[int, int]]


class Tableau(NamedTuple):
    """Coefficients of a method with as many stages as ``c``; ``e`` and ``e3`` take the last stage too."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    e: np.ndarray
    e3: np.ndarray  # zero unless the method has a second estimate
    order: float  # of the error estimate
    gamma: float  # diagonal of the stages between first and last; 0: explicit
    inner_a: np.ndarray  # (k, stages + 1 + k) extra stages, for instants within a step; empty: a quintic is used
    inner_c: np.ndarray  # (k)
    inner: np.ndarray  # (4, stages + 1 + k) of their polynomial


class Tolerance(NamedTuple):
    """Allowed error of a step: position + relative |x|, velocity + relative |v|."""

    relative: float
    position: np.ndarray  # (n)
    velocity: np.ndarray  # (n)
    gap: float  # of the joints, in units of their allowed errors, from which they are closed; 0: never


class Record(NamedTuple):
    """Recorded instants."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    work: np.ndarray  # energy supplied and dissipated


class Stages(NamedTuple):
    """States, accelerations and powers at the stages of a step: first, ..., last, and extra ones for inner instants."""

    q: np.ndarray  # (stages, size)
    v: np.ndarray
    a: np.ndarray
    power: np.ndarray  # (stages, 2) supplied and dissipated
    rate: np.ndarray  # (stages, size) q'; v itself in the plane
    bend: np.ndarray  # (size) q'' at the end of a step


class Run(NamedTuple):
    """Complete state from one step to the next, and its stages."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    work: np.ndarray  # (2) energy supplied and dissipated
    clock: Clock
    counts: Counts
    stages: Stages
    frames: int  # start of the quaternions of spatial nodes in q
    turning: int  # number of moving nodes with a quaternion: none in the plane


class Rules(NamedTuple):
    """Coefficients and tolerances of steps."""

    table: Tableau
    tolerance: Tolerance


class Span(NamedTuple):
    """Specification of a chunk of steps."""

    steps: int  # at most
    end: float  # upper limit of time
    smallest: float  # smallest step
    one_size: bool  # all steps of the present size: a step too coarse ends the chunk
    every: int  # of steps to record
    dense: bool  # record the wanted instants instead
    wanted: np.ndarray


class Chunk(NamedTuple):
    """Steps to take: their signals, their specification, and their record."""

    signals: Signals
    span: Span
    record: Record


@kernel
def fill(target: np.ndarray, source: np.ndarray) -> None:
    """Copy source to target."""
    for i in range(target.size):
        target[i] = source[i]


@kernel
def combine(table: Tableau, stage: int, h: float, run: Run, n: int) -> None:
    """Compute position and velocity of a stage from the stages before it; of the last, the new state."""
    last, stages = table.c.size, run.stages
    weights = table.b
    if stage < last:
        weights = table.a[stage]
    elif stage > last:
        weights = table.inner_a[stage - last - 1]
    for i in range(n):
        x, y = 0.0, 0.0
        for j in range(stage):
            x += weights[j] * stages.rate[j, i]
            y += weights[j] * stages.a[j, i]
        stages.q[stage, i] = run.q[i] + h * x
        stages.v[stage, i] = run.v[i] + h * y
    turn(run, stage)


@kernel
def turn(run: Run, stage: int) -> None:
    """Compute orientations and rates of a stage, in space; coordinates that follow nodes change as they move."""
    if run.turning > 0:
        stages = run.stages
        charts.orient(run.q, run.frames, run.turning, stages.q[stage])
        charts.rates(run.turning, stages.q[stage], stages.v[stage], stages.rate[stage])
        for i in range(6 * run.turning, run.frames):
            stages.rate[stage, i] = stages.v[stage, i]


@kernel
def error(table: Tableau, tolerance: Tolerance, h: float, run: Run, n: int) -> float:
    """Return the largest error of the step, relative to the allowed one."""
    last, stages = table.c.size, run.stages
    fifth, third = 0.0, 0.0
    for i in range(n):
        x5, y5, x3, y3 = 0.0, 0.0, 0.0, 0.0
        for j in range(last + 1):
            x5 += table.e[j] * stages.rate[j, i]
            y5 += table.e[j] * stages.a[j, i]
            x3 += table.e3[j] * stages.rate[j, i]
            y3 += table.e3[j] * stages.a[j, i]
        position = tolerance.position[i] + tolerance.relative * max(abs(run.q[i]), abs(stages.q[last, i]))
        velocity = tolerance.velocity[i] + tolerance.relative * max(abs(run.v[i]), abs(stages.v[last, i]))
        here = max(abs(x5) / position, abs(y5) / velocity)
        if not here <= fifth:  # NaN is passed on
            fifth = here
        third = max(third, max(abs(x3) / position, abs(y3) / velocity))
    if third == 0.0:
        return h * fifth
    return h * fifth * fifth / np.sqrt(fifth * fifth + 0.01 * third * third)


@kernel
def shrink_factor(table: Tableau, size: float) -> float:
    """Return the factor on a step whose error was too large, or that failed (infinite)."""
    return max(SHRINK, SAFETY * size ** (-1.0 / (table.order + 1.0))) if size < np.inf else 0.5


@kernel
def growth_factor(table: Tableau, size: float, clock: Clock) -> float:
    """Return the factor on an accepted step; its error is stored in the clock for the next."""
    power = 1.0 / (table.order + 1.0)
    size = max(size, 1e-4)
    factor = SAFETY * size ** (power * (0.75 * MEMORY - 1.0)) * clock.error ** (power * MEMORY)
    clock.error = size
    return min(GROW, max(SHRINK, factor))


@kernel
def keep(run: Run, record: Record, time: float) -> None:
    """Record the present state."""
    m = run.counts.records
    record.time[m] = time
    for i in range(record.q.shape[1]):
        record.q[m, i] = run.q[i]
        record.v[m, i] = run.v[i]
    record.work[m, 0], record.work[m, 1] = run.work[0], run.work[1]
    run.counts.records += 1


@kernel
def within(table: Tableau, slopes: np.ndarray, i: int, s: float, h: float, whole: float) -> float:
    """Return the change of a quantity at the part s of a step, from its slopes at the stages and its total change: of
    seventh order (Hairer, Norsett, Wanner I, II.6).
    """
    first, final, y = h * slopes[0, i], h * slopes[table.c.size, i], 0.0
    for k in range(3, -1, -1):
        part = 0.0
        for j in range(table.inner.shape[1]):
            part += table.inner[k, j] * slopes[j, i]
        y = (y + h * part) * (s if k % 2 == 1 else 1.0 - s)
    y = (y + 2.0 * whole - first - final) * s
    y = (y + first - whole) * (1.0 - s)
    return (y + whole) * s


@kernel
def between(
    table: Tableau, run: Run, record: Record, time: float, h: float, supplied: float, lost: float, last: int
) -> None:
    """Record an instant within a step: by the method's own polynomial or, without one, by a quintic in position, whose
    slope is the velocity, and a cubic in energy (Hermite).
    """
    s, m, own, stages = (time - run.clock.time) / h, run.counts.records, table.inner_c.size > 0, run.stages
    record.time[m] = time
    for i in range(record.q.shape[1]):
        if own:
            record.q[m, i] = run.q[i] + within(table, stages.rate, i, s, h, stages.q[last, i] - run.q[i])
            record.v[m, i] = run.v[i] + within(table, stages.a, i, s, h, stages.v[last, i] - run.v[i])
            continue
        q, v, a = run.q[i], h * run.v[i], h * h * stages.a[0, i]
        d = stages.q[last, i] - q - v - 0.5 * a
        e = h * stages.rate[last, i] - v - a
        f = h * h * stages.bend[i] - a
        c3, c4, c5 = 10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f
        record.q[m, i] = q + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))))
        record.v[m, i] = (v + s * (a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h
    if run.turning > 0:
        if not own:
            charts.spins(record.q[m], record.v[m], run.turning)
        charts.orient(run.q, run.frames, run.turning, record.q[m])
        charts.land(record.q[m], run.turning)
    for i in range(2):
        d = (supplied if i == 0 else lost) - run.work[i]
        if own:
            record.work[m, i] = run.work[i] + within(table, stages.power, i, s, h, d)
        else:
            p, f = h * stages.power[0, i], h * stages.power[last, i]
            record.work[m, i] = run.work[i] + s * (p + s * (3.0 * d - 2.0 * p - f + s * (p + f - 2.0 * d)))
    run.counts.records += 1


@kernel
def predict(run: Run, stage: int, g: float, n: int) -> None:
    """Start an implicit stage, v = v* + g x'' and x = x* + g x', with a guess of its acceleration."""
    q, v, a, stages = run.stages.q[stage], run.stages.v[stage], run.stages.a[stage], run.stages
    for i in range(n):
        v[i] += g * a[i]
    if run.turning > 0:
        stages.rate[stage, :] = 0.0
        follow(run, stage, g)
    else:
        for i in range(n):
            q[i] += g * v[i]


@kernel
def follow(run: Run, stage: int, g: float) -> None:
    """Update the configuration of an implicit stage from its velocity, in space."""
    stages = run.stages
    charts.follow(run.turning, stages.q[stage], stages.v[stage], g, stages.rate[stage])
    for i in range(6 * run.turning, run.frames):
        stages.q[stage, i] += g * (stages.v[stage, i] - stages.rate[stage, i])
        stages.rate[stage, i] = stages.v[stage, i]
    charts.orient(run.q, run.frames, run.turning, stages.q[stage])


@kernel
def increment(change: np.ndarray, g: float, tolerance: Tolerance, run: Run, stage: int) -> float:
    """Change the acceleration of an implicit stage, and with it v = v* + g x'' and x = x* + g x'. Returns the size of
    the change relative to the allowed errors; NaN is passed on.
    """
    q, v, a, size = run.stages.q[stage], run.stages.v[stage], run.stages.a[stage], 0.0
    for i in range(tolerance.position.size):
        a[i] += change[i]
        v[i] += g * change[i]
        if run.turning == 0:
            q[i] += g * g * change[i]
        position = tolerance.position[i] + tolerance.relative * abs(q[i])
        velocity = tolerance.velocity[i] + tolerance.relative * abs(v[i])
        here = max(abs(g * g * change[i]) / position, abs(g * change[i]) / velocity)
        if not here <= size:
            size = here
    if run.turning > 0:
        follow(run, stage, g)
    return size


@kernel
def settled(size: float, before: float, iteration: int) -> int:
    """Return 1 if Newton's increments at an implicit stage are small enough, -1 if they do not fall, else 0."""
    if not np.isfinite(size):
        return -1
    rate = size / before if iteration > 0 else 0.5
    if iteration > 1 and rate > 0.9:
        return -1
    return 1 if size * min(1.0, rate / max(1.0 - rate, 0.1)) <= SOLVED else 0


@inlined_kernel
def advance(
    evaluate: Callable[..., bool],
    solve: Callable[..., bool],
    close: Callable[..., bool],
    problem: Any,
    rules: Rules,
    chunk: Chunk,
    run: Run,
) -> tuple[int, int]:
    """Take a chunk of steps. Returns a status and the number of steps.

    evaluate(problem, signals, row, time, run, k)             acceleration and powers at stage k, with a row of the
                                                              signals. Returns whether they are determined
    solve(problem, signals, row, time, run, k, g, tolerance)  implicit stage k, v = v* + g x'' and x = x* + g v. Returns
                                                              whether it was solved
    close(problem, tolerance, run, k)                         close the joints of the new state, stage k, if they have
                                                              drifted. Returns whether anything was moved

    Constant signals have one row. Otherwise their rows are for steps of the present size (``one_size``). The proposal
    for the next step is stored in the clock.
    """
    table, tolerance, signals, span, record = rules.table, rules.tolerance, chunk.signals, chunk.span, chunk.record
    n, last, inner, stages = tolerance.position.size, table.c.size, table.inner_c.size, run.stages
    clock, counts, end, wanted = run.clock, run.counts, span.end, span.wanted
    stride = last + inner  # rows of signals per step
    steady = signals.u.shape[0] == 1
    taken, passed, smaller = 0, 0, np.inf
    while taken < span.steps and clock.time < end:
        time, h = clock.time, clock.step
        final = h >= (end - time) * (1.0 - 1e-12)
        if final:
            h = end - time
        fill(stages.q[0], run.q)
        fill(stages.v[0], run.v)
        fill(stages.rate[0], run.v)
        fill(stages.a[0], run.a)
        fine = True
        for k in range(1, last + 1):
            combine(table, k, h, run, n)
            row = 0 if steady else taken * stride + (k if k < last else stride)
            at = time + h if k == last else time + table.c[k] * h
            if table.gamma == 0.0 or k == last:
                fine = evaluate(problem, signals, row, at, run, k)
            else:
                fine = solve(problem, signals, row, at, run, k, table.gamma * h, tolerance)
            if not fine:
                break
        if fine and run.turning > 0:
            fine = not charts.too_far(stages.q[last], run.turning)
        size = error(table, tolerance, h, run, n) if fine else np.inf
        if not size <= 1.0:
            counts.cut_backs += 1
            clock.step = h * shrink_factor(table, size)
            if clock.step < span.smallest:
                return (TOO_SMALL if fine else SINGULAR), taken
            if span.one_size:
                return REJECTED, taken
            continue
        if close(problem, tolerance, run, last):
            turn(run, last)
            row = 0 if steady else (taken + 1) * stride
            if not evaluate(problem, signals, row, time + h, run, last):
                return SINGULAR, taken
        supplied, lost = run.work[0], run.work[1]
        for j in range(last):
            supplied += h * table.b[j] * stages.power[j, 0]
            lost += h * table.b[j] * stages.power[j, 1]
        now = end if final else time + h
        if passed < wanted.size and wanted[passed] <= now:
            for k in range(inner):
                combine(table, last + 1 + k, h, run, n)
                row = 0 if steady else taken * stride + last + k
                at = time + table.inner_c[k] * h
                fine = fine and evaluate(problem, signals, row, at, run, last + 1 + k)
            if not fine:
                counts.cut_backs += 1
                clock.step = h * shrink_factor(table, np.inf)
                if clock.step < span.smallest:
                    return SINGULAR, taken
                if span.one_size:
                    return REJECTED, taken
                continue
        if passed < wanted.size and wanted[passed] <= now and inner == 0:
            fill(stages.bend, stages.a[last])
            if run.turning > 0:
                charts.bends(
                    run.turning, stages.q[last], stages.rate[last], stages.v[last], stages.a[last], stages.bend
                )
        while passed < wanted.size and wanted[passed] <= now:
            between(table, run, record, wanted[passed], h, supplied, lost, last)
            passed += 1
        taken += 1
        counts.steps += 1
        counts.local_sum += size
        fill(run.q, stages.q[last])
        fill(run.v, stages.v[last])
        fill(run.a, stages.a[last])
        if run.turning > 0:
            charts.land(run.q, run.turning)
        fill(stages.power[0], stages.power[last])
        run.work[0], run.work[1] = supplied, lost
        if not span.dense and (counts.steps % span.every == 0):
            keep(run, record, now)
        factor = growth_factor(table, size, clock)
        if not final:
            smaller = min(smaller, h * factor)
            clock.step = h if span.one_size else h * factor
        clock.time = now
    if span.one_size and smaller < np.inf:
        clock.step = smaller
    return DONE, taken


@kernel
def stays_closed(problem: Any, tolerance: Tolerance, run: Run, last: int) -> bool:
    """Do nothing for coordinates that keep the joints closed: a ``close`` kernel that moves nothing."""
    return False


def advance_of(evaluate: Callable[..., bool], solve: Callable[..., bool], close: Callable[..., bool]) -> Steps:
    """Return the loop of a formulation, from its three kernels as described in `advance`."""

    @kernel
    def steps(
        problem: Any, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        return advance(evaluate, solve, close, problem, Rules(table, tolerance), Chunk(signals, span, record), run)

    return steps
