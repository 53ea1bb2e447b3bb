"""Generalized-alpha on the index-3 equations of motion, the whole loop compiled.

Solves ``M a + f(q, v, t) + G^T lambda = 0``, ``g(q, t) = 0`` at every t_{n+1}, with (Arnold, Bruls 2007; thesis eq.
5.50)

    (1 - alpha_m) abar_{n+1} + alpha_m abar_n = (1 - alpha_f) a_{n+1} + alpha_f a_n
    q_{n+1} = q_n + h v_n + h^2 ((1/2 - beta) abar_n + beta abar_{n+1})      (rotations in space: see `turn`)
    v_{n+1} = v_n + h ((1 - gamma) abar_n + gamma abar_{n+1})

Newton's increments are judged against the step's own acceleration part ``beta h^2 abar`` (an error dq is an
acceleration error dq / (beta h^2)), with the error left after the step estimated from quadratic convergence.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant._jit import kernel, lazy_kernel, linked_kernel
from pliant._jit.bundle import Bundle
from pliant.joints import rows as joints
from pliant.kernels.so3 import take_up, turned
from pliant.kernels.vectors import fill, sizes
from pliant.solvers import ldl, midpoint
from pliant.solvers.alpha_scheme import Coefficients, Scheme, coefficients
from pliant.solvers.balance import add_to_balance, begin_balance, energy_at_work, honest_energy
from pliant.solvers.drivers import Counts, Signals
from pliant.solvers.sampling import Sampler, hold, sample
from pliant.solvers.status import (
    CALM,
    DONE,
    GAINING,
    INACCURATE,
    NOT_CONVERGED,
    NOT_FINITE,
    OPEN,
    SINGULAR,
    WHIRLING,
)
from pliant.system import fused
from pliant.system.equations import Equations, Scratch

POSITION, BAUMGARTE, PROJECTION = 0, 1, 2
OPENEST = 1e-6  # a joint further open than this, in lengths of the model or radians, is not closed
MOSTLY_GAINED = 0.01  # of the energy at work: with less that is honest, all came from nowhere, and no step mends it
LARGEST_TURN = 1.5  # rad, of a node in space in one step: below a quarter of a turn
TRUSTED = 16  # steps for which Newton's quadratic constant is used without measuring it again
TIGHTEST = 1e-10  # no step may leave an error larger than this, in lengths of the model and radians

Memory = Any  # numpy.record with the fields of MEMORY: ``memory.contraction``
MEMORY = np.dtype(
    [
        ("contraction", np.float64),  # Newton's quadratic constant
        ("age", np.float64),  # steps since it was measured
        ("jumped", np.float64),  # whether the signals have jumped since the last step
        ("trend", np.float64),  # how much of the last change of acceleration (``scratch.move``) is expected again
    ]
)


class Controls(Bundle):
    """What the loop is given besides the equations."""

    tolerance: float
    max_iterations: int
    constraints: int  # POSITION, BAUMGARTE or PROJECTION
    stiffness: float  # Baumgarte omega [1/s]
    damping: float  # Baumgarte zeta
    error_limit: float  # largest local error allowed over the size of the step [1/s] (0: not controlled)
    error_floor: float  # a whole run of steps below this may be taken larger
    shortest: float  # step [s]: shorter ones may make its error, so that accelerations which jump are passed
    least_gain: float  # energy [J] that may always come from nowhere in a step
    gain_limit: float  # and that which may as a part of the energy at work
    unsymmetric: bool
    powers: bool
    carries: bool  # whether stiffness carries what moves no mass, where velocities are projected
    mixed: bool = False  # beams take the mean of their stresses before and after a step (momentum form only)


class State(Bundle):
    """Everything that one step hands to the next; ``work`` = (energy supplied, dissipated)."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    abar: np.ndarray
    lam: np.ndarray
    lambar: np.ndarray  # multipliers that belong to abar (momentum form only)
    work: np.ndarray


class Record(Bundle):
    """Recorded instants."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray


class Run(Bundle):
    """A motion at work: what is solved and how, the state now and before the step, and what is remembered."""

    equations: Equations
    scheme: Scheme
    controls: Controls
    state: State
    old: State
    scratch: Scratch
    memory: Memory
    counts: Counts
    sampler: Sampler


class Inputs(NamedTuple):
    """Signals at an instant, and the derivatives of those that drive joints."""

    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray


@linked_kernel
def residual(run: Run, rows: joints.Rows, u: np.ndarray, inputs: Inputs, c: Coefficients) -> None:
    """Assemble matrix and right-hand side at the state; the constraint rows hold g, or Baumgarte's blend of g'', g',
    g. ``u`` are the signals where forces are looked at.
    """
    equations, controls, state, scratch = run.equations, run.controls, run.state, run.scratch
    parts, cc, cm = equations.parts, c.velocity, c.acceleration
    r, g, s, w = scratch.r, scratch.g, scratch.s, scratch.w
    r[:] = 0.0
    s[:] = 0.0
    if controls.unsymmetric:
        w[:] = 0.0
    fused.add(parts, state.q, state.v, state.a, u, 1.0, cc, cm, r, s, w, scratch.stress, controls.mixed)
    if controls.mixed:
        fused.pull(parts, state.q, scratch.stress_beyond, r)
    joints.add(rows, state.q, state.lam, u, 1.0, cm * equations.gamma, r, g, s)
    if controls.constraints == BAUMGARTE:
        baumgarte(run, rows, u, inputs, c)
    n = equations.freedoms
    for i in range(n):
        scratch.step[i] = -r[i]
    for k in range(g.size):
        scratch.step[n + k] = -g[k]


@lazy_kernel
def baumgarte(run: Run, rows: joints.Rows, u: np.ndarray, inputs: Inputs, c: Coefficients) -> None:
    """g'' + 2 zeta omega g' + omega^2 g = 0 (thesis eq. 5.42 with the term J' v it omits), scaled to a position
    correction.

    A correction dq changes the blend by (cm + 2 zeta omega cc + omega^2) G dq and terms of order h: the symmetric
    saddle matrix is kept and Newton converges linearly at that rate.
    """
    controls, state, scratch = run.controls, run.state, run.scratch
    omega, damping = controls.stiffness, 2.0 * controls.damping * controls.stiffness
    joints.bias(rows, state.q, state.v, u, inputs.second, scratch.blend)
    joints.velocity(rows, state.q, state.a, u, scratch.nothing, scratch.speed)
    for k in range(scratch.g.size):
        scratch.blend[k] += scratch.speed[k]
    joints.velocity(rows, state.q, state.v, u, inputs.rate, scratch.speed)
    total = c.acceleration + damping * c.velocity + omega * omega
    for k in range(scratch.g.size):
        value = scratch.blend[k] + damping * scratch.speed[k] + omega * omega * scratch.g[k]
        scratch.g[k] = value / total


@linked_kernel
def predict(run: Run, h: float) -> None:
    """The state with an acceleration that goes on changing as it did, if that was so in the last step."""
    equations, scheme, state, old, scratch = run.equations, run.scheme, run.state, run.old, run.scratch
    beta, gamma, trend = scheme.beta, scheme.gamma, run.memory.trend
    for i in range(equations.freedoms):
        ahead = trend * scratch.move[i]
        bar = (old.a[i] + (1.0 - scheme.alpha_f) * ahead - scheme.alpha_m * old.abar[i]) / (1.0 - scheme.alpha_m)
        state.a[i] = old.a[i] + ahead
        state.abar[i] = bar
        state.q[i] = old.q[i] + h * old.v[i] + h * h * ((0.5 - beta) * old.abar[i] + beta * bar)
        state.v[i] = old.v[i] + h * ((1.0 - gamma) * old.abar[i] + gamma * bar)
    if scheme.momentum:
        midpoint.predict(equations, h, state, old, scratch)
    for i in range(equations.frames, equations.frames + 4 * equations.turning):
        state.q[i] = old.q[i]
    take_up(state.q, equations.frames, equations.turning)
    fill(state.lam, old.lam)


@linked_kernel
def correct(run: Run, h: float, c: Coefficients) -> None:
    """Take Newton's increment, which is in ``scratch.step``."""
    equations, scheme, state, dq = run.equations, run.scheme, run.state, run.scratch.step
    n = equations.freedoms
    for i in range(n):
        state.q[i] += dq[i]
        state.v[i] += c.velocity * dq[i]
        state.abar[i] += c.abar * dq[i]
        state.a[i] += c.acceleration * dq[i]
    if equations.turning > 0:
        take_up(state.q, equations.frames, equations.turning)
        turn(equations, scheme, h, state, run.old)
    if scheme.momentum:
        midpoint.turn(equations, h, state, run.old)
    for k in range(equations.rows.offset.size):
        state.lam[k] += dq[n + k]


@linked_kernel
def step(run: Run, h: float, before_u: np.ndarray, inputs: Inputs) -> tuple[int, int]:
    """One step from ``run.old`` to ``run.state``, by Newton. Returns (status, iterations)."""
    equations, scheme, controls, scratch = run.equations, run.scheme, run.controls, run.scratch
    state, memory, u = run.state, run.memory, inputs.u
    c = coefficients(scheme, h)
    if whirling(equations, h, run.old):
        return WHIRLING, 0
    for i in range(u.size):
        scratch.signals[i] = 0.5 * (before_u[i] + u[i]) if scheme.momentum else u[i]
    predict(run, h)
    before = 0.0
    for iteration in range(1, controls.max_iterations + 1):
        rows = equations.rows
        if scheme.momentum:
            midpoint.stress(equations, state, run.old, scratch)
            midpoint.average_rows(equations, state, run.old, scratch)
            rows = scratch.averaged
        residual(run, rows, scratch.signals, inputs, c)
        if scheme.momentum:
            midpoint.complete(equations, state, run.old, u, scratch)
        if not ldl.solve_once(
            equations.pattern, scratch.s, scratch.w, scratch.factors, scratch.step, controls.unsymmetric
        ):
            return SINGULAR, iteration
        correct(run, h, c)
        size, motion, place = sizes(scratch.step, state.abar, state.q, equations.weight)
        if not np.isfinite(size):
            return NOT_FINITE, iteration
        floor = 64.0 * 2.2e-16 * max(1.0, place)
        target = max(min(controls.tolerance * scheme.beta * h * h * motion, TIGHTEST), floor)
        if iteration > 1:
            memory.age = 0.0
            if size > 4.0 * floor or memory.contraction == 0.0:
                memory.contraction = max(size / (before * before), 0.5 * memory.contraction)
        fresh = iteration > 1 or memory.age < TRUSTED
        quadratic = fresh and memory.contraction > 0.0 and controls.constraints != BAUMGARTE and not scheme.momentum
        left = memory.contraction * size * size  # error after an increment of this size, of quadratic convergence
        small = size <= target or (quadratic and memory.contraction * size < 0.1 and left <= target)
        if scheme.momentum and iteration > 1 and size < 0.5 * before:  # it converges linearly
            small = small or size * size <= 0.01 * floor * (before - size)
        if small or (iteration > 2 and size > 0.5 * before and size < 1e3 * floor):
            memory.age += 1.0 if small else 0.0  # else increments have reached rounding and fall no further
            if scheme.momentum:
                midpoint.finish(equations, c.acceleration, state, run.old, scratch)
            return DONE, iteration
        if size > 1e3:
            return NOT_CONVERGED, iteration
        before = size
    return NOT_CONVERGED, controls.max_iterations


@kernel
def whirling(equations: Equations, h: float, old: State) -> bool:
    """Whether a node in space would turn by more than LARGEST_TURN in a step: rotations are only known up to whole
    turns, and those of two nodes against each other must stay below half of one.
    """
    for k in range(equations.turning):
        square = 0.0
        for i in range(6 * k + 3, 6 * k + 6):
            theta = h * (old.v[i] + 0.5 * h * old.a[i])
            square += theta * theta
        if square > LARGEST_TURN * LARGEST_TURN:
            return True
    return False


@lazy_kernel
def turn(equations: Equations, scheme: Scheme, h: float, state: State, old: State) -> None:
    """Angular velocities and accelerations that belong to the rotation made since the last step.

    ``R_{n+1} = R_n exp(theta)`` with ``theta = h w_n + h^2 ((1/2 - beta) abar_n + beta abar_{n+1})`` in the node's axes
    (Bruls, Cardona, Arnold 2012): theta is known, abar and with it velocity and acceleration follow.
    """
    beta, gamma, alpha_m, alpha_f = scheme.beta, scheme.gamma, scheme.alpha_m, scheme.alpha_f
    for k in range(equations.turning):
        theta = turned(old.q, state.q, equations.frames, k)
        for j in range(3):
            i = 6 * k + 3 + j
            bar = (theta[j] - h * old.v[i]) / (beta * h * h) - (0.5 / beta - 1.0) * old.abar[i]
            state.abar[i] = bar
            state.v[i] = old.v[i] + h * ((1.0 - gamma) * old.abar[i] + gamma * bar)
            state.a[i] = ((1.0 - alpha_m) * bar + alpha_m * old.abar[i] - alpha_f * old.a[i]) / (1.0 - alpha_f)


@lazy_kernel
def project_velocity(run: Run, inputs: Inputs, h: float) -> bool:
    """Mass-weighted projection of the velocity on G v + g_t = 0 (thesis eq. 5.44, weighted by M).

    It is an impulse of the joints and keeps momentum. With velocities on the joints, what keeps positions there is off
    by a part of h: the reactions told are those of ``G a + g_qq v v + g_tt = 0`` (in momentum form see midpoint.py).
    Parts without mass that no joint holds are carried by a little stiffness, others by the augmented term
    gamma G^T G, whose share of the right-hand sides the multipliers ``push`` bring in.
    """
    equations, controls, state, scratch, u = run.equations, run.controls, run.state, run.scratch, inputs.u
    rows, gamma, r, s, n = equations.rows, equations.gamma, scratch.r, scratch.s, equations.freedoms
    stiff = 0.01 * h * h if controls.carries else 0.0
    joints.residual(rows, state.q, u, scratch.g)
    joints.bias(rows, state.q, state.v, u, inputs.second, scratch.blend)
    joints.velocity(rows, state.q, state.a, u, scratch.nothing, scratch.speed)
    for k in range(scratch.speed.size):
        scratch.blend[k] += scratch.speed[k]
        scratch.push[k] = -gamma * rows.weight[k] * (scratch.blend[k] + scratch.g[k])
    scratch.place[:] = 0.0
    if gamma > 0.0:
        joints.add(rows, state.q, scratch.push, u, 0.0, gamma, scratch.place, scratch.g, s)
    s[:] = 0.0
    scratch.w[:] = 0.0
    fused.add(
        equations.parts, state.q, state.v, state.a, u, stiff, 0.0, 1.0, r, s, scratch.w, scratch.stress, controls.mixed
    )
    joints.velocity(rows, state.q, state.v, u, inputs.rate, scratch.speed)
    for k in range(scratch.speed.size):
        scratch.push[k] = -gamma * rows.weight[k] * (scratch.speed[k] + scratch.g[k])
        scratch.step[n + k] = -scratch.speed[k]
    r[:] = 0.0
    joints.add(rows, state.q, scratch.push, u, 0.0, gamma, r, scratch.g, s)
    for i in range(n):
        scratch.step[i] = r[i]
    if not ldl.solve_once(equations.pattern, s, scratch.w, scratch.factors, scratch.step, controls.unsymmetric):
        return False
    for i in range(n):
        state.v[i] += scratch.step[i]
    if run.scheme.momentum:
        return True
    for i in range(n):
        scratch.step[i] = scratch.place[i]
    for k in range(scratch.blend.size):
        scratch.step[n + k] = -scratch.blend[k]
    if controls.unsymmetric:
        ldl.solve_lu(equations.pattern, s, scratch.w, scratch.step)
    else:
        ldl.solve(equations.pattern, s, scratch.factors, scratch.step)
    for k in range(scratch.blend.size):
        state.lam[k] += scratch.step[n + k]
    return True


@kernel
def copy(source: State, target: State) -> None:
    """Copy a state."""
    fill(target.q, source.q)
    fill(target.v, source.v)
    fill(target.a, source.a)
    fill(target.abar, source.abar)
    fill(target.lam, source.lam)
    fill(target.lambar, source.lambar)
    fill(target.work, source.work)


@kernel
def advance(run: Run, signals: Signals, h: float, every: int, behind: int, record: Record) -> tuple[int, int]:
    """Take steps of size h from one row of the signals to the next; the rows take the signals that a controller sets.

    Records every ``every``-th step (``behind`` were taken before). On failure the state is the last good one. Returns
    (status, steps).
    """
    controls, state, old, scratch, counts = run.controls, run.state, run.old, run.scratch, run.counts
    parts, total, calm = run.equations.parts, signals.time.size - 1, 0
    supplied, dissipated = powers(run, signals.u[0], signals.rate[0])
    kinetic, potential = fused.energy(parts, state.q, state.v, signals.u[0])
    if counts.steps == 0:
        begin_balance(counts, kinetic, potential)
    for k in range(total):
        inputs = Inputs(signals.u[k + 1], signals.rate[k + 1], signals.second[k + 1])
        if run.sampler.period > 0:
            if (behind + k) % run.sampler.period == 0:
                sample(run.equations.parts, run.sampler, state.q, state.v, signals.u[k])
                hold(run.sampler, signals.u[k])
                run.memory.jumped = 1.0
            hold(run.sampler, inputs.u)
        if run.memory.jumped > 0.0:
            if not jump(run, signals.u[k], h):
                return SINGULAR, k
            run.memory.jumped = run.memory.trend = 0.0
            supplied, dissipated = powers(run, signals.u[k], signals.rate[k])
        for i in range(run.equations.freedoms):
            scratch.move[i] = state.a[i] - old.a[i]
        copy(state, old)
        status, iterations = step(run, h, signals.u[k], inputs)
        counts.iterations += iterations
        if status != DONE:
            copy(old, state)
            return status, k
        error = local_error(run, h)
        if controls.error_limit > 0.0:
            if error > controls.error_limit * max(h, controls.shortest):
                copy(old, state)
                return INACCURATE, k
            calm = calm + 1 if error < controls.error_floor * h else 0
        if controls.constraints == PROJECTION and scratch.g.size > 0:
            if not project_velocity(run, inputs, h):
                copy(old, state)
                return SINGULAR, k
            if run.scheme.momentum:
                midpoint.share(run.equations, h, state, scratch)
        opened = opening(run, inputs.u)
        if opened > OPENEST and controls.constraints != BAUMGARTE:
            copy(old, state)
            return OPEN, k
        supplied_new, dissipated_new = powers(run, inputs.u, inputs.rate)
        kinetic_new, potential_new = fused.energy(parts, state.q, state.v, inputs.u)
        work, lost = 0.5 * h * (supplied + supplied_new), 0.5 * h * (dissipated + dissipated_new)
        gain = kinetic_new - kinetic + potential_new - potential - work + lost
        before = honest_energy(counts, kinetic + potential, state.work)
        allowed = controls.gain_limit * max(before, kinetic_new - max(0.0, gain))
        at_work = energy_at_work(counts)
        invented = at_work > controls.least_gain and before < MOSTLY_GAINED * at_work
        if invented or gain > max(controls.least_gain, allowed):
            copy(old, state)
            return GAINING, k
        counts.local_error = max(counts.local_error, error)
        counts.local_sum += error
        counts.opening = max(counts.opening, opened)
        gap = counts.constraint_error
        for i in range(scratch.g.size):
            gap = max(gap, abs(scratch.g[i]))
        counts.constraint_error = gap
        state.work[0] += work
        state.work[1] += lost
        add_to_balance(counts, kinetic_new, potential_new, state.work)
        supplied, dissipated, kinetic, potential = supplied_new, dissipated_new, kinetic_new, potential_new
        if (behind + k + 1) % every == 0:
            keep(state, signals.time[k + 1], counts, record)
        if calm >= 8:
            return CALM, k + 1
    return DONE, total


@linked_kernel
def local_error(run: Run, h: float) -> float:
    """Local error of the step, in lengths of the model and radians: of the change of abar. Remembers whether the
    acceleration changed as it did in the step before.
    """
    state, old, scheme = run.state, run.old, run.scheme
    error, change, surprise = 0.0, 0.0, 0.0
    for i in range(run.equations.freedoms):
        weight, moved = run.equations.weight[i], state.a[i] - old.a[i]
        error = max(error, abs(state.abar[i] - old.abar[i]) * weight)
        change = max(change, abs(moved) * weight)
        surprise = max(surprise, abs(moved - run.scratch.move[i]) * weight)
    run.memory.trend = 1.0 if surprise < 0.5 * change else 0.0
    return error * (h * h * max(abs(scheme.beta - 1.0 / 6.0), 1.0 / 12.0))


@linked_kernel
def opening(run: Run, u: np.ndarray) -> float:
    """How far joints are open, in lengths of the model and radians; that of each row is left in ``scratch.g``."""
    equations, g, widest = run.equations, run.scratch.g, 0.0
    joints.residual(equations.rows, run.state.q, u, g)
    for i in range(g.size):
        widest = max(widest, abs(g[i]) * equations.weight[0] * equations.rows.weight[i] ** 0.5)
    return widest


@linked_kernel
def keep(state: State, time: float, counts: Counts, record: Record) -> None:
    """Record a state, after those recorded so far."""
    m = counts.records
    record.time[m] = time
    fill(record.q[m], state.q)
    fill(record.v[m], state.v)
    fill(record.a[m], state.a)
    fill(record.lam[m], state.lam)
    fill(record.work[m], state.work)
    counts.records += 1


@lazy_kernel
def jump(run: Run, u: np.ndarray, h: float) -> bool:
    """Accelerations and reactions after the signals have jumped to u: without it they would act half a step late.

    ``[M, G^T; G, 0] (da, dlambda) = -(M a + f(q, v, u) + G^T lambda, 0)``, with a little stiffness beside M so that
    parts without mass, and modes too fast for the step, stay calm. Returns whether it could be solved.
    """
    equations, state, scratch = run.equations, run.state, run.scratch
    r, s, n = scratch.r, scratch.s, equations.freedoms
    r[:] = 0.0
    s[:] = 0.0
    scratch.w[:] = 0.0
    stiff, none, mixed = 0.01 * h * h, 0.0, False
    fused.add(equations.parts, state.q, state.v, state.a, u, stiff, none, 1.0, r, s, scratch.w, scratch.stress, mixed)
    joints.add(equations.rows, state.q, state.lam, u, none, equations.gamma, r, scratch.g, s)
    for i in range(n):
        scratch.step[i] = -r[i]
    for k in range(scratch.g.size):
        scratch.step[n + k] = 0.0
    if not ldl.solve_once(equations.pattern, s, scratch.w, scratch.factors, scratch.step, mixed):
        return False
    for i in range(n):
        state.a[i] += scratch.step[i]
        state.abar[i] += scratch.step[i]
    for k in range(scratch.g.size):
        state.lam[k] += scratch.step[n + k]
        state.lambar[k] += scratch.step[n + k]
    return True


@linked_kernel
def powers(run: Run, u: np.ndarray, rate: np.ndarray) -> tuple[float, float]:
    """Power supplied (loads without potential, drives) and dissipated."""
    state, supplied, dissipated = run.state, 0.0, 0.0
    if run.controls.powers:
        supplied, dissipated = fused.power(run.equations.parts, state.q, state.v, u)
    return supplied + joints.power(run.equations.rows, state.lam, rate), dissipated
