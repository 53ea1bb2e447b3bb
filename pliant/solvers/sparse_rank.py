"""Which rows of a sparse matrix depend on each other, without dense algebra where none can.

Let some columns have entries in few rows R only, and let those rows be independent on these columns. Then no dependence
has a share in R: of ``w^T A = 0`` those columns say ``w_R^T A_R = 0``, which leaves ``w_R = 0``. Such rows are taken
away; then the next ones may be of that kind. Of a mechanism only its loops are left in the end.
"""

from __future__ import annotations

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.joints.rows import Entries

SURE = 1e-3  # of rows of length one: a smallest singular value above which they are independent without doubt
FEW = 6  # rows at a time: what locks a rigid body
DEPENDENT = 1e-10  # of rows of length one: a pivot below counts as zero


def in_loops(matrix: Entries | sparse.csr_array) -> np.ndarray:
    """Rows that may take part in a dependence; all others certainly do not. Entries that are stored count, zeros too:
    those of a Jacobian are none in other poses.
    """
    count, columns = matrix.shape
    row_of = np.repeat(np.arange(count), np.diff(matrix.indptr))
    sizes = np.sqrt(np.bincount(row_of, matrix.data**2, count))
    entries: list[dict[int, float]] = [{} for _ in range(count)]
    rows: list[set[int]] = [set() for _ in range(columns)]
    for r, c, value in zip(row_of.tolist(), matrix.indices.tolist(), matrix.data.tolist(), strict=True):
        entries[r][c] = entries[r].get(c, 0.0) + value / (sizes[r] or 1.0)
        rows[c].add(r)
    left = np.ones(count, bool)
    waiting = set(matrix.indices.tolist())
    while waiting:
        few = rows[waiting.pop()]
        if not 0 < len(few) <= FEW:
            continue
        own = sorted({c for r in few for c in entries[r] if rows[c] <= few})
        block = np.array([[entries[r].get(c, 0.0) for c in own] for r in few])
        if len(own) >= len(few) and _smallest(block) > SURE:
            for r in list(few):
                left[r] = False
                waiting.update(entries[r])
                for c in entries[r]:
                    rows[c].discard(r)
    return left


def _smallest(block: np.ndarray) -> float:
    """Smallest singular value of a block that is wider than high."""
    return float(np.linalg.norm(block) if len(block) == 1 else np.linalg.svd(block, compute_uv=False)[-1])


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
