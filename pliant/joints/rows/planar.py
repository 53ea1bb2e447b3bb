"""Rows of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from pliant._jit import kernel, lazy_kernel
from pliant.joints.rows.data import Rows
from pliant.joints.rows.targets import nearest, target
from pliant.kernels.marker import arm
from pliant.kernels.measures import ANGLE, DISTANCE, PLACE, TURNING
from pliant.kernels.measures import planar as measures
from pliant.kernels.measures.planar import Measure, Pair

FREEDOMS = 6


@kernel
def measured(rows: Rows, t: int, q: np.ndarray) -> Measure:
    """The measure of term t."""
    dofs, d = rows.dofs, rows.offsets
    if rows.kind[t] == ANGLE:
        return measures.angle(q[dofs[t, 2]], q[dofs[t, 5]])
    pa, pb = arm(q[dofs[t, 2]], d[t, 0], d[t, 1]), arm(q[dofs[t, 5]], d[t, 2], d[t, 3])
    n = rows.direction[t, 0], rows.direction[t, 1]
    if rows.kind[t] == TURNING:
        n = arm(q[dofs[t, 2]], n[0], n[1])
    return along(rows, t, q, pa, pb, n)


@kernel
def along(rows: Rows, t: int, q: np.ndarray, pa: Pair, pb: Pair, n: Pair) -> Measure:
    """The measure of term t, not an angle, given its turned arms and direction."""
    D = way(rows, t, q, pa, pb)
    if rows.kind[t] == PLACE:
        return measures.place(D, pa, pb, n)
    if rows.kind[t] == TURNING:
        return measures.turning_place(D, pa, pb, n)
    return measures.distance(D, pa, pb)


@kernel
def way(rows: Rows, t: int, q: np.ndarray, pa: Pair, pb: Pair) -> Pair:
    """D = r_b - r_a of term t."""
    i, j, k, m = rows.dofs[t, 0], rows.dofs[t, 1], rows.dofs[t, 3], rows.dofs[t, 4]
    return q[k] + pb[0] - q[i] - pa[0], q[m] + pb[1] - q[j] - pa[1]


@kernel
def value(rows: Rows, t: int, q: np.ndarray) -> float:
    """Value of the measure of term t alone."""
    dofs, d = rows.dofs, rows.offsets
    if rows.kind[t] == ANGLE:
        return q[dofs[t, 5]] - q[dofs[t, 2]]
    pa, pb = arm(q[dofs[t, 2]], d[t, 0], d[t, 1]), arm(q[dofs[t, 5]], d[t, 2], d[t, 3])
    x, y = way(rows, t, q, pa, pb)
    if rows.kind[t] == DISTANCE:
        return sqrt(x * x + y * y)
    n = rows.direction[t, 0], rows.direction[t, 1]
    if rows.kind[t] == TURNING:
        n = arm(q[dofs[t, 2]], n[0], n[1])
    return n[0] * x + n[1] * y


@kernel
def is_linear(rows: Rows, t: int) -> bool:
    """Whether term t has a constant gradient: an angle, or a place of nodes along a fixed direction."""
    if rows.kind[t] == PLACE:
        d = rows.offsets
        return d[t, 0] == 0.0 and d[t, 1] == 0.0 and d[t, 2] == 0.0 and d[t, 3] == 0.0
    return rows.kind[t] == ANGLE


@kernel
def add_linear(rows: Rows, t: int, f: float, x: np.ndarray, places: np.ndarray) -> None:
    """x += f times the gradient of a term that is linear, at its places."""
    if rows.kind[t] == ANGLE:
        x[places[t, 2]] -= f
        x[places[t, 5]] += f
    else:
        for i in range(2):
            x[places[t, i]] -= f * rows.direction[t, i]
            x[places[t, 3 + i]] += f * rows.direction[t, i]


@lazy_kernel
def add(
    rows: Rows,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    ck: float,
    gamma: float,
    r: np.ndarray,
    g: np.ndarray,
    s: np.ndarray,
) -> None:
    """r += G^T (lambda + gamma g), g, and the saddle blocks ck (lambda g)_qq + gamma G^T G, G.

    With G dq = -g the terms in gamma cancel: Newton's step is that without them. (gamma g) g_qq must not be added: it
    would make large, false stiffness of a gap.
    """
    joined = rows.pairs.shape[0] > 0
    if joined:
        residual(rows, q, u, g)
    for t in range(rows.row.size):
        k, c = rows.row[t], rows.factor[t]
        stiff, push = gamma * rows.weight[k], lam[k]
        if stiff == 0.0 and rows.softness[k] == 0.0 and is_linear(rows, t):
            if not joined:
                g[k] = nearest(rows, k, c * value(rows, t, q) - target(rows, k, u))
            add_linear(rows, t, c * push, r, rows.dofs)
            add_linear(rows, t, c, s, rows.jacobian_slots)
            continue
        x = measured(rows, t, q)
        if not joined:
            g[k] = nearest(rows, k, c * x.value - target(rows, k, u))
        measures.add_gradient(r, rows.dofs, t, c * (push + stiff * g[k]), x)
        measures.add_gradient(s, rows.jacobian_slots, t, c, x)
        measures.add_hessian(s, rows.slots, t, ck * c * push, c * c * stiff, x)
        if rows.softness[k] > 0.0:
            s[rows.diagonal[k]] -= rows.softness[k] * c * c * flexibility(rows, t, gradient(x), s)
    if joined and gamma != 0.0:
        add_pairs(rows, q, gamma, s)


@kernel
def add_pairs(rows: Rows, q: np.ndarray, gamma: float, s: np.ndarray) -> None:
    """s += gamma times the products of the gradients of different terms of a row."""
    for p in range(rows.pairs.shape[0]):
        t, o = rows.pairs[p, 0], rows.pairs[p, 1]
        stiff = gamma * rows.weight[rows.row[t]] * rows.factor[t] * rows.factor[o]
        one, other = gradient(measured(rows, t, q)), gradient(measured(rows, o, q))
        for i in range(FREEDOMS):
            for j in range(FREEDOMS):
                twice = 2.0 if rows.dofs[t, i] == rows.dofs[o, j] else 1.0
                s[rows.pair_slots[p, FREEDOMS * i + j]] += twice * stiff * one[i] * other[j]


@kernel
def gradient(x: Measure) -> tuple[float, float, float, float, float, float]:
    """Its six numbers."""
    return -x.n[0], -x.n[1], x.a, x.n[0], x.n[1], x.b


@kernel
def flexibility(rows: Rows, t: int, jacobian: Sequence[float] | np.ndarray, s: np.ndarray) -> float:
    """About how far term t gives way under a unit force along it: sum of J_i^2 / A_ii over its unknowns."""
    dump, total = s.size - 1, 0.0
    for i in range(FREEDOMS):
        slot = rows.slots[t, i * (i + 3) // 2]
        if slot != dump and s[slot] != 0.0:
            total += jacobian[i] * jacobian[i] / abs(s[slot])
    return total


@lazy_kernel
def residual(rows: Rows, q: np.ndarray, u: np.ndarray, g: np.ndarray) -> None:
    """Constraint values only."""
    for k in range(rows.offset.size):
        g[k] = -target(rows, k, u)
    for t in range(rows.row.size):
        g[rows.row[t]] += rows.factor[t] * value(rows, t, q)
    for k in range(rows.offset.size):
        g[k] = nearest(rows, k, g[k])


@lazy_kernel
def velocity(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray, out: np.ndarray) -> None:
    """G v + g_t, with ``rate`` the time derivatives of the signals."""
    for k in range(rows.offset.size):
        out[k] = -rows.gain[k] * rate[rows.signal[k]]
    for t in range(rows.row.size):
        out[rows.row[t]] += rows.factor[t] * measures.rate(measured(rows, t, q), v, rows.dofs, t)


@lazy_kernel
def bias(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """v^T g_qq v + g_tt: what remains of the acceleration constraint besides G a."""
    for k in range(rows.offset.size):
        out[k] = -rows.gain[k] * second[rows.signal[k]]
    for t in range(rows.row.size):
        out[rows.row[t]] += rows.factor[t] * measures.curvature(measured(rows, t, q), v, rows.dofs, t)


@kernel
def jacobian_dense(rows: Rows, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """G as a dense array, the columns of the ground last."""
    out[:] = 0.0
    for t in range(rows.row.size):
        measures.add_gradient(out[rows.row[t]], rows.dofs, t, rows.factor[t], measured(rows, t, q))


@kernel
def reactions(rows: Rows, owner: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Force (global axes) and moment, about b's point, that each joint applies on its marker b; (times, joints, 3)."""
    out[:] = 0.0
    for i in range(q.shape[0]):
        for t in range(rows.row.size):
            if rows.acts_on_b[t]:
                x = measured(rows, t, q[i])
                push = -rows.factor[t] * lam[i, rows.row[t]]
                p = arm(q[i, rows.dofs[t, 5]], rows.offsets[t, 2], rows.offsets[t, 3])
                fx, fy = push * x.n[0], push * x.n[1]
                felt = out[i, owner[rows.row[t]]]
                felt[0] += fx
                felt[1] += fy
                felt[2] += push * x.b - p[0] * fy + p[1] * fx


@kernel
def evaluate(rows: Rows, t: int, q: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray, same: np.ndarray) -> float:
    """Value of the measure of term t; its gradient and Hessian (lower triangle) are written to the given arrays, whose
    places are ``same``.
    """
    x = measured(rows, t, q)
    jacobian[:] = 0.0
    hessian[:] = 0.0
    measures.add_gradient(jacobian, same, 0, 1.0, x)
    measures.add_hessian(hessian, same, 0, 1.0, 0.0, x)
    return x.value
