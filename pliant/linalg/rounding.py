"""Rounding error of the eigenvalues of an assembled matrix.

The entries of K are right to eps each. A thin beam has large ones (EA, GA) that cancel in its soft modes (EI), so that

    |x^T dK x| <= eps |x|^T |K| |x|

is the error of x^T K x, whatever solves the eigenproblem: a part eps EA L^2/EI, times about n^2 p^3/4 for n elements of
order p, of the lowest eigenvalue. (True errors of exact beams of EA L^2/EI from 1e6 to 1e13 are up to 0.45 of it.) The
forces, of which K is the derivative, lose no digits: they are strains times stiffnesses, and where a mode strains
nothing there is nothing to cancel. X^T K X from forces (solvers/nonlinear/stiffness_from_forces.py) keeps the digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant import errors

EPS = float(np.finfo(float).eps)
NOISE = 10.0  # times the rounding error (true errors are up to 0.45): smaller values are set to zero
LIMIT = 0.01  # largest relative rounding error of a frequency or stiffness
ADVICE = (
    "Its beams are too thin for double precision with such a mesh: take fewer elements of a lower order, "
    "pl.Corotational, or smaller EA and GA (EA L^2/EI of 1e8 is as good as inextensible)."
)


def rounding(matrix: Any, vectors: np.ndarray) -> np.ndarray:
    """Estimate the error of x^* A x of every column x by rounding of the entries of A."""
    sizes = np.abs(vectors)
    return np.asarray(EPS * np.sum(sizes * (np.abs(matrix) @ sizes), axis=0))


def shares(
    off: np.ndarray, damping: Any | None, mass: Any, values: np.ndarray, vectors: np.ndarray, noise: float = NOISE
) -> np.ndarray:
    """Estimate the relative error of each eigenvalue l of ``l^2 M + l C + K`` if x^* K x has the error ``off``; C is
    None without damping.

    For a zero eigenvalue: the largest value that ``noise`` times ``off`` may hide, over the smallest other eigenvalue.
    """

    def form(matrix: Any) -> np.ndarray:
        return np.abs(np.sum(vectors.conj() * (matrix @ vectors), axis=0))

    least = np.min(np.abs(values[values != 0.0]), initial=np.inf)
    heavy = form(mass)
    change = np.abs(values) * np.abs(2.0 * np.abs(values) * heavy + (0.0 if damping is None else form(damping)))
    hidden = np.sqrt(noise * off / np.maximum(heavy, 1e-300)) / least
    return np.asarray(np.where(values != 0.0, off / np.maximum(change, 1e-300), hidden))


def warn(what: str, share: float, message: str) -> None:
    """Warn if the rounding error exceeds `LIMIT`."""
    if share > LIMIT:
        errors.warn(errors.DigitsLost, f"{what}: {message} {ADVICE}")
