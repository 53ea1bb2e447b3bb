"""Dependent rows of a sparse matrix, and the motions that its rows allow, without dense algebra.

If some columns have entries in few rows R only, and the rows R are independent on these columns, no dependence involves
R: ``w^T A = 0`` on these columns is ``w_R^T A_R = 0``, which gives ``w_R = 0``. Such rows are removed; then others may
be of that kind. For a mechanism only its loops remain.

A group of rows R is removed if it is independent on its own columns, which no remaining row uses. So each group
determines some of its own columns by the others of its rows, and these by groups that were removed later: backward
substitution turns ``A x = 0`` into ``x = N y`` with some of the columns as y. A weld makes one node of two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.jit import allocating_kernel, kernel

SURE = 1e-3  # of rows of length one: smallest singular value above which they are certainly independent
FEW = 6  # rows at a time: as many as fix a rigid body
NOTHING = 1e-15  # of coefficients that are one: rounding of a difference


class ByRows(NamedTuple):
    """A matrix by rows as in scipy.sparse, each entry once."""

    first: np.ndarray
    indices: np.ndarray
    values: np.ndarray


@allocating_kernel
def add_duplicates(matrix: ByRows, columns: int) -> ByRows:
    """Add duplicate entries of a matrix."""
    first, indices, values = np.zeros_like(matrix.first), np.empty_like(matrix.indices), np.empty_like(matrix.values)
    place = np.full(columns, -1)
    for r in range(first.size - 1):
        end = first[r]
        for k in range(matrix.first[r], matrix.first[r + 1]):
            c = matrix.indices[k]
            if place[c] < first[r]:
                place[c], indices[end], values[end] = end, c, 0.0
                end += 1
            values[place[c]] += matrix.values[k]
        first[r + 1] = end
    return ByRows(first, indices[: first[-1]], values[: first[-1]])


@allocating_kernel
def take_away(matrix: ByRows, columns: int, when: np.ndarray) -> int:
    """Number the groups of rows, of length one, in the order of their removal; returns the number of groups. ``when``
    stays -1 for other rows.
    """
    left = np.zeros(columns, np.int64)  # remaining rows of each column
    for c in matrix.indices:
        left[c] += 1
    begin, waiting, queued = _begin(left), np.empty(columns, np.int64), np.empty(columns, np.bool_)
    rows_of, filled = np.empty(begin[-1], np.int64), np.zeros(columns, np.int64)
    for r in range(when.size):
        for c in matrix.indices[matrix.first[r] : matrix.first[r + 1]]:
            rows_of[begin[c] + filled[c]] = r
            filled[c] += 1
    for c in range(columns):
        waiting[c], queued[c] = c, True
    few, share, block = np.empty(FEW, np.int64), np.zeros(columns, np.int64), np.zeros((FEW, columns))
    head, ahead, groups = 0, columns, 0
    while ahead > 0:
        column = waiting[head]
        head, ahead, queued[column] = (head + 1) % columns, ahead - 1, False
        if not 0 < left[column] <= FEW:
            continue
        count = 0
        for k in range(begin[column], begin[column + 1]):
            if when[rows_of[k]] < 0:
                few[count] = rows_of[k]
                count += 1
        if not _positive(_gram(matrix, few[:count], left, share, block)):
            continue
        for r in few[:count]:
            when[r] = groups
            for c in matrix.indices[matrix.first[r] : matrix.first[r + 1]]:
                left[c] -= 1
                if not queued[c]:
                    waiting[(head + ahead) % columns] = c
                    ahead, queued[c] = ahead + 1, True
        groups += 1
    return groups


@allocating_kernel
def _begin(sizes: np.ndarray) -> np.ndarray:
    """Return the starts of parts with given sizes, and the end. (``np.cumsum`` would load LAPACK.)"""
    begin = np.zeros(sizes.size + 1, np.int64)
    for k in range(sizes.size):
        begin[k + 1] = begin[k] + sizes[k]
    return begin


@allocating_kernel
def _gram(matrix: ByRows, few: np.ndarray, left: np.ndarray, share: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Compute ``B B^T - SURE^2`` of some rows in their own columns; ``share`` and ``block`` stay zero."""
    for i in range(few.size):
        for k in range(matrix.first[few[i]], matrix.first[few[i] + 1]):
            block[i, matrix.indices[k]] = matrix.values[k]
            share[matrix.indices[k]] += 1
    gram = np.zeros((few.size, few.size))
    for i in range(few.size):
        gram[i, i] = -(SURE**2)
    for r in few:
        for c in matrix.indices[matrix.first[r] : matrix.first[r + 1]]:
            own = share[c] == left[c]
            for i in range(few.size):
                for j in range(few.size if own else 0):
                    gram[i, j] += block[i, c] * block[j, c]
            block[: few.size, c] = 0.0
            share[c] = 0
    return gram


@kernel
def _positive(a: np.ndarray) -> bool:
    """Return whether a symmetric matrix is positive definite, by elimination in place."""
    for k in range(a.shape[0]):
        if not a[k, k] > 0.0:
            return False
        for i in range(k + 1, a.shape[0]):
            part = a[i, k] / a[k, k]
            for j in range(k + 1, a.shape[0]):
                a[i, j] -= part * a[k, j]
    return True


@allocating_kernel
def substitute(matrix: ByRows, columns: int, when: np.ndarray, groups: int, found: ByRows) -> bool:
    """Compute the rows of N of dependent columns into ``found``, whose ``first`` holds (columns, 2) start and end of a
    row, -1 for a column of y; returns False if the storage is too small. All rows of the matrix are in a group.
    """
    size, last = np.zeros(groups, np.int64), np.full(columns, -1)  # sizes of groups; last group that owns a column
    for r in range(when.size):
        size[when[r]] += 1
        for c in matrix.indices[matrix.first[r] : matrix.first[r + 1]]:
            last[c] = max(last[c], when[r])
    starts, order = _begin(size), np.empty(when.size, np.int64)
    for r in range(when.size):
        size[when[r]] -= 1
        order[starts[when[r]] + size[when[r]]] = r
    block, sums = np.zeros((FEW, columns)), np.zeros(columns)
    used, listed = np.zeros(columns, np.bool_), np.zeros(columns, np.bool_)
    touched, reached = np.empty(columns, np.int64), np.empty(columns, np.int64)
    solved = np.empty(FEW, np.int64)
    end = 0
    for group in range(groups - 1, -1, -1):
        few, width = order[starts[group] : starts[group + 1]], 0
        for i in range(few.size):
            for k in range(matrix.first[few[i]], matrix.first[few[i] + 1]):
                c = matrix.indices[k]
                block[i, c] = matrix.values[k]
                if not used[c]:
                    used[c], touched[width], width = True, c, width + 1
        _solve_for(block[: few.size], touched[:width], last, group, solved)
        for i in range(few.size):
            used[solved[i]] = False
        for i in range(few.size):
            count = 0
            for c in touched[:width]:
                if not used[c] or abs(block[i, c]) <= NOTHING:
                    continue
                if found.first[c, 0] < 0:
                    count = _gather(c, -block[i, c], sums, listed, reached, count)
                for k in range(max(0, found.first[c, 0]), found.first[c, 1]):
                    count = _gather(found.indices[k], -block[i, c] * found.values[k], sums, listed, reached, count)
            if end + count > found.indices.size:
                return False
            begin = end
            for c in reached[:count]:
                if abs(sums[c]) > NOTHING:
                    found.indices[end], found.values[end] = c, sums[c]
                    end += 1
                sums[c], listed[c] = 0.0, False
            found.first[solved[i], 0], found.first[solved[i], 1] = begin, end
        for c in touched[:width]:
            used[c] = False
            block[: few.size, c] = 0.0
    return True


@kernel
def _gather(c: int, value: float, sums: np.ndarray, listed: np.ndarray, reached: np.ndarray, count: int) -> int:
    """Add to a sum, and to the list of changed sums; returns the length of the list."""
    if not listed[c]:
        listed[c], reached[count] = True, c
        count += 1
    sums[c] += value
    return count


@kernel
def _solve_for(block: np.ndarray, touched: np.ndarray, last: np.ndarray, group: int, solved: np.ndarray) -> None:
    """Solve rows for some of their own columns, in place, with complete pivoting; ``solved``: column of each row."""
    rows = block.shape[0]
    solved[:] = -1
    for _ in range(rows):
        best, pivot, column = 0.0, 0, 0
        for i in range(rows):
            for c in touched:
                if solved[i] < 0 and last[c] == group and abs(block[i, c]) > best:
                    best, pivot, column = abs(block[i, c]), i, c
        solved[pivot] = column
        scale = block[pivot, column]
        for c in touched:
            block[pivot, c] /= scale
        for i in range(rows):
            part = block[i, column]
            if i != pivot and part != 0.0:
                for c in touched:
                    block[i, c] -= part * block[pivot, c]
                block[i, column] = 0.0


DEPENDENT = 1e-10  # of rows of length one: a smaller pivot is zero
FILL = 4  # largest number of entries of N per entry of A
FAR = 10.0  # largest motion of x per unit y; beyond, digits are lost


class Entries(NamedTuple):
    """A matrix by rows as in scipy.sparse."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]


def in_loops(matrix: Entries | sparse.csr_array) -> np.ndarray:
    """Find the rows that may take part in a dependence; all others certainly do not. Stored zeros are entries:
    in a Jacobian they are nonzero in other poses.
    """
    when = np.full(matrix.shape[0], -1)
    take_away(_directions(matrix), matrix.shape[1], when)
    return np.asarray(when < 0)


def motions(matrix: Entries | sparse.csr_array) -> sparse.csr_array | None:
    """Find sparse N with x = N y for all x with A x = 0, where y are some of the coordinates x; None if rows may depend
    on each other, or N is not sparse, or has large entries.
    """
    rows, columns = matrix.shape
    plain, when = _directions(matrix), np.full(rows, -1)
    groups = take_away(plain, columns, when)
    if np.any(when < 0):
        return None
    room = FILL * (plain.values.size + columns)
    found = ByRows(np.full((columns, 2), -1), np.zeros(room, np.int64), np.zeros(room))
    if not substitute(plain, columns, when, groups, found):
        return None
    begin, end = found.first.T
    free = begin < 0
    lengths = np.where(free, 1, end - begin)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    own, solved = np.repeat(free, lengths), np.repeat(begin - starts[:-1], lengths) + np.arange(starts[-1])
    number, solved = np.cumsum(free) - 1, np.where(own, 0, solved)
    values = np.where(own, 1.0, found.values[solved])
    if np.max(np.abs(values), initial=0.0) > FAR:
        return None
    indices = np.where(own, np.repeat(number, lengths), number[found.indices[solved]])
    return sparse.csr_array((values, indices, starts), shape=(columns, int(free.sum())))


def _directions(matrix: Entries | sparse.csr_array) -> ByRows:
    """Scale rows to length one, for compiled code."""
    rows, columns = matrix.shape
    row_of = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    sizes = np.sqrt(np.bincount(row_of, matrix.data**2, rows))
    values = matrix.data / np.where(sizes > 0.0, sizes, 1.0)[row_of]
    given = ByRows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), values)
    return add_duplicates(given, columns)


def independent(matrix: Entries | sparse.csr_array) -> np.ndarray:
    """Find the largest set of independent rows and return their numbers; joints may lock one motion more than once.
    Only the direction of rows matters.
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
