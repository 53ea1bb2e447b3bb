"""Straight lines between two markers: the kernels that springs and tendons share.

With ``e`` the unit vector from a to b, ``t`` across it and ``D = d(r_b - r_a)/dq``, the length l has the gradient
``J = e D`` and the Hessian ``(t D)^T (t D) / l + diag(bends)``, in the freedoms (x y theta)_a (x y theta)_b.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.marker import COINCIDENT, arm
from pliant.kernels.sums import Along, Into

Six = tuple[float, float, float, float, float, float]


class Chord(NamedTuple):
    """Length of a line, its gradient ``e D``, ``t D``, and the Hessian of the rotating arms of a and b."""

    length: float
    gradient: Six
    across: Six
    bend_a: float
    bend_b: float


@kernel
def chord(q: np.ndarray, dofs: np.ndarray, offsets: np.ndarray) -> Chord:
    """Return the line between the markers of the first six freedoms; of any direction if the markers coincide."""
    pax, pay = arm(q[dofs[2]], offsets[0], offsets[1])
    pbx, pby = arm(q[dofs[5]], offsets[2], offsets[3])
    x = q[dofs[3]] + pbx - q[dofs[0]] - pax
    y = q[dofs[4]] + pby - q[dofs[1]] - pay
    length = sqrt(x * x + y * y)
    if length > COINCIDENT:
        ex, ey = x / length, y / length
    else:  # any direction: a spring without rest length then still has the stiffness k in both
        length, ex, ey = COINCIDENT, 1.0, 0.0
    return Chord(
        length,
        (-ex, -ey, ex * pay - ey * pax, ex, ey, ey * pbx - ex * pby),
        (ey, -ex, -(ey * pay + ex * pax), -ey, ex, ey * pby + ex * pbx),
        ex * pax + ey * pay,
        -(ex * pbx + ey * pby),
    )


@kernel
def along(x: Six, v: np.ndarray, dofs: np.ndarray) -> float:
    """Return the scalar product of a local vector and a global one."""
    first = x[0] * v[dofs[0]] + x[1] * v[dofs[1]] + x[2] * v[dofs[2]]
    return first + x[3] * v[dofs[3]] + x[4] * v[dofs[4]] + x[5] * v[dofs[5]]


@kernel
def turning(line: Chord, v: np.ndarray, dofs: np.ndarray) -> Six:
    """Return Hessian times velocity: the rate of the gradient."""
    x, swing = line.across, along(line.across, v, dofs) / line.length
    bend_a, bend_b = line.bend_a * v[dofs[2]], line.bend_b * v[dofs[5]]
    return x[0] * swing, x[1] * swing, x[2] * swing + bend_a, x[3] * swing, x[4] * swing, x[5] * swing + bend_b


@kernel
def add_line(line: Chord, dofs: np.ndarray, slots: np.ndarray, v: np.ndarray, pull: Along, into: Into) -> None:
    """Add force J to r, and ``stiff J J^T + geometric H + late J (H v)^T`` to the tangent; a's node precedes b's."""
    x, y, n, r, s, w = line.gradient, line.across, 0, into.r, into.s, into.w
    force, geometric, stiff, late = pull
    bow = geometric / line.length
    for i in range(6):
        r[dofs[i]] += force * x[i]
        for j in range(i + 1):
            s[slots[n]] += stiff * x[i] * x[j] + bow * y[i] * y[j]
            n += 1
    s[slots[5]] += geometric * line.bend_a
    s[slots[20]] += geometric * line.bend_b
    if late != 0.0:
        z, n = turning(line, v, dofs), 0
        for i in range(6):
            for j in range(i + 1):
                lower, upper = 0.5 * late * x[i] * z[j], 0.5 * late * x[j] * z[i]
                s[slots[n]] += lower + upper
                w[slots[n]] += lower - upper
                n += 1
