"""Masses of a group of nodes: between their points, and of each about itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant._jit import kernel


@kernel
def without(alpha: float, cc: float, cm: float) -> float:
    """How much of cc alpha M Newton's matrix is better off without, where rigid motion is not damped but the rest is.

    All of it if little, so that rigid motion is right; with x = cc alpha/cm the part 1/(1 + x), with which Newton
    converges however large x is. Nothing for cm = 0: then it is the damping matrix itself that is asked for.
    """
    return cc * alpha * cm / (cm + cc * alpha) if cm > 0.0 else 0.0


class Masses(NamedTuple):
    """A mass matrix that couples points along each axis alike, and sections, but not points with sections."""

    points: Any  # (n, n) sparse
    sections: Any  # (n k, n k) sparse, k = 1 in the plane, 3 in space
    plain: bool  # whether that is all

    @classmethod
    def of(cls, matrix: Any, width: int) -> Masses:
        """Of the mass matrix (sparse) of nodes with 3 or 6 freedoms."""
        from scipy import sparse

        M, axes = sparse.csr_matrix(matrix).tocoo(), 2 if width == 3 else 3
        nodes, turns, value = M.shape[0] // width, width - axes, M.data
        (i, row), (j, column) = divmod(M.row.astype(int), width), divmod(M.col.astype(int), width)

        def part(mine: np.ndarray, row: np.ndarray, column: np.ndarray, size: int) -> Any:
            return sparse.csr_matrix((value[mine], (row[mine], column[mine])), shape=(size, size))

        turning, along = (row >= axes) & (column >= axes), (row < axes) & (row == column)
        axis = [part(along & (row == k), i, j, nodes) for k in range(axes)]
        sections = part(turning, turns * i + row - axes, turns * j + column - axes, turns * nodes)
        left = [np.abs(value[~turning & ~along]), *(np.abs((each - axis[0]).data) for each in axis[1:])]
        most = max(float(np.max(each, initial=0.0)) for each in left)
        return cls(axis[0], sections, bool(most <= 1e-12 * np.max(np.abs(value), initial=0.0)))


class Bonds(NamedTuple):
    """Masses m_ij of groups of points, one after the other."""

    share: np.ndarray  # (n) sum of a row
    own: np.ndarray  # (n) m_ii
    starts: np.ndarray  # (groups + 1) uint32, of the pairs
    pair: np.ndarray  # (pairs, 2) uint32, i < j, counted through all groups
    between: np.ndarray  # (pairs) m_ij

    @classmethod
    def of(cls, groups: Sequence[Any]) -> Bonds:
        """Of symmetric matrices (sparse)."""
        shares, owns, pairs, between = [np.zeros(0)], [np.zeros(0)], [np.zeros((0, 2), int)], [np.zeros(0)]
        starts, first = [0], 0
        for points in groups:
            upper = points.tocoo()
            pick = (upper.col > upper.row) & (upper.data != 0.0)
            shares.append(np.asarray(points.sum(axis=1), float).ravel())
            owns.append(np.asarray(points.diagonal(), float))
            pairs.append(first + np.stack((upper.row[pick], upper.col[pick]), axis=1))
            between.append(upper.data[pick])
            starts.append(starts[-1] + int(pick.sum()))
            first += points.shape[0]
        pair = np.concatenate(pairs).astype(np.uint32)
        share, own, bond = (np.concatenate(each) for each in (shares, owns, between))
        return cls(share, own, np.array(starts, np.uint32), pair, bond)


def is_still(v: np.ndarray, ck: float, cc: float) -> bool:
    """Whether nothing is coupled: forces are linear in v, so that their derivatives by q are zero at rest."""
    return cc == 0.0 and (ck == 0.0 or not np.any(v))
