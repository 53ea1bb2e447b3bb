"""Add forces, tangent and mass of translation-invariant planar elements with two nodes to global arrays.

Such an element depends on ``d = x2 - x1`` and the two angles. With the force ``F = W_d`` and the moments ``m1, m2``,

    f = (-F, m1, F, m2)

            | A         -b1   -A        -b2 |
    K  =    |           h11    b1^T     h21 |      A = F_d (2 x 2),  b_i = F_theta_i,  h_ij = m_i,theta_j
            |                  A         b2 |
            | symmetric                 h22 |

The mass matrix couples equal freedoms only: ``inertia`` is (first, second, across) of mass, then of rotary inertia, for
the two ends and their coupling.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import inlined_kernel, kernel

Two = tuple[float, float]


@kernel
def add_pair_force(r: np.ndarray, dofs: np.ndarray, e: int, fx: float, fy: float, m1: float, m2: float) -> None:
    """Add (-F, m1, F, m2) of element e to r."""
    r[dofs[e, 0]] -= fx
    r[dofs[e, 1]] -= fy
    r[dofs[e, 2]] += m1
    r[dofs[e, 3]] += fx
    r[dofs[e, 4]] += fy
    r[dofs[e, 5]] += m2


@kernel
def add_pair_inertia(
    r: np.ndarray, dofs: np.ndarray, e: int, inertia: np.ndarray, factor: float, a: np.ndarray
) -> None:
    """Add factor M a of element e to r."""
    for i in range(3):
        k = i // 2 * 3
        one, two, across = inertia[e, k], inertia[e, k + 1], inertia[e, k + 2]
        first, second = factor * a[dofs[e, i]], factor * a[dofs[e, i + 3]]
        r[dofs[e, i]] += one * first + across * second
        r[dofs[e, i + 3]] += two * second + across * first


@kernel
def pair_inertia_form(dofs: np.ndarray, e: int, inertia: np.ndarray, v: np.ndarray) -> float:
    """Return v^T M v of element e."""
    total = 0.0
    for i in range(3):
        k = i // 2 * 3
        one, two, across = inertia[e, k], inertia[e, k + 1], inertia[e, k + 2]
        first, second = v[dofs[e, i]], v[dofs[e, i + 3]]
        total += one * first * first + two * second * second + 2.0 * across * first * second
    return total


@kernel
def add_pair_tangent(
    s: np.ndarray, slots: np.ndarray, e: int, A: tuple[float, float, float], b: tuple[Two, Two],
    h: tuple[float, float, float], mass: tuple[float, ...], rotary: tuple[float, ...],
) -> None:  # fmt: skip
    """Add the tangent of element e to s: A as (xx, yx, yy), b of both ends, h as (11, 21, 22), mass and rotary as
    (first, second, across), or (diagonal, across) for equal ends.
    """
    b1, b2 = b
    s[slots[e, 0]] += A[0] + mass[0]
    s[slots[e, 1]] += A[1]
    s[slots[e, 2]] += A[2] + mass[0]
    s[slots[e, 3]] -= b1[0]
    s[slots[e, 4]] -= b1[1]
    s[slots[e, 5]] += h[0] + rotary[0]
    s[slots[e, 6]] += mass[-1] - A[0]
    s[slots[e, 7]] -= A[1]
    s[slots[e, 8]] += b1[0]
    s[slots[e, 9]] += A[0] + mass[-2]
    s[slots[e, 10]] -= A[1]
    s[slots[e, 11]] += mass[-1] - A[2]
    s[slots[e, 12]] += b1[1]
    s[slots[e, 13]] += A[1]
    s[slots[e, 14]] += A[2] + mass[-2]
    s[slots[e, 15]] -= b2[0]
    s[slots[e, 16]] -= b2[1]
    s[slots[e, 17]] += h[1] + rotary[-1]
    s[slots[e, 18]] += b2[0]
    s[slots[e, 19]] += b2[1]
    s[slots[e, 20]] += h[2] + rotary[-2]


@inlined_kernel
def add_both(
    s: np.ndarray, w: np.ndarray, slot: int, row: int, column: int, diagonal: bool, both: float, skew: float
) -> None:
    """Add the local entries (i, j) = both + skew and (j, i) = both - skew, i >= j, of the given freedoms.

    Two points of one node share its freedoms: their entries then meet on the diagonal and both are added.
    """
    if row == column:
        s[slot] += both if diagonal else 2.0 * both
    else:
        s[slot] += both
        w[slot] += skew if row > column else -skew
