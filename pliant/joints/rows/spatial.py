"""Rows of space."""

from __future__ import annotations

import numpy as np

from pliant._jit import kernel, lazy_kernel
from pliant.joints.rows.data import Rows
from pliant.joints.rows.targets import nearest, target
from pliant.kernels.measures import ALIGNED, ANGLE, CROSSED, DISTANCE, PLACE, TURNED, TURNING
from pliant.kernels.measures import spatial as measures
from pliant.kernels.measures.arcs import Arc
from pliant.kernels.measures.spatial import Shifts, Slope, Turns
from pliant.kernels.so3 import Four, quaternion, rotate, rotate_back
from pliant.kernels.tensors import Vector, cross, dot, minus, times, vector

FREEDOMS = 12
ON_A, ON_B = (
    (0, 1, 0, 2, 1, 2, 0),
    (0, 0, 0, 1, 1, 1, 0),
)  # directions of a term that are fixed to a, then to b, by kind


@kernel
def way(rows: Rows, t: int, q: np.ndarray, pa: Four, pb: Four) -> Vector:
    """D = r_b - r_a of term t."""
    dofs, a, b = rows.dofs, rotate(pa, vector(rows.offsets[t], 0)), rotate(pb, vector(rows.offsets[t], 3))
    return (
        q[dofs[t, 6]] + b[0] - q[dofs[t, 0]] - a[0],
        q[dofs[t, 7]] + b[1] - q[dofs[t, 1]] - a[1],
        q[dofs[t, 8]] + b[2] - q[dofs[t, 2]] - a[2],
    )


@kernel
def bow(rows: Rows, t: int, pa: Four, pb: Four) -> Arc:
    """The angle that term t is, as a function of two cosines."""
    if rows.kind[t] == ANGLE:
        return measures.about(pa, pb, rows.direction[t])
    return measures.leaning(pa, pb, rows.direction[t])


@kernel
def slope(rows: Rows, t: int, q: np.ndarray) -> Slope:
    """Value and gradient of term t."""
    kind, x, d = rows.kind[t], rows.direction[t], rows.offsets[t]
    pa, pb = quaternion(q, rows.frames[t, 0]), quaternion(q, rows.frames[t, 1])
    if kind in (ANGLE, ALIGNED):
        return measures.of_cosines(pa, pb, x, bow(rows, t, pa, pb))
    if kind == CROSSED:
        return measures.cosine(pa, pb, vector(x, 0), vector(x, 3))
    if kind == TURNED:
        m, kept = vector(x, 0), quaternion(x, 3)
        p = measures.departure(pa, pb, kept)
        return measures.of_quaternion(p, kept, m, measures.turned(p, m))
    D = way(rows, t, q, pa, pb)
    if kind == PLACE:
        return measures.place(pa, pb, vector(d, 0), vector(d, 3), vector(x, 0), D)
    if kind == TURNING:
        return measures.turning_place(pa, pb, vector(d, 0), vector(d, 3), vector(x, 0), D)
    return measures.distance(pa, pb, vector(d, 0), vector(d, 3), D)


@kernel
def turns(rows: Rows, t: int, q: np.ndarray) -> Turns:
    """Second derivatives of term t by rotations."""
    kind, x, d = rows.kind[t], rows.direction[t], rows.offsets[t]
    pa, pb = quaternion(q, rows.frames[t, 0]), quaternion(q, rows.frames[t, 1])
    if kind in (ANGLE, ALIGNED):
        return measures.of_cosines_turns(pa, pb, x, bow(rows, t, pa, pb))
    if kind == CROSSED:
        return measures.cosine_turns(pa, pb, vector(x, 0), vector(x, 3))
    if kind == TURNED:
        m, kept = vector(x, 0), quaternion(x, 3)
        p = measures.departure(pa, pb, kept)
        return measures.of_quaternion_turns(p, kept, m, measures.turned(p, m))
    if kind == PLACE:
        return measures.place_turns(pa, pb, vector(d, 0), vector(d, 3), vector(x, 0))
    D = way(rows, t, q, pa, pb)
    if kind == TURNING:
        return measures.turning_place_turns(pa, pb, vector(d, 0), vector(d, 3), vector(x, 0), D)
    return measures.distance_turns(pa, pb, vector(d, 0), vector(d, 3), D)


@kernel
def shifts(rows: Rows, t: int, q: np.ndarray) -> Shifts:
    """Second derivatives of term t, along a line that turns, by the way between the nodes."""
    d = rows.offsets[t]
    pa, pb = quaternion(q, rows.frames[t, 0]), quaternion(q, rows.frames[t, 1])
    if rows.kind[t] == TURNING:
        return measures.turning_place_shifts(pa, vector(rows.direction[t], 0))
    return measures.distance_shifts(pa, pb, vector(d, 0), vector(d, 3), way(rows, t, q, pa, pb))


@kernel
def add_second(rows: Rows, t: int, q: np.ndarray, f: float, s: np.ndarray, slots: np.ndarray, e: int) -> None:
    """s += f times the Hessian of term t, at the places of row e of the slots."""
    measures.add_turns(s, slots, e, f, turns(rows, t, q))
    if rows.kind[t] == TURNING:
        measures.add_turning_shifts(s, slots, e, f, shifts(rows, t, q).an)
    elif rows.kind[t] == DISTANCE:
        measures.add_shifts(s, slots, e, f, shifts(rows, t, q))


@kernel
def value(rows: Rows, t: int, q: np.ndarray) -> float:
    """Value of the measure of term t alone."""
    kind, x = rows.kind[t], rows.direction[t]
    pa, pb = quaternion(q, rows.frames[t, 0]), quaternion(q, rows.frames[t, 1])
    if kind in (ANGLE, ALIGNED):
        return bow(rows, t, pa, pb).value
    if kind == TURNED:
        return measures.turned(measures.departure(pa, pb, quaternion(x, 3)), vector(x, 0)).value
    if kind == CROSSED:
        return dot(rotate(pa, vector(x, 0)), rotate(pb, vector(x, 3)))
    D = way(rows, t, q, pa, pb)
    if kind == DISTANCE:
        return measures.direction(D)[0]
    return dot(rotate(pa, vector(x, 0)) if kind == TURNING else vector(x, 0), D)


@kernel
def is_linear(rows: Rows, t: int) -> bool:
    """Whether term t is a place of nodes along a fixed direction."""
    if rows.kind[t] != PLACE:
        return False
    d = rows.offsets[t]
    return d[0] == d[1] == d[2] == d[3] == d[4] == d[5] == 0.0


@kernel
def add_linear(rows: Rows, t: int, f: float, x: np.ndarray, places: np.ndarray) -> None:
    """x += f times the gradient of a term that is linear, at its places."""
    for i in range(3):
        x[places[t, i]] -= f * rows.direction[t, i]
        x[places[t, 6 + i]] += f * rows.direction[t, i]


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
    """r += G^T (lambda + gamma g), g, and the saddle blocks ck (lambda g)_qq + gamma G^T G, G; as in the plane."""
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
        x, moving = slope(rows, t, q), rows.kind[t] < ANGLE
        if not joined:
            g[k] = nearest(rows, k, c * x.value - target(rows, k, u))
        measures.add_gradient(r, rows.dofs, t, c * (push + stiff * g[k]), x, moving)
        measures.add_gradient(s, rows.jacobian_slots, t, c, x, moving)
        if ck * push != 0.0:
            add_second(rows, t, q, ck * c * push, s, rows.slots, t)
        if stiff != 0.0:
            measures.add_square(s, rows.slots, t, c * c * stiff, x, moving)
        if rows.softness[k] > 0.0:
            s[rows.diagonal[k]] -= rows.softness[k] * c * c * flexibility(rows, t, x, s)
    if joined and gamma != 0.0:
        add_pairs(rows, q, gamma, s)


@kernel
def add_pairs(rows: Rows, q: np.ndarray, gamma: float, s: np.ndarray) -> None:
    """s += gamma times the products of the gradients of different terms of a row."""
    for p in range(rows.pairs.shape[0]):
        t, o = rows.pairs[p, 0], rows.pairs[p, 1]
        stiff = gamma * rows.weight[rows.row[t]] * rows.factor[t] * rows.factor[o]
        one, other = gradient(slope(rows, t, q)), gradient(slope(rows, o, q))
        for i in range(FREEDOMS):
            for j in range(FREEDOMS):
                twice = 2.0 if rows.dofs[t, i] == rows.dofs[o, j] else 1.0
                s[rows.pair_slots[p, FREEDOMS * i + j]] += twice * stiff * one[i] * other[j]


@kernel
def gradient(x: Slope) -> tuple[float, ...]:
    """Its twelve numbers."""
    n, a, b = x.n, x.a, x.b
    return -n[0], -n[1], -n[2], a[0], a[1], a[2], n[0], n[1], n[2], b[0], b[1], b[2]


@kernel
def flexibility(rows: Rows, t: int, x: Slope, s: np.ndarray) -> float:
    """About how far term t gives way under a unit force along it: sum of J_i^2 / A_ii over its unknowns."""
    dump, total, jacobian = s.size - 1, 0.0, gradient(x)
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


@kernel
def spins(rows: Rows, t: int, v: np.ndarray) -> tuple[Vector, Vector, Vector]:
    """Of velocities v: the rate of the way between the nodes of term t, and their spins."""
    i, j = rows.dofs[t, 0], rows.dofs[t, 6]
    k, m = rows.dofs[t, 3], rows.dofs[t, 9]
    return minus(vector(v, j), vector(v, i)), vector(v, k), vector(v, m)


@lazy_kernel
def velocity(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray, out: np.ndarray) -> None:
    """G v + g_t, with ``rate`` the time derivatives of the signals."""
    for k in range(rows.offset.size):
        out[k] = -rows.gain[k] * rate[rows.signal[k]]
    for t in range(rows.row.size):
        x = slope(rows, t, q)
        moved, a, b = spins(rows, t, v)
        out[rows.row[t]] += rows.factor[t] * (dot(x.n, moved) + dot(x.a, a) + dot(x.b, b))


@lazy_kernel
def bias(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """v^T g_qq v + g_tt: what remains of the acceleration constraint besides G a."""
    for k in range(rows.offset.size):
        out[k] = -rows.gain[k] * second[rows.signal[k]]
    for t in range(rows.row.size):
        moved, a, b = spins(rows, t, v)
        bent = measures.turning_curvature(turns(rows, t, q), a, b)
        if rows.kind[t] == TURNING or rows.kind[t] == DISTANCE:
            bent += measures.shifting_curvature(shifts(rows, t, q), moved, a, b)
        out[rows.row[t]] += rows.factor[t] * bent


@kernel
def jacobian_dense(rows: Rows, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """G as a dense array, the columns of the ground last."""
    out[:] = 0.0
    for t in range(rows.row.size):
        measures.add_gradient(out[rows.row[t]], rows.dofs, t, rows.factor[t], slope(rows, t, q), True)


@kernel
def reactions(rows: Rows, owner: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Force and moment about b's point, both in global axes, that each joint applies on its marker b; (times, joints,
    6).
    """
    out[:] = 0.0
    for i in range(q.shape[0]):
        for t in range(rows.row.size):
            if rows.acts_on_b[t]:
                x, p = slope(rows, t, q[i]), quaternion(q[i], rows.frames[t, 1])
                push = -rows.factor[t] * lam[i, rows.row[t]]
                force = times(push, x.n)
                swung = cross(vector(rows.offsets[t], 3), rotate_back(p, force))
                moment = rotate(p, minus(times(push, x.b), swung))
                felt = out[i, owner[rows.row[t]]]
                for j in range(3):
                    felt[j] += force[j]
                    felt[3 + j] += moment[j]


@kernel
def evaluate(rows: Rows, t: int, q: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray, same: np.ndarray) -> float:
    """Value of the measure of term t; its gradient and Hessian (lower triangle) are written to the given arrays, whose
    places are ``same``.
    """
    x = slope(rows, t, q)
    jacobian[:] = 0.0
    hessian[:] = 0.0
    measures.add_gradient(jacobian, same, 0, 1.0, x, True)
    add_second(rows, t, q, 1.0, hessian, same, 0)
    return x.value
