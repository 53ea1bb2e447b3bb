"""Which rows of a sparse matrix depend on each other, without dense algebra where none can.

Let some columns have entries in few rows R only, and let those rows be independent on these columns. Then no dependence
has a share in R: of ``w^T A = 0`` those columns say ``w_R^T A_R = 0``, which leaves ``w_R = 0``. Such rows are taken
away; then the next ones may be of that kind. Of a mechanism only its loops are left in the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.linalg import rank_kernel as peeling

DEPENDENT = 1e-10  # of rows of length one: a pivot below counts as zero
FILL = 4  # numbers of N for a number of A, at most
FAR = 10.0  # a motion of y moves x by no more: else digits are lost


class Entries(NamedTuple):
    """A matrix by rows, as scipy.sparse has it."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]


def in_loops(matrix: Entries | sparse.csr_array) -> np.ndarray:
    """Rows that may take part in a dependence; all others certainly do not. Entries that are stored count, zeros too:
    those of a Jacobian are none in other poses.
    """
    when = np.full(matrix.shape[0], -1)
    peeling.take_away(_directions(matrix), matrix.shape[1], when)
    return np.asarray(when < 0)


def motions(matrix: Entries | sparse.csr_array) -> sparse.csr_array | None:
    """N, sparse, of all x = N y with A x = 0, where some of the coordinates x are y and tell the others; None where
    rows may depend on each other, or N would not be sparse, or not small.
    """
    rows, columns = matrix.shape
    plain, when = _directions(matrix), np.full(rows, -1)
    groups = peeling.take_away(plain, columns, when)
    if np.any(when < 0):
        return None
    room = FILL * (plain.values.size + columns)
    found = peeling.ByRows(np.full((columns, 2), -1), np.zeros(room, np.int64), np.zeros(room))
    if not peeling.substitute(plain, columns, when, groups, found):
        return None
    begin, end = found.first.T
    free = begin < 0
    lengths = np.where(free, 1, end - begin)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    own, told = np.repeat(free, lengths), np.repeat(begin - starts[:-1], lengths) + np.arange(starts[-1])
    number, told = np.cumsum(free) - 1, np.where(own, 0, told)
    values = np.where(own, 1.0, found.values[told])
    if np.max(np.abs(values), initial=0.0) > FAR:
        return None
    indices = np.where(own, np.repeat(number, lengths), number[found.indices[told]])
    return sparse.csr_array((values, indices, starts), shape=(columns, int(free.sum())))


def _directions(matrix: Entries | sparse.csr_array) -> peeling.ByRows:
    """Rows of length one, for compiled code."""
    rows, columns = matrix.shape
    row_of = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    sizes = np.sqrt(np.bincount(row_of, matrix.data**2, rows))
    values = matrix.data / np.where(sizes > 0.0, sizes, 1.0)[row_of]
    given = peeling.ByRows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), values)
    return peeling.merged(given, columns)


def independent(matrix: Entries | sparse.csr_array) -> np.ndarray:
    """Numbers of rows that do not depend on each other, as many as there are: joints may lock the same motion more than
    once. Rows count by their direction, not their size.
    """
    found = in_loops(matrix)
    if not found.any():
        return np.arange(found.size)
    loops = np.flatnonzero(found)
    rows = sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)[loops]
    columns, place = np.unique(rows.indices, return_inverse=True)
    block = np.zeros((loops.size, columns.size))
    np.add.at(block, (np.repeat(np.arange(loops.size), np.diff(rows.indptr)), place), rows.data)
    sizes = np.linalg.norm(block, axis=1, keepdims=True)
    if np.any(sizes):
        triangle, order = dense.qr((block / np.where(sizes > 0.0, sizes, 1.0)).T, mode="r", pivoting=True)
        kept = loops[order[: np.sum(np.abs(np.diag(triangle)) > DEPENDENT)]]
        found[kept] = False
    return np.flatnonzero(~found)
