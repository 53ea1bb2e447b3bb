"""Rows of joints in space, for the fundamental equation."""

from __future__ import annotations

import numpy as np

from pliant.jit import lazy_kernel
from pliant.joints.rows import Rows
from pliant.joints.rows.spatial import FREEDOMS, ends, gradient, shifts, slope, spins, turns
from pliant.joints.rows.targets import nearest
from pliant.kernels.measures import DISTANCE, TURNING
from pliant.kernels.measures import spatial as measures
from pliant.kernels.triples import dot


@lazy_kernel
def constrain(
    rows: Rows,
    q: np.ndarray,
    v: np.ndarray,
    jacobians: np.ndarray,
    gap: np.ndarray,
    speed: np.ndarray,
    target: np.ndarray,
) -> None:
    """Write A of every term; add the terms to g, g' and b of their rows."""
    for t in range(rows.row.size):
        k, c, kind, n = rows.row[t], rows.factor[t], rows.kind[t], rows.direction[t]
        at = ends(rows, t, q)
        x, (moved, a, b) = slope(kind, at, n), spins(rows.dofs[t], v)
        jacobian = gradient(x)
        for i in range(FREEDOMS):
            jacobians[t, i] = c * jacobian[i]
        bent = measures.turning_curvature(turns(kind, at, n), a, b)
        if kind in (TURNING, DISTANCE):
            bent += measures.shifting_curvature(shifts(kind, at, n), moved, a, b)
        gap[k] += c * x.value
        speed[k] += c * (dot(x.n, moved) + dot(x.a, a) + dot(x.b, b))
        target[k] -= c * bent
    for k in range(rows.offset.size):
        gap[k] = nearest(rows.period[k], gap[k])
