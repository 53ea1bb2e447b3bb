"""Constraint rows that depend on each other: always (redundant) or in one pose (a dead centre).

Dependences occur only in loops (linalg/sparse_rank.py); their matrices are small and dense here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.joints.rows import Rows, angular, chosen, entries, residual
from pliant.linalg.sparse_rank import Entries, in_loops, independent
from pliant.system.numbering.space import Space


def redundant_rows(rows: Rows, q: np.ndarray, u: np.ndarray, scale: float, space: Space, freedoms: int) -> np.ndarray:
    """Return rows in a linear dependence of the constraints, both here and a little further along the motion.

    A dead centre, where rows depend on each other only for an instant, is not a redundancy. Rows outside of loops can
    always be satisfied: a motion that the loops allow is a motion of the mechanism.
    """
    found = in_loops(scaled_entries(rows, q, scale, space, freedoms))
    if not found.any():
        return found
    loops = chosen(rows, found)
    share = dependent(scaled_jacobian(loops, q, scale, space, freedoms))
    if share.any():
        there = pose_further(loops, q, u, scale, space, freedoms)
        share &= dependent(scaled_jacobian(loops, there, scale, space, freedoms))
    found[found] = share
    return found


def pose_further(rows: Rows, q: np.ndarray, u: np.ndarray, scale: float, space: Space, freedoms: int) -> np.ndarray:
    """Return a pose further along a motion that the joints allow, by a hundredth of a length or radian."""
    here = scaled_jacobian(rows, q, scale, space, freedoms)
    touched = np.unique(here.indices)
    units = np.where(space.angular(freedoms), 1.0, scale)[touched]
    move = 0.01 * np.random.default_rng(1).standard_normal(freedoms)[touched]
    dense = here[:, touched].toarray()
    move -= np.linalg.pinv(dense, rcond=1e-9) @ (dense @ move)
    moved, gap = q, np.zeros(rows.offset.size)
    unit = np.where(angular(rows), 1.0, scale)
    for _ in range(11):
        step = np.zeros(freedoms)
        step[touched] = units * move
        moved = space.move(moved, step)
        residual(rows, moved, u, gap)
        there = scaled_jacobian(rows, moved, scale, space, freedoms)[:, touched].toarray()
        move = -np.linalg.pinv(there, rcond=1e-6) @ (gap / unit)
    return moved


def degrees(system: Any) -> int:
    """Return the degrees of freedom left by the joints, in the assembled pose or, if a dead centre, beside it."""
    q, n, rows = system.initial, system.freedoms, system.equations.rows
    if not system.constraints:
        return int(n)
    there = pose_further(rows, q, system.signals(np.zeros(1))[0], system.length_scale, system.space, n)
    found = (scaled_jacobian(rows, each, system.length_scale, system.space, n) for each in (q, there))
    return int(min(n - independent(each).size for each in found))


def scaled_entries(rows: Rows, q: np.ndarray, scale: float, space: Space, freedoms: int) -> Entries:
    """Return G without units, in the freedoms of the moving nodes: lengths in length scales. Entries that are zero only
    in this pose are included.
    """
    found = entries(rows, q, freedoms)
    row_of = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    found.data[:] *= np.where(space.angular(freedoms), 1.0 / scale, 1.0)[found.indices]
    found.data[:] *= np.where(angular(rows), scale, 1.0)[row_of]
    return found


def scaled_jacobian(rows: Rows, q: np.ndarray, scale: float, space: Space, freedoms: int) -> sparse.csr_array:
    """Return G without units as a scipy matrix."""
    *arrays, shape = scaled_entries(rows, q, scale, space, freedoms)
    return sparse.csr_array(tuple(arrays), shape=shape)


def dependent(matrix: sparse.csr_array) -> np.ndarray:
    """Return the rows with a share in the left null space."""
    columns = matrix[:, np.unique(matrix.indices[matrix.data != 0.0])].toarray()
    if not columns.size:
        return np.ones(matrix.shape[0], bool)
    basis, triangle, _ = dense.qr(columns, pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.sum(diagonal > 1e-8 * diagonal[0]))
    return np.any(np.abs(basis[:, rank:]) > 1e-6, axis=1)
