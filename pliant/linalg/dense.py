"""Small dense symmetric matrices in compiled code: L D L^T without pivoting, row by row."""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel


@kernel
def factor(m: np.ndarray, n: int) -> bool:
    """Replace the lower triangle of the first n rows by L, with 1 / D on the diagonal. False at a pivot of 0 or NaN."""
    for i in range(n):
        for j in range(i):
            value = m[i, j]
            for k in range(j):
                value -= m[i, k] * m[j, k]
            m[i, j] = value  # L_ij D_j until the row is done
        pivot = m[i, i]
        for j in range(i):
            scaled = m[i, j] * m[j, j]
            pivot -= m[i, j] * scaled
            m[i, j] = scaled
        if not abs(pivot) > 0.0:
            return False
        m[i, i] = 1.0 / pivot
    return True


@kernel
def solve(m: np.ndarray, n: int, b: np.ndarray) -> None:
    """Replace the first n entries of b by the solution, with the factors in m."""
    for i in range(n):
        for k in range(i):
            b[i] -= m[i, k] * b[k]
    for i in range(n):
        b[i] *= m[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i):
            b[k] -= m[i, k] * b[i]
