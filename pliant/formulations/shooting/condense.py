"""A subinterval as a two-port: elimination of its unknown base forces, so that only the places of its ends remain.

A march from (p, f) arrives at (P, F); its derivative has the blocks ``A = P_p, B = P_f, C = F_p, D = F_f``. Continuity
requires P at the next node's place p', so Newton's step gives ``df = B^-1 (gap + dp' - A dp)`` with ``gap = p' - P``,
and the equilibrium of the two nodes receives

    r  -= f + B^-1 gap            [ B^-1 A           -B^-1  ]
    r' += F + D B^-1 gap      K = [ C - D B^-1 A     D B^-1 ]

which is exact Newton on all unknowns of multiple shooting, and stable: there are no products over subintervals. K is
symmetric up to the error of the Runge-Kutta method (and follower loads).
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from pliant.elements.rod_ivp import feeding_in_plane
from pliant.elements.rod_ivp.march import March, MarchStart, Rods, differences, march
from pliant.jit import kernel
from pliant.kernels.runge_kutta import Table
from pliant.kernels.tensors import Matrix

VARIATIONAL, DIFFERENCES, FROZEN = 0, 1, 2  # source of the derivative of a march
JOINED = 1e-6  # widest gaps before the last step of Newton, in lengths of the model and radians; the step squares them


@kernel
def shoot(
    rods: Rods, table: Table, begin: MarchStart, c0: float, c1: float, way: int, small: np.ndarray, work: March
) -> None:
    """March all subintervals from their nodes."""
    feeding_in_plane.lengthen(rods, begin.q, work)
    for e in range(rods.rod.size):
        for i in range(3):
            work.begin[e, i] = begin.q[rods.dofs[e, i]]
            work.begin[e, i + 3] = begin.force[e, i]
        if way == DIFFERENCES:
            differences(rods, table, e, c0, c1, small, work)
        else:
            march(rods, table, e, c0, c1, 0.0, way == VARIATIONAL, work)
        for i in range(3):
            work.gap[e, i] = begin.q[rods.dofs[e, i + 3]] - work.arrive[e, i]


@kernel
def widest_gap(rods: Rods, weight: np.ndarray, work: March) -> float:
    """Return the largest gap between subintervals as shot, in lengths of the model and radians; NaN is passed on."""
    widest = 0.0
    for e in range(rods.rod.size):
        for i in range(3):
            gap = abs(work.gap[e, i]) * weight[i]
            if not gap <= widest:
                widest = gap
    return widest


@kernel
def add(rods: Rods, work: March, r: np.ndarray, s: np.ndarray, w: np.ndarray) -> None:
    """Add forces and stiffness of all subintervals, after shooting."""
    dofs, slots = rods.dofs, rods.slots
    K = work.x[0]
    for e in range(rods.rod.size):
        X, inverse, gap = work.transfer[e], work.inverse[e], work.gap[e]
        soft, c, t = rods.softness[e], cos(work.begin[e, 2]), sin(work.begin[e, 2])
        flexibility = (
            X[0, 3] + soft * c * c, X[0, 4] + soft * c * t, X[0, 5],
            X[1, 3] + soft * c * t, X[1, 4] + soft * t * t, X[1, 5],
            X[2, 3], X[2, 4], X[2, 5],
        )  # fmt: skip
        invert(flexibility, inverse)
        for i in range(3):
            pull = 0.0
            for j in range(3):
                pull += inverse[i, j] * gap[j]
                K[i, j + 3] = -inverse[i, j]
                K[i, j] = inverse[i, 0] * X[0, j] + inverse[i, 1] * X[1, j] + inverse[i, 2] * X[2, j]
            work.trial[e, i] = pull
            r[dofs[e, i]] -= work.begin[e, i + 3] + pull
        for i in range(3):
            D0, D1, D2 = X[i + 3, 3], X[i + 3, 4], X[i + 3, 5]
            r[dofs[e, i + 3]] += work.arrive[e, i + 3]
            r[dofs[e, i + 3]] += D0 * work.trial[e, 0] + D1 * work.trial[e, 1] + D2 * work.trial[e, 2]
            for j in range(3):
                K[i + 3, j + 3] = D0 * inverse[0, j] + D1 * inverse[1, j] + D2 * inverse[2, j]
                K[i + 3, j] = X[i + 3, j] - D0 * K[0, j] - D1 * K[1, j] - D2 * K[2, j]
        n = 0
        for i in range(6):
            for j in range(i + 1):
                s[slots[e, n]] += 0.5 * (K[i, j] + K[j, i])
                w[slots[e, n]] += 0.5 * (K[i, j] - K[j, i])
                n += 1
        if rods.feed[e] > 0:
            feeding_in_plane.push(rods, e, K, work, r, s, w)


@kernel
def invert(matrix: Matrix, out: np.ndarray) -> None:
    """Write the inverse of a matrix (a b c; d e f; g h i)."""
    a, b, c, d, e, f, g, h, i = matrix
    A, B, C = e * i - f * h, f * g - d * i, d * h - e * g
    one = 1.0 / (a * A + b * B + c * C)
    out[0, 0], out[0, 1], out[0, 2] = one * A, one * (c * h - b * i), one * (b * f - c * e)
    out[1, 0], out[1, 1], out[1, 2] = one * B, one * (a * i - c * g), one * (c * d - a * f)
    out[2, 0], out[2, 1], out[2, 2] = one * C, one * (b * g - a * h), one * (a * e - b * d)


@kernel
def follow(rods: Rods, work: March, dq: np.ndarray, scale: float, force: np.ndarray) -> float:
    """Move the base forces by the nodes' step dq. Returns the remaining error of an axis made soft for Newton's matrix,
    m.
    """
    dofs, off = rods.dofs, 0.0
    for e in range(rods.rod.size):
        X, inverse = work.transfer[e], work.inverse[e]
        longer = feeding_in_plane.change(rods, e, dq, work) if rods.feed[e] > 0 else 0.0
        for i in range(3):
            X0, X1, X2 = X[i, 0], X[i, 1], X[i, 2]
            moved = X0 * dq[dofs[e, 0]] + X1 * dq[dofs[e, 1]] + X2 * dq[dofs[e, 2]]
            work.trial[e, i] = work.gap[e, i] + dq[dofs[e, i + 3]] - moved - longer * work.passed[e, i]
        pull = 0.0
        for i in range(3):
            df = 0.0
            for j in range(3):
                df += inverse[i, j] * work.trial[e, j]
            force[e, i] += scale * df
            if i < 2:
                pull += df * (cos(work.begin[e, 2]) if i == 0 else sin(work.begin[e, 2]))
        off = max(off, rods.softness[e] * abs(pull))
    return off
