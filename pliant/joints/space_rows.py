"""Joint rows in space: value, gradient (12) and Hessian (lower triangle of 12 x 12, 78) in the exponential chart.

Unknowns of a row are the increments ``(x_a, theta_a, x_b, theta_b)`` of two nodes, points in global axes, rotations in
the nodes' own. With ``R exp(theta) d = R (d + theta x d + theta x (theta x d) / 2 + ...)``,

    (m . R exp(theta) d)_theta = d x R^T m,     (m . R exp(theta) d)_thetatheta = S(R^T m, d)
    S(m, d) = (m d^T + d m^T) / 2 - (m . d) I
"""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from pliant._jit import kernel
from pliant.kernels.marker import COINCIDENT
from pliant.kernels.so3 import Four, rotate, rotate_back
from pliant.kernels.tensors import Vector, cross, dot

XA, TA, XB, TB = 0, 3, 6, 9


@kernel
def place(i: int, j: int) -> int:
    """Where entry (i, j), i >= j, of a lower triangle is stored."""
    return i * (i + 1) // 2 + j


@kernel
def put(jacobian: np.ndarray, i: int, v: Vector) -> None:
    """Vector numbers of the gradient."""
    jacobian[i], jacobian[i + 1], jacobian[i + 2] = v


@kernel
def add_symmetric(hessian: np.ndarray, i: int, m: Vector, d: Vector, sign: float) -> None:
    """Diagonal block i of the Hessian += sign S(m, d)."""
    inner = dot(m, d)
    for a in range(3):
        for b in range(a + 1):
            value = 0.5 * (m[a] * d[b] + d[a] * m[b])
            hessian[place(i + a, i + b)] += sign * (value - inner if a == b else value)


@kernel
def add_column(hessian: np.ndarray, i: int, j: int, column: Vector, sign: float) -> None:
    """Entries (i, j), (i, j + 1), (i, j + 2) of the Hessian, below the diagonal, += sign column."""
    for b in range(3):
        hessian[place(i, j + b)] += sign * column[b]


@kernel
def unit(k: int) -> Vector:
    """Unit vector k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@kernel
def between(q: np.ndarray, dofs: np.ndarray, pa: Four, pb: Four, da: Vector, db: Vector) -> Vector:
    """D = r_b - r_a, from marker to marker."""
    a, b = rotate(pa, da), rotate(pb, db)
    return (
        q[dofs[6]] + b[0] - q[dofs[0]] - a[0],
        q[dofs[7]] + b[1] - q[dofs[1]] - a[1],
        q[dofs[8]] + b[2] - q[dofs[2]] - a[2],
    )


@kernel
def point(
    q: np.ndarray,
    dofs: np.ndarray,
    pa: Four,
    pb: Four,
    da: Vector,
    db: Vector,
    n: Vector,
    jac: np.ndarray,
    hes: np.ndarray,
) -> float:
    """n . D with n fixed in space."""
    ma, mb = rotate_back(pa, n), rotate_back(pb, n)
    put(jac, XA, (-n[0], -n[1], -n[2]))
    put(jac, XB, n)
    put(jac, TA, cross(ma, da))
    put(jac, TB, cross(db, mb))
    add_symmetric(hes, TA, ma, da, -1.0)
    add_symmetric(hes, TB, mb, db, 1.0)
    return dot(n, between(q, dofs, pa, pb, da, db))


@kernel
def turning_point(
    q: np.ndarray,
    dofs: np.ndarray,
    pa: Four,
    pb: Four,
    da: Vector,
    db: Vector,
    n: Vector,
    jac: np.ndarray,
    hes: np.ndarray,
) -> float:
    """n . D with n fixed to node a: ``n . y - n . d_a`` with ``y = R_a^T (r_b - x_a)``."""
    out = rotate(pa, n)
    y = rotate_back(pa, between(q, dofs, pa, pb, (0.0, 0.0, 0.0), db))
    mb = rotate_back(pb, out)
    put(jac, XA, (-out[0], -out[1], -out[2]))
    put(jac, XB, out)
    put(jac, TA, cross(n, y))
    put(jac, TB, cross(db, mb))
    add_symmetric(hes, TA, y, n, 1.0)
    add_symmetric(hes, TB, mb, db, 1.0)
    for k in range(3):
        moved = cross(n, rotate_back(pa, unit(k)))  # theta_a . (n x R_a^T dx)
        for a in range(3):
            hes[place(TA + a, XA + k)] -= moved[a]
        add_column(hes, XB + k, TA, moved, 1.0)
        swung = cross(n, rotate_back(pa, rotate(pb, cross(unit(k), db))))
        add_column(hes, TB + k, TA, swung, 1.0)
    return dot(n, y) - dot(n, da)


@kernel
def parallel(pa: Four, pb: Four, ea: Vector, eb: Vector, jac: np.ndarray, hes: np.ndarray) -> float:
    """e_a . e_b of two directions fixed to the nodes: the cosine of the angle between them."""
    seen = rotate_back(pa, rotate(pb, eb))
    back = rotate_back(pb, rotate(pa, ea))
    put(jac, XA, (0.0, 0.0, 0.0))
    put(jac, XB, (0.0, 0.0, 0.0))
    put(jac, TA, cross(ea, seen))
    put(jac, TB, cross(eb, back))
    add_symmetric(hes, TA, seen, ea, 1.0)
    add_symmetric(hes, TB, back, eb, 1.0)
    for k in range(3):
        add_column(hes, TB + k, TA, cross(ea, rotate_back(pa, rotate(pb, cross(unit(k), eb)))), 1.0)
    return dot(ea, seen)


@kernel
def heading(x: Vector, y: Vector, angle: float) -> Vector:
    """The axis y of a pair (x, y) that has turned by an angle about x x y."""
    c, s = cos(angle), sin(angle)
    return c * y[0] - s * x[0], c * y[1] - s * x[1], c * y[2] - s * x[2]


@kernel
def distance(
    q: np.ndarray, dofs: np.ndarray, pa: Four, pb: Four, da: Vector, db: Vector, jac: np.ndarray, hes: np.ndarray
) -> float:
    """l = |D|; ``l_qq = (D_q^T D_q - l_q^T l_q) / l + e . D_qq`` with e = D / l."""
    x, y, z = between(q, dofs, pa, pb, da, db)
    length = sqrt(x * x + y * y + z * z)
    e = (x / length, y / length, z / length) if length > COINCIDENT else (1.0, 0.0, 0.0)
    length = max(length, COINCIDENT)
    point(q, dofs, pa, pb, da, db, e, jac, hes)
    for i in range(12):
        for j in range(i + 1):
            hes[place(i, j)] += (dot(swing(pa, pb, da, db, i), swing(pa, pb, da, db, j)) - jac[i] * jac[j]) / length
    return length


@kernel
def swing(pa: Four, pb: Four, da: Vector, db: Vector, i: int) -> Vector:
    """Derivative of D with respect to unknown i."""
    if i < TA:
        x = unit(i)
        return -x[0], -x[1], -x[2]
    if i < XB:
        return rotate(pa, cross(da, unit(i - TA)))
    if i < TB:
        return unit(i - XB)
    return rotate(pb, cross(unit(i - TB), db))
