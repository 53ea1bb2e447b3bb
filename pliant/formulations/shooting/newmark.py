"""Newmark's scheme with rods marched again in every iteration, the whole loop compiled (paper, section 4).

    x'' = (2 / a2 h^2) (x - x_n) - (2 / a2 h) x._n - (1/a2 - 1) x''_n,   x. = x._n + (1 - a1) h x''_n + a1 h x''

at every station of every rod and every coordinate of every body, so that only places are unknown; a1 = gamma and a2 = 2
beta in the usual letters. Joints are position constraints at the new instant. With alpha_m and alpha_f it is the
generalized-alpha scheme of solvers/stepping/generalized_alpha.py: the x'' above are algorithmic accelerations abar, and
a follows from them. Either way ``x'' = c0 (x - x^)`` and ``x. = v^ + c1 (x - x^)``. Strains are differentiated
likewise, for material damping.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.elements.rod_ivp.feeding_in_plane import lengthen
from pliant.elements.rod_ivp.march import March, MarchStart, Rods, gather_loads, record, sway
from pliant.elements.rod_ivp.slope import BETA, KEPT, STRAIN
from pliant.formulations.shooting import condense
from pliant.jit import kernel
from pliant.joints import rows as joints
from pliant.kernels.runge_kutta import Table
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import fill, sizes
from pliant.linalg import ldl
from pliant.solvers.stepping.alpha_run import OPENEST, TIGHTEST
from pliant.solvers.stepping.alpha_scheme import Scheme
from pliant.solvers.stepping.drivers import Counts, Signals
from pliant.solvers.stepping.energy_balance import add_to_balance, begin_balance
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, OPEN, SINGULAR
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused

SLOW = 0.2  # a frozen derivative is recomputed if an increment is not below this part of the last

Memory = Any  # numpy.record with the fields of MEMORY: ``memory.contraction``
MEMORY = np.dtype([("contraction", np.float64)])  # Newton's quadratic constant


class Controls(NamedTuple):
    """Arguments of the loop besides the equations."""

    scheme: Scheme
    tolerance: float
    max_iterations: int
    way: int  # VARIATIONAL, or DIFFERENCES: computed once a step and frozen
    unsymmetric: bool
    powers: bool
    small: np.ndarray  # (6,) sizes of the differences
    mixed: bool = False


class State(NamedTuple):
    """State passed from one step to the next; ``work`` = (energy supplied, dissipated)."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    abar: np.ndarray
    lam: np.ndarray
    work: np.ndarray
    force: np.ndarray  # (subintervals, 3) at their bases
    position: np.ndarray  # (stations, KEPT) x, y, psi and strains
    velocity: np.ndarray
    acceleration: np.ndarray
    averaged: np.ndarray  # averaged acceleration abar of the scheme


class Record(NamedTuple):
    """Recorded instants of a motion."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray
    sums: np.ndarray  # (instants, SUMS) of the rods
    seen: np.ndarray  # (instants, places, SEEN) their data of results


class Run(NamedTuple):
    """A running motion: equations and method, the state now and before the step, and the stored data."""

    equations: Equations
    rods: Rods
    table: Table
    controls: Controls
    state: State
    old: State
    scratch: Scratch
    work: March
    memory: Memory
    sums: np.ndarray  # of the rods, at the present state
    counts: Counts


@kernel
def copy(source: State, target: State) -> None:
    """Copy a state to another."""
    fill(target.q, source.q)
    fill(target.v, source.v)
    fill(target.a, source.a)
    fill(target.abar, source.abar)
    fill(target.lam, source.lam)
    fill(target.work, source.work)
    fill_rows(target.force, source.force)
    fill_rows(target.position, source.position)
    fill_rows(target.velocity, source.velocity)
    fill_rows(target.acceleration, source.acceleration)
    fill_rows(target.averaged, source.averaged)


@kernel
def fill_rows(target: np.ndarray, source: np.ndarray) -> None:
    """Copy source to target, row by row."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = source[i, j]


@kernel
def coefficients(scheme: Scheme, h: float) -> tuple[float, float, float]:
    """Return the derivatives by x of a (c0), of the velocity (c1) and of abar."""
    cbar = 1.0 / (scheme.beta * h * h)
    return cbar * (1.0 - scheme.alpha_m) / (1.0 - scheme.alpha_f), scheme.gamma * h * cbar, cbar


@kernel
def update_past(rods: Rods, scheme: Scheme, h: float, state: State, work: March) -> None:
    """Compute the past of the motion at every station for the next step: x^ and v^, also of strains, and the resulting
    strains of material damping.
    """
    c0, c1, _ = coefficients(scheme, h)
    early, late = (0.5 - scheme.beta) * h * h, (1.0 - scheme.gamma) * h
    rest = 1.0 / ((1.0 - scheme.alpha_f) * c0)
    for i in range(state.position.shape[0]):
        beta, past = rods.section[i, BETA], work.past[i]
        for j in range(KEPT):
            bar = state.averaged[i, j]
            shift = rest * (scheme.alpha_m * bar - scheme.alpha_f * state.acceleration[i, j])
            place = state.position[i, j] + h * state.velocity[i, j] + early * bar - shift
            speed = state.velocity[i, j] + late * bar - c1 * shift
            if j < 3:
                past[j], past[j + 3] = place, speed
            else:
                past[STRAIN + j - 3] = beta * (c1 * place - speed) / (1.0 + beta * c1)
                past[STRAIN + j], past[STRAIN + j + 3] = place, speed


@kernel
def survey(
    rods: Rods, table: Table, begin: MarchStart, c0: float, c1: float, work: March, place: np.ndarray, sums: np.ndarray
) -> None:
    """March the solution once more: write places of all stations, and sums of energies, powers and momenta."""
    sums[:] = 0.0
    lengthen(rods, begin.q, work)
    sway(rods, table, c0, c1, begin.q, begin.force, work)
    for e in range(rods.rod.size):
        for i in range(3):
            work.begin[e, i] = begin.q[rods.dofs[e, i]]
            work.begin[e, i + 3] = begin.force[e, i]
        record(rods, table, e, c0, c1, work, place, sums)


@kernel
def step(run: Run, h: float, u: np.ndarray) -> tuple[int, int]:
    """Take one step, in place. Returns (status, iterations)."""
    equations, rods, controls, state = run.equations, run.rods, run.controls, run.state
    scratch, work, memory = run.scratch, run.work, run.memory
    n, m = equations.freedoms, equations.rows.offset.size
    scheme = controls.scheme
    beta, gamma = scheme.beta, scheme.gamma
    c0, c1, cbar = coefficients(scheme, h)
    update_past(rods, scheme, h, state, work)
    gather_loads(rods, u, work)
    for i in range(n):  # a stays
        old = state.abar[i]
        state.abar[i] = (state.a[i] - scheme.alpha_m * old) / (1.0 - scheme.alpha_m)
        state.q[i] += h * state.v[i] + h * h * ((0.5 - beta) * old + beta * state.abar[i])
        state.v[i] += h * ((1.0 - gamma) * old + gamma * state.abar[i])
    r, s, w, dq = scratch.r, scratch.s, scratch.w, scratch.step
    before, gap_before, way = 0.0, 0.0, controls.way
    for iteration in range(1, controls.max_iterations + 1):
        sway(rods, run.table, c0, c1, state.q, state.force, work)
        condense.shoot(rods, run.table, MarchStart(state.q, state.force), c0, c1, way, controls.small, work)
        way = condense.FROZEN if way == condense.DIFFERENCES else way
        r[:] = 0.0
        s[:] = 0.0
        w[:] = 0.0
        fused.add(
            equations.parts,
            Instant(state.q, state.v, state.a, u),
            Into(1.0, c1, c0, r, s, w),
            scratch.stress,
            controls.mixed,
        )
        joints.add(equations.rows, state.q, state.lam, u, joints.Saddle(1.0, c0 * equations.gamma, r, scratch.g, s))
        condense.add(rods, work, r, s, w)
        for i in range(n):
            dq[i] = -r[i]
        for k in range(m):
            dq[n + k] = -scratch.g[k]
        if not ldl.solve_once(equations.pattern, s, w, scratch.factors, dq, controls.unsymmetric):
            return SINGULAR, iteration
        for i in range(n):
            state.q[i] += dq[i]
            state.v[i] += c1 * dq[i]
            state.a[i] += c0 * dq[i]
            state.abar[i] += cbar * dq[i]
        for k in range(m):
            state.lam[k] += dq[n + k]
        off = condense.follow(rods, work, dq, 1.0, state.force)
        size, motion, place = sizes(dq, state.abar, state.q, equations.weight, 2)
        gap = condense.widest_gap(rods, equations.weight, work)
        size = max(size, off * equations.weight[0])
        if not np.isfinite(size + gap):
            return NOT_FINITE, iteration
        floor = 64.0 * 2.2e-16 * max(1.0, place)
        target = max(min(controls.tolerance * beta * h * h * motion, TIGHTEST), floor)
        exact = controls.way == condense.VARIATIONAL
        if iteration > 1 and size > 4.0 * floor:
            memory.contraction = max(size / (before * before), 0.5 * memory.contraction)
        quadratic = exact and iteration > 1 and memory.contraction > 0.0
        # places may be held by joints with base forces not yet found; or be at rounding level
        joined = gap <= condense.JOINED and (exact or gap <= TIGHTEST or (iteration > 4 and gap > 0.5 * gap_before))
        left = memory.contraction * size * size  # error after an increment of this size, of quadratic convergence
        if joined and (size <= target or (quadratic and memory.contraction * size < 0.1 and left <= target)):
            return DONE, iteration
        if joined and iteration > 2 and size > 0.5 * before and size < 1e3 * floor:
            return DONE, iteration  # increments have reached rounding and fall no further
        if size > 1e3:
            return NOT_CONVERGED, iteration
        if not exact and iteration > 1 and (size > SLOW * before or gap > SLOW * gap_before):
            way = condense.DIFFERENCES
        before, gap_before = size, gap
    return NOT_CONVERGED, controls.max_iterations


@kernel
def settle(run: Run, h: float) -> None:
    """Compute positions, velocities and accelerations of all stations after a step."""
    scheme, state, work = run.controls.scheme, run.state, run.work
    c0, c1, _ = coefficients(scheme, h)
    survey(run.rods, run.table, MarchStart(state.q, state.force), c0, c1, work, state.position, run.sums)
    for i in range(state.position.shape[0]):
        for j in range(KEPT):
            at = j if j < 3 else STRAIN + j
            moved = state.position[i, j] - work.past[i, at]
            old, a = state.acceleration[i, j], c0 * moved
            pull = (1.0 - scheme.alpha_f) * a + scheme.alpha_f * old - scheme.alpha_m * state.averaged[i, j]
            state.averaged[i, j] = pull / (1.0 - scheme.alpha_m)
            state.acceleration[i, j] = a
            state.velocity[i, j] = work.past[i, at + 3] + c1 * moved


@kernel
def advance(run: Run, signals: Signals, h: float, every: int, behind: int, record: Record) -> tuple[int, int]:
    """Take steps of size h from one row of the signals to the next.

    It records every ``every``-th step (``behind`` were taken before). On failure the state is the last good one.
    Returns (status, steps).
    """
    equations, state, old, scratch, counts = run.equations, run.state, run.old, run.scratch, run.counts
    total = signals.time.size - 1
    supplied, dissipated = powers(run, signals.u[0], signals.rate[0])
    if counts.steps == 0:
        begin_balance(counts, *energies(run, signals.u[0]))
    for k in range(total):
        u = signals.u[k + 1]
        copy(state, old)
        status, iterations = step(run, h, u)
        counts.iterations += iterations
        if status != DONE:
            copy(old, state)
            return status, k
        joints.residual(equations.rows, state.q, u, scratch.g)
        widest = 0.0
        for i in range(scratch.g.size):
            widest = max(widest, abs(scratch.g[i]) * equations.weight[0] * equations.rows.weight[i] ** 0.5)
            counts.constraint_error = max(counts.constraint_error, abs(scratch.g[i]))
        if widest > OPENEST:
            copy(old, state)
            return OPEN, k
        counts.opening = max(counts.opening, widest)
        settle(run, h)
        supplied_new, dissipated_new = powers(run, u, signals.rate[k + 1])
        state.work[0] += 0.5 * h * (supplied + supplied_new)
        state.work[1] += 0.5 * h * (dissipated + dissipated_new)
        add_to_balance(counts, *energies(run, u), state.work)
        supplied, dissipated = supplied_new, dissipated_new
        if (behind + k + 1) % every == 0:
            keep(run, signals.time[k + 1], record)
    return DONE, total


@kernel
def keep(run: Run, time: float, record: Record) -> None:
    """Record the present state, after the records so far."""
    state, m = run.state, run.counts.records
    record.time[m] = time
    fill(record.q[m], state.q)
    fill(record.v[m], state.v)
    fill(record.a[m], state.a)
    fill(record.lam[m], state.lam)
    fill(record.work[m], state.work)
    fill(record.sums[m], run.sums)
    for k in range(run.work.seen.shape[0]):
        fill(record.seen[m, k], run.work.seen[k])
    run.counts.records += 1


@kernel
def energies(run: Run, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic and potential energy of bodies and rods."""
    kinetic, potential = fused.energy(run.equations.parts, run.state.q, run.state.v, u)
    return kinetic + run.sums[0], potential + run.sums[1]


@kernel
def powers(run: Run, u: np.ndarray, rate: np.ndarray) -> tuple[float, float]:
    """Return power supplied (loads without potential, drives) and dissipated."""
    equations, state, supplied, dissipated = run.equations, run.state, 0.0, 0.0
    if run.controls.powers:
        supplied, dissipated = fused.power(equations.parts, state.q, state.v, u)
    return supplied + joints.power(equations.rows, state.lam, rate) + run.sums[2], dissipated + run.sums[3]
