"""Nearest points of two items, at which they touch, and their relative motion.

Side a has the points P_0, P_1 and side b Q_0, Q_1, each on a node, with weights that sum to one on each side:

    w = sum_j y_j Q_j - sum_i x_i P_i,    phi = |w|,    n = w / phi,    g = phi - R_a - R_b

The weights make phi smallest, each between 0 and 1: where neither bound holds, ``E^T w = 0`` with the columns
``E_c = sum_j d_cj Q_j - sum_i d_ci P_i`` for their changes d_c. For a floor, a is its material point below b, n its
normal and ``phi = n . (Q - P)``, which has a sign; likewise above a face of a hull, and inside the hull. Both sides act
at ``c = Q - R_b n``: a lever ``l`` is the arm of a node's point plus the vector from the nearest point P or Q to c, and

    u = sum_j y_j (q_j' + spin_j x l_j) - sum_i x_i (p_i' + spin_i x l_i)

is the velocity of b's surface relative to a's, so that force and reaction have no resultant moment.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant.forces.collisions.items import EDGE, FLOOR, HULL, PIECE
from pliant.forces.contact.geometry import pose
from pliant.jit import kernel
from pliant.kernels.tensors import Matrix, apply, apply_transposed
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector

Four = tuple[float, float, float, float]
Vectors = tuple[Vector, Vector, Vector, Vector]
APART = 1e-30  # m, in any model: points that coincide have no direction between them
PARALLEL = 1e-12  # sine squared of the angle between pieces
ZERO = 0.0, 0.0, 0.0
ENDS = 4
SIGNS = -1.0, -1.0, 1.0, 1.0


class Meeting(NamedTuple):
    """Contact of two items: P_0, P_1 of a, then Q_0, Q_1 of b."""

    gap: float
    phi: float
    normal: Vector
    ball: float  # radius of b
    flat: bool  # a is a floor
    weights: Four
    one: Four  # changes of the weights that leave phi smallest; else zero
    other: Four
    along_one: Vector  # E
    along_other: Vector
    inverse: Vector  # of E^T E: both diagonal entries, and the entry off the diagonal
    arms: Vectors  # of the points from their nodes
    levers: Vectors
    axes: tuple[Matrix, Matrix, Matrix, Matrix]


class Foot(NamedTuple):
    """Places of the nearest points on two pieces, and whether they are between the ends."""

    s: float
    t: float
    free_s: bool
    free_t: bool


@kernel
def pose_of(part: Any, node: int, q: np.ndarray) -> tuple[Vector, Matrix]:
    """Return point and axes of a node."""
    return pose(part.dofs.shape[1] == 6, part.base[node], part.frames[node], q)


@kernel
def clipped(value: float) -> float:
    """Return the value limited to between 0 and 1."""
    return min(1.0, max(0.0, value))


@kernel
def foot(w: Vector, d: Vector, e: Vector) -> Foot:
    """Find the minimum of ``|w + t e - s d|``, s and t between 0 and 1; d or e may vanish. (C. Ericson, Real-Time
    Collision Detection, 2005, 5.1.9; for parallel pieces the middle of their overlap.)
    """
    dd, ee, de, dw, ew = dot(d, d), dot(e, e), dot(d, e), dot(d, w), dot(e, w)
    s, t = 0.0, 0.0
    if dd > 0.0 and ee > 0.0:
        det = dd * ee - de * de
        if det > PARALLEL * dd * ee:
            s = clipped((dw * ee - ew * de) / det)
        else:
            ends = clipped(dw / dd), clipped((dw + de) / dd)  # ends of e on d
            s = 0.5 * (ends[0] + ends[1])
        t = clipped((s * de - ew) / ee)
        s = clipped((dw + t * de) / dd)
    elif dd > 0.0:
        s = clipped(dw / dd)
    elif ee > 0.0:
        t = clipped(-ew / ee)
    return Foot(s, t, 0.0 < s < 1.0, 0.0 < t < 1.0)


class Feature(NamedTuple):
    """Nearest feature of an item: a plane, by a point and its normal, or a piece, by both ends."""

    flat: bool
    first: Vector
    last: Vector


@kernel
def end_foot(w: Vector, d: Vector, e: Vector, end: int) -> Foot:
    """Find the minimum at one of four ends: s is 0 or 1, then t."""
    if end <= 2:
        s = float(end - 1)
        t = clipped((s * dot(d, e) - dot(e, w)) / dot(e, e))
        return Foot(s, t, False, 0.0 < t < 1.0)
    t = float(end - 3)
    s = clipped((dot(d, w) + t * dot(d, e)) / dot(d, d))
    return Foot(s, t, 0.0 < s < 1.0, False)


@kernel
def of_hull(part: Any, hull: int, x: Vector) -> tuple[float, Feature]:
    """Return the distance of a point from a hull, both in the axes of its node, and the nearest feature of the hull;
    inside it is the negative depth below the nearest face.
    """
    best, found, top, highest = np.inf, Feature(True, ZERO, ZERO), -np.inf, Feature(True, ZERO, ZERO)
    for f in range(part.first_face[hull], part.first_face[hull + 1]):
        point, normal = vector(part.faces[f], 0), vector(part.faces[f], 3)
        above = dot(normal, minus(x, point))
        if above > top:
            top, highest = above, Feature(True, point, normal)
        if above <= 0.0:
            continue
        over = True
        for k in range(part.first_side[f], part.first_side[f + 1]):
            first, last = vector(part.sides[k], 0), vector(part.sides[k], 3)
            w = minus(x, first)
            if dot(vector(part.sides[k], 6), w) >= 0.0:
                continue
            over, d = False, minus(last, first)
            at = foot(w, d, ZERO)
            away = minus(w, times(at.s, d))
            square = dot(away, away)
            if square < best:
                best, found = square, Feature(False, first, last)
        if over:
            return above, Feature(True, point, normal)
    if top <= 0.0:
        return top, highest
    return sqrt(best), found


@kernel
def nearest_of(part: Any, item: int, x: Vector) -> Feature:
    """Return the feature of an item that is nearest to a point in the axes of its first node."""
    if part.kind[item] == HULL:
        return of_hull(part, part.hull[item], x)[1]
    return Feature(part.kind[item] == FLOOR, vector(part.arms[item], 0), vector(part.arms[item], 3))


@kernel
def long(kind: int) -> bool:
    """Return whether an item is a piece, or has one as nearest feature."""
    return kind in (PIECE, EDGE, HULL)


@kernel
def terms(part: Any, a: int, b: int) -> int:
    """Return the number of meetings of two items: an edge also meets at the four ends."""
    return 1 + ENDS if part.kind[a] == EDGE or part.kind[b] == EDGE else 1


@kernel
def meet(part: Any, a: int, b: int, q: np.ndarray, end: int) -> Meeting:
    """Return the meeting of items a and b; a is the floor or the hull, if there is one. Edges meet where they cross, or
    at one of their four ends if ``end`` is 1 to 4; elsewhere their gap is infinite.
    """
    a0, a1, b0, b1 = part.nodes[a, 0], part.nodes[a, 1], part.nodes[b, 0], part.nodes[b, 1]
    xa, Ra = pose_of(part, a0, q)
    xb, Rb = pose_of(part, b0, q)
    arm_b = apply(Rb, vector(part.arms[b], 0))
    near = nearest_of(part, a, apply_transposed(Ra, minus(plus(xb, arm_b), xa)))
    arm_a = apply(Ra, near.first)
    w = minus(plus(xb, arm_b), plus(xa, arm_a))
    none, ball = (0.0, 0.0, 0.0, 0.0), part.radius[b]
    if near.flat:
        n = apply(Ra, near.last)
        phi = dot(n, w)
        arm_a = plus(arm_a, minus(w, times(phi, n)))
        lever_a, lever_b = plus(arm_a, times(phi - ball, n)), minus(arm_b, times(ball, n))
        return Meeting(
            phi - part.radius[a] - ball, phi, n, ball, True, (1.0, 0.0, 1.0, 0.0), none, none, ZERO, ZERO, ZERO,
            (arm_a, arm_a, arm_b, arm_b), (lever_a, lever_a, lever_b, lever_b), (Ra, Ra, Rb, Rb),
        )  # fmt: skip
    d, e, end_a, end_b, Sa, Sb = ZERO, ZERO, arm_a, arm_b, Ra, Rb
    if long(part.kind[a]):
        x, Sa = pose_of(part, a1, q)
        end_a = apply(Sa, near.last)
        d = minus(plus(x, end_a), plus(xa, arm_a))
    if long(part.kind[b]):
        x, Sb = pose_of(part, b1, q)
        end_b = apply(Sb, vector(part.arms[b], 3))
        e = minus(plus(x, end_b), plus(xb, arm_b))
    at = foot(w, d, e)
    crossed = terms(part, a, b) == 1 or (at.free_s and at.free_t)
    if end:
        at = end_foot(w, d, e, end)
    w = plus(w, minus(times(at.t, e), times(at.s, d)))
    phi = sqrt(dot(w, w))
    n = times(1.0 / phi, w) if phi > APART else (0.0, 1.0, 0.0)
    one, other, E, F = none, none, ZERO, ZERO
    inverse = ZERO
    if at.free_s:
        one, E = (-1.0, 1.0, 0.0, 0.0), times(-1.0, d)
        inverse = 1.0 / dot(E, E), 0.0, 0.0
    if at.free_t:
        other, F = (0.0, 0.0, -1.0, 1.0), e
        inverse = inverse[0], 1.0 / dot(F, F), 0.0
    if at.free_s and at.free_t:
        ee, ff, ef = dot(E, E), dot(F, F), dot(E, F)
        det = ee * ff - ef * ef
        if det > PARALLEL * ee * ff:
            inverse = ff / det, ee / det, -ef / det
    gap = phi - part.radius[a] - ball if crossed else np.inf
    up, down = times(phi - ball, n), times(-ball, n)
    arms = arm_a, end_a, arm_b, end_b
    levers = plus(arm_a, up), plus(end_a, up), plus(arm_b, down), plus(end_b, down)
    return Meeting(
        gap, phi, n, ball, False, (1.0 - at.s, at.s, 1.0 - at.t, at.t), one, other, E, F,
        inverse, arms, levers, (Ra, Sa, Rb, Sb),
    )  # fmt: skip


@kernel
def node_of(part: Any, a: int, b: int, k: int) -> int:
    """Return the node of the k-th of four points."""
    return part.nodes[a, k] if k < 2 else part.nodes[b, k - 2]
