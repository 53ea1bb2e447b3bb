"""Constraint rows that depend on each other: always (redundant) or at one pose (a dead centre)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from pliant.joints.rows import ANGLE, Rows, jacobian_dense, residual


def redundant(rows: Rows, q: np.ndarray, u: np.ndarray, scale: float) -> np.ndarray:
    """Rows that take part in a linear dependence of the constraints, here and a little further along the motion.

    At a dead centre rows depend on each other for an instant only: that is no redundancy.
    """
    m = rows.kind.size
    if m == 0:
        return np.zeros(0, bool)
    here = scaled_jacobian(rows, q, u, scale)
    share = dependent(here)
    if not share.any():
        return share
    units = np.where(np.arange(q.size) % 3 == 2, 1.0, scale)
    move = 0.01 * np.random.default_rng(1).standard_normal(q.size) * np.any(here, axis=0)
    move -= np.linalg.pinv(here, rcond=1e-9) @ (here @ move)
    further, gap = q + units * move, np.zeros(m)
    for _ in range(10):
        residual(rows, further, u, gap)
        further -= units * (np.linalg.pinv(scaled_jacobian(rows, further, u, scale), rcond=1e-6) @ (gap / scale))
    return share & dependent(scaled_jacobian(rows, further, u, scale))


def scaled_jacobian(rows: Rows, q: np.ndarray, u: np.ndarray, scale: float) -> np.ndarray:
    """G without units: lengths in length scales, the ground's columns empty."""
    jacobian = np.zeros((rows.kind.size, q.size))
    jacobian_dense(rows, q, u, jacobian)
    jacobian[:, -3:] = 0.0
    jacobian[:, 2::3] /= scale
    jacobian[rows.kind == ANGLE] *= scale
    return jacobian


def dependent(jacobian: np.ndarray) -> np.ndarray:
    """Rows with a share in the left null space."""
    columns = jacobian[:, np.any(jacobian, axis=0)]
    if not columns.size:
        return np.ones(len(jacobian), bool)
    basis, triangle, _ = qr(columns, pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.sum(diagonal > 1e-8 * diagonal[0]))
    return np.any(np.abs(basis[:, rank:]) > 1e-6, axis=1)
