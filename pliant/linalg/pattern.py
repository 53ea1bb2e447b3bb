"""Pattern of the factors of a symmetric sparse matrix, computed once for a mechanism.

The matrix lives in one flat array `s` of `pattern.storage` numbers: it is assembled, factorised and used there.

    s = [diagonal, unknown by unknown | entries below it with fill, panel by panel | dump]

A *panel* is three columns of one block that are eliminated together (a planar node, a weld, half a spatial node), or
one column. Its rows are its own unknowns, numbered in succession, and its *front*: the later unknowns coupled to it.
Each row holds its entries in the columns of the panel, left of the diagonal. The dump takes what belongs to ground.

The last unknowns may be a *border*: a part that couples many others by few numbers (a tendon
couples all its guides by its tension) writes

    [A B; C D],   which represents A - B D^-1 C

and the matrix stays sparse. Callers of ldl.py and lu.py use the unknowns of A only; right-hand sides have no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.linalg.ordering import Elimination, Graph, Integers, eliminate

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

Indices = NDArray[np.uint32]
Floats = NDArray[np.float64]
Index = int | np.int64

SMALL = 3000  # unknowns: patterns of larger models take as much memory as time


class Pattern(Bundle):
    """Data of a matrix for the kernels of ldl.py and lu.py; original numbers of unknowns everywhere."""

    order: Indices  #       (size) unknowns in order of elimination
    place: Indices  #       (size) its inverse
    multiplier: NDArray[np.bool_]  # (size) unknown is a multiplier, or of the border: its pivot should be negative
    width: Indices  #       (panels) columns of the panel, 1 or 3
    head: Indices  #        (panels + 1) where the panel starts in members
    members: Indices  #     unknowns of the panel, then of its front, panel after panel
    start: Indices  #       (panels + 1) where the panel starts in s
    pairs: Indices  #       (panels + 1) where it starts in targets
    targets: Indices  #     place in s of the entry (p, r) for every pair p < r of its front
    row: Indices  #         (storage - size - 1) unknown of the later row of each entry below the diagonal
    column: Indices  #      and of its earlier column
    borders: int = 0  # number of last unknowns that are a border

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.order.size

    @property
    def storage(self) -> int:
        """Length of s."""
        return self.order.size + self.row.size + 1

    @cached_property
    def where(self) -> EntryTables:
        """Return the tables that locate entries in s."""
        return _where(self.place, self.width, self.head, self.members, self.start)

    def by_columns(self, size: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Return the indices of the entries (diagonal, below, above) of the first ``size`` unknowns, column by column,
        their rows, and the starts of columns, as in csc_matrix.
        """
        if size not in self._columns:
            below, above = np.maximum(self.row, self.column), np.minimum(self.row, self.column)
            i, j = (np.concatenate([np.arange(self.size), *pair]) for pair in ((below, above), (above, below)))
            entries = np.flatnonzero((i < size) & (j < size))
            chosen = entries[np.lexsort((i[entries], j[entries]))]
            starts = np.concatenate([[0], np.cumsum(np.bincount(j[chosen], minlength=size))])
            self._columns[size] = chosen, i[chosen].astype(np.int32), starts.astype(np.int32)
        return self._columns[size]

    @cached_property
    def _columns(self) -> dict[int, Any]:
        return {}


class EntryTables(NamedTuple):
    """Tables that locate entries in s; as in `Pattern`."""

    place: Indices
    panel: Indices  # (size) of each column, in order of elimination
    width: Indices
    head: Indices
    members: Indices
    start: Indices


def _where(place: Indices, width: Indices, head: Indices, members: Indices, start: Indices) -> EntryTables:
    return EntryTables(place, np.repeat(np.arange(width.size, dtype=np.uint32), width), width, head, members, start)


def analyse(
    size: int,
    cliques: Sequence[NDArray[Any]],
    multiplier: NDArray[np.bool_],
    blocks: NDArray[Any],
    borders: int = 0,
) -> Pattern:
    """Order the unknowns and find the pattern of the factor. Patterns of small models are cached, for a model that is
    compiled again with other numbers.

    cliques     arrays (n, k): each row lists k unknowns that are all coupled; numbers >= size are ground and ignored
    multiplier  (size) unknown is a multiplier
    blocks      (size) block of each unknown, 0, 1, ...: freedoms of a node, rows of a joint; eliminated together
    borders     number of last unknowns that are a border
    """
    if len(multiplier) != size or len(blocks) != size:
        raise ValueError(f"{size} unknowns, but {len(multiplier)} multiplier flags and {len(blocks)} block numbers")
    coupled = tuple((each.shape[1], np.asarray(each, np.int64).tobytes()) for each in cliques)
    flags, numbers = np.asarray(multiplier, bool).tobytes(), np.asarray(blocks, np.int64).tobytes()
    found = _analyse_cached if size <= SMALL else _analyse_cached.__wrapped__
    return found(size, coupled, flags, numbers, borders)


@lru_cache(maxsize=16)
def _analyse_cached(
    size: int, coupled: tuple[tuple[int, bytes], ...], flags: bytes, numbers: bytes, borders: int
) -> Pattern:
    """Analyse, with hashable arguments; see `analyse`."""
    cliques = [np.frombuffer(each, np.int64).reshape(-1, width) for width, each in coupled]
    multiplier, blocks = np.frombuffer(flags, bool), np.frombuffer(numbers, np.int64)
    count = int(np.max(blocks, initial=-1)) + 1
    members = np.argsort(blocks, kind="stable")  # of block after block
    sizes, tying = np.bincount(blocks, minlength=count), np.bincount(blocks, multiplier, count)
    for block in np.flatnonzero((sizes == 0) | ((tying > 0) & (tying < sizes))).tolist():
        have = np.flatnonzero(blocks == block).tolist()
        raise ValueError(f"block {block} holds unknowns {have}: give it some, all multipliers or none")
    found = eliminate(Graph(*_neighbours(size, cliques, blocks, count), sizes, tying > 0))
    order = members[_ranges(_starts(sizes)[found.sequence], sizes[found.sequence])].astype(np.uint32)
    place = np.empty(size, np.uint32)
    place[order] = np.arange(size, dtype=np.uint32)
    negative = multiplier | (np.arange(size) >= size - borders)
    return _panels(order, place, negative, found, sizes, borders)


def slots(pattern: Pattern, rows: ArrayLike, columns: ArrayLike) -> Indices:
    """Find the places in s of the entries (rows, columns), equal for (i, j) and (j, i); the dump for ground."""
    i, j = (np.ascontiguousarray(x, np.int64) for x in np.broadcast_arrays(rows, columns))
    found = np.empty(i.shape, np.uint32)
    alone = _find_all(pattern.where, i.reshape(-1), j.reshape(-1), found.reshape(-1))
    if alone >= 0:
        raise _uncoupled_error(i.flat[alone], j.flat[alone])
    return found


def triangles(pattern: Pattern, n: int, dofs: Indices) -> Indices:
    """Find the places in s of the lower triangles, row by row, of elements with these freedoms; >= n are ground."""
    found = np.empty((dofs.shape[0], dofs.shape[1] * (dofs.shape[1] + 1) // 2), np.uint32)
    alone = _find_triangles(pattern.where, n, np.ascontiguousarray(dofs, np.uint32), found)
    if alone >= 0:
        i, j = np.tril_indices(dofs.shape[1])
        e, k = divmod(alone, i.size)
        raise _uncoupled_error(dofs[e, i[k]], dofs[e, j[k]])
    return found


def _uncoupled_error(i: Index, j: Index) -> ValueError:
    return ValueError(f"unknowns {i} and {j} are in no common clique")


@kernel
def _find(where: EntryTables, i: Index, j: Index) -> Index:
    """Find the place in s of the entry of two unknowns; -1 if they are in no common clique."""
    if i == j:
        return np.int64(i)
    a, b = np.int64(where.place[i]), np.int64(where.place[j])
    column, row = min(a, b), max(a, b)
    panel = where.panel[column]
    first, end = np.int64(where.head[panel]), np.int64(where.head[panel + 1])
    low, high = first, end  # members of a panel are in order of elimination
    while low < high:
        middle = (low + high) >> 1
        if where.place[where.members[middle]] < row:
            low = middle + 1
        else:
            high = middle
    if low == end or where.place[where.members[low]] != row:
        return np.int64(-1)
    c = column - np.int64(where.place[where.members[first]])
    return np.int64(spot(np.int64(where.start[panel]), np.int64(where.width[panel]), low - first, c))


@kernel
def _find_all(where: EntryTables, i: NDArray[np.int64], j: NDArray[np.int64], found: Indices) -> int:
    """Find the places of entries, the dump if either is ground; returns the first without one, or -1."""
    size, dump = where.place.size, where.start[-1]
    for k in range(i.size):
        if i[k] >= size or j[k] >= size:
            found[k] = dump
            continue
        at = _find(where, i[k], j[k])
        if at < 0:
            return k
        found[k] = at
    return -1


@kernel
def _find_triangles(where: EntryTables, n: int, dofs: Indices, found: Indices) -> int:
    """Find the places of the lower triangles of elements; returns the first entry, row by row, without one, else -1."""
    dump = where.start[-1]
    for e in range(dofs.shape[0]):
        k = 0
        for a in range(dofs.shape[1]):
            i = np.int64(dofs[e, a])
            for b in range(a + 1):
                j, at = np.int64(dofs[e, b]), np.int64(dump)
                if i < n and j < n:
                    at = np.int64(_find(where, i, j))
                    if at < 0:
                        return e * found.shape[1] + k
                found[e, k] = at
                k += 1
    return -1


@kernel
def _find_targets(where: EntryTables, targets: Indices) -> None:
    """Find the places of the pairs p < r of every front, in the order in which kernels use them."""
    k = 0
    for panel in range(where.width.size):
        for p in range(where.head[panel] + where.width[panel], where.head[panel + 1]):
            for r in range(p + 1, where.head[panel + 1]):
                targets[k] = _find(where, where.members[p], where.members[r])
                k += 1


def to_csc(pattern: Pattern, s: Floats, w: Floats | None = None, first: int | None = None) -> csc_matrix:
    """Return the matrix in s (before it is factorised), with the skew part w: A_ij = s + w and A_ji = s - w for i > j;
    only its ``first`` unknowns, if given.
    """
    from scipy.sparse import csc_matrix

    n = pattern.size
    known = n - pattern.borders if first is None else first
    size = n if pattern.borders else known
    chosen, indices, starts = pattern.by_columns(size)
    symmetric = s[n:-1]
    below, above = (symmetric, symmetric) if w is None else (symmetric + w[n:-1], symmetric - w[n:-1])
    found = csc_matrix((np.concatenate([s[:n], below, above])[chosen], indices, starts), shape=(size, size))
    return _without_border(found, n - pattern.borders, known) if pattern.borders else found


def _without_border(matrix: Any, begin: int, first: int) -> csc_matrix:
    """Return ``A - B D^-1 C`` of the first unknowns, where the unknowns from ``begin`` on are a border."""
    from scipy.sparse import csc_matrix, diags
    from scipy.sparse.linalg import splu

    border = matrix[begin:, :first].toarray()
    inner = matrix[begin:, begin:]
    inner = csc_matrix(inner - diags(np.where(inner.diagonal() == 0.0, 1.0, 0.0)))
    return csc_matrix(matrix[:first, :first] - matrix[:first, begin:] @ csc_matrix(splu(inner).solve(border)))


@kernel
def magnitude(pattern: Pattern, s: Floats, x: Floats) -> float:
    """Compute |x|^T |A| |x| over the unknowns of x, with the matrix in s (before it is factorised), symmetric; a border
    adds |x|^T |B| |D|^-1 |C| |x|, with the diagonal of D.
    """
    total, size = 0.0, pattern.order.size
    for i in range(x.size):
        total += abs(s[i]) * x[i] * x[i]
    for k in range(pattern.row.size):
        i, j = pattern.row[k], pattern.column[k]
        if i < x.size and j < x.size:
            total += 2.0 * abs(s[size + k] * x[i] * x[j])
    for border in range(size - pattern.borders, size):
        met = 0.0
        for k in range(pattern.row.size):
            i, j = min(pattern.row[k], pattern.column[k]), max(pattern.row[k], pattern.column[k])
            if j == border and i < x.size:
                met += abs(s[size + k] * x[i])
        if s[border] != 0.0:
            total += met * met / abs(s[border])
    return total


@kernel
def close_border(pattern: Pattern, s: Floats) -> int:
    """Set D = -1 where a border is empty, so that it can be factorised. Returns the number of its negative diagonal
    entries: the inertia of the matrix without its border has that many fewer, where D is diagonal.
    """
    negatives = 0
    for i in range(pattern.order.size - pattern.borders, pattern.order.size):
        if s[i] == 0.0:
            s[i] = -1.0
        negatives += int(s[i] < 0.0)
    return negatives


@kernel
def spot(start: Index, width: Index, r: Index, c: Index) -> Index:
    """Return the place in s of row r > c and column c of a panel."""
    if r < width:
        return start + (r * (r - 1) >> 1) + c
    return start + width * r - (width * (width + 1) >> 1) + c


def _neighbours(
    size: int, cliques: Sequence[NDArray[Any]], blocks: NDArray[Any], count: int
) -> tuple[Integers, Integers]:
    """Return the start of the neighbours of each block, and these neighbours."""
    block_of, pairs = np.append(blocks, count), [np.empty(0, np.int64)]  # ground is one more block, removed again
    for clique in cliques:
        near = block_of[np.minimum(clique, size)]
        near = near[:, np.append(True, np.any(near[:, 1:] != near[:, :-1], axis=0))] if near.size else near
        i, j = near[:, :, None], near[:, None, :]
        pairs.append((i * count + j)[(i != j) & (i < count) & (j < count)])
    found = np.unique(np.concatenate(pairs))
    starts = np.searchsorted(found, count * np.arange(count + 1))
    return starts, found - count * np.repeat(np.arange(count), np.diff(starts))


def _panels(
    order: Indices, place: Indices, multiplier: NDArray[np.bool_], found: Elimination, sizes: Integers, borders: int
) -> Pattern:
    """Cut the blocks into panels, give every entry its place, and find the targets of the pairs of each front."""
    turn = np.empty(sizes.size, np.int64)
    turn[found.sequence] = np.arange(sizes.size)
    own = sizes[found.sequence]
    end = np.cumsum(own)

    counts = found.length[found.sequence]
    later = turn[found.fronts[_ranges(found.first[found.sequence], counts)]]
    later = np.sort(np.repeat(np.arange(counts.size), counts) * turn.size + later) % max(turn.size, 1)
    fronts = order[_ranges(end[later] - own[later], own[later])]  # of block after block, as all else here
    heights = np.bincount(np.repeat(np.arange(counts.size), counts), own[later], counts.size).astype(np.int64)

    block, begin, width = _cut(order, own)
    height = end[block] - begin + heights[block]
    head = _starts(height)
    rows = np.concatenate([order, fronts])
    pieces = np.stack([begin, order.size + (_starts(heights)[:-1])[block]], axis=1)
    lengths = np.stack([end[block] - begin, heights[block]], axis=1)
    members = rows[_ranges(pieces.reshape(-1), lengths.reshape(-1))].astype(np.int64)

    panel = np.repeat(np.arange(width.size), height)
    entries = np.minimum(np.arange(members.size) - head[panel], width[panel])  # of each row
    starts = _starts(entries)
    row = np.repeat(members, entries)
    column = members[np.repeat(head[panel] - starts[:-1], entries) + np.arange(row.size)]

    front = height - width
    pairs = _starts(front * (front - 1) // 2)
    each = (width, head, members, order.size + starts[head], pairs, np.empty(pairs[-1], np.uint32), row, column)
    arrays: Any = (*(np.ascontiguousarray(array, np.uint32) for array in each), borders)
    pattern = Pattern(order, place, multiplier, *arrays)
    _find_targets(pattern.where, pattern.targets)
    return pattern


def _cut(order: Indices, own: Integers) -> tuple[Integers, Integers, Integers]:
    """Cut blocks into panels: the block of each, its beginning in the order of elimination, and its width."""
    block, end = np.arange(own.size), np.cumsum(own)
    begin, ahead = end - own, np.append(order.astype(np.int64), [-1, -1])
    found = []
    while block.size:
        inside = begin + 2 < end[block]
        width = np.where(inside & (ahead[begin + 2] == ahead[begin] + 2), 3, 1)
        found.append((block, begin, width))
        begin = begin + width
        goes_on = begin < end[block]
        block, begin = block[goes_on], begin[goes_on]
    parts = [np.concatenate(each) for each in zip(*found, strict=True)] if found else [np.empty(0, np.int64)] * 3
    sequence = np.argsort(parts[1])
    return parts[0][sequence], parts[1][sequence], parts[2][sequence]


def _ranges(first: Integers, count: Integers) -> Integers:
    """Concatenate ranges of ``count`` numbers from each ``first``."""
    return np.repeat(first - _starts(count)[:-1], count) + np.arange(int(np.sum(count)))


def _starts(lengths: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(lengths)])
