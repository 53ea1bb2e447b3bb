"""Measures in the plane. A node is (x, y, theta), a marker on it is at ``x + p`` with the rotated arm ``p = R d``.

Unknowns are ``(x_a, theta_a, x_b, theta_b)``. With n the derivative of a measure x by the vector between the nodes,

    x_q   =  (-n, a, n, b)

             | A        -by_a  -A        -by_b |
    x_qq  =  |           aa     by_a^T    ba   |
             |                  A         by_b |
             | symmetric                  bb   |

as for any translation-invariant element (kernels/scatter.py). Arms turn by ``p' = (-p_y, p_x)``, ``p'' = -p``.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.marker import COINCIDENT
from pliant.kernels.scatter import add_pair_force, add_pair_tangent

Pair = tuple[float, float]
Three = tuple[float, float, float]

NONE = 0.0, 0.0
FLAT = 0.0, 0.0, 0.0


class Measure(NamedTuple):
    """Value, gradient and Hessian of a measure."""

    value: float
    n: Pair
    a: float
    b: float
    A: Three  # xx, yx, yy
    by_a: Pair
    by_b: Pair
    aa: float
    ba: float
    bb: float


@kernel
def place(D: Pair, pa: Pair, pb: Pair, n: Pair) -> Measure:
    """Return n . D with n fixed in space."""
    return Measure(
        n[0] * D[0] + n[1] * D[1],
        n,
        n[0] * pa[1] - n[1] * pa[0],
        n[1] * pb[0] - n[0] * pb[1],
        FLAT,
        NONE,
        NONE,
        n[0] * pa[0] + n[1] * pa[1],
        0.0,
        -(n[0] * pb[0] + n[1] * pb[1]),
    )


@kernel
def turning_place(D: Pair, pa: Pair, pb: Pair, n: Pair) -> Measure:
    """Return n . D with n fixed to a and given in global axes: ``n' = (-n_y, n_x)``."""
    across = -n[1], n[0]
    fixed = place(D, pa, pb, n)
    return Measure(
        fixed.value,
        n,
        fixed.a + across[0] * D[0] + across[1] * D[1],
        fixed.b,
        FLAT,
        across,
        NONE,
        -fixed.aa - fixed.value,
        -fixed.bb,
        fixed.bb,
    )


@kernel
def distance(D: Pair, pa: Pair, pb: Pair) -> Measure:
    """Return l = |D|: ``e . D`` with the direction e of D, and ``(t . D_q)^T (t . D_q) / l`` with t across e.

    Coinciding points have no direction; any is valid: a spring without rest length then keeps its stiffness.
    """
    length = sqrt(D[0] * D[0] + D[1] * D[1])
    e = (1.0, 0.0)
    if length > COINCIDENT:
        e = D[0] / length, D[1] / length
    else:
        length = COINCIDENT
    straight = place(D, pa, pb, e)
    t = -e[1], e[0]
    by_a, by_b = -(e[0] * pa[0] + e[1] * pa[1]), e[0] * pb[0] + e[1] * pb[1]  # t . D_theta
    f = 1.0 / length
    return Measure(
        length,
        e,
        straight.a,
        straight.b,
        (f * t[0] * t[0], f * t[0] * t[1], f * t[1] * t[1]),
        (f * by_a * t[0], f * by_a * t[1]),
        (f * by_b * t[0], f * by_b * t[1]),
        straight.aa + f * by_a * by_a,
        f * by_a * by_b,
        straight.bb + f * by_b * by_b,
    )


@kernel
def angle(theta_a: float, theta_b: float) -> Measure:
    """Return theta_b - theta_a, without bounds."""
    return Measure(theta_b - theta_a, NONE, -1.0, 1.0, FLAT, NONE, NONE, 0.0, 0.0, 0.0)


@kernel
def add_gradient(x: np.ndarray, places: np.ndarray, e: int, f: float, m: Measure) -> None:
    """Add f times the gradient to x, at the places of row e."""
    add_pair_force(x, places, e, f * m.n[0], f * m.n[1], f * m.a, f * m.b)


@kernel
def add_hessian(s: np.ndarray, slots: np.ndarray, e: int, f: float, stiff: float, m: Measure) -> None:
    """Add f times the Hessian and ``stiff`` times the gradient's square to s, at the places of row e."""
    x, y = stiff * m.n[0], stiff * m.n[1]
    A = f * m.A[0] + x * m.n[0], f * m.A[1] + x * m.n[1], f * m.A[2] + y * m.n[1]
    b1, b2 = (f * m.by_a[0] + x * m.a, f * m.by_a[1] + y * m.a), (f * m.by_b[0] + x * m.b, f * m.by_b[1] + y * m.b)
    h = f * m.aa + stiff * m.a * m.a, f * m.ba + stiff * m.b * m.a, f * m.bb + stiff * m.b * m.b
    add_pair_tangent(s, slots, e, A, (b1, b2), h, NONE, NONE)


@kernel
def add_turns(s: np.ndarray, slots: np.ndarray, e: int, f: float, m: Measure) -> None:
    """Add f times the Hessian of a place along a fixed direction to s, at the places of row e: rotations only."""
    s[slots[e, 5]] += f * m.aa
    s[slots[e, 20]] += f * m.bb


@kernel
def rate(m: Measure, v: np.ndarray, dofs: np.ndarray, e: int) -> float:
    """Return x_q v for the unknowns of row e."""
    across = m.n[0] * (v[dofs[e, 3]] - v[dofs[e, 0]]) + m.n[1] * (v[dofs[e, 4]] - v[dofs[e, 1]])
    return across + m.a * v[dofs[e, 2]] + m.b * v[dofs[e, 5]]


@kernel
def curvature(m: Measure, v: np.ndarray, dofs: np.ndarray, e: int) -> float:
    """Return v . x_qq v for the unknowns of row e."""
    x, y = v[dofs[e, 3]] - v[dofs[e, 0]], v[dofs[e, 4]] - v[dofs[e, 1]]
    a, b = v[dofs[e, 2]], v[dofs[e, 5]]
    moving = m.A[0] * x * x + 2.0 * m.A[1] * x * y + m.A[2] * y * y
    both = x * (m.by_a[0] * a + m.by_b[0] * b) + y * (m.by_a[1] * a + m.by_b[1] * b)
    return moving + 2.0 * both + m.aa * a * a + 2.0 * m.ba * a * b + m.bb * b * b
