"""Generalized-alpha on the index-3 equations of motion, the whole loop compiled.

Solves ``M a + f(q, v, t) + G^T lambda = 0``, ``g(q, t) = 0`` at every t_{n+1}, with (Arnold, Bruls 2007; thesis eq.
5.50)

    (1 - alpha_m) abar_{n+1} + alpha_m abar_n = (1 - alpha_f) a_{n+1} + alpha_f a_n
    q_{n+1} = q_n + h v_n + h^2 ((1/2 - beta) abar_n + beta abar_{n+1})      (rotations in space: `alpha_step.turn`)
    v_{n+1} = v_n + h ((1 - gamma) abar_n + gamma abar_{n+1})
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, lazy_kernel, linked_kernel
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import more
from pliant.linalg import ldl
from pliant.solvers.stepping import midpoint
from pliant.solvers.stepping.alpha_run import BAUMGARTE, OPENEST, PROJECTION, Inputs, Record, Run, copy, keep
from pliant.solvers.stepping.alpha_scheme import coefficients
from pliant.solvers.stepping.alpha_step import step
from pliant.solvers.stepping.drivers import Signals
from pliant.solvers.stepping.energy_balance import add_to_balance, begin_balance, energy_at_work, honest_energy
from pliant.solvers.stepping.prediction import reset, update
from pliant.solvers.stepping.sampling import Present, hold, sample
from pliant.solvers.stepping.status import CALM, DONE, GAINING, INACCURATE, OPEN, SINGULAR
from pliant.system.packing import fused

MOSTLY_GAINED = 0.01  # of the energy at work: if less is genuine, all is spurious, and no smaller step helps
CORRECTED, ON_JOINTS = 3, 1e-14  # velocities: most rounds, and largest drift of a step, in lengths and radians
RUBBED = 4  # rounds of friction and reactions, after a jump


@kernel
def advance(run: Run, signals: Signals, h: float, every: int, behind: int, record: Record) -> tuple[int, int]:
    """Take steps of size h from one row of the signals to the next; the rows receive the inputs of a controller.

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
                sample(run.equations.parts, run.sampler, Present(state.q, state.v, state.a, state.lam), signals.u[k])
                hold(run.sampler, signals, k)
                run.memory.jumped = 1.0
            hold(run.sampler, signals, k + 1)
        if run.memory.jumped > 0.0:
            if not jump(run, signals.u[k], h):
                return SINGULAR, k
            run.memory.jumped = 0.0
            reset(run)
            supplied, dissipated = powers(run, signals.u[k], signals.rate[k])
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
            if not run.scheme.momentum:
                onto_joints(run, inputs, h)
            elif not midpoint.project(run, inputs, h):
                copy(old, state)
                return SINGULAR, k
        opened = opening(run, inputs.u)
        if opened > OPENEST and controls.constraints != BAUMGARTE:
            copy(old, state)
            return OPEN, k
        supplied_new, dissipated_new = powers(run, inputs.u, inputs.rate)
        kinetic_new, potential_new = fused.energy(parts, state.q, state.v, inputs.u)
        work, lost = 0.5 * h * (supplied + supplied_new), 0.5 * h * (dissipated + dissipated_new)
        gain = kinetic_new - kinetic + potential_new - potential - work + lost
        beyond = gain + min(0.0, run.memory.gain)  # a loss that the next step restores is genuine
        before = honest_energy(counts, kinetic + potential, state.work)
        allowed = controls.gain_limit * max(before, kinetic_new - max(0.0, gain), lost)  # no gain of its own loss
        at_work = energy_at_work(counts)
        invented = at_work > controls.least_gain and before < MOSTLY_GAINED * at_work
        if invented or beyond > max(controls.least_gain, allowed):
            copy(old, state)
            return GAINING, k
        counts.local_error = max(counts.local_error, error)
        counts.local_sum += error
        counts.opening = max(counts.opening, opened)
        gap = counts.constraint_error
        for i in range(scratch.g.size):
            gap = max(gap, abs(scratch.g[i]))
        counts.constraint_error = gap
        run.memory.gain = gain
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
    """Return the local error of the step, in lengths of the model and radians: from the change of abar, a by-product of
    the prediction of a.
    """
    return update(run) * (h * h * max(abs(run.scheme.beta - 1.0 / 6.0), 1.0 / 12.0))


@linked_kernel
def opening(run: Run, u: np.ndarray) -> float:
    """Return the largest opening of joints, in lengths of the model and radians; ``scratch.g`` holds each row's."""
    equations, g, widest = run.equations, run.scratch.g, 0.0
    joints.residual(equations.rows, run.state.q, u, g)
    for i in range(g.size):
        widest = more(widest, abs(g[i]) * equations.weight[0] * equations.rows.weight[i] ** 0.5)
    return widest


@lazy_kernel
def onto_joints(run: Run, inputs: Inputs, h: float) -> None:
    """Project the velocity on G v + g_t = 0 (thesis eq. 5.44), with the factors S of the step's last iteration.

        [S, G^T; G, 0] (dv, .) = (0, -(G v + g_t)),    [S, G^T; G, 0] (da, c_m dlambda) = (0, -(G a + g_qq v v + g_tt))

    ``S / c_m = M + O(h^2)``: coordinates that mass and stiffness couple in a step move together. With velocities on the
    joints, the position reactions have an error of order h: recorded reactions and accelerations satisfy the second
    equation; the steps continue with their own a, which loses less energy. The augmented term gamma G^T G of S is a
    part of the multipliers.
    """
    equations, state, scratch, u = run.equations, run.state, run.scratch, inputs.u
    rows, n, scale = equations.rows, equations.freedoms, 1.0 / coefficients(run.scheme, h).acceleration
    joints.bias(rows, state.q, state.v, u, inputs.second, scratch.blend)
    joints.velocity(rows, state.q, state.a, u, scratch.nothing, scratch.speed)
    for k in range(scratch.speed.size):
        scratch.blend[k] += scratch.speed[k]
    for _ in range(CORRECTED):
        joints.velocity(rows, state.q, state.v, u, inputs.rate, scratch.speed)
        gap = 0.0
        for k in range(scratch.speed.size):
            gap = max(gap, abs(scratch.speed[k]) * rows.weight[k] ** 0.5)
        if gap * h * equations.weight[0] < ON_JOINTS:
            break
        against(run, scratch.speed)
        for i in range(n):
            state.v[i] += scratch.step[i]
    against(run, scratch.blend)
    for i in range(n):
        state.recorded[i] = scratch.step[i]
    for k in range(scratch.blend.size):
        state.lam[k] += scale * scratch.step[n + k] - equations.gamma * rows.weight[k] * scratch.blend[k]


@kernel
def against(run: Run, gap: np.ndarray) -> None:
    """Solve for the correction of a gap in the joints' conditions, with the present factors, in ``scratch.step``."""
    pattern, scratch, n = run.equations.pattern, run.scratch, run.equations.freedoms
    scratch.step[:n] = 0.0
    for k in range(gap.size):
        scratch.step[n + k] = -gap[k]
    if run.controls.unsymmetric:
        ldl.solve_lu(pattern, scratch.s, scratch.w, scratch.factors, scratch.step)
    else:
        ldl.solve(pattern, scratch.s, scratch.factors, scratch.step)


@lazy_kernel
def jump(run: Run, u: np.ndarray, h: float) -> bool:
    """Compute accelerations and reactions after a jump of the signals to u, which would act half a step late otherwise.

    ``[M, G^T; G, 0] (da, dlambda) = -(M a + f(q, v, u) + G^T lambda, 0)``, with a little stiffness added to M so that
    massless parts, and modes too fast for the step, stay calm. Returns whether it could be solved.
    """
    equations, state, scratch = run.equations, run.state, run.scratch
    r, s, n = scratch.r, scratch.s, equations.freedoms
    stiff, none, mixed, rough = 0.01 * h * h, 0.0, False, equations.rubbing.arm.size > 0
    for _ in range(RUBBED if rough else 1):
        r[:] = 0.0
        s[:] = 0.0
        scratch.w[:] = 0.0
        fused.add(
            equations.parts,
            Instant(state.q, state.v, state.a, u),
            Into(stiff, none, 1.0, r, s, scratch.w),
            scratch.stress,
            mixed,
        )
        joints.add(equations.rows, state.q, state.lam, u, joints.Saddle(none, equations.gamma, r, scratch.g, s))
        if rough:
            scratch.w[:] = 0.0
            rubbing.rub(equations.rubbing, state.q, state.v, state.lam, scratch.rubbed)
            rubbing.push(equations.rubbing, scratch.rubbed, 1.0, r)
            rubbing.lean(equations.rubbing, scratch.rubbed, s, scratch.w)
        for i in range(n):
            scratch.step[i] = -r[i]
        for k in range(scratch.g.size):
            scratch.step[n + k] = 0.0
        if not ldl.solve_once(equations.pattern, s, scratch.w, scratch.factors, scratch.step, rough):
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
    """Return the power supplied (loads without potential, drives) and dissipated."""
    state, supplied, dissipated = run.state, 0.0, 0.0
    if run.controls.powers:
        supplied, dissipated = fused.power(run.equations.parts, state.q, state.v, u)
    if run.equations.rubbing.arm.size > 0:
        rubbing.rub(run.equations.rubbing, state.q, state.v, state.lam, run.scratch.rubbed)
        dissipated += run.scratch.rubbed.lost[0]
    return supplied + joints.power(run.equations.rows, state.lam, rate), dissipated
