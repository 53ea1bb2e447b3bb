"""Mass matrices of groups of nodes: between their points, and between their sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel


@kernel
def without(alpha: float, cc: float, cm: float) -> float:
    """Return the coefficient of M to subtract from Newton's matrix, with cc alpha, as rigid motion is undamped.

    With x = cc alpha/cm it is cc alpha/(1 + x): nearly all for small x, so that rigid motion is right, and Newton
    converges for any x. Zero for cm = 0, where the damping matrix itself is requested.
    """
    return cc * alpha * cm / (cm + cc * alpha) if cm > 0.0 else 0.0


class Table(NamedTuple):
    """A symmetric matrix by its entries, row by row, each once."""

    size: int
    row: np.ndarray
    column: np.ndarray
    value: np.ndarray

    @classmethod
    def summed(cls, size: int, row: np.ndarray, column: np.ndarray, value: np.ndarray) -> Table:
        """Build a table from entries in any order; entries of one place are summed."""
        places, which = np.unique(row * size + column, return_inverse=True)
        return cls(size, *divmod(places, size), np.bincount(which, value, places.size))

    @classmethod
    def of_blocks(cls, blocks: np.ndarray) -> Table:
        """Build a table from (n, k, k) matrices along the diagonal."""
        n, k, _ = blocks.shape
        row, column = (np.broadcast_to(each, blocks.shape) for each in np.ix_(range(n), range(k), range(k))[1:])
        first = k * np.arange(n)[:, None, None]
        return cls(n * k, (first + row).ravel(), (first + column).ravel(), blocks.ravel())

    @property
    def sums(self) -> np.ndarray:
        """(size) sums of all rows."""
        return np.bincount(self.row, self.value, self.size)

    @property
    def diagonal(self) -> np.ndarray:
        """(size) entries on the diagonal."""
        return np.bincount(self.row, np.where(self.row == self.column, self.value, 0.0), self.size)

    def csr(self) -> Any:
        """Return the matrix as a scipy CSR matrix."""
        from scipy import sparse

        return sparse.csr_matrix((self.value, (self.row, self.column)), shape=(self.size, self.size))

    def blocks(self, wanted: np.ndarray) -> np.ndarray:
        """Return the (n, 9) blocks of 3 by 3 at these places (n, 2)."""
        (i, row), (j, column), nodes = divmod(self.row, 3), divmod(self.column, 3), self.size // 3
        places, which = np.unique(i * nodes + j, return_inverse=True)
        found = np.zeros((places.size + 1, 9))  # the last row is for missing blocks
        found[which, 3 * row + column] = self.value
        keys = wanted[:, 0] * nodes + wanted[:, 1]
        at = np.searchsorted(places, keys)
        return found[np.where(np.append(places, -1)[at] == keys, at, places.size)]


class Masses(NamedTuple):
    """A mass matrix that couples points, equally along each axis, and sections, but not points with sections."""

    points: Table  # of the nodes
    sections: Table  # of 1 or, in space, 3 freedoms a node
    plain: bool  # whether there are no other entries

    @classmethod
    def of(cls, matrix: Table, width: int) -> Masses:
        """Split the mass matrix of nodes with 3 or 6 freedoms."""
        axes, nodes, value = 2 if width == 3 else 3, matrix.size // width, matrix.value
        turns, (i, row), (j, column) = width - axes, divmod(matrix.row, width), divmod(matrix.column, width)
        turning, along = (row >= axes) & (column >= axes), (row < axes) & (row == column)
        places, which = np.unique((i * nodes + j)[along], return_inverse=True)
        axis = np.zeros((places.size, axes))
        axis[which, row[along]] = value[along]
        rows, columns = (turns * i + row - axes)[turning], (turns * j + column - axes)[turning]
        left = np.abs(value[~turning & ~along]), np.abs(axis - axis[:, :1])
        most = max(float(np.max(each, initial=0.0)) for each in left)
        return cls(
            Table(nodes, *divmod(places, nodes), np.ascontiguousarray(axis[:, 0])),
            Table(turns * nodes, rows, columns, value[turning]),
            bool(most <= 1e-12 * np.max(np.abs(value), initial=0.0)),
        )


class Bonds(NamedTuple):
    """Masses m_ij of groups of points, concatenated."""

    share: np.ndarray  # (n) sum of a row
    own: np.ndarray  # (n) m_ii
    starts: np.ndarray  # (groups + 1) uint32, of the pairs
    pair: np.ndarray  # (pairs, 2) uint32, i < j, counted through all groups
    between: np.ndarray  # (pairs) m_ij

    @classmethod
    def of(cls, groups: Sequence[Table]) -> Bonds:
        """Collect the entries of symmetric matrices."""
        shares, owns, pairs, between = [np.zeros(0)], [np.zeros(0)], [np.zeros((0, 2), int)], [np.zeros(0)]
        starts, first = [0], 0
        for points in groups:
            pick = (points.column > points.row) & (points.value != 0.0)
            shares.append(points.sums)
            owns.append(points.diagonal)
            pairs.append(first + np.stack((points.row[pick], points.column[pick]), axis=1))
            between.append(points.value[pick])
            starts.append(starts[-1] + int(pick.sum()))
            first += points.size
        pair = np.concatenate(pairs).astype(np.uint32)
        share, own, bond = (np.concatenate(each) for each in (shares, owns, between))
        return cls(share, own, np.array(starts, np.uint32), pair, bond)


def is_still(v: np.ndarray, ck: float, cc: float) -> bool:
    """Return whether there is no coupling: forces are linear in v, so that their derivatives by q are zero at rest."""
    return cc == 0.0 and (ck == 0.0 or not np.any(v))
