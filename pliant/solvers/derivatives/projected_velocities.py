"""Derivatives of velocities that are projected on the joints after a step, and of the recorded accelerations.

`generalized_alpha.onto_joints` solves, with the matrix S of the step,

    [S, G^T; G, 0] (dv, mu) = (0, -(G v + g_t)),    [S, G^T; G, 0] (da, z) = (0, -(G a + v g_qq v + g_tt))

and adds dv to velocities, and da and z / c_m to the recorded accelerations and reactions. In the derivative the same
matrix is on the left, and the change of the terms at fixed (dv, mu) and (da, z) on the right (`terms`).
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, lazy_kernel
from pliant.joints import rows as joints
from pliant.kernels.so3 import turned
from pliant.kernels.vectors import fill
from pliant.solvers.derivatives.recorded_states import (
    FAR,
    NEAR,
    Course,
    Direction,
    Known,
    Slopes,
    factorise,
    load,
    move_along,
    solve_factored,
    step_along,
)
from pliant.solvers.stepping.alpha_run import Inputs, Run
from pliant.solvers.stepping.alpha_scheme import Coefficients, coefficients
from pliant.solvers.stepping.alpha_step import residual
from pliant.solvers.stepping.generalized_alpha import against


@kernel
def multiply(run: Run, x: np.ndarray, out: np.ndarray) -> None:
    """Multiply the first rows of the assembled matrix by x."""
    pattern, s, w, skew = run.equations.pattern, run.scratch.s, run.scratch.w, run.controls.unsymmetric
    size, n = pattern.order.size, run.equations.freedoms
    for i in range(n):
        out[i] = s[i] * x[i]
    for e in range(pattern.row.size):
        i, j = max(pattern.row[e], pattern.column[e]), min(pattern.row[e], pattern.column[e])
        turn = w[size + e] if skew else 0.0
        if i < n:
            out[i] += (s[size + e] + turn) * x[j]
        if j < n:
            out[j] += (s[size + e] - turn) * x[i]


@kernel
def terms(run: Run, course: Course, k: int, c: Coefficients, out: np.ndarray) -> None:
    """Compute, at the run's state: S dv + G^T mu, S da + G^T z, then G (v + dv) + g_t, b + G a and b + G (a + da),
    where b = v g_qq v + g_tt.
    """
    rows, state, scratch, n = run.equations.rows, run.state, run.scratch, run.equations.freedoms
    u, m = course.u[k], scratch.g.size
    residual(run, rows, u, Inputs(u, course.rate[k], course.second[k]), c)
    multiply(run, course.taken[k], out[:n])
    multiply(run, course.taken_too[k], out[n : 2 * n])
    joints.bias(rows, state.q, state.v, u, course.second[k], scratch.blend)
    joints.velocity(rows, state.q, state.a, u, scratch.nothing, scratch.speed)
    for j in range(m):
        out[2 * n + m + j] = scratch.blend[j] + scratch.speed[j]
    for i in range(n):
        state.v[i] += course.taken[k, i]
        state.a[i] += course.taken_too[k, i]
    joints.velocity(rows, state.q, state.v, u, course.rate[k], scratch.speed)
    for j in range(m):
        out[2 * n + j] = scratch.speed[j]
    joints.velocity(rows, state.q, state.a, u, scratch.nothing, scratch.speed)
    for j in range(m):
        out[2 * n + 2 * m + j] = scratch.blend[j] + scratch.speed[j]


@lazy_kernel
def all_terms(run: Run, course: Course, h: float, out: np.ndarray) -> None:
    """Compute `terms` at every instant of a motion from the second on, for the equations of ``run``."""
    c = coefficients(run.scheme, h)
    for k in range(1, out.shape[0]):
        load(run, course, k)
        terms(run, course, k, c, out[k])


@lazy_kernel
def project(
    run: Run, trial: Run, course: Course, k: int, known: Known, way: Direction, slopes: Slopes, h: float
) -> None:
    """Compute the derivatives of the projected velocity into ``way``, and of the recorded quantities."""
    equations, n, m = run.equations, run.equations.freedoms, way.lam.size
    c, by, right = coefficients(run.scheme, h), step_along(equations.weight, way, h), way.vector
    fill(way.terms, known.projected[k])
    for place, weight in ((-2.0, -FAR), (-1.0, -NEAR), (1.0, NEAR), (2.0, FAR)):
        move_along(trial, course, k, way, place * by)
        terms(trial, course, k, c, way.more)
        for i in range(way.terms.size):
            way.terms[i] += weight / by * way.more[i]
    for i in range(n):
        right[i] = -way.terms[n + i]
    for j in range(m):
        right[n + j] = -way.terms[2 * n + 2 * m + j]
    solve_factored(run, right)
    fill(slopes.q[k], way.q)
    fill(slopes.a[k], way.a)
    fill(slopes.lam[k], way.lam)
    for i in range(n):
        slopes.recorded[k, i] = way.a[i] + right[i]
    for j in range(m):
        blend = equations.gamma * equations.rows.weight[j] * way.terms[2 * n + m + j]
        slopes.reactions[k, j] = way.lam[j] + right[n + j] / c.acceleration - blend
    for i in range(n):
        right[i] = -way.terms[i]
    for j in range(m):
        right[n + j] = -way.terms[2 * n + j]
    solve_factored(run, right)
    for i in range(n):
        way.v[i] += right[i]
    fill(slopes.v[k], way.v)


@lazy_kernel
def unproject(run: Run, course: Course, h: float, abar: np.ndarray) -> bool:
    """Recover, from a recorded motion, velocities before projection, accelerations and reactions of the steps, and the
    increment of each; ``abar`` is the initial one. Returns whether all matrices could be factorised.
    """
    equations, scheme, scratch, n = run.equations, run.scheme, run.scratch, run.equations.freedoms
    beta, gamma, alpha_m, alpha_f = scheme.beta, scheme.gamma, scheme.alpha_m, scheme.alpha_f
    rows, c = equations.rows, coefficients(scheme, h)
    for k in range(1, course.q.shape[0]):
        for i in range(n):
            scratch.move[i] = course.q[k, i] - course.q[k - 1, i]
        for node in range(equations.turning):
            theta = turned(course.q[k - 1], course.q[k], equations.frames, node)
            for j in range(3):
                scratch.move[6 * node + 3 + j] = theta[j]
        for i in range(n):
            old = abar[i]
            abar[i] = (scratch.move[i] - h * course.v[k - 1, i]) / (beta * h * h) - (0.5 / beta - 1.0) * old
            course.pushed[k, i] = course.v[k - 1, i] + h * ((1.0 - gamma) * old + gamma * abar[i])
            course.a[k, i] = ((1.0 - alpha_m) * abar[i] + alpha_m * old - alpha_f * course.a[k - 1, i]) / (
                1.0 - alpha_f
            )
        for _ in range(2):  # in Newton's remainder the multipliers are the recorded ones
            if not factorise(run, course, k, c):
                return False
            for j in range(scratch.g.size):
                course.lam[k, j] += scratch.step[n + j]
        u = course.u[k]
        joints.bias(rows, course.q[k], course.pushed[k], u, course.second[k], scratch.blend)
        joints.velocity(rows, course.q[k], course.a[k], u, scratch.nothing, scratch.speed)
        for j in range(scratch.g.size):
            scratch.blend[j] += scratch.speed[j]
        joints.velocity(rows, course.q[k], course.pushed[k], u, course.rate[k], scratch.speed)
        against(run, scratch.speed)
        fill(course.taken[k], scratch.step)
        against(run, scratch.blend)
        fill(course.taken_too[k], scratch.step)
    return True
