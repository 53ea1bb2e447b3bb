"""Joint rows in space: value, gradient and Hessian in the exponential chart.

Unknowns of a row are the increments ``(x_a, theta_a, x_b, theta_b)`` of two nodes, points in global axes, rotations in
the nodes' own. With ``R exp(theta) d = R (d + theta x d + theta x (theta x d) / 2 + ...)``,

    (m . R exp(theta) d)_theta = d x R^T m,     (m . R exp(theta) d)_thetatheta = S(R^T m, d)
    S(m, d) = (m d^T + d m^T) / 2 - (m . d) I
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.kernels.blocks import add_block, add_diagonal_block, add_transposed, add_vector
from pliant.kernels.marker import COINCIDENT
from pliant.kernels.so3 import Four, product, rotate, rotate_back
from pliant.kernels.tensors import (
    Vector,
    cross,
    dot,
    outer,
    plus,
    product_skew,
    rotation,
    skew_product,
    symmetric,
    times,
    transposed,
)

XA, TA, XB, TB = 0, 3, 6, 9
NONE = 0.0, 0.0, 0.0


class Line(NamedTuple):
    """A row: value, gradient (-n, a, n, b), and what its second derivatives are made of.

    They are S(u_a, v_a) of theta_a and S(u_b, v_b) of theta_b. Those of a direction fixed to node a (``crossed``) are
    also ``theta_a . (v_a x R_a^T R_b (theta_b x v_b))``, and if it is the direction of a distance (``swung``)
    ``theta_a . (v_a x R_a^T (x_b - x_a))``.
    """

    value: float
    n: Vector
    a: Vector
    b: Vector
    u_a: Vector
    v_a: Vector
    u_b: Vector
    v_b: Vector
    crossed: bool
    swung: bool


@kernel
def between(q: np.ndarray, dofs: np.ndarray, k: int, a: Vector, b: Vector) -> Vector:
    """D = r_b - r_a, from marker to marker, whose arms are a and b."""
    return (
        q[dofs[k, 6]] + b[0] - q[dofs[k, 0]] - a[0],
        q[dofs[k, 7]] + b[1] - q[dofs[k, 1]] - a[1],
        q[dofs[k, 8]] + b[2] - q[dofs[k, 2]] - a[2],
    )


@kernel
def point(pa: Four, pb: Four, da: Vector, db: Vector, n: Vector, value: float) -> Line:
    """n . D with n fixed in space."""
    ma, mb = rotate_back(pa, n), rotate_back(pb, n)
    return Line(value, n, cross(ma, da), cross(db, mb), times(-1.0, ma), da, mb, db, False, False)


@kernel
def turning_point(pa: Four, pb: Four, da: Vector, db: Vector, n: Vector, gap: Vector, target: float) -> Line:
    """n . D - target with n fixed to node a: ``n . y - n . d_a`` with ``y = R_a^T (r_b - x_a) = R_a^T gap + d_a``."""
    out, y = rotate(pa, n), plus(rotate_back(pa, gap), da)
    mb = rotate_back(pb, out)
    return Line(dot(out, gap) - target, out, cross(n, y), cross(db, mb), y, n, mb, db, True, True)


@kernel
def parallel(pa: Four, pb: Four, ea: Vector, eb: Vector) -> Line:
    """e_a . e_b of two directions fixed to the nodes: the cosine of the angle between them."""
    seen, back = rotate_back(pa, rotate(pb, eb)), rotate_back(pb, rotate(pa, ea))
    return Line(dot(ea, seen), NONE, cross(ea, seen), cross(eb, back), seen, ea, back, eb, True, False)


@kernel
def heading(x: Vector, y: Vector, angle: float) -> Vector:
    """The axis y of a pair (x, y) that has turned by an angle about x x y."""
    c, s = cos(angle), sin(angle)
    return c * y[0] - s * x[0], c * y[1] - s * x[1], c * y[2] - s * x[2]


@kernel
def toward(gap: Vector) -> tuple[float, Vector]:
    """Length of D, and its direction: any where it has none."""
    length = sqrt(dot(gap, gap))
    if length > COINCIDENT:
        return length, times(1.0 / length, gap)
    return COINCIDENT, (1.0, 0.0, 0.0)


@kernel
def add_gradient(x: np.ndarray, places: np.ndarray, k: int, f: float, line: Line) -> None:
    """x += f times the gradient, at the places of row k."""
    if line.swung or not line.crossed:
        add_vector(x, places, k, XA, -f, line.n)
        add_vector(x, places, k, XB, f, line.n)
    add_vector(x, places, k, TA, f, line.a)
    add_vector(x, places, k, TB, f, line.b)


@kernel
def add_hessian(s: np.ndarray, slots: np.ndarray, k: int, f: float, pa: Four, pb: Four, line: Line) -> None:
    """s += f times the Hessian of a row that is not of a distance."""
    add_diagonal_block(s, slots, k, TA, f, symmetric(line.u_a, line.v_a, -dot(line.u_a, line.v_a)))
    add_diagonal_block(s, slots, k, TB, f, symmetric(line.u_b, line.v_b, -dot(line.u_b, line.v_b)))
    if line.crossed:
        w, x, y, z = product((pa[0], -pa[1], -pa[2], -pa[3]), pb)
        across = product_skew(skew_product(line.v_a, rotation(w, x, y, z)), line.v_b)
        add_transposed(s, slots, k, TB, TA, -f, across)
    if line.swung:
        moved = skew_product(line.v_a, transposed(rotation(pa[0], pa[1], pa[2], pa[3])))
        add_block(s, slots, k, TA, XA, -f, moved)
        add_transposed(s, slots, k, XB, TA, f, moved)


@kernel
def add_square(s: np.ndarray, slots: np.ndarray, k: int, f: float, line: Line) -> None:
    """s += f times the gradient's square."""
    a, b, n = line.a, line.b, line.n
    add_diagonal_block(s, slots, k, TA, f, outer(a, a, 0.0))
    add_block(s, slots, k, TB, TA, f, outer(b, a, 0.0))
    add_diagonal_block(s, slots, k, TB, f, outer(b, b, 0.0))
    if line.swung or not line.crossed:
        square, first, second = outer(n, n, 0.0), outer(n, a, 0.0), outer(n, b, 0.0)
        add_diagonal_block(s, slots, k, XA, f, square)
        add_transposed(s, slots, k, TA, XA, -f, first)
        add_block(s, slots, k, XB, XA, -f, square)
        add_block(s, slots, k, XB, TA, f, first)
        add_diagonal_block(s, slots, k, XB, f, square)
        add_transposed(s, slots, k, TB, XA, -f, second)
        add_transposed(s, slots, k, TB, XB, f, second)


@kernel
def add_swings(
    s: np.ndarray, slots: np.ndarray, k: int, f: float, length: float, pa: Four, pb: Four, line: Line
) -> None:
    """What the Hessian of a length has besides that of its direction e: ``(D_q^T D_q - l_q^T l_q) / l``."""
    place = 0
    for i in range(12):
        for j in range(i + 1):
            x, y = swing(pa, pb, line.v_a, line.v_b, i), swing(pa, pb, line.v_a, line.v_b, j)
            s[slots[k, place]] += f / length * dot(x, y)
            place += 1
    add_square(s, slots, k, -f / length, line)


@kernel
def swing(pa: Four, pb: Four, da: Vector, db: Vector, i: int) -> Vector:
    """Derivative of D with respect to unknown i."""
    unit = 1.0 if i % 3 == 0 else 0.0, 1.0 if i % 3 == 1 else 0.0, 1.0 if i % 3 == 2 else 0.0
    if i < TA:
        return times(-1.0, unit)
    if i < XB:
        return rotate(pa, cross(da, unit))
    if i < TB:
        return unit
    return rotate(pb, cross(unit, db))
