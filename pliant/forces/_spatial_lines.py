"""Straight lines between two markers in space: the kernels that springs and tendons share.

With ``D = r_b - r_a``, ``J(u) = u . D_q`` and e, s, t unit vectors along and across it, the length l has the gradient
``J(e)`` and the Hessian ``(J(s) J(s)^T + J(t) J(t)^T) / l + bends``, in (point, spin) of a and of b. The bends of the
arms are ``(m d^T + d m^T)/2 - m.d`` with ``m = R^T e``, for b, and their negative for a.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.dyads import symmetric
from pliant.kernels.marker import COINCIDENT
from pliant.kernels.sums import Along, Into
from pliant.kernels.tensors import Matrix, apply, apply_transposed, scaled, turned
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

Twelve = tuple[float, float, float, float, float, float, float, float, float, float, float, float]


class Chord(NamedTuple):
    """Length of a line, J along and twice across it, and the Hessian of the rotating arms of a and b."""

    length: float
    gradient: Twelve
    across: Twelve
    beside: Twelve
    bend_a: Matrix
    bend_b: Matrix


@kernel
def chord(q: np.ndarray, dofs: np.ndarray, frames: np.ndarray, arms: np.ndarray) -> Chord:
    """Return the line between the markers of the first twelve freedoms; of any direction if the markers coincide."""
    Ra, Rb, da, db = turned(q, frames[0]), turned(q, frames[1]), vector(arms, 0), vector(arms, 3)
    D = plus(minus(vector(q, dofs[6]), vector(q, dofs[0])), minus(apply(Rb, db), apply(Ra, da)))
    length = sqrt(dot(D, D))
    e = 1.0, 0.0, 0.0
    if length > COINCIDENT:
        e = times(1.0 / length, D)
    else:  # any direction: a spring without rest length then still has the stiffness k in all
        length = COINCIDENT
    s = cross(e, (0.0, 0.0, 1.0) if abs(e[2]) < 0.7 else (1.0, 0.0, 0.0))
    s = times(1.0 / sqrt(dot(s, s)), s)
    ma, mb = apply_transposed(Ra, e), apply_transposed(Rb, e)
    return Chord(
        length,
        along_both(Ra, Rb, da, db, e),
        along_both(Ra, Rb, da, db, s),
        along_both(Ra, Rb, da, db, cross(e, s)),
        scaled(-1.0, symmetric(ma, da, -dot(ma, da))),
        symmetric(mb, db, -dot(mb, db)),
    )


@kernel
def along_both(Ra: Matrix, Rb: Matrix, da: Vector, db: Vector, u: Vector) -> Twelve:
    """Return J(u)."""
    a, b = cross(apply_transposed(Ra, u), da), cross(db, apply_transposed(Rb, u))
    return -u[0], -u[1], -u[2], a[0], a[1], a[2], u[0], u[1], u[2], b[0], b[1], b[2]


@kernel
def along(x: Twelve, v: np.ndarray, dofs: np.ndarray) -> float:
    """Return the scalar product of a local vector and a global one."""
    total = 0.0
    for i in range(12):
        total += x[i] * v[dofs[i]]
    return total


@kernel
def turning(line: Chord, v: np.ndarray, dofs: np.ndarray) -> Twelve:
    """Return the change of the length's rate with the coordinates: Hessian times velocity, and half of ``spin x J`` at
    both nodes, as spins are measured in axes that turn.
    """
    x, y, z = line.across, line.beside, line.gradient
    f, g = along(x, v, dofs) / line.length, along(y, v, dofs) / line.length
    one, two = (v[dofs[3]], v[dofs[4]], v[dofs[5]]), (v[dofs[9]], v[dofs[10]], v[dofs[11]])
    a = plus(apply(line.bend_a, one), times(0.5, cross(one, (z[3], z[4], z[5]))))
    b = plus(apply(line.bend_b, two), times(0.5, cross(two, (z[9], z[10], z[11]))))
    return (
        f * x[0] + g * y[0],
        f * x[1] + g * y[1],
        f * x[2] + g * y[2],
        f * x[3] + g * y[3] + a[0],
        f * x[4] + g * y[4] + a[1],
        f * x[5] + g * y[5] + a[2],
        f * x[6] + g * y[6],
        f * x[7] + g * y[7],
        f * x[8] + g * y[8],
        f * x[9] + g * y[9] + b[0],
        f * x[10] + g * y[10] + b[1],
        f * x[11] + g * y[11] + b[2],
    )


@kernel
def bent(line: Chord, i: int, j: int) -> float:
    """Return entry (i, j) of the Hessian, i >= j."""
    value = (line.across[i] * line.across[j] + line.beside[i] * line.beside[j]) / line.length
    if j >= 3 and i < 6:
        value += line.bend_a[3 * i + j - 12]
    elif j >= 9:
        value += line.bend_b[3 * i + j - 36]
    return value


@kernel
def add_line(line: Chord, dofs: np.ndarray, slots: np.ndarray, v: np.ndarray, pull: Along, into: Into) -> None:
    """Add force J to r, and ``stiff J J^T + geometric H + late J turning^T`` to the tangent; a's node precedes b's."""
    x, z, n, r, s, w = line.gradient, turning(line, v, dofs), 0, into.r, into.s, into.w
    force, geometric, stiff, late = pull
    for i in range(12):
        r[dofs[i]] += force * x[i]
        for j in range(i + 1):
            lower, upper = 0.5 * late * x[i] * z[j], 0.5 * late * x[j] * z[i]
            s[slots[n]] += stiff * x[i] * x[j] + geometric * bent(line, i, j) + lower + upper
            w[slots[n]] += lower - upper
            n += 1
