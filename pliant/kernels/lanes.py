"""Four elements at once: one instruction of the processor computes all four (SIMD).

A quantity is a row of four numbers, one per element (its lanes). Rows follow each other in one flat array on the stack,
at places known at compile time: so the compiler knows that rows do not overlap and turns a loop over the lanes into
wide instructions. The loop may call functions of numbers without branches.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import flat_kernel
from pliant.kernels.tensors import Matrix
from pliant.kernels.triples import Vector

LANES = 4


@flat_kernel
def one(rows: np.ndarray, row: int, lane: int) -> float:
    """Return a number."""
    return rows[LANES * row + lane]


@flat_kernel
def three(rows: np.ndarray, row: int, lane: int) -> Vector:
    """Return a vector."""
    return rows[LANES * row + lane], rows[LANES * (row + 1) + lane], rows[LANES * (row + 2) + lane]


@flat_kernel
def nine(rows: np.ndarray, row: int, lane: int) -> Matrix:
    """Return a matrix."""
    a, b, c = three(rows, row, lane), three(rows, row + 3, lane), three(rows, row + 6, lane)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@flat_kernel
def put_one(rows: np.ndarray, row: int, lane: int, x: float) -> None:
    """Set a number."""
    rows[LANES * row + lane] = x


@flat_kernel
def put(rows: np.ndarray, row: int, lane: int, x: Vector) -> None:
    """Set a vector."""
    rows[LANES * row + lane], rows[LANES * (row + 1) + lane], rows[LANES * (row + 2) + lane] = x


@flat_kernel
def put_all(rows: np.ndarray, row: int, apart: int, lane: int, A: Matrix) -> None:
    """Set a matrix whose rows are ``apart`` rows from each other."""
    put(rows, row, lane, (A[0], A[1], A[2]))
    put(rows, row + apart, lane, (A[3], A[4], A[5]))
    put(rows, row + 2 * apart, lane, (A[6], A[7], A[8]))


@flat_kernel
def put_block(rows: np.ndarray, begin: int, place: tuple[int, int], lane: int, f: float, A: Matrix) -> None:
    """Set f A at a block below the diagonal of a matrix whose lower triangle is stored from row ``begin``."""
    row, column = place
    first = begin + row * (row + 1) // 2 + column
    put(rows, first, lane, (f * A[0], f * A[1], f * A[2]))
    put(rows, first + row + 1, lane, (f * A[3], f * A[4], f * A[5]))
    put(rows, first + 2 * row + 3, lane, (f * A[6], f * A[7], f * A[8]))


@flat_kernel
def put_diagonal_block(rows: np.ndarray, begin: int, row: int, lane: int, A: Matrix) -> None:
    """Set the lower triangle of A at a block on the diagonal of such a matrix."""
    first = begin + row * (row + 3) // 2
    second, third = first + row + 1, first + 2 * row + 3
    put_one(rows, first, lane, A[0])
    put_one(rows, second, lane, A[3])
    put_one(rows, second + 1, lane, A[4])
    put(rows, third, lane, (A[6], A[7], A[8]))
