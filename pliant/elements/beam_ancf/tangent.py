"""Tangent of an ANCF cable: from the coordinates z of `cubics` to the coordinates of its nodes.

With ``P = dz/dq``, ``z' = P v``, ``z'' = P a + P' v`` and the forces ``f(z, z') + m z''``, pulled back by ``P^T``,

    ck K + cc C + cm M  =  P^T (H P + m Y)  +  ck f_k . d2z_k/dq2,      Y = cm P + 2 cc P' + ck dz''/dq

where H holds the elastic and viscous part. It is symmetric at rest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.circle import cos_sin
from pliant.kernels.sums import Instant, Into

ORDER = np.array([0, 1, 2, 6, 3, 4, 5, 7], np.uint32)  # places of (r_1, theta_1, l_1, r_2, theta_2, l_2)


class Rates(NamedTuple):
    """An instant, and the factors of stiffness, damping, mass and the mass that alpha damps."""

    now: Instant
    ck: float
    cc: float
    cm: float
    dragged: float


@kernel
def columns(x: float, y: float, along: float, across: float) -> tuple[float, float]:
    """Return along d + across n, with d = (x, y)."""
    return x * along - y * across, y * along + x * across


@kernel
def add_matrix(
    part: Any, e: int, of: Rates, f: np.ndarray, H: np.ndarray, D: np.ndarray, T: np.ndarray, into: Into
) -> None:
    """Add the tangent of element e to s and w; D and T are scratch."""
    now, ck, cc, cm = of.now, of.ck, of.cc, of.cm
    q, v, a, dofs = now.q, now.v, now.a, part.dofs
    for i in range(2):  # D = H P + m Y, column by column
        angle, stretch = dofs[e, 2 + 3 * i], dofs[e, 6 + i]
        c, s = cos_sin(q[angle])
        l, spin, rate, turning = q[stretch], v[angle], v[stretch], a[angle]
        px, py = columns(c, s, 0.0, l)  # by the angle
        yx, yy = columns(
            c,
            s,
            -2.0 * cc * l * spin - ck * (l * turning + 2.0 * rate * spin),
            cm * l + 2.0 * cc * rate + ck * (a[stretch] - l * spin * spin),
        )
        gx, gy = columns(c, s, cm - ck * spin * spin, 2.0 * cc * spin + ck * turning)  # by the stretch
        k = 2 * i
        for row in range(8):
            m0, m1, x = part.mass[e, row // 2, k], part.mass[e, row // 2, k + 1], row % 2
            D[row, 4 * i] = H[row, 2 * k] + (cm * m0 if x == 0 else 0.0)
            D[row, 4 * i + 1] = H[row, 2 * k + 1] + (cm * m0 if x == 1 else 0.0)
            hx, hy = H[row, 2 * k + 2], H[row, 2 * k + 3]
            D[row, 4 * i + 2] = hx * px + hy * py + m1 * (yx if x == 0 else yy)
            D[row, 4 * i + 3] = hx * c + hy * s + m1 * (gx if x == 0 else gy)
    for i in range(2):  # T = P^T D and the curvature of the coordinates
        angle, stretch = dofs[e, 2 + 3 * i], dofs[e, 6 + i]
        c, s = cos_sin(q[angle])
        l, k = q[stretch], 4 * i
        for column in range(8):
            T[k, column], T[k + 1, column] = D[k, column], D[k + 1, column]
            x, y = D[k + 2, column], D[k + 3, column]
            T[k + 2, column], T[k + 3, column] = l * (c * y - s * x), c * x + s * y
        fx, fy = f[2 * i + 1, 0], f[2 * i + 1, 1]
        T[k + 2, k + 2] -= ck * l * (c * fx + s * fy)
        T[k + 2, k + 3] += ck * (c * fy - s * fx)
        T[k + 3, k + 2] += ck * (c * fy - s * fx)
    store(part, e, cm, of.dragged, T, into)


@kernel
def store(part: Any, e: int, cm: float, dragged: float, T: np.ndarray, into: Into) -> None:
    """Add T, the rotary inertia and the alpha damping to their places."""
    slots, inertia = part.slots[e], part.inertia[e]
    for m in range(8):
        i = ORDER[m]
        for n in range(8):
            j = ORDER[n]
            if i >= j:
                slot = slots[i * (i + 1) // 2 + j]
                into.s[slot] += 0.5 * (T[m, n] + T[n, m])
                if i > j:
                    into.w[slot] += 0.5 * (T[m, n] - T[n, m])
    for i in range(3):
        k = i // 2 * 3
        factor = dragged + (cm if i == 2 else 0.0)
        j = i + 3
        into.s[slots[i * (i + 1) // 2 + i]] += factor * inertia[k]
        into.s[slots[j * (j + 1) // 2 + j]] += factor * inertia[k + 1]
        into.s[slots[j * (j + 1) // 2 + i]] += factor * inertia[k + 2]
