"""Derivatives of eigenvalues with constraints.

    A(l) = [l^2 M + l C + K, G^T; G, 0],  A x = 0,  y^H A = 0   ->   l' = -y^H A' x / y^H A_l x

Of an eigenvalue that is there r times x and y have r columns, and its r derivatives by one parameter are the
eigenvalues of ``-(y^H A_l x)^-1 y^H A' x`` (P. Lancaster, Numer. Math. 6, 1964).
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.solvers.implicit import Line
from pliant.system.state import Matrices, State

SAME = 1e-6  # of an eigenvalue: nearer ones are taken for repeated
BESIDE = 1e-8  # of an eigenvalue, where the matrix is factorised
ROUNDS, CONVERGED = 20, 1e-12


class Slopes(NamedTuple):
    """Derivatives of eigenvalues, and which of them are repeated; NaN of those that are zero."""

    values: np.ndarray
    repeated: np.ndarray


def by_parameter(line: Line) -> Matrices:
    """Derivatives of the matrices along a line of equilibria."""
    keys = ("stiffness", "damping", "mass", "ties")
    return Matrices(*(partial(line.derivative, partial(_matrix, key=key)) for key in keys))


def _matrix(system: Any, state: State, key: str) -> Any:
    return getattr(system.matrices(state), key)


def slopes(values: np.ndarray, at: Matrices, by_parameter: Matrices, soft: np.ndarray, *, damped: bool) -> Slopes:
    """Of eigenvalues l (not zero) of matrices, from the derivatives of these."""
    found = np.full(values.size, np.nan, complex)
    repeated, left = np.zeros(values.size, bool), list(np.flatnonzero(values != 0.0))
    while left:
        group = [k for k in left if abs(values[k] - values[left[0]]) <= SAME * abs(values[left[0]])]
        left = [k for k in left if k not in group]
        own = _group(np.mean(values[group]), len(group), at, by_parameter, soft, damped)
        found[group] = own[np.argsort(own.imag + own.real)]
        repeated[group] = len(group) > 1
    return Slopes(found, repeated)


def _group(value: complex, count: int, at: Matrices, change: Matrices, soft: np.ndarray, damped: bool) -> np.ndarray:
    beside, damping = value * (1.0 + BESIDE), 1.0 if damped else 0.0
    whole = bordered(at, beside, damping, soft)
    weight = np.sqrt(np.maximum(np.abs(whole.diagonal()), np.max(np.abs(whole.data)) * 1e-12))
    scale = sparse.diags_array(1.0 / weight)
    factors = sparse.linalg.splu(sparse.csc_array(scale @ whole @ scale))
    rate = scale @ by_value(at, value, damping) @ scale
    moved = scale @ bordered(change, value, damping, 0.0 * soft) @ scale
    rng = np.random.default_rng(0)
    x, y = (np.linalg.qr(rng.standard_normal((weight.size, count)).astype(complex))[0] for _ in range(2))
    for _ in range(ROUNDS):
        was = x
        x = np.linalg.qr(factors.solve(rate @ x))[0]
        y = np.linalg.qr(factors.solve(rate.conj().T @ y, trans="H"))[0]
        if np.linalg.norm(was - x @ (x.conj().T @ was)) < CONVERGED * count:
            break
    mass = y.conj().T @ (rate @ x)
    return np.asarray(dense.eigvals(-np.linalg.solve(mass, y.conj().T @ (moved @ x))))


def bordered(of: Matrices, value: complex, damping: float, soft: np.ndarray) -> sparse.csc_array:
    """A(l) of matrices, or A' of their derivatives."""
    inner = value**2 * of.mass + damping * value * of.damping + of.stiffness
    return sparse.csc_array(sparse.block_array([[inner, of.ties.T], [of.ties, -sparse.diags_array(soft + 0j)]]))


def by_value(of: Matrices, value: complex, damping: float) -> sparse.csc_array:
    """A_l"""
    inner, rows = 2.0 * value * of.mass + damping * of.damping, of.ties.shape[0]
    return sparse.csc_array(sparse.block_diag([inner, sparse.csc_array((rows, rows))]))
