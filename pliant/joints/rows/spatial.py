"""Constraint rows in space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import inlined_kernel, kernel, lazy_kernel
from pliant.joints.rows.data import Rows, Saddle
from pliant.joints.rows.targets import add_products, begin, finish, flexibility, follow, left, nearest
from pliant.kernels.measures import ALIGNED, ANGLE, CROSSED, DISTANCE, PLACE, TURNED, TURNING
from pliant.kernels.measures import spatial as measures
from pliant.kernels.measures.arcs import Arc
from pliant.kernels.measures.spatial import Shifts, Slope, Turns
from pliant.kernels.so3 import Four, quaternion, rotate, rotate_back
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

FREEDOMS = 12
STRAIGHT = Arc(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ON_A = 0, 1, 0, 0, 1, 2, 0  # number of directions of a term that are fixed to a, by kind
ON_B = 0, 0, 0, 0, 1, 1, 0  # number that are fixed to b; these follow


class Ends(NamedTuple):
    """The two nodes of a term: their quaternions, the arms of the markers on them, and the vector between the markers;
    for a rotation instead the quaternion p of b relative to a (since the stored pose, if any) and the angle f.
    """

    pa: Four
    pb: Four
    da: Vector
    db: Vector
    D: Vector
    p: Four
    f: Arc


@inlined_kernel
def ends(rows: Rows, t: int, q: np.ndarray) -> Ends:
    """Return the pose of the nodes of term t."""
    pa, pb, kind = quaternion(q, rows.frames[t, 0]), quaternion(q, rows.frames[t, 1]), rows.kind[t]
    if kind >= ANGLE:
        p, f = turned(kind, measures.seen(pa, pb), rows.direction[t])
        return Ends(pa, pb, measures.NONE, measures.NONE, measures.NONE, p, f)
    da, db = vector(rows.offsets[t], 0), vector(rows.offsets[t], 3)
    way = minus(vector(q, rows.dofs[t, 6]), vector(q, rows.dofs[t, 0]))
    return Ends(pa, pb, da, db, plus(way, minus(rotate(pb, db), rotate(pa, da))), pa, STRAIGHT)


@kernel
def turned(kind: int, p: Four, x: np.ndarray) -> tuple[Four, Arc]:
    """Return the rotation of b relative to a, and the scalar that a term computes from it."""
    if kind == ALIGNED:
        return p, measures.leaning(p, x)
    if kind == CROSSED:
        return p, Arc(dot(vector(x, 0), rotate(p, vector(x, 3))), 1.0, 0.0, 0.0, 0.0, 0.0)
    since, m = measures.departure(p, quaternion(x, 3)), vector(x, 0)
    return since, measures.twist(since, m) if kind == ANGLE else measures.turned(since, m)


NOWHERE = Ends(
    (1.0, 0.0, 0.0, 0.0),
    (1.0, 0.0, 0.0, 0.0),
    measures.NONE,
    measures.NONE,
    measures.NONE,
    (1.0, 0.0, 0.0, 0.0),
    STRAIGHT,
)


@inlined_kernel
def next_ends(rows: Rows, t: int, q: np.ndarray, before: Ends, same: bool) -> Ends:
    """Return the pose of term t from the pose of the term before; ``alike`` terms differ only in the angle."""
    if not same:
        return ends(rows, t, q)
    if rows.kind[t] == PLACE:
        return before
    f = measures.turned(before.p, vector(rows.direction[t], 0))
    return Ends(before.pa, before.pb, before.da, before.db, before.D, before.p, f)


@kernel
def is_additive(kind: int) -> bool:
    """Return whether a term is linear in its direction: several between the same markers are one along their sum."""
    return kind in (PLACE, TURNED)


@kernel
def alike(rows: Rows, t: int) -> bool:
    """Return whether term t and the one before add up to one: equal kind, markers and stored pose."""
    if t == 0 or t == rows.row.size or rows.kind[t] != rows.kind[t - 1] or not is_additive(rows.kind[t]):
        return False
    same = rows.dofs[t, 0] == rows.dofs[t - 1, 0] and rows.dofs[t, 6] == rows.dofs[t - 1, 6]
    for i in range(6):
        same = same and rows.offsets[t, i] == rows.offsets[t - 1, i]
        same = same and rows.direction[t, 3 + i] == rows.direction[t - 1, 3 + i]
    return same


@inlined_kernel
def sum_slope(kind: int, at: Ends, x: np.ndarray, m: Vector) -> Slope:
    """Return value and gradient of additive terms whose directions add up to m."""
    if kind == PLACE:
        return measures.place(at.pa, at.pb, at.da, at.db, m, at.D)
    return measures.of_quaternion(at.p, quaternion(x, 3), m, measures.turned(at.p, m))


@inlined_kernel
def sum_turns(kind: int, at: Ends, x: np.ndarray, m: Vector) -> Turns:
    """Return the second derivatives of additive terms by rotations."""
    if kind == PLACE:
        return measures.place_turns(at.pa, at.pb, at.da, at.db, m)
    f = measures.turned(at.p, m)
    return measures.of_quaternion_turns(at.p, quaternion(x, 3), m, f, measures.level(at.p, m, f))


@inlined_kernel
def slope(kind: int, at: Ends, x: np.ndarray) -> Slope:
    """Return value and gradient of a term with directions x."""
    pa, pb, da, db, D, p, f = at
    if kind == ALIGNED:
        return measures.of_cosines(p, x, f)
    if kind == CROSSED:
        return measures.cosine(p, vector(x, 0), vector(x, 3))
    if kind in (ANGLE, TURNED):
        return measures.of_quaternion(p, quaternion(x, 3), vector(x, 0), f)
    if kind == PLACE:
        return measures.place(pa, pb, da, db, vector(x, 0), D)
    if kind == TURNING:
        return measures.turning_place(pa, pb, da, db, vector(x, 0), D)
    return measures.distance(pa, pb, da, db, D)


@inlined_kernel
def turns(kind: int, at: Ends, x: np.ndarray) -> Turns:
    """Return the second derivatives of a term by rotations."""
    pa, pb, da, db, D, p, f = at
    if kind == ALIGNED:
        return measures.of_cosines_turns(p, x, f)
    if kind == CROSSED:
        return measures.cosine_turns(p, vector(x, 0), vector(x, 3))
    if kind == ANGLE:
        return measures.of_quaternion_turns(p, quaternion(x, 3), vector(x, 0), f, 0.0)
    if is_additive(kind):
        return sum_turns(kind, at, x, vector(x, 0))
    if kind == TURNING:
        return measures.turning_place_turns(pa, pb, da, db, vector(x, 0), D)
    return measures.distance_turns(pa, pb, da, db, D)


@inlined_kernel
def shifts(kind: int, at: Ends, x: np.ndarray) -> Shifts:
    """Return the second derivatives of a term along a line that turns, by the vector between the nodes."""
    if kind == TURNING:
        return measures.turning_place_shifts(at.pa, vector(x, 0))
    return measures.distance_shifts(at.pa, at.pb, at.da, at.db, at.D)


@inlined_kernel
def add_sum_second(kind: int, at: Ends, x: np.ndarray, m: Vector, s: np.ndarray, slots: np.ndarray, e: int) -> None:
    """Add the Hessian of additive terms whose directions add up to m to s, at the places of row e of the slots."""
    by = sum_turns(kind, at, x, m)
    if kind == PLACE:
        measures.add_turns_apart(s, slots, e, 1.0, by)
    else:
        measures.add_turns(s, slots, e, 1.0, by)


@inlined_kernel
def add_second(kind: int, at: Ends, x: np.ndarray, f: float, s: np.ndarray, slots: np.ndarray, e: int) -> None:
    """Add f times the Hessian of a term to s, at the places of row e of the slots."""
    if is_additive(kind):
        add_sum_second(kind, at, x, times(f, vector(x, 0)), s, slots, e)
        return
    measures.add_turns(s, slots, e, f, turns(kind, at, x))
    if kind == TURNING:
        measures.add_turning_shifts(s, slots, e, f, shifts(kind, at, x).an)
    elif kind == DISTANCE:
        measures.add_shifts(s, slots, e, f, shifts(kind, at, x))


@kernel
def value(kind: int, at: Ends, x: np.ndarray) -> float:
    """Return the value of a term alone."""
    if kind >= ANGLE:
        return at.f.value
    if kind == DISTANCE:
        return measures.direction(at.D)[0]
    return dot(rotate(at.pa, vector(x, 0)) if kind == TURNING else vector(x, 0), at.D)


@kernel
def is_linear(kind: int, d: np.ndarray) -> bool:
    """Return whether a term with arms d is a place of nodes along a fixed direction."""
    if kind != PLACE:
        return False
    return d[0] == d[1] == d[2] == d[3] == d[4] == d[5] == 0.0


@kernel
def add_linear(x: np.ndarray, places: np.ndarray, f: float, n: np.ndarray) -> None:
    """Add f times the gradient of a linear term along n to x, at its places."""
    for i in range(3):
        x[places[i]] -= f * n[i]
        x[places[6 + i]] += f * n[i]


@lazy_kernel
def add(rows: Rows, q: np.ndarray, lam: np.ndarray, u: np.ndarray, to: Saddle) -> None:
    """Add G^T (lambda + gamma g) to r; write g and the saddle blocks as in the plane."""
    ck, gamma, r, g, s = to
    joined = rows.pairs.shape[0] > 0
    if joined:
        residual(rows, q, u, g)
    at, same, pull = NOWHERE, False, measures.NONE
    for t in range(rows.row.size):
        k, c, kind, n = rows.row[t], rows.factor[t], rows.kind[t], rows.direction[t]
        stiff, push, at = gamma * rows.weight[k], lam[k], next_ends(rows, t, q, at, same)
        target = rows.offset[k] + rows.gain[k] * u[rows.signal[k]]
        pull = plus(pull if same else measures.NONE, times(ck * c * push, vector(n, 0)))
        same = alike(rows, t + 1)
        if stiff == 0.0 and rows.softness[k] == 0.0 and is_linear(kind, rows.offsets[t]):
            if not joined:
                g[k] = nearest(rows.period[k], c * value(kind, at, n) - target)
            add_linear(r, rows.dofs[t], c * push, n)
            add_linear(s, rows.jacobian_slots[t], c, n)
            continue
        x, moving = slope(kind, at, n), kind < ANGLE
        if not joined:
            g[k] = nearest(rows.period[k], c * x.value - target)
        measures.add_gradient(r, rows.dofs, t, c * (push + stiff * g[k]), x, moving)
        measures.add_gradient(s, rows.jacobian_slots, t, c, x, moving)
        if not is_additive(kind):
            if ck * push != 0.0:
                add_second(kind, at, n, ck * c * push, s, rows.slots, t)
        elif not same and pull != measures.NONE:
            add_sum_second(kind, at, n, pull, s, rows.slots, t)
        if stiff != 0.0:
            measures.add_square(s, rows.slots, t, c * c * stiff, x, moving)
        if rows.softness[k] > 0.0:
            s[rows.diagonal[k]] -= rows.softness[k] * c * c * flexibility(rows.slots[t], gradient(x), s)
    if joined and gamma != 0.0:
        add_pairs(rows, q, gamma, s)


@lazy_kernel
def push(rows: Rows, q: np.ndarray, lam: np.ndarray, u: np.ndarray, r: np.ndarray, g: np.ndarray) -> None:
    """Add G^T lambda to r and write g: `add` without its matrices."""
    joined = rows.pairs.shape[0] > 0
    if joined:
        residual(rows, q, u, g)
    at, same, pull = NOWHERE, False, measures.NONE
    for t in range(rows.row.size):
        k, c, kind, n = rows.row[t], rows.factor[t], rows.kind[t], rows.direction[t]
        at = next_ends(rows, t, q, at, same)
        pull = plus(pull if same else measures.NONE, times(c * lam[k], vector(n, 0)))
        same = alike(rows, t + 1)
        if not joined:
            g[k] = left(rows, k, c * value(kind, at, n), u)
        if not is_additive(kind):
            measures.add_gradient(r, rows.dofs, t, c * lam[k], slope(kind, at, n), kind < ANGLE)
        elif not same:
            measures.add_gradient(r, rows.dofs, t, 1.0, sum_slope(kind, at, n, pull), kind < ANGLE)


@lazy_kernel
def add_pairs(rows: Rows, q: np.ndarray, gamma: float, s: np.ndarray) -> None:
    """Add gamma times the products of the gradients of different terms of a row to s."""
    for p in range(rows.pairs.shape[0]):
        t, o = rows.pairs[p, 0], rows.pairs[p, 1]
        one = gradient(slope(rows.kind[t], ends(rows, t, q), rows.direction[t]))
        other = gradient(slope(rows.kind[o], ends(rows, o, q), rows.direction[o]))
        add_products(rows, p, gamma, one, other, s)


@kernel
def gradient(x: Slope) -> tuple[float, ...]:
    """Return the gradient of a measure as twelve numbers."""
    n, a, b = x.n, x.a, x.b
    return -n[0], -n[1], -n[2], a[0], a[1], a[2], n[0], n[1], n[2], b[0], b[1], b[2]


@lazy_kernel
def residual(rows: Rows, q: np.ndarray, u: np.ndarray, g: np.ndarray) -> None:
    """Write the constraint values g."""
    begin(rows, u, g)
    at = NOWHERE
    for t in range(rows.row.size):
        at = next_ends(rows, t, q, at, alike(rows, t))
        g[rows.row[t]] += rows.factor[t] * value(rows.kind[t], at, rows.direction[t])
    finish(rows, g)


@kernel
def spins(dofs: np.ndarray, v: np.ndarray) -> tuple[Vector, Vector, Vector]:
    """Return the rate of the vector between two nodes, and their spins, for velocities v."""
    return minus(vector(v, dofs[6]), vector(v, dofs[0])), vector(v, dofs[3]), vector(v, dofs[9])


@lazy_kernel
def velocity(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray, out: np.ndarray) -> None:
    """Write G v + g_t, with ``rate`` the time derivatives of the signals."""
    follow(rows, rate, out)
    for t in range(rows.row.size):
        x = slope(rows.kind[t], ends(rows, t, q), rows.direction[t])
        moved, a, b = spins(rows.dofs[t], v)
        out[rows.row[t]] += rows.factor[t] * (dot(x.n, moved) + dot(x.a, a) + dot(x.b, b))


@lazy_kernel
def bias(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """Write v^T g_qq v + g_tt, the acceleration constraint without G a."""
    follow(rows, second, out)
    for t in range(rows.row.size):
        moved, a, b = spins(rows.dofs[t], v)
        kind, at, n = rows.kind[t], ends(rows, t, q), rows.direction[t]
        bent = measures.turning_curvature(turns(kind, at, n), a, b)
        if kind in (TURNING, DISTANCE):
            bent += measures.shifting_curvature(shifts(kind, at, n), moved, a, b)
        out[rows.row[t]] += rows.factor[t] * bent


@lazy_kernel
def jacobian_dense(rows: Rows, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write G as a dense array, the columns of the ground last."""
    out[:] = 0.0
    for t in range(rows.row.size):
        x = slope(rows.kind[t], ends(rows, t, q), rows.direction[t])
        measures.add_gradient(out[rows.row[t]], rows.dofs, t, rows.factor[t], x, True)


@kernel
def gradients(rows: Rows, q: np.ndarray, out: np.ndarray) -> None:
    """Write the gradient of every term, times its factor; (terms, 12)."""
    for t in range(rows.row.size):
        x = gradient(slope(rows.kind[t], ends(rows, t, q), rows.direction[t]))
        for j in range(FREEDOMS):
            out[t, j] = rows.factor[t] * x[j]


@kernel
def reactions(rows: Rows, owner: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write force and moment about b's point, in global axes, that each joint applies to its marker b; (times, joints,
    6).
    """
    out[:] = 0.0
    for i in range(q.shape[0]):
        for t in range(rows.row.size):
            if rows.acts_on_b[t]:
                at = ends(rows, t, q[i])
                x = slope(rows.kind[t], at, rows.direction[t])
                push = -rows.factor[t] * lam[i, rows.row[t]]
                force = times(push, x.n)
                swung = cross(vector(rows.offsets[t], 3), rotate_back(at.pb, force))
                moment = rotate(at.pb, minus(times(push, x.b), swung))
                felt = out[i, owner[rows.row[t]]]
                for j in range(3):
                    felt[j] += force[j]
                    felt[3 + j] += moment[j]


@kernel
def evaluate(rows: Rows, t: int, q: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray, same: np.ndarray) -> float:
    """Return the value of the measure of term t; write its gradient and Hessian (lower triangle) to the given arrays at
    the places ``same``.
    """
    kind, at, n = rows.kind[t], ends(rows, t, q), rows.direction[t]
    x = slope(kind, at, n)
    jacobian[:] = 0.0
    hessian[:] = 0.0
    measures.add_gradient(jacobian, same, 0, 1.0, x, True)
    add_second(kind, at, n, 1.0, hessian, same, 0)
    return x.value
