"""Measures in space. Unknowns are the increments ``(x_a, theta_a, x_b, theta_b)`` of two nodes, points in global axes,
rotations in the nodes' own: the exponential chart, ``R <- R exp(theta)``.

With ``R exp(theta) d = R (d + theta x d + theta x (theta x d) / 2 + ...)``,

    (m . R exp(theta) d)_theta = d x R^T m,     (m . R exp(theta) d)_thetatheta = S(R^T m, d)
    S(m, d) = (m d^T + d m^T) / 2 - (m . d) I

Angles are functions f(x, y) of two numbers (arcs.py) that are linear in each of the two rotations. With constant f_x
and f_y, ``f_x x + f_y y`` is such a number, too; the Hessian of f is the Hessian of this number plus

    f_xx x_q x_q^T + f_xy (x_q y_q^T + y_q x_q^T) + f_yy y_q y_q^T.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant.jit import inlined_kernel, kernel
from pliant.kernels.blocks import add_block, add_diagonal_block, add_transposed, add_vector
from pliant.kernels.dyads import outer, product_skew, skew, skew_product, symmetric
from pliant.kernels.marker import COINCIDENT
from pliant.kernels.measures.arcs import Arc, direction_angle, rotation_part
from pliant.kernels.so3 import Four, product, rotate, rotate_back
from pliant.kernels.tensors import Matrix, added, apply, rotation, scaled, transposed
from pliant.kernels.tensors import product as matrix_product
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

XA, TA, XB, TB = 0, 3, 6, 9
NONE = 0.0, 0.0, 0.0
FLAT = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


class Slope(NamedTuple):
    """Value and gradient (-n, a, n, b) of a measure."""

    value: float
    n: Vector
    a: Vector
    b: Vector


class Turns(NamedTuple):
    """Second derivatives by theta_a twice, by theta_b and theta_a, by theta_b twice."""

    aa: Matrix
    ba: Matrix
    bb: Matrix


class Shifts(NamedTuple):
    """Second derivatives by the vector D between the nodes twice, by theta_a and D, by theta_b and D."""

    nn: Matrix
    an: Matrix
    bn: Matrix


# --- along lines ---


@kernel
def place(pa: Four, pb: Four, da: Vector, db: Vector, n: Vector, D: Vector) -> Slope:
    """Return n . D with n fixed in space."""
    return Slope(dot(n, D), n, cross(rotate_back(pa, n), da), cross(db, rotate_back(pb, n)))


@kernel
def place_turns(pa: Four, pb: Four, da: Vector, db: Vector, n: Vector) -> Turns:
    """Return the Hessian of `place`."""
    return Turns(curl(rotate_back(pa, times(-1.0, n)), da), FLAT, curl(rotate_back(pb, n), db))


@kernel
def turning_place(pa: Four, pb: Four, da: Vector, db: Vector, n: Vector, D: Vector) -> Slope:
    """Return n . D with n fixed to node a: ``n . y - n . d_a`` with ``y = R_a^T D + d_a``."""
    out = rotate(pa, n)
    y = plus(rotate_back(pa, D), da)
    return Slope(dot(out, D), out, cross(n, y), cross(db, rotate_back(pb, out)))


@kernel
def turning_place_turns(pa: Four, pb: Four, da: Vector, db: Vector, n: Vector, D: Vector) -> Turns:
    """Return the Hessian of `turning_place` by rotations."""
    y = plus(rotate_back(pa, D), da)
    return Turns(curl(y, n), twisted(seen(pa, pb), n, db), curl(rotate_back(pb, rotate(pa, n)), db))


@kernel
def turning_place_shifts(pa: Four, n: Vector) -> Shifts:
    """Return the Hessian of `turning_place` by rotations and the vector between the nodes."""
    return Shifts(FLAT, skew_product(n, transposed(matrix(pa))), FLAT)


@kernel
def direction(D: Vector) -> tuple[float, Vector]:
    """Return the length and direction of D; any direction for zero length."""
    length = sqrt(dot(D, D))
    if length > COINCIDENT:
        return length, times(1.0 / length, D)
    return COINCIDENT, (1.0, 0.0, 0.0)


@kernel
def distance(pa: Four, pb: Four, da: Vector, db: Vector, D: Vector) -> Slope:
    """Return l = |D|; its gradient is the gradient of ``e . D`` with the direction e of D."""
    length, e = direction(D)
    along = place(pa, pb, da, db, e, D)
    return Slope(length, e, along.a, along.b)


@kernel
def across(D: Vector) -> Matrix:
    """Return l_DD = (I - e e^T) / l."""
    length, e = direction(D)
    return scaled(1.0 / length, outer(times(-1.0, e), e, 1.0))


@kernel
def distance_shifts(pa: Four, pb: Four, da: Vector, db: Vector, D: Vector) -> Shifts:
    """Return the Hessian of a distance by the vector between the nodes: ``D_q^T l_DD D_q`` and ``(e . D)_qq``."""
    P = across(D)
    return Shifts(P, matrix_product(transposed(D_a(pa, da)), P), matrix_product(transposed(D_b(pb, db)), P))


@kernel
def distance_turns(pa: Four, pb: Four, da: Vector, db: Vector, D: Vector) -> Turns:
    """Return the Hessian of a distance by rotations."""
    _, e = direction(D)
    straight, by = place_turns(pa, pb, da, db, e), distance_shifts(pa, pb, da, db, D)
    A, B = D_a(pa, da), D_b(pb, db)
    return Turns(
        added(straight.aa, matrix_product(by.an, A)),
        matrix_product(by.bn, A),
        added(straight.bb, matrix_product(by.bn, B)),
    )


@kernel
def D_a(pa: Four, da: Vector) -> Matrix:
    """Return the derivative of D by theta_a."""
    return matrix_product(matrix(pa), skew(da))


@kernel
def D_b(pb: Four, db: Vector) -> Matrix:
    """Return the derivative of D by theta_b."""
    return matrix_product(matrix(pb), skew(times(-1.0, db)))


# --- angles: functions of the rotation p of b relative to a ---


@kernel
def seen(pa: Four, pb: Four) -> Four:
    """Return the quaternion of b's axes in a's axes."""
    return product((pa[0], -pa[1], -pa[2], -pa[3]), pb)


@kernel
def cosine(p: Four, ea: Vector, eb: Vector) -> Slope:
    """Return e_a . e_b of two directions fixed to the nodes."""
    there = rotate(p, eb)
    return Slope(dot(ea, there), NONE, cross(ea, there), cross(eb, rotate_back(p, ea)))


@kernel
def cosine_turns(p: Four, ea: Vector, eb: Vector) -> Turns:
    """Return the Hessian of `cosine`."""
    return Turns(curl(rotate(p, eb), ea), twisted(p, ea, eb), curl(rotate_back(p, ea), eb))


@kernel
def leaning(p: Four, x: np.ndarray) -> Arc:
    """Return the component along an axis c of a of the shortest rotation from z_a to z_b; x: z_a, ``c x z``, z_b."""
    there = rotate(p, vector(x, 6))
    return rotation_part(dot(vector(x, 0), there), dot(vector(x, 3), there))


@inlined_kernel
def of_cosines(p: Four, x: np.ndarray, f: Arc) -> Slope:
    """Return f of the cosines of two directions of a, from x[0] and x[3] on, with one of b, from x[6] on."""
    part = cosine(p, plus(times(f.x, vector(x, 0)), times(f.y, vector(x, 3))), vector(x, 6))
    return Slope(f.value, NONE, part.a, part.b)


@inlined_kernel
def of_cosines_turns(p: Four, x: np.ndarray, f: Arc) -> Turns:
    """Return the Hessian of `of_cosines`."""
    ex, ey, eb = vector(x, 0), vector(x, 3), vector(x, 6)
    there, back_x, back_y = rotate(p, eb), rotate_back(p, ex), rotate_back(p, ey)
    ea, back = plus(times(f.x, ex), times(f.y, ey)), plus(times(f.x, back_x), times(f.y, back_y))
    inner = Turns(curl(there, ea), twisted(p, ea, eb), curl(back, eb))
    one = Slope(0.0, NONE, cross(ex, there), cross(eb, back_x))
    return bent(inner, f, one, Slope(0.0, NONE, cross(ey, there), cross(eb, back_y)))


@kernel
def departure(p: Four, kept: Four) -> Four:
    """Return the quaternion (w, v), w >= 0, of the rotation of b against a since a reference pose, in a's axes.

    ``kept`` is the quaternion of a's axes in b's in that pose.
    """
    w, x, y, z = product(p, kept)
    return (w, x, y, z) if w >= 0.0 else (-w, -x, -y, -z)


@kernel
def turned(p: Four, m: Vector) -> Arc:
    """Return ``2 g(w) m . v``: the component along m of the rotation vector of p = (w, v)."""
    f = rotation_part(p[0], m[0] * p[1] + m[1] * p[2] + m[2] * p[3])
    return Arc(2.0 * f.value, 2.0 * f.x, 2.0 * f.y, 2.0 * f.xx, 2.0 * f.xy, 0.0)


@kernel
def twist(p: Four, m: Vector) -> Arc:
    """Return ``2 atan2(m . v, w)``: the angle about m of the rotation p = (w, v), whose swing has an axis across m.

    On a pin along m it is the pin's angle. For inclined axes it has the same size from a to b as from b to a and does
    not depend on the zero direction across m; it is undefined only after half a turn of the axes.
    """
    f = direction_angle(p[0], m[0] * p[1] + m[1] * p[2] + m[2] * p[3])
    return Arc(2.0 * f.value, 2.0 * f.x, 2.0 * f.y, 2.0 * f.xx, 2.0 * f.xy, 2.0 * f.yy)


@kernel
def of_quaternion(p: Four, kept: Four, m: Vector, f: Arc) -> Slope:
    """Return f of w and m . v of the departure p = (w, v)."""
    part = component(p, kept, f.x, times(f.y, m))
    return Slope(f.value, NONE, part.a, part.b)


@kernel
def level(p: Four, m: Vector, f: Arc) -> float:
    """Return ``f_x w + f_y m . v``: exactly zero for a twist, which does not depend on the length of p."""
    return f.x * p[0] + f.y * dot(m, (p[1], p[2], p[3]))


@inlined_kernel
def of_quaternion_turns(p: Four, kept: Four, m: Vector, f: Arc, level: float) -> Turns:
    """Return the Hessian of `of_quaternion`, given its `level`."""
    inner = component_turns(p, kept, f.x, times(f.y, m), level)
    return bent(inner, f, component(p, kept, 1.0, NONE), component(p, kept, 0.0, m))


@kernel
def component(p: Four, kept: Four, l0: float, m: Vector) -> Slope:
    """Return ``l_0 w + m . v`` of ``exp(-theta_a / 2) (w, v) exp(theta_b' / 2)``, theta_b' in the axes kept."""
    w, v = p[0], (p[1], p[2], p[3])
    straight, bowed = minus(times(w, m), times(l0, v)), cross(m, v)
    return Slope(
        l0 * w + dot(m, v),
        NONE,
        times(-0.5, minus(straight, bowed)),
        times(0.5, rotate(kept, plus(straight, bowed))),
    )


@kernel
def component_turns(p: Four, kept: Four, l0: float, m: Vector, value: float) -> Turns:
    """Return the Hessian of `component`: ``-value I / 4`` for each rotation, ``-(l . e_i (w, v) e_j) / 4`` mixed."""
    w, v = p[0], (p[1], p[2], p[3])
    same = outer(NONE, NONE, -0.25 * value)
    even = symmetric(times(0.5, v), m, 0.25 * (l0 * w - dot(m, v)))
    odd = skew(times(0.25, plus(times(l0, v), times(w, m))))  # by theta_a (rows) and theta_b'
    return Turns(same, matrix_product(matrix(kept), added(even, scaled(-1.0, odd))), same)


@inlined_kernel
def bent(inner: Turns, f: Arc, x: Slope, y: Slope) -> Turns:
    """Return the Hessian of f: of f_x x + f_y y, plus the terms of the second derivatives of f."""
    p_a, r_a = plus(times(f.xx, x.a), times(f.xy, y.a)), plus(times(f.xy, x.a), times(f.yy, y.a))
    p_b, r_b = plus(times(f.xx, x.b), times(f.xy, y.b)), plus(times(f.xy, x.b), times(f.yy, y.b))
    return Turns(
        added(inner.aa, added(outer(x.a, p_a, 0.0), outer(y.a, r_a, 0.0))),
        added(inner.ba, added(outer(x.b, p_a, 0.0), outer(y.b, r_a, 0.0))),
        added(inner.bb, added(outer(x.b, p_b, 0.0), outer(y.b, r_b, 0.0))),
    )


@kernel
def matrix(p: Four) -> Matrix:
    """Return R(p)."""
    return rotation(p[0], p[1], p[2], p[3])


@kernel
def curl(m: Vector, d: Vector) -> Matrix:
    """Return S(m, d)."""
    return symmetric(m, d, -dot(m, d))


@kernel
def twisted(p: Four, ea: Vector, eb: Vector) -> Matrix:
    """Return the second derivative of ``R_a e_a . R_b e_b`` by theta_b and theta_a."""
    back = rotation(p[0], -p[1], -p[2], -p[3])
    return product_skew(skew_product(times(-1.0, eb), back), ea)


# --- add to the arrays of a system ---


@kernel
def add_gradient(x: np.ndarray, places: np.ndarray, e: int, f: float, slope: Slope, moving: bool) -> None:
    """Add f times the gradient to x, at the places of row e; by points only if ``moving``."""
    if moving:
        add_vector(x, places, e, XA, -f, slope.n)
        add_vector(x, places, e, XB, f, slope.n)
    add_vector(x, places, e, TA, f, slope.a)
    add_vector(x, places, e, TB, f, slope.b)


@kernel
def add_turns(s: np.ndarray, slots: np.ndarray, e: int, f: float, by: Turns) -> None:
    """Add f times the second derivatives by rotations to s."""
    add_diagonal_block(s, slots, e, TA, f, by.aa)
    add_block(s, slots, e, TB, TA, f, by.ba)
    add_diagonal_block(s, slots, e, TB, f, by.bb)


@kernel
def add_turns_apart(s: np.ndarray, slots: np.ndarray, e: int, f: float, by: Turns) -> None:
    """Add f times the second derivatives by rotations to s where the two rotations are not coupled."""
    add_diagonal_block(s, slots, e, TA, f, by.aa)
    add_diagonal_block(s, slots, e, TB, f, by.bb)


@kernel
def add_shifts(s: np.ndarray, slots: np.ndarray, e: int, f: float, by: Shifts) -> None:
    """Add f times the second derivatives by the vector between the nodes to s."""
    add_diagonal_block(s, slots, e, XA, f, by.nn)
    add_block(s, slots, e, XB, XA, -f, by.nn)
    add_diagonal_block(s, slots, e, XB, f, by.nn)
    add_turning_shifts(s, slots, e, f, by.an)
    add_block(s, slots, e, TB, XA, -f, by.bn)
    add_block(s, slots, e, TB, XB, f, by.bn)


@kernel
def add_turning_shifts(s: np.ndarray, slots: np.ndarray, e: int, f: float, an: Matrix) -> None:
    """Add f times the second derivatives by theta_a and the vector between the nodes to s."""
    add_block(s, slots, e, TA, XA, -f, an)
    add_transposed(s, slots, e, XB, TA, f, an)


@kernel
def add_square(s: np.ndarray, slots: np.ndarray, e: int, f: float, x: Slope, moving: bool) -> None:
    """Add f times the gradient's square to s."""
    fa, fb, fn = times(f, x.a), times(f, x.b), times(f, x.n)
    add_turns(s, slots, e, 1.0, Turns(outer(fa, x.a, 0.0), outer(fb, x.a, 0.0), outer(fb, x.b, 0.0)))
    if moving:
        add_shifts(s, slots, e, 1.0, Shifts(outer(fn, x.n, 0.0), outer(fa, x.n, 0.0), outer(fb, x.n, 0.0)))


@kernel
def turning_curvature(by: Turns, wa: Vector, wb: Vector) -> float:
    """Return the second derivative along the spins w_a and w_b."""
    return dot(wa, apply(by.aa, wa)) + 2.0 * dot(wb, apply(by.ba, wa)) + dot(wb, apply(by.bb, wb))


@kernel
def shifting_curvature(by: Shifts, way: Vector, wa: Vector, wb: Vector) -> float:
    """Return the second derivative along a change of the vector, with itself and with the spins."""
    return dot(way, apply(by.nn, way)) + 2.0 * (dot(wa, apply(by.an, way)) + dot(wb, apply(by.bn, way)))
