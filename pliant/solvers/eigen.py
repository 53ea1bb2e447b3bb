"""Eigenvalues of constrained systems ``M x'' + C x' + K x + G^T l = 0``, ``G x = 0``.

Small: projected on the null space of G, dense. Large: shift-invert on the saddle matrix, sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as dense
import scipy.sparse as sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, eigsh, splu

from pliant.errors import ConvergenceError

DENSE_LIMIT = 700


def null_space(jacobian: np.ndarray) -> np.ndarray:
    """Orthonormal basis of {x : G x = 0}."""
    rows, columns = jacobian.shape
    if rows == 0:
        return np.eye(columns)
    basis, triangle, _ = dense.qr(jacobian.T, pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.sum(diagonal > 1e-10 * max(diagonal.max(initial=0.0), 1e-300)))
    return np.asarray(basis[:, rank:])


def undamped(
    stiffness: Any, mass: Any, jacobian: np.ndarray, count: int, symmetric: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` lowest squares omega^2 (real if symmetric) and their vectors, K x = omega^2 M x on G x = 0."""
    if stiffness.shape[0] <= DENSE_LIMIT:
        basis = null_space(jacobian)
        k, m = basis.T @ (stiffness @ basis), basis.T @ (mass @ basis)
        if symmetric and _positive(m):
            values, vectors = dense.eigh(0.5 * (k + k.T), 0.5 * (m + m.T))
        else:  # unsymmetric, or freedoms without mass: those have no finite frequency
            values, vectors = dense.eig(k, m)
            finite = np.flatnonzero(
                np.isfinite(values) & (np.abs(values) < 1e14 * np.min(np.abs(values), initial=np.inf))
            )
            order = finite[np.argsort(np.abs(values[finite]))]
            values, vectors = values[order], vectors[:, order]
            if symmetric:
                values, vectors = values.real, vectors.real
        return values[:count], (basis @ vectors)[:, :count]
    shift, size = _shift(stiffness, mass), stiffness.shape[0]
    solve = _solver(stiffness - shift * mass, jacobian)
    inverse = LinearOperator((size, size), matvec=solve, dtype=float)
    start = solve(mass @ np.random.default_rng(0).standard_normal(size))
    count = min(count, size - jacobian.shape[0] - 1)
    try:
        if symmetric:
            values, vectors = eigsh(stiffness, count, M=mass, sigma=shift, OPinv=inverse, v0=start)
        else:
            values, vectors = eigs(stiffness, count, M=mass, sigma=shift, OPinv=inverse, v0=start)
    except ArpackNoConvergence as error:
        raise ConvergenceError(f"The {count} lowest modes were not found: {error}. Ask for fewer modes.") from error
    order = np.argsort(values.real)
    return values[order], vectors[:, order]


def damped(stiffness: Any, damping: Any, mass: Any, jacobian: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` smallest complex eigenvalues of (l^2 M + l C + K) x = 0 with positive or zero imaginary part, and
    vectors.
    """
    size = stiffness.shape[0]
    if size <= DENSE_LIMIT:
        basis = null_space(jacobian)
        k, c, m = (basis.T @ (matrix @ basis) for matrix in (stiffness, damping, mass))
        n = k.shape[0]
        left = np.block([[np.zeros((n, n)), np.eye(n)], [-k, -c]])
        right = np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), m]])
        values, vectors = dense.eig(left, right)
        vectors = basis @ vectors[:n]
    else:
        shift = 1j * np.sqrt(abs(_shift(stiffness, mass)))
        values, vectors = _damped_sparse(stiffness, damping, mass, jacobian, 2 * count + 2, shift)
    keep = np.isfinite(values) & (values.imag >= -1e-9 * np.abs(values))
    values, vectors = values[keep], vectors[:, keep]
    order = np.argsort(np.abs(values), kind="stable")[:count]
    return values[order], vectors[:, order]


def _damped_sparse(
    stiffness: Any, damping: Any, mass: Any, jacobian: np.ndarray, count: int, shift: complex
) -> tuple[np.ndarray, np.ndarray]:
    """Shift-invert Arnoldi on the first-order form; each solve is one with l^2 M + l C + K and the constraints."""
    size = stiffness.shape[0]
    solve = _solver(stiffness + shift * damping + shift**2 * mass, jacobian)

    def apply(z: np.ndarray) -> np.ndarray:
        x, y = z[:size], z[size:]
        top = solve(-(damping @ x + shift * (mass @ x) + mass @ y))
        return np.concatenate([top, x + shift * top])

    operator = LinearOperator((2 * size, 2 * size), matvec=apply, dtype=complex)
    start = apply(np.random.default_rng(0).standard_normal(2 * size).astype(complex))
    try:
        inverse, vectors = eigs(operator, min(count, size), v0=start)
    except ArpackNoConvergence as error:
        raise ConvergenceError(
            f"The {count // 2} lowest damped modes were not found: {error}. Ask for fewer modes."
        ) from error
    return shift + 1.0 / inverse, vectors[:size]


def _positive(matrix: np.ndarray) -> bool:
    try:
        dense.cholesky(0.5 * (matrix + matrix.T))
    except dense.LinAlgError:
        return False
    return True


def _shift(stiffness: Any, mass: Any) -> float:
    """A shift slightly below zero, small against the stiffness-to-mass ratio: keeps the saddle matrix regular."""
    return -1e-9 * float(np.max(np.abs(stiffness.diagonal()))) / float(np.max(mass.diagonal()))


def _solver(matrix: Any, jacobian: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Solver of A x + G^T l = b, G x = 0, by LU of the saddle matrix."""
    size, rows = matrix.shape[0], jacobian.shape[0]
    ties = sparse.csc_matrix(jacobian)
    saddle = sparse.bmat([[matrix, ties.T], [ties, None]], format="csc") if rows else sparse.csc_matrix(matrix)
    factors = splu(saddle)

    def solve(b: np.ndarray) -> np.ndarray:
        right = np.concatenate([b, np.zeros(rows, b.dtype)]).astype(saddle.dtype)
        return np.asarray(factors.solve(right)[:size])

    return solve
