"""One step of Radau IIA with three stages, of order 5, on the index-3 equations of motion.

At every stage ``M a + f(q, v, t) + G^T lambda = 0`` and ``g(q, t) = 0``, with increments z of the coordinates since the
start of the step and D = A^-1 (E. Hairer, C. Lubich, M. Roche 1989; E. Hairer, G. Wanner 1996, IV.8):

    z' = D z / h,    z'' = D (z' - v_n) / h

The stages are found by sweeps: Newton's matrix with L in the place of D = L U (P. J. van der Houwen, J. J. B. de Swart,
SIAM J. Sci. Comput. 18, 1997, 41-55), so that one stage follows the other, each with its own symmetric matrix
``K + c C + c^2 M``, ``c = L_kk / h``: stiff parts that turn far in a step have their own axes at every stage. The
remaining errors fall by 0.1 to 0.47 in a sweep, for any stiffness.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, lazy_kernel, linked_kernel
from pliant.joints import rows as joints
from pliant.kernels import charts
from pliant.kernels.charts import set_vector
from pliant.kernels.so3 import take_up
from pliant.kernels.sums import Instant, Into
from pliant.kernels.triples import minus, vector
from pliant.kernels.vectors import fill, largest
from pliant.linalg import ldl
from pliant.solvers.radau.workspace import INVERSE, LOWER, NODES, SLOPE, A, IntegrationRun, space_of
from pliant.solvers.stepping.generalized_alpha import against
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR, WHIRLING
from pliant.system.equations import Equations
from pliant.system.packing import fused

SWEEPS, PATIENT = 40, 8  # most sweeps; sweeps in which changes need not fall
FASTEST = 0.3  # best assumed decrease of changes: a sweep may be lucky
SLOW = 0.5  # sweeps whose changes fall by less refactorise
NONE = (0.0, 0.0, 0.0)


@linked_kernel
def step(integration: IntegrationRun, h: float, signals: np.ndarray) -> tuple[int, int]:
    """Solve for the stages of a step from ``run.state``, given signals at its start and stages; (status, sweeps)."""
    run, stages = integration.run, integration.stages
    equations = run.equations
    predict(integration, h)
    before, rate, factorise = 0.0, 1.0, True
    floor = 64.0 * 2.2e-16 * max(1.0, largest(run.state.q, equations.weight))
    for sweep in range(1, SWEEPS + 1):
        slopes(integration, h)
        size = 0.0
        for k in range(3):
            status = improve(integration, h, k, signals[k + 1], factorise)
            if status != DONE:
                return status, sweep
            moved = largest(stages.moved[k], equations.weight)
            if not moved <= size:
                size = moved
        if not np.isfinite(size):
            return NOT_FINITE, sweep
        if equations.turning > 0 and charts.too_far(stages.q[2], equations.turning):
            return WHIRLING, sweep
        if sweep > 1:
            rate = max(size / before, FASTEST) if before > 0.0 else FASTEST
        if size <= floor or size * rate / (1.0 - min(rate, 0.9)) <= max(integration.target, floor):
            return DONE, sweep
        if size > 1e3 or (sweep > PATIENT and rate > 1.0):
            return (DONE if size < 1e3 * floor else NOT_CONVERGED), sweep
        factorise = sweep > 1 and rate > SLOW
        before = size
    return NOT_CONVERGED, SWEEPS


@linked_kernel
def predict(integration: IntegrationRun, h: float) -> None:
    """Predict velocities of the stages by continuation of the previous ones, or by the acceleration; and increments."""
    run, stages, before = integration.run, integration.stages, integration.clock.before
    n, state = run.equations.freedoms, run.state
    for k in range(3):
        fill(stages.q[k], state.q)
        fill(stages.v[k], state.v)
        fill(stages.lam[k], state.lam)
        if before > 0.0:
            x = 1.0 + NODES[k] * h / before
            y0, y1, y2 = x - NODES[0], x - NODES[1], x - 1.0
            c0, c1 = NODES[0], NODES[1]
            w = -y0 * y1 * y2 / (c0 * c1)
            w0 = x * y1 * y2 / (c0 * (c0 - c1) * (c0 - 1.0))
            w1 = x * y0 * y2 / (c1 * (c1 - c0) * (c1 - 1.0))
            w2 = x * y0 * y1 / ((1.0 - c0) * (1.0 - c1))
            known = stages.known
            for i in range(n):
                stages.v[k, i] = w * known[0, i] + w0 * known[1, i] + w1 * known[2, i] + w2 * known[3, i]
        else:
            for i in range(n):
                stages.v[k, i] = state.v[i] + NODES[k] * h * state.a[i]
        fill(stages.rate[k], stages.v[k])
    for _ in range(2 if run.equations.turning > 0 else 1):
        for k in range(3):
            for i in range(n):
                z = A[k, 0] * stages.rate[0, i] + A[k, 1] * stages.rate[1, i] + A[k, 2] * stages.rate[2, i]
                stages.z[k, i] = h * z
        for k in range(3):
            place(run.equations, state.q, stages.z[k], stages.q[k])
            if run.equations.turning > 0:
                charts.rates(run.equations.turning, stages.q[k], stages.v[k], stages.trial[0])
                for i in range(6 * run.equations.turning):
                    stages.rate[k, i] = stages.trial[0, i]


@kernel
def place(equations: Equations, begin: np.ndarray, z: np.ndarray, q: np.ndarray) -> None:
    """Compute the configuration after increments z."""
    for i in range(equations.freedoms):
        q[i] = begin[i] + z[i]
    if equations.turning > 0:
        charts.orient(begin, equations.frames, equations.turning, q)


@kernel
def slopes(integration: IntegrationRun, h: float) -> None:
    """Compute first and second derivatives from the increments and rates of all stages."""
    stages, v = integration.stages, integration.run.state.v
    z, rate = stages.z, stages.rate
    for k in range(3):
        d0, d1, d2 = INVERSE[k, 0] / h, INVERSE[k, 1] / h, INVERSE[k, 2] / h
        for i in range(z.shape[1]):
            stages.slope[k, i] = d0 * z[0, i] + d1 * z[1, i] + d2 * z[2, i]
            stages.bend[k, i] = d0 * (rate[0, i] - v[i]) + d1 * (rate[1, i] - v[i]) + d2 * (rate[2, i] - v[i])


@linked_kernel
def improve(integration: IntegrationRun, h: float, k: int, u: np.ndarray, factorise: bool) -> int:
    """Improve a stage by Newton, after the changes of the stages before it. Returns a status.

    With kappa the error of the rate, ``dz' = c dz + kappa``, and forces are evaluated at rates corrected except for dz.
    """
    run, stages = integration.run, integration.stages
    equations, scratch = run.equations, run.scratch
    n, c = equations.freedoms, LOWER[k, k] / h
    for i in range(n):
        kappa, push = stages.slope[k, i] - stages.rate[k, i], 0.0
        for j in range(k):
            kappa += LOWER[k, j] / h * stages.moved[j, i]
            push += LOWER[k, j] / h * stages.hurried[j, i]
        stages.hurried[k, i] = kappa
        stages.trial[0, i] = stages.rate[k, i] + kappa
        stages.trial[1, i] = stages.bend[k, i] + c * kappa + push
    forces(integration, k, u, c, factorise)
    for i in range(n):
        scratch.step[i] = -scratch.r[i]
    for i in range(scratch.g.size):
        scratch.step[n + i] = -scratch.g[i]
    if not solve_stage(integration, k, factorise):
        return SINGULAR
    fill(stages.moved[k], scratch.step)
    if equations.turning > 0:
        charts.rates(equations.turning, stages.q[k], scratch.step, stages.moved[k])
    for i in range(n):
        stages.z[k, i] += stages.moved[k, i]
        stages.hurried[k, i] += c * stages.moved[k, i]
        stages.rate[k, i] += stages.hurried[k, i]
    for i in range(scratch.g.size):
        stages.lam[k, i] += scratch.step[n + i]
    place(equations, run.state.q, stages.z[k], stages.q[k])
    return DONE


@linked_kernel
def forces(integration: IntegrationRun, k: int, u: np.ndarray, c: float, factorise: bool) -> None:
    """Compute the residual of a stage with the rates in ``trial``, and its matrix if it is to be factorised."""
    run, stages = integration.run, integration.stages
    equations, scratch, mixed = run.equations, run.scratch, False
    s, w = (stages.s[k], stages.w[k]) if factorise else (stages.waste[0], stages.waste[1])
    one = 1.0 if factorise else 0.0
    motion(equations, stages.q[k], stages.trial, stages.v[k], stages.a[k])
    scratch.r[:] = 0.0
    if factorise:
        s[:] = 0.0
        if run.controls.unsymmetric:
            w[:] = 0.0
    now, into = Instant(stages.q[k], stages.v[k], stages.a[k], u), Into(one, one * c, one * c * c, scratch.r, s, w)
    fused.add(equations.parts, now, into, scratch.stress, mixed)
    joints.add(
        equations.rows, stages.q[k], stages.lam[k], u,
        joints.Saddle(one, c * c * equations.gamma, scratch.r, scratch.g, s),
    )  # fmt: skip


@kernel
def motion(equations: Equations, q: np.ndarray, trial: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Compute velocities and accelerations in the nodes' axes, from z' and z''."""
    for i in range(equations.freedoms):
        v[i], a[i] = trial[0, i], trial[1, i]
    if equations.turning > 0:
        to_angular_rates(equations.turning, q, v, a)


@lazy_kernel
def to_angular_rates(nodes: int, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Replace the derivatives of rotation vectors by angular velocities and accelerations: theta'' is linear in w', and
    ``spin`` is the inverse of this map.
    """
    for k in range(nodes):
        j = 6 * k + 3
        theta, turn = vector(q, j), vector(v, j)
        w = charts.spin(theta, turn)
        set_vector(a, j, charts.spin(theta, minus(vector(a, j), charts.bend(theta, turn, w, NONE))))
        set_vector(v, j, w)


@kernel
def solve_stage(integration: IntegrationRun, k: int, factorise: bool) -> bool:
    """Solve for the right-hand side in ``scratch.step``, with the factors of a stage; False if singular."""
    run, stages = integration.run, integration.stages
    pattern, work, s, w = run.equations.pattern, space_of(stages, k), stages.s[k], stages.w[k]
    if run.controls.unsymmetric:
        if factorise and ldl.factor_lu(pattern, s, w, work) != ldl.OK:
            return False
        ldl.solve_lu(pattern, s, w, work, run.scratch.step)
        return True
    if factorise and ldl.factor(pattern, s, work)[0] != ldl.OK:
        return False
    ldl.solve(pattern, s, work, run.scratch.step)
    return True


@linked_kernel
def local_error(integration: IntegrationRun, h: float, u: np.ndarray) -> float:
    """Estimate the error by an embedded method of order 3, in lengths of the model and radians: ``(1 - h J / L)^-1 (h /
    L)`` times the error of the polynomial through the stages at the start of the step, with L of the last stage (E.
    Hairer, G. Wanner 1996, IV.8). Stiff and constrained directions are excluded.
    """
    run, stages = integration.run, integration.stages
    n, c, state, scratch = run.equations.freedoms, LOWER[2, 2] / h, run.state, run.scratch
    slopes(integration, h)
    for i in range(n):
        dq, dv = state.v[i], state.a[i]
        for k in range(3):
            dq -= SLOPE[k] / h * stages.z[k, i]
            dv -= SLOPE[k] / h * (stages.rate[k, i] - state.v[i])
        stages.trial[0, i] = stages.rate[2, i] + dq
        stages.trial[1, i] = stages.bend[2, i] + dv + c * dq
    forces(integration, 2, u, c, False)
    for i in range(n):
        scratch.step[i] = -scratch.r[i]
    scratch.step[n:] = 0.0
    solve_stage(integration, 2, False)
    return largest(scratch.step, run.equations.weight)


@linked_kernel
def land(integration: IntegrationRun, h: float, u: np.ndarray, rate: np.ndarray, second: np.ndarray) -> None:
    """Make the last stage the state: project its place and velocity on the joints, and update its acceleration."""
    run, stages = integration.run, integration.stages
    equations, state, scratch = run.equations, run.state, run.scratch
    n, rows = equations.freedoms, equations.rows
    fill(stages.known[0], state.v)
    slopes(integration, h)
    for k in range(3):
        for i in range(n):
            stages.trial[0, i], stages.trial[1, i] = stages.rate[k, i], stages.bend[k, i]
        motion(equations, stages.q[k], stages.trial, stages.v[k], stages.a[k])
        fill(stages.known[k + 1], stages.v[k])
    fill(state.q, stages.q[2])
    fill(state.v, stages.v[2])
    fill(state.a, stages.a[2])
    fill(state.lam, stages.lam[2])
    if equations.turning > 0:
        charts.land(state.q, equations.turning)
    if scratch.g.size == 0:
        return
    joints.residual(rows, state.q, u, scratch.g)
    against(run, scratch.g)
    for i in range(n):
        state.q[i] += scratch.step[i]
    take_up(state.q, equations.frames, equations.turning)
    joints.velocity(rows, state.q, state.v, u, rate, scratch.speed)
    against(run, scratch.speed)
    for i in range(n):
        state.v[i] += scratch.step[i]
    joints.bias(rows, state.q, state.v, u, second, scratch.blend)
    joints.velocity(rows, state.q, state.a, u, scratch.nothing, scratch.speed)
    for k in range(scratch.speed.size):
        scratch.blend[k] += scratch.speed[k]
    against(run, scratch.blend)
    for i in range(n):
        state.a[i] += scratch.step[i]
