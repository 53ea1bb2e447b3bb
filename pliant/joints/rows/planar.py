"""Constraint rows in the plane."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant.jit import flat_kernel, inlined_kernel, kernel, lazy_kernel
from pliant.joints.rows.data import Rows, Saddle
from pliant.joints.rows.targets import add_products, begin, finish, flexibility, follow, left, nearest
from pliant.kernels.marker import arm
from pliant.kernels.measures import ANGLE, DISTANCE, PLACE, TURNING
from pliant.kernels.measures import planar as measures
from pliant.kernels.measures.planar import NONE, Measure, Pair

FREEDOMS = 6


class Ends(NamedTuple):
    """A term's turned arms and direction, the vector between its markers, and the angles of its nodes."""

    pa: Pair
    pb: Pair
    n: Pair
    D: Pair
    turn: Pair


NOWHERE = Ends(NONE, NONE, NONE, NONE, NONE)


@inlined_kernel
def ends(rows: Rows, t: int, q: np.ndarray) -> Ends:
    """Return the pose of the nodes of term t; an angle needs no vector between the markers."""
    dofs, d = rows.dofs[t], rows.offsets[t]
    turn = q[dofs[2]], q[dofs[5]]
    if rows.kind[t] == ANGLE:
        return Ends(NONE, NONE, NONE, NONE, turn)
    pa, pb = arm(turn[0], d[0], d[1]), arm(turn[1], d[2], d[3])
    return Ends(pa, pb, direction(rows, t, turn[0]), way(dofs, q, pa, pb), turn)


@inlined_kernel
def next_ends(rows: Rows, t: int, q: np.ndarray, before: Ends) -> Ends:
    """Return the pose of term t, reusing the pose of the term before if both belong to the same pin."""
    if between_same(rows, t):
        return Ends(before.pa, before.pb, direction(rows, t, before.turn[0]), before.D, before.turn)
    return ends(rows, t, q)


@flat_kernel
def between_same(rows: Rows, t: int) -> bool:
    """Return whether term t is a place between the same two points as the term before."""
    if t == 0 or rows.kind[t] == ANGLE or rows.kind[t - 1] == ANGLE:
        return False
    same = rows.dofs[t, 2] == rows.dofs[t - 1, 2] and rows.dofs[t, 5] == rows.dofs[t - 1, 5]
    for i in range(4):
        same = same and rows.offsets[t, i] == rows.offsets[t - 1, i]
    return same


@kernel
def direction(rows: Rows, t: int, turn: float) -> Pair:
    """Return the direction of term t, turned with its first node if it is fixed to that node."""
    if rows.kind[t] == TURNING:
        return arm(turn, rows.direction[t, 0], rows.direction[t, 1])
    return rows.direction[t, 0], rows.direction[t, 1]


@kernel
def way(dofs: np.ndarray, q: np.ndarray, pa: Pair, pb: Pair) -> Pair:
    """Return D = r_b - r_a of nodes with these arms."""
    return q[dofs[3]] + pb[0] - q[dofs[0]] - pa[0], q[dofs[4]] + pb[1] - q[dofs[1]] - pa[1]


@flat_kernel
def measured(kind: int, at: Ends) -> Measure:
    """Return the measure of a term."""
    if kind == ANGLE:
        return measures.angle(at.turn[0], at.turn[1])
    if kind == PLACE:
        return measures.place(at.D, at.pa, at.pb, at.n)
    if kind == TURNING:
        return measures.turning_place(at.D, at.pa, at.pb, at.n)
    return measures.distance(at.D, at.pa, at.pb)


@kernel
def value(kind: int, at: Ends) -> float:
    """Return the value of a term alone."""
    if kind == ANGLE:
        return at.turn[1] - at.turn[0]
    if kind == DISTANCE:
        return sqrt(at.D[0] * at.D[0] + at.D[1] * at.D[1])
    return at.n[0] * at.D[0] + at.n[1] * at.D[1]


@kernel
def is_linear(kind: int, d: np.ndarray) -> bool:
    """Return whether a term with arms d has a constant gradient: an angle, or nodes along a fixed direction."""
    if kind == PLACE:
        return d[0] == d[1] == d[2] == d[3] == 0.0
    return kind == ANGLE


@kernel
def add_linear(x: np.ndarray, places: np.ndarray, f: float, kind: int, n: Pair) -> None:
    """Add f times the gradient of a linear term to x, at its places."""
    if kind == ANGLE:
        x[places[2]] -= f
        x[places[5]] += f
    else:
        x[places[0]] -= f * n[0]
        x[places[1]] -= f * n[1]
        x[places[3]] += f * n[0]
        x[places[4]] += f * n[1]


@lazy_kernel
def add(rows: Rows, q: np.ndarray, lam: np.ndarray, u: np.ndarray, to: Saddle) -> None:
    """Add G^T (lambda + gamma g) to r; write g and the saddle blocks ck (lambda g)_qq + gamma G^T G, G.

    As G dq = -g, the terms in gamma cancel in Newton's step. (gamma g) g_qq must not be added: a gap would cause a
    large, false stiffness.
    """
    ck, gamma, r, g, s = to
    joined = rows.pairs.shape[0] > 0
    if joined:
        residual(rows, q, u, g)
    at = NOWHERE
    for t in range(rows.row.size):
        k, c, kind, at = rows.row[t], rows.factor[t], rows.kind[t], next_ends(rows, t, q, at)
        stiff, push, target = gamma * rows.weight[k], lam[k], rows.offset[k] + rows.gain[k] * u[rows.signal[k]]
        if stiff == 0.0 and rows.softness[k] == 0.0 and is_linear(kind, rows.offsets[t]):
            if not joined:
                g[k] = nearest(rows.period[k], c * value(kind, at) - target)
            add_linear(r, rows.dofs[t], c * push, kind, at.n)
            add_linear(s, rows.jacobian_slots[t], c, kind, at.n)
            continue
        x = measured(kind, at)
        if not joined:
            g[k] = nearest(rows.period[k], c * x.value - target)
        measures.add_gradient(r, rows.dofs, t, c * (push + stiff * g[k]), x)
        measures.add_gradient(s, rows.jacobian_slots, t, c, x)
        if kind == PLACE and stiff == 0.0:
            measures.add_turns(s, rows.slots, t, ck * c * push, x)
        else:
            measures.add_hessian(s, rows.slots, t, ck * c * push, c * c * stiff, x)
        if rows.softness[k] > 0.0:
            s[rows.diagonal[k]] -= rows.softness[k] * c * c * flexibility(rows.slots[t], gradient(x), s)
    if joined and gamma != 0.0:
        add_pairs(rows, q, gamma, s)


@lazy_kernel
def push(rows: Rows, q: np.ndarray, lam: np.ndarray, u: np.ndarray, r: np.ndarray, g: np.ndarray) -> None:
    """Add G^T lambda to r and write g: `add` without its matrices."""
    joined, at = rows.pairs.shape[0] > 0, NOWHERE
    if joined:
        residual(rows, q, u, g)
    for t in range(rows.row.size):
        k, c, at = rows.row[t], rows.factor[t], next_ends(rows, t, q, at)
        x = measured(rows.kind[t], at)
        if not joined:
            g[k] = left(rows, k, c * x.value, u)
        measures.add_gradient(r, rows.dofs, t, c * lam[k], x)


@lazy_kernel
def add_pairs(rows: Rows, q: np.ndarray, gamma: float, s: np.ndarray) -> None:
    """Add gamma times the products of the gradients of different terms of a row to s."""
    for p in range(rows.pairs.shape[0]):
        t, o = rows.pairs[p, 0], rows.pairs[p, 1]
        one = gradient(measured(rows.kind[t], ends(rows, t, q)))
        other = gradient(measured(rows.kind[o], ends(rows, o, q)))
        add_products(rows, p, gamma, one, other, s)


@kernel
def gradient(x: Measure) -> tuple[float, float, float, float, float, float]:
    """Return the gradient of a measure as six numbers."""
    return -x.n[0], -x.n[1], x.a, x.n[0], x.n[1], x.b


@lazy_kernel
def residual(rows: Rows, q: np.ndarray, u: np.ndarray, g: np.ndarray) -> None:
    """Write the constraint values g."""
    begin(rows, u, g)
    at = NOWHERE
    for t in range(rows.row.size):
        at = next_ends(rows, t, q, at)
        g[rows.row[t]] += rows.factor[t] * value(rows.kind[t], at)
    finish(rows, g)


@lazy_kernel
def velocity(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray, out: np.ndarray) -> None:
    """Write G v + g_t, with ``rate`` the time derivatives of the signals."""
    follow(rows, rate, out)
    for t in range(rows.row.size):
        x = measured(rows.kind[t], ends(rows, t, q))
        out[rows.row[t]] += rows.factor[t] * measures.rate(x, v, rows.dofs, t)


@lazy_kernel
def bias(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """Write v^T g_qq v + g_tt, the acceleration constraint without G a."""
    follow(rows, second, out)
    for t in range(rows.row.size):
        x = measured(rows.kind[t], ends(rows, t, q))
        out[rows.row[t]] += rows.factor[t] * measures.curvature(x, v, rows.dofs, t)


@lazy_kernel
def jacobian_dense(rows: Rows, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write G as a dense array, the columns of the ground last."""
    out[:] = 0.0
    for t in range(rows.row.size):
        x = measured(rows.kind[t], ends(rows, t, q))
        measures.add_gradient(out[rows.row[t]], rows.dofs, t, rows.factor[t], x)


@kernel
def gradients(rows: Rows, q: np.ndarray, out: np.ndarray) -> None:
    """Write the gradient of every term, times its factor; (terms, 6)."""
    for t in range(rows.row.size):
        x = gradient(measured(rows.kind[t], ends(rows, t, q)))
        for j in range(FREEDOMS):
            out[t, j] = rows.factor[t] * x[j]


@kernel
def reactions(rows: Rows, owner: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write force and moment about b's point that each joint applies to its marker b; (times, joints, 3)."""
    out[:] = 0.0
    for i in range(q.shape[0]):
        for t in range(rows.row.size):
            if rows.acts_on_b[t]:
                at = ends(rows, t, q[i])
                x, p = measured(rows.kind[t], at), at.pb
                push = -rows.factor[t] * lam[i, rows.row[t]]
                fx, fy = push * x.n[0], push * x.n[1]
                felt = out[i, owner[rows.row[t]]]
                felt[0] += fx
                felt[1] += fy
                felt[2] += push * x.b - p[0] * fy + p[1] * fx


@kernel
def evaluate(rows: Rows, t: int, q: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray, same: np.ndarray) -> float:
    """Return the value of the measure of term t; write its gradient and Hessian (lower triangle) to the given arrays at
    the places ``same``.
    """
    x = measured(rows.kind[t], ends(rows, t, q))
    jacobian[:] = 0.0
    hessian[:] = 0.0
    measures.add_gradient(jacobian, same, 0, 1.0, x)
    measures.add_hessian(hessian, same, 0, 1.0, 0.0, x)
    return x.value
