"""3 x 3 matrices built from vectors, and their products with other matrices."""

from __future__ import annotations

from pliant.jit import kernel
from pliant.kernels.tensors import Matrix
from pliant.kernels.triples import Vector


@kernel
def skew(a: Vector) -> Matrix:
    """Return the matrix of the cross product: skew(a) x = a x x."""
    return 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0


@kernel
def skew_product(a: Vector, B: Matrix) -> Matrix:
    """Return skew(a) B."""
    return (
        a[1] * B[6] - a[2] * B[3],
        a[1] * B[7] - a[2] * B[4],
        a[1] * B[8] - a[2] * B[5],
        a[2] * B[0] - a[0] * B[6],
        a[2] * B[1] - a[0] * B[7],
        a[2] * B[2] - a[0] * B[8],
        a[0] * B[3] - a[1] * B[0],
        a[0] * B[4] - a[1] * B[1],
        a[0] * B[5] - a[1] * B[2],
    )


@kernel
def product_skew(B: Matrix, a: Vector) -> Matrix:
    """Return B skew(a)."""
    return (
        B[1] * a[2] - B[2] * a[1],
        B[2] * a[0] - B[0] * a[2],
        B[0] * a[1] - B[1] * a[0],
        B[4] * a[2] - B[5] * a[1],
        B[5] * a[0] - B[3] * a[2],
        B[3] * a[1] - B[4] * a[0],
        B[7] * a[2] - B[8] * a[1],
        B[8] * a[0] - B[6] * a[2],
        B[6] * a[1] - B[7] * a[0],
    )


@kernel
def outer(a: Vector, b: Vector, diagonal: float) -> Matrix:
    """Return a b^T + diagonal I."""
    return (
        a[0] * b[0] + diagonal,
        a[0] * b[1],
        a[0] * b[2],
        a[1] * b[0],
        a[1] * b[1] + diagonal,
        a[1] * b[2],
        a[2] * b[0],
        a[2] * b[1],
        a[2] * b[2] + diagonal,
    )


@kernel
def symmetric(a: Vector, b: Vector, diagonal: float) -> Matrix:
    """Return (a b^T + b a^T)/2 + diagonal I."""
    xy, xz, yz = a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[2] * b[0], a[1] * b[2] + a[2] * b[1]
    xy, xz, yz = 0.5 * xy, 0.5 * xz, 0.5 * yz
    return (
        a[0] * b[0] + diagonal,
        xy,
        xz,
        xy,
        a[1] * b[1] + diagonal,
        yz,
        xz,
        yz,
        a[2] * b[2] + diagonal,
    )
