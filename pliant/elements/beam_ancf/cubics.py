"""Cubics between two nodes of an ANCF cable, from the coordinates of the nodes.

Node i has (x, y, theta) and the stretch l: the classical slope vector is ``p = l d``, ``d = (cos theta, sin theta)``,
``n`` its normal. With ``z = (r_1, p_1, r_2, p_2)`` and Hermite's shapes S_k the axis is ``r = sum S_k z_k``, as in A.A.
Shabana's absolute nodal coordinates; the stretch and the direction are polar coordinates of the slope vector, so that
joints and moments act on theta. So ``p' = l' d + l theta' n`` and

    p'' = l'' d + l theta'' n + 2 l' theta' n - l theta'^2 d
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.jit import kernel
from pliant.kernels.circle import cos_sin

ANGLE, STRETCH = np.array([2, 5], np.uint32), np.array([6, 7], np.uint32)  # of the two nodes, among the freedoms
POINT = np.array([0, 3], np.uint32)


def shapes(x: np.ndarray, length: Any) -> np.ndarray:
    """Return (3, points, 4) S_k, and its first and second derivatives by the arc, at x from 0 to 1.

    >>> shapes(np.array([1.0]), 2.0)[0].tolist(), shapes(np.array([1.0]), 2.0)[1].tolist()
    ([[0.0, 0.0, 1.0, 0.0]], [[0.0, 0.0, 0.0, 1.0]])
    """
    L, one = length, np.ones_like(x)
    value = [1 - 3 * x**2 + 2 * x**3, L * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, L * (x**3 - x**2)]
    slope = [6 * (x**2 - x) / L, 1 - 4 * x + 3 * x**2, 6 * (x - x**2) / L, 3 * x**2 - 2 * x]
    bend = [(12 * x - 6) / L**2, (6 * x - 4) / L, (6 - 12 * x) / L**2, (6 * x - 2) / L]
    return np.array([[one * each for each in row] for row in (value, slope, bend)]).swapaxes(1, 2)


@kernel
def place(dofs: np.ndarray, e: int, q: np.ndarray, z: np.ndarray) -> None:
    """Write z of element e."""
    for i in range(2):
        c, s = cos_sin(q[dofs[e, ANGLE[i]]])
        stretch, point = q[dofs[e, STRETCH[i]]], POINT[i]
        z[2 * i, 0], z[2 * i, 1] = q[dofs[e, point]], q[dofs[e, point + 1]]
        z[2 * i + 1, 0], z[2 * i + 1, 1] = stretch * c, stretch * s


@kernel
def velocity(dofs: np.ndarray, e: int, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> None:
    """Write z' of element e."""
    for i in range(2):
        angle, stretch, point = dofs[e, ANGLE[i]], dofs[e, STRETCH[i]], POINT[i]
        c, s = cos_sin(q[angle])
        along, across = v[stretch], q[stretch] * v[angle]
        z[2 * i, 0], z[2 * i, 1] = v[dofs[e, point]], v[dofs[e, point + 1]]
        z[2 * i + 1, 0], z[2 * i + 1, 1] = c * along - s * across, s * along + c * across


@kernel
def acceleration(dofs: np.ndarray, e: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, z: np.ndarray) -> None:
    """Write z'' of element e."""
    for i in range(2):
        angle, stretch, point = dofs[e, ANGLE[i]], dofs[e, STRETCH[i]], POINT[i]
        c, s = cos_sin(q[angle])
        along = a[stretch] - q[stretch] * v[angle] * v[angle]
        across = q[stretch] * a[angle] + 2.0 * v[stretch] * v[angle]
        z[2 * i, 0], z[2 * i, 1] = a[dofs[e, point]], a[dofs[e, point + 1]]
        z[2 * i + 1, 0], z[2 * i + 1, 1] = c * along - s * across, s * along + c * across


@kernel
def pull_back(dofs: np.ndarray, e: int, q: np.ndarray, force: np.ndarray, r: np.ndarray) -> None:
    """Add (dz/dq)^T force of element e to r."""
    for i in range(2):
        angle, stretch, point = dofs[e, ANGLE[i]], dofs[e, STRETCH[i]], POINT[i]
        c, s = cos_sin(q[angle])
        fx, fy = force[2 * i + 1, 0], force[2 * i + 1, 1]
        r[dofs[e, point]] += force[2 * i, 0]
        r[dofs[e, point + 1]] += force[2 * i, 1]
        r[angle] += q[stretch] * (c * fy - s * fx)
        r[stretch] += c * fx + s * fy
