"""Constraint rows that depend on each other: always (redundant) or at one pose (a dead centre)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from pliant.joints.rows import Rows, angular, jacobian_dense, residual
from pliant.system.space import Space


def redundant(rows: Rows, q: np.ndarray, u: np.ndarray, scale: float, space: Space, freedoms: int) -> np.ndarray:
    """Rows that take part in a linear dependence of the constraints, here and a little further along the motion.

    At a dead centre rows depend on each other for an instant only: that is no redundancy.
    """
    if rows.offset.size == 0:
        return np.zeros(0, bool)
    here = scaled_jacobian(rows, q, u, scale, space, freedoms)
    share = dependent(here)
    if not share.any():
        return share
    there = further(rows, q, u, scale, space, freedoms)
    return share & dependent(scaled_jacobian(rows, there, u, scale, space, freedoms))


def further(rows: Rows, q: np.ndarray, u: np.ndarray, scale: float, space: Space, freedoms: int) -> np.ndarray:
    """A pose a little further along some motion that the joints allow: by a hundredth of a length, or radian."""
    here = scaled_jacobian(rows, q, u, scale, space, freedoms)
    units = np.where(space.angular(freedoms), 1.0, scale)
    move = 0.01 * np.random.default_rng(1).standard_normal(freedoms) * np.any(here, axis=0)
    move -= np.linalg.pinv(here, rcond=1e-9) @ (here @ move)
    moved, gap = space.move(q, units * move), np.zeros(rows.offset.size)
    unit = np.where(angular(rows), 1.0, scale)
    for _ in range(10):
        residual(rows, moved, u, gap)
        there = scaled_jacobian(rows, moved, u, scale, space, freedoms)
        moved = space.move(moved, -units * (np.linalg.pinv(there, rcond=1e-6) @ (gap / unit)))
    return moved


def scaled_jacobian(rows: Rows, q: np.ndarray, u: np.ndarray, scale: float, space: Space, freedoms: int) -> np.ndarray:
    """G without units, in the freedoms of the moving nodes: lengths in length scales."""
    whole = np.zeros((rows.offset.size, q.size))
    jacobian_dense(rows, q, u, whole)
    jacobian = whole[:, :freedoms]
    jacobian[:, space.angular(freedoms)] /= scale
    jacobian[angular(rows)] *= scale
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
