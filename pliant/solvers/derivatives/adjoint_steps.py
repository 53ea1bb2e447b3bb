"""Adjoint of a motion by generalized-alpha: the derivative of one number by any number of parameters.

A step of `pliant.solvers.derivatives.tangent_steps` maps the derivatives (q', v', a', abar') of a state to the
derivatives of the next state, with A = R_q + (c_v R_v + c_a R_a) J^-1 and the prediction (q0', v0', a0') for constant
abar':

    A y + R_lambda lambda' = -(R_p + R_q q0' + R_v v0' + R_a a0')
    q' = q0' + y,   (v', a', abar') = (v0', a0', abar') + (c_v, c_a, c_abar) J^-1 y

The gradient of the number, J_q, J_v, ... at every instant, goes through the transposed step, from the last to the
first:

    [A, R_lambda]^T mu = (J_q + J^-T (c_v J_v + c_a J_a + c_abar J_abar), J_lambda)

and the number changes by ``-sum mu R_p`` plus the share of the initial state: one solution for all parameters. R_v and
R_a are the matrices C and M of the parts; R_q is a central difference of fourth order, as Newton's matrix omits some
terms: columns that share no row are perturbed together (A.R. Curtis, M.J.D. Powell, J.K. Reid, J. Inst. Maths. Applics
13, 1974). Forces between all nodes of a beam, which have no place in the pattern, are perturbed one by one.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.kernels import charts
from pliant.kernels.so3 import exponential, rotate_back, take_up, turned
from pliant.kernels.sums import Instant, Into
from pliant.kernels.triples import times, vector
from pliant.kernels.vectors import fill
from pliant.linalg import ldl
from pliant.linalg.substitution import back, forward
from pliant.solvers.derivatives.implicit import DISPLACEMENT
from pliant.solvers.derivatives.recorded_states import FAR, NEAR, TINY, Course, factorise, forces, load
from pliant.solvers.stepping.alpha_run import Run
from pliant.solvers.stepping.alpha_scheme import Coefficients, coefficients
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, SINGULAR
from pliant.system.packing import fused

ROUNDS, EXACT = 30, 1e-13  # corrections of a step, and their largest relative remainder


class Matrices(Bundle):
    """Derivatives of the residual at an instant."""

    colour: np.ndarray  # (n) of every coordinate: coordinates of one colour are perturbed together
    columns: np.ndarray  # (colours, n + m) R_q, columns of one colour added
    damping: np.ndarray  # R_v as the pattern stores it, and its skew half
    damping_skew: np.ndarray
    mass: np.ndarray  # R_a
    mass_skew: np.ndarray
    far: np.ndarray  # freedoms between which forces have no place in the pattern, uint32
    far_q: np.ndarray  # (far, far) their derivatives, one row per perturbed freedom
    far_v: np.ndarray


class Pull(Bundle):
    """Gradient of a number, and its adjoint variables on the way back."""

    gradient: np.ndarray  # (instants, 3 n + m) by recorded q, v, a and lambda
    matrices: Matrices
    mu: np.ndarray  # (instants, n + m) adjoint of the residual of every step
    q: np.ndarray  # (n) gradient by the present state, including its effect on later states
    v: np.ndarray
    a: np.ndarray
    abar: np.ndarray
    right: np.ndarray  # (n + m) work arrays
    left: np.ndarray
    by_q: np.ndarray
    by_v: np.ndarray
    by_a: np.ndarray


@linked_kernel
def differentiate(trial: Run, course: Course, k: int, gamma: float, matrices: Matrices) -> None:
    """Compute all derivatives at an instant."""
    equations, state, scratch, u = trial.equations, trial.state, trial.scratch, course.u[k]
    n, columns = equations.freedoms, matrices.columns
    columns[:] = 0.0
    for colour in range(columns.shape[0]):
        for place, weight in ((-2.0, -FAR), (-1.0, -NEAR), (1.0, NEAR), (2.0, FAR)):
            load(trial, course, k)
            for i in range(n):
                if matrices.colour[i] == colour:
                    state.q[i] += place * DISPLACEMENT / equations.weight[i]
            take_up(state.q, equations.frames, equations.turning)
            forces(trial, u, gamma)
            for i in range(n):
                columns[colour, i] += weight / DISPLACEMENT * scratch.r[i]
            for j in range(scratch.g.size):
                columns[colour, n + j] += weight / DISPLACEMENT * scratch.g[j]
    load(trial, course, k)
    now = Instant(state.q, state.v, state.a, u)
    matrices.damping[:] = 0.0
    matrices.damping_skew[:] = 0.0
    into = Into(0.0, 1.0, 0.0, scratch.r, matrices.damping, matrices.damping_skew)
    fused.add(equations.parts, now, into, scratch.stress, False)
    matrices.mass[:] = 0.0
    matrices.mass_skew[:] = 0.0
    into = Into(0.0, 0.0, 1.0, scratch.r, matrices.mass, matrices.mass_skew)
    fused.add(equations.parts, now, into, scratch.stress, False)


@kernel
def multiply_transposed(run: Run, s: np.ndarray, w: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    """Multiply a transposed matrix of the parts by x."""
    pattern, n = run.equations.pattern, run.equations.freedoms
    size = pattern.order.size
    for i in range(n):
        out[i] = s[i] * x[i]
    for e in range(pattern.row.size):
        i, j = max(pattern.row[e], pattern.column[e]), min(pattern.row[e], pattern.column[e])
        if i < n:
            out[i] += (s[size + e] - w[size + e]) * x[j]
            out[j] += (s[size + e] + w[size + e]) * x[i]


@kernel
def by_places(run: Run, matrices: Matrices, x: np.ndarray, out: np.ndarray) -> None:
    """Compute (R_q, R_lambda)^T x, including joints."""
    pattern, n, colour, columns = run.equations.pattern, run.equations.freedoms, matrices.colour, matrices.columns
    weight = run.equations.weight
    out[:] = 0.0
    for i in range(n):
        out[i] = columns[colour[i], i] * weight[i] * x[i]
    for e in range(pattern.row.size):
        i, j = max(pattern.row[e], pattern.column[e]), min(pattern.row[e], pattern.column[e])
        if j < n:
            down = columns[colour[j], i] * weight[j]  # R_i by q_j
            out[j] += down * x[i]
            if i < n:
                out[i] += columns[colour[i], j] * weight[i] * x[j]
            else:
                out[i] += down * x[j]


@linked_kernel
def couple(far: Run, course: Course, k: int, h: float, matrices: Matrices) -> None:
    """Differentiate forces that have no place in the pattern; ``far`` has no others."""
    equations, state, scratch, dofs = far.equations, far.state, far.scratch, matrices.far
    matrices.far_q[:] = 0.0
    matrices.far_v[:] = 0.0
    for row in range(dofs.size):
        unit = DISPLACEMENT / equations.weight[dofs[row]]
        for place, weight in ((-2.0, -FAR), (-1.0, -NEAR), (1.0, NEAR), (2.0, FAR)):
            for which in range(2):
                load(far, course, k)
                if which == 0:
                    state.q[dofs[row]] += place * unit
                    take_up(state.q, equations.frames, equations.turning)
                else:
                    state.v[dofs[row]] += place * unit / h
                scratch.r[:] = 0.0
                into = Into(0.0, 0.0, 0.0, scratch.r, scratch.s, scratch.w)
                fused.add(equations.parts, Instant(state.q, state.v, state.a, course.u[k]), into, scratch.stress, False)
                for i in range(dofs.size):
                    if which == 0:
                        matrices.far_q[row, i] += weight / unit * scratch.r[dofs[i]]
                    else:
                        matrices.far_v[row, i] += weight * h / unit * scratch.r[dofs[i]]


@kernel
def add_far(dofs: np.ndarray, entries: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    """Add their transposed matrix times x."""
    for row in range(dofs.size):
        total = 0.0
        for i in range(dofs.size):
            total += entries[row, i] * x[dofs[i]]
        out[dofs[row]] += total


@kernel
def products(run: Run, x: np.ndarray, pull: Pull) -> None:
    """Compute R_q^T x with the share of the joints, R_v^T x and R_a^T x at an instant."""
    matrices = pull.matrices
    by_places(run, matrices, x, pull.by_q)
    add_far(matrices.far, matrices.far_q, x, pull.by_q)
    multiply_transposed(run, matrices.damping, matrices.damping_skew, x, pull.by_v)
    add_far(matrices.far, matrices.far_v, x, pull.by_v)
    multiply_transposed(run, matrices.mass, matrices.mass_skew, x, pull.by_a)


@kernel
def solve_transposed(run: Run, right: np.ndarray) -> None:
    """Solve with the transpose of the present factors."""
    pattern, scratch = run.equations.pattern, run.scratch
    if run.controls.unsymmetric:
        for k in range(pattern.width.size):
            forward(pattern, scratch.w, k, right)
        back(pattern, scratch.s, scratch.s, right)
    else:
        ldl.solve(pattern, scratch.s, scratch.factors, right)


@kernel
def turn_back(run: Run, course: Course, k: int, x: np.ndarray, sign: float) -> None:
    """Replace x of rotating nodes by J^-T x (sign 1) or J^T x (sign -1)."""
    equations = run.equations
    for node in range(equations.turning):
        i = 6 * node + 3
        theta = times(-1.0, turned(course.q[k - 1], course.q[k], equations.frames, node))
        y = charts.rate(theta, vector(x, i)) if sign > 0.0 else charts.spin(theta, vector(x, i))
        x[i], x[i + 1], x[i + 2] = y


@kernel
def solve_step(run: Run, course: Course, k: int, c: Coefficients, pull: Pull) -> float:
    """Solve for mu of a step from ``pull.right``; multiply it by R_q, R_v and R_a. Returns the relative remainder."""
    n, mu, right, left = run.equations.freedoms, pull.mu[k], pull.right, pull.left
    last, rest = np.inf, np.inf
    fill(left, right)
    for _ in range(ROUNDS):
        solve_transposed(run, left)
        size, most = 0.0, TINY
        for i in range(mu.size):
            mu[i] += left[i]
            size, most = max(size, abs(left[i])), max(most, abs(mu[i]))
        products(run, mu, pull)
        for i in range(n):
            left[i] = c.velocity * pull.by_v[i] + c.acceleration * pull.by_a[i]
        turn_back(run, course, k, left, 1.0)
        for i in range(n):
            left[i] = right[i] - pull.by_q[i] - left[i]
        for j in range(n, mu.size):
            left[j] = right[j] - pull.by_q[j]
        rest = size / most
        if not rest > EXACT or rest >= 0.5 * last:
            break
        last = rest
    return rest


@kernel
def run_backwards(run: Run, near: Run, far: Run, course: Course, h: float, pull: Pull) -> tuple[int, float]:
    """Compute mu of all steps and the gradient by the first state; ``near`` has the forces with a place in the pattern,
    ``far`` the others. Returns a status, and the largest relative error of a step.
    """
    n, alpha_f, c, worst = run.equations.freedoms, run.scheme.alpha_f, coefficients(run.scheme, h), 0.0
    for k in range(course.q.shape[0] - 1, 0, -1):
        seen = pull.gradient[k]
        for i in range(n):
            pull.q[i] += seen[i]
            pull.v[i] += seen[n + i]
            pull.a[i] += seen[2 * n + i]
            pull.right[i] = c.velocity * pull.v[i] + c.acceleration * pull.a[i] + c.abar * pull.abar[i]
        turn_back(run, course, k, pull.right, 1.0)
        for i in range(n):
            pull.right[i] += pull.q[i]
        for j in range(pull.right.size - n):
            pull.right[n + j] = seen[3 * n + j]
        if not factorise(run, course, k, c):
            return SINGULAR, worst
        differentiate(near, course, k, c.acceleration * run.equations.gamma, pull.matrices)
        couple(far, course, k, h, pull.matrices)
        worst = max(worst, solve_step(run, course, k, c, pull))
        if not np.isfinite(worst):
            return NOT_CONVERGED, worst
        before(run, course, k, h, alpha_f, pull)
    for i in range(n):
        pull.q[i] += pull.gradient[0, i]
        pull.v[i] += pull.gradient[0, n + i]
        pull.a[i] += pull.gradient[0, 2 * n + i] + pull.abar[i]
    return DONE, worst


@kernel
def before(run: Run, course: Course, k: int, h: float, alpha_f: float, pull: Pull) -> None:
    """Compute the gradient by the state before a step from the gradient by the state after it."""
    equations, n = run.equations, run.equations.freedoms
    for i in range(n):
        pull.q[i] -= pull.by_q[i]
        pull.v[i] -= pull.by_v[i]
        pull.a[i] -= pull.by_a[i]
        pull.right[i] = pull.q[i]
    turn_back(run, course, k, pull.right, -1.0)
    for i in range(n):
        pull.abar[i] += h * pull.v[i] + 0.5 * h * h * pull.right[i] + pull.a[i] / (1.0 - alpha_f)
        pull.v[i] += h * pull.right[i]
        pull.a[i] *= -alpha_f / (1.0 - alpha_f)
    for node in range(equations.turning):
        i = 6 * node + 3
        theta = times(-1.0, turned(course.q[k - 1], course.q[k], equations.frames, node))
        y = rotate_back(exponential(theta), vector(pull.q, i))
        pull.q[i], pull.q[i + 1], pull.q[i + 2] = y
