"""3 x 3 matrices as tuples (row by row) for spatial kernels: in registers, without memory."""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.kernels.triples import Vector

Matrix = tuple[float, float, float, float, float, float, float, float, float]


@kernel
def apply(A: Matrix, x: Vector) -> Vector:
    """Return A x."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@kernel
def apply_transposed(A: Matrix, x: Vector) -> Vector:
    """Return A^T x."""
    return (
        A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
        A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
        A[2] * x[0] + A[5] * x[1] + A[8] * x[2],
    )


@kernel
def transposed(A: Matrix) -> Matrix:
    """Return A^T."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@kernel
def product(A: Matrix, B: Matrix) -> Matrix:
    """Return A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel
def scaled(f: float, A: Matrix) -> Matrix:
    """Return f A."""
    return f * A[0], f * A[1], f * A[2], f * A[3], f * A[4], f * A[5], f * A[6], f * A[7], f * A[8]


@kernel
def added(A: Matrix, B: Matrix) -> Matrix:
    """Return A + B."""
    return (
        A[0] + B[0],
        A[1] + B[1],
        A[2] + B[2],
        A[3] + B[3],
        A[4] + B[4],
        A[5] + B[5],
        A[6] + B[6],
        A[7] + B[7],
        A[8] + B[8],
    )


@kernel
def rows(a: Vector, b: Vector, c: Vector) -> Matrix:
    """Return the matrix with these rows."""
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@kernel
def rotation(w: float, x: float, y: float, z: float) -> Matrix:
    """Return the rotation matrix of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@kernel
def turned(q: np.ndarray, frame: int) -> Matrix:
    """Return the rotation matrix of the unit quaternion at a place in q: from the node's frame to global axes."""
    return rotation(q[frame], q[frame + 1], q[frame + 2], q[frame + 3])


@kernel
def put(x: np.ndarray, row: int, column: int, A: Matrix) -> None:
    """Store a matrix in nine entries of a row."""
    for k in range(9):
        x[row, column + k] = A[k]


@kernel
def get(x: np.ndarray, row: int, k: int) -> Matrix:
    """Return the matrix stored in nine entries of a row."""
    y = x[row]
    return y[k], y[k + 1], y[k + 2], y[k + 3], y[k + 4], y[k + 5], y[k + 6], y[k + 7], y[k + 8]
