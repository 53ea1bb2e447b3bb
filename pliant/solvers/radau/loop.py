"""Radau IIA of order 5 on the index-3 equations of motion, the whole loop compiled: steps, their errors, their sizes,
and instants within them. The stages of a step are in step.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import kernel, lazy_kernel, linked_kernel
from pliant.joints import rows as joints
from pliant.kernels import charts
from pliant.kernels.so3 import apart
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import fill
from pliant.linalg import ldl
from pliant.solvers.radau.step import land, local_error, step
from pliant.solvers.radau.workspace import NODES, WEIGHTS, Clock, IntegrationRun
from pliant.solvers.stepping.alpha_run import OPENEST, Record, Run, State, copy
from pliant.solvers.stepping.drivers import Signals
from pliant.solvers.stepping.energy_balance import add_to_balance, begin_balance
from pliant.solvers.stepping.generalized_alpha import opening, powers
from pliant.solvers.stepping.signal_course import write_signals
from pliant.solvers.stepping.status import DONE, INACCURATE, OPEN, REJECTED
from pliant.system.packing import fused

SAFETY, SHRINK, GROW = 0.9, 0.2, 2.0  # factors on the size of a step: on the best, least, most
FEW = 7.3  # target number of sweeps per step: longer steps cost more than they save
CARRIED = 0.01  # of h^2 K added to M: massless parts, and modes too fast for the step, stay calm


class Span(NamedTuple):
    """Specification of a chunk of steps."""

    steps: int  # at most
    end: float  # upper limit of time
    smallest: float  # smallest step
    one_size: bool  # all steps of the present size, for which signals are given: a step too coarse ends the chunk
    every: int  # interval of recorded steps,
    behind: int  # number of steps taken before
    dense: bool  # record the wanted instants instead
    wanted: np.ndarray


@kernel
def advance(integration: IntegrationRun, signals: Signals, span: Span, record: Record) -> tuple[int, int]:
    """Take steps. For steps of one size the signals have three rows a step; else they come from the course. The
    proposal for the next step is stored in the clock, with the ends of steps. On failure the state is the last good
    one. Returns (status, steps).
    """
    run, clock, window = integration.run, integration.clock, integration.window
    parts, state, old, counts, wanted = run.equations.parts, run.state, run.old, run.counts, span.wanted
    u, rate, second = window.u, window.rate, window.second
    taken, passed, smaller = 0, 0, np.inf
    if counts.steps == 0:
        kinetic, potential = fused.energy(parts, state.q, state.v, signals.u[0])
        begin_balance(counts, kinetic, potential)
    while taken < span.steps and clock.time < span.end:
        time, h = clock.time, clock.step
        final = h >= (span.end - time) * (1.0 - 1e-9)
        if final:
            h = span.end - time
        if span.one_size:
            copy_signals(signals, 3 * taken, window)
        else:
            evaluate_signals(integration, time, h)
        status, sweeps = step(integration, h, u)
        counts.iterations += 3 * sweeps
        error, factor = 0.0, 0.5
        if status == DONE and integration.limit > 0.0:
            error = local_error(integration, h, u[3])
            size = error / integration.limit
            if not size <= 1.0:
                status = INACCURATE
            factor = min(growth_factor(clock, h, size), FEW / sweeps) if size < np.inf else SHRINK
        if status != DONE:
            if integration.limit == 0.0:
                return status, taken
            counts.cut_backs += 1
            clock.step = h * min(max(factor, SHRINK), SAFETY)
            clock.before = clock.before if status == INACCURATE else 0.0
            if clock.step < span.smallest:
                return status, taken
            if span.one_size:
                return REJECTED, taken
            continue
        copy(state, old)
        supplied_first, lost_first = powers(run, u[0], rate[0])
        land(integration, h, u[3], rate[3], second[3])
        opened = opening(run, u[3])
        if not opened <= OPENEST:
            copy(old, state)
            if integration.limit == 0.0 or h * SHRINK < span.smallest:
                return OPEN, taken
            counts.cut_backs += 1
            clock.step, clock.before = h * SHRINK, 0.0
            if span.one_size:
                return REJECTED, taken
            continue
        clock.before, clock.error = h, error / max(integration.limit, 1e-300)
        work(integration, h)
        kinetic, potential = fused.energy(parts, state.q, state.v, u[3])
        add_to_balance(counts, kinetic, potential, state.work)
        counts.opening = max(counts.opening, opened)
        for i in range(run.scratch.g.size):
            counts.constraint_error = max(counts.constraint_error, abs(run.scratch.g[i]))
        counts.local_error = max(counts.local_error, error)
        counts.local_sum += error
        now = span.end if final else time + h
        if passed < wanted.size and wanted[passed] <= now:
            final_powers = powers(run, u[3], rate[3])
            prepare(integration)
            while passed < wanted.size and wanted[passed] <= now:
                first = (supplied_first, lost_first)
                between(integration, record, wanted[passed], (wanted[passed] - time) / h, h, first, final_powers)
                passed += 1
        if taken < integration.ends.size:
            integration.ends[taken] = now
        taken += 1
        counts.steps += 1
        if not span.dense and (span.behind + taken) % span.every == 0:
            keep(state, now, run, record)
        clock.time = now
        if not final and integration.limit > 0.0:
            factor = min(max(factor, SHRINK), GROW)
            smaller = min(smaller, h * factor)
            clock.step = h if span.one_size else h * factor
    if span.one_size and smaller < np.inf:
        clock.step = smaller
    return DONE, taken


@kernel
def growth_factor(clock: Clock, h: float, size: float) -> float:
    """Return the factor on a step with this part of the allowed error; growth of errors from step to step is
    extrapolated (K. Gustafsson 1994).
    """
    size = max(size, 1e-8)
    factor = SAFETY * size**-0.25
    if clock.before > 0.0 and clock.error > 0.0:
        factor = min(factor, factor * h / clock.before * (max(clock.error, 1e-8) / size) ** 0.25)
    return factor


@kernel
def copy_signals(signals: Signals, row: int, window: Signals) -> None:
    """Copy the signals at the start and the stages of a step, from a row on."""
    for k in range(4):
        fill(window.u[k], signals.u[row + k])
        fill(window.rate[k], signals.rate[row + k])
        fill(window.second[k], signals.second[row + k])


@kernel
def evaluate_signals(integration: IntegrationRun, time: float, h: float) -> None:
    """Evaluate the signals at the start and the stages of a step of any size."""
    write_signals(integration.course, time, integration.found, integration.window, 0)
    for k in range(3):
        write_signals(integration.course, time + NODES[k] * h, integration.found, integration.window, k + 1)


@linked_kernel
def work(integration: IntegrationRun, h: float) -> None:
    """Add the energy supplied and dissipated in a step, by the quadrature of its stages."""
    run, stages, window = integration.run, integration.stages, integration.window
    for k in range(3):
        supplied, lost = 0.0, 0.0
        if run.controls.powers:
            supplied, lost = fused.power(run.equations.parts, stages.q[k], stages.v[k], window.u[k + 1])
        supplied += joints.power(run.equations.rows, stages.lam[k], window.rate[k + 1])
        run.state.work[0] += h * WEIGHTS[k] * supplied
        run.state.work[1] += h * WEIGHTS[k] * lost


@linked_kernel
def keep(state: State, time: float, run: Run, record: Record) -> None:
    """Record a state; its accelerations and reactions are computed later (`react`)."""
    m = run.counts.records
    record.time[m] = time
    fill(record.q[m], state.q)
    fill(record.v[m], state.v)
    fill(record.work[m], state.work)
    run.counts.records += 1


@lazy_kernel
def prepare(integration: IntegrationRun) -> None:
    """Compute the increments since the start of the last step, and their derivatives at its end, into the rows of
    ``stages.moved``.
    """
    run, stages = integration.run, integration.stages
    state, moved, q, nodes = run.state, stages.moved, stages.q[0], run.equations.turning
    apart(run.old.q, state.q, run.equations.frames, nodes, moved[0])
    fill(moved[1], state.v)
    fill(moved[2], state.a)
    if nodes > 0:
        for i in range(moved.shape[1]):
            q[i] = moved[0, i]
        charts.rates(nodes, q, state.v, moved[1])
        charts.bends(nodes, q, moved[1], state.v, state.a, moved[2])


@lazy_kernel
def between(
    integration: IntegrationRun,
    record: Record,
    time: float,
    s: float,
    h: float,
    first: tuple[float, float],
    last: tuple[float, float],
) -> None:
    """Record an instant at the part s of the step: by a quintic in position, whose slope is the velocity, and a cubic
    in energy (Hermite), given the powers at its ends.
    """
    run, moved = integration.run, integration.stages.moved
    old, equations, m = run.old, run.equations, run.counts.records
    record.time[m] = time
    fill(record.q[m], old.q)
    fill(record.v[m], old.v)
    for i in range(equations.freedoms):
        v, a = h * old.v[i], h * h * old.a[i]
        d = moved[0, i] - v - 0.5 * a
        e = h * moved[1, i] - v - a
        f = h * h * moved[2, i] - a
        c3, c4, c5 = 10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f
        record.q[m, i] = old.q[i] + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))))
        record.v[m, i] = (v + s * (a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h
    if equations.turning > 0:
        charts.spins(record.q[m], record.v[m], equations.turning)
        charts.orient(old.q, equations.frames, equations.turning, record.q[m])
        charts.land(record.q[m], equations.turning)
    for i in range(2):
        d, p, f = run.state.work[i] - old.work[i], h * first[i], h * last[i]
        record.work[m, i] = old.work[i] + s * (p + s * (3.0 * d - 2.0 * p - f + s * (p + f - 2.0 * d)))
    run.counts.records += 1


@kernel
def react(run: Run, signals: Signals, h: float, record: Record) -> None:
    """Compute accelerations and reactions at recorded instants, from places and velocities:

        [M, G^T; G, 0] (a, lambda) = -(f(q, v, u), g_qq v v + g_tt)

    If M alone is singular (beams without rotary inertia), a share of h^2 K is added to it. If neither can be solved at
    an instant, accelerations and reactions are NaN.
    """
    equations, scratch = run.equations, run.scratch
    n, carried = equations.freedoms, CARRIED * h * h
    share = carried if equations.gamma > 0.0 else 0.0
    for m in range(record.time.size):
        a, lam = record.a[m], record.lam[m]
        solved = solve_instant(run, record, m, signals, share)
        if not solved and share == 0.0:
            share = carried
            solved = solve_instant(run, record, m, signals, share)
        for i in range(n):
            a[i] = scratch.step[i] if solved else np.nan
        for k in range(lam.size):
            lam[k] = scratch.step[n + k] if solved else np.nan


@linked_kernel
def solve_instant(run: Run, record: Record, m: int, signals: Signals, share: float) -> bool:
    """Solve for accelerations and reactions, with share·K added to M, into ``scratch.step``; False if singular."""
    equations, scratch = run.equations, run.scratch
    rows, gamma, n, none = equations.rows, equations.gamma, equations.freedoms, 0.0
    r, s, q, v, a, lam, u = scratch.r, scratch.s, record.q[m], record.v[m], record.a[m], record.lam[m], signals.u[m]
    r[:], s[:], a[:], lam[:] = 0.0, 0.0, 0.0, 0.0
    scratch.w[:] = 0.0
    fused.add(equations.parts, Instant(q, v, a, u), Into(share, none, 1.0, r, s, scratch.w), scratch.stress, False)
    joints.bias(rows, q, v, u, signals.second[m], scratch.blend)
    joints.residual(rows, q, u, scratch.g)
    for k in range(lam.size):  # the augmented term is a part of the multipliers: compensate it
        lam[k] = gamma * rows.weight[k] * (scratch.blend[k] - scratch.g[k])
    joints.add(rows, q, lam, u, joints.Saddle(none, gamma, r, scratch.g, s))
    for i in range(n):
        scratch.step[i] = -r[i]
    for k in range(lam.size):
        scratch.step[n + k] = -scratch.blend[k]
    return bool(ldl.solve_once(equations.pattern, s, scratch.w, scratch.factors, scratch.step, False))
