"""Eigenvalues of conservative gyroscopic systems ``M x'' + G x' + K x = 0`` with G skew, on the motions joints allow.

Where K is positive all of them are imaginary, and are found so: with ``K = L L^T``, ``N^T N = L^-1 M L^-T`` and
``H = L^-1 G L^-T``, the inverse eigenvalues mu = 1 / l are those of a skew matrix (Meirovitch 1974),

    mu (p, r) = [-H, -N^T; N, 0] (p, r),     p = L^T x

so that the lowest frequencies come out best, and parts without mass do no harm.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as dense

from pliant.solvers import eigen

MASSLESS = 1e-15  # of the largest 1 / l: no frequency


def gyroscopic(
    stiffness: Any, coupling: Any, mass: Any, jacobian: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` smallest eigenvalues with positive or zero imaginary part, and vectors; of those that do not grow
    the real part is zero.
    """
    if stiffness.shape[0] <= eigen.DENSE_LIMIT:
        basis = eigen.null_space(jacobian)
        try:
            values, vectors = _imaginary(*(basis.T @ (matrix @ basis) for matrix in (stiffness, coupling, mass)))
        except dense.LinAlgError:  # K is not positive
            pass
        else:
            order = np.argsort(values, kind="stable")[:count]
            return 1j * values[order], basis @ vectors[:, order]
    values, vectors = eigen.damped(stiffness, coupling, mass, jacobian, count)
    return np.where(np.abs(values.real) <= eigen.REAL * np.abs(values), 1j * values.imag, values), vectors


def _imaginary(k: np.ndarray, g: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All frequencies (rad/s) and vectors; LinAlgError where k is not positive."""
    lower = dense.cholesky(0.5 * (k + k.T), lower=True)

    def scaled(matrix: np.ndarray) -> np.ndarray:
        half = dense.solve_triangular(lower, matrix, lower=True)
        return np.asarray(dense.solve_triangular(lower, half.T, lower=True).T)

    heavy, shapes = dense.eigh(scaled(0.5 * (m + m.T)))
    root = np.sqrt(np.maximum(heavy, 0.0))[:, None] * shapes.T
    skew = scaled(0.5 * (g - g.T))
    matrix = np.block([[-skew, -root.T], [root, np.zeros_like(skew)]])
    turns, vectors = dense.eigh(-1j * matrix)  # mu = i turns, l = -i / turns
    keep = turns < -MASSLESS * np.max(np.abs(turns), initial=0.0)
    return -1.0 / turns[keep], dense.solve_triangular(lower.T, vectors[: len(k), keep])
