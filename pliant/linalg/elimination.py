"""Elimination of small dense matrices in compiled code, with pivoting that reveals the rank.

G. H. Golub, C. F. Van Loan, Matrix Computations, 2013, section 3.4: complete pivoting takes the largest remaining
entry, so that its row and column are the least dependent; partial pivoting takes the largest of a column.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel


@kernel
def reveal(a: np.ndarray, rank: int, lines: np.ndarray, places: np.ndarray) -> float:
    """Eliminate with complete pivoting, in place, and permute rows (``lines``) and columns (``places``) so that the
    first ``rank`` of each are independent. Returns the last of their pivots over the first; 0 if the rank is lower.
    """
    largest, pivot = 0.0, 0.0
    for i in range(lines.size):
        lines[i] = i
    for j in range(places.size):
        places[j] = j
    for step in range(rank):
        pivot, best, where = 0.0, step, step
        for i in range(step, lines.size):
            for j in range(step, places.size):
                size = abs(a[lines[i], places[j]])
                if size > pivot:
                    pivot, best, where = size, i, j
        if not pivot > 0.0:
            return 0.0
        lines[step], lines[best] = lines[best], lines[step]
        places[step], places[where] = places[where], places[step]
        largest = max(largest, pivot)
        top, first = lines[step], places[step]
        for i in range(step + 1, lines.size):
            row = lines[i]
            factor_of_row = a[row, first] / a[top, first]
            if factor_of_row != 0.0:
                for j in range(step + 1, places.size):
                    a[row, places[j]] -= factor_of_row * a[top, places[j]]
    return pivot / largest if largest > 0.0 else 1.0


@kernel
def factor(a: np.ndarray, n: int, order: np.ndarray) -> float:
    """Replace the first n rows and columns by L U with partial pivoting, rows in ``order``. Returns the smallest pivot
    over the largest; 0 if the matrix is singular or not finite.
    """
    least, largest = np.inf, 0.0
    for i in range(n):
        order[i] = i
    for step in range(n):
        pivot, best = 0.0, step
        for i in range(step, n):
            size = abs(a[i, step])
            if size > pivot:
                pivot, best = size, i
        if not 0.0 < pivot < np.inf:
            return 0.0
        if best != step:
            order[step], order[best] = order[best], order[step]
            for j in range(n):
                a[step, j], a[best, j] = a[best, j], a[step, j]
        least, largest = min(least, pivot), max(largest, pivot)
        inverse = 1.0 / a[step, step]
        for i in range(step + 1, n):
            if a[i, step] != 0.0:
                part = a[i, step] * inverse
                a[i, step] = part
                for j in range(step + 1, n):
                    a[i, j] -= part * a[step, j]
    return least / largest if n > 0 else 1.0


@kernel
def solve(a: np.ndarray, n: int, order: np.ndarray, b: np.ndarray, x: np.ndarray) -> None:
    """Compute x = A^-1 b, with the factors in a."""
    for i in range(n):
        value = b[order[i]]
        for j in range(i):
            value -= a[i, j] * x[j]
        x[i] = value
    for i in range(n - 1, -1, -1):
        value = x[i]
        for j in range(i + 1, n):
            value -= a[i, j] * x[j]
        x[i] = value / a[i, i]


@kernel
def solve_transposed(a: np.ndarray, n: int, order: np.ndarray, b: np.ndarray, x: np.ndarray) -> None:
    """Compute x = A^-T b, with the factors of A in a; b is changed."""
    for i in range(n):
        b[i] /= a[i, i]
        for j in range(i + 1, n):
            b[j] -= a[i, j] * b[i]
    for i in range(n - 1, -1, -1):
        for j in range(i):
            b[j] -= a[i, j] * b[i]
        x[order[i]] = b[i]
