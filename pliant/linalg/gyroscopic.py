"""Eigenvalues of conservative gyroscopic systems ``M x'' + G x' + K x = 0`` with G skew, under joint constraints.

In the modes of M and K, with unit mass and squares d, with ``H = |d|^-1/2 G |d|^-1/2`` and S the signs of d, the
inverse eigenvalues mu = 1 / l are the eigenvalues of

    mu (p, r) = [-S H, -S |d|^-1/2; |d|^-1/2, 0] (p, r),     x = |d|^-1/2 p

so that the lowest frequencies are the most accurate. Where K is positive this matrix is skew, and all l are imaginary
(Meirovitch 1974).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._libraries import linalg as dense
from pliant.linalg import eigen


def gyroscopic(stiffness: Any, coupling: Any, mass: Any, jacobian: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute the ``count`` smallest eigenvalues with imaginary part >= 0, and their vectors; the real part of
    eigenvalues that do not grow is zero.
    """
    values, vectors = _in_modes(stiffness, coupling, mass, jacobian)
    if not values.size:
        values, vectors = eigen.damped(stiffness, coupling, mass, jacobian, count)
    values = np.where(np.abs(values.real) <= eigen.REAL * np.abs(values), 1j * values.imag, values)
    order = eigen.smallest(values, count)
    return values[order], vectors[:, order]


def _in_modes(stiffness: Any, coupling: Any, mass: Any, jacobian: Any) -> tuple[np.ndarray, np.ndarray]:
    """Compute all eigenvalues and vectors in modal coordinates; none for a large model or one with free motions."""
    size = stiffness.shape[0]
    if size > eigen.DENSE_LIMIT:
        return np.empty(0, complex), np.empty((size, 0))
    squares, modes = eigen.undamped(stiffness, mass, jacobian, size, True)
    if not np.all(squares):
        return np.empty(0, complex), np.empty((size, 0))
    modes = modes / np.sqrt(np.sum(modes * (mass @ modes), axis=0))
    root, sign = 1.0 / np.sqrt(np.abs(squares)), np.sign(squares)
    turns = root[:, None] * (modes.T @ (coupling @ modes)) * root
    turns = 0.5 * (turns - turns.T)
    slow = np.diag(root)
    matrix = np.block([[-sign[:, None] * turns, -sign[:, None] * slow], [slow, np.zeros_like(slow)]])
    if np.all(sign > 0.0):
        spins, vectors = dense.eigh(-1j * matrix)  # mu = i spins, l = -i / spins
        values, vectors = -1j / spins[spins < 0.0], vectors[:, spins < 0.0]
    else:
        mu, vectors = dense.eig(matrix)
        values = 1.0 / mu
        keep = values.imag >= -eigen.REAL * np.abs(values)
        values, vectors = values[keep], vectors[:, keep]
        values = np.where(np.abs(values.imag) <= eigen.REAL * np.abs(values), values.real, values)
    return values, modes @ (root[:, None] * vectors[: squares.size])
