"""How many digits rounding leaves of the eigenvalues of an assembled matrix, and how to keep more of them.

The entries of K are right to eps each. A thin beam has large ones (EA, GA) that cancel in its soft modes (EI), so that

    |x^T dK x| <= eps |x|^T |K| |x|

is left of x^T K x, whatever solves the eigenproblem: a part eps EA L^2/EI, times about n^2 p^3/4 for n elements of
order p, of the lowest eigenvalue. (True errors of exact beams of EA L^2/EI from 1e6 to 1e13 are up to 0.45 of it.) The
forces that K is the derivative of lose nothing: they are strains times stiffnesses, and where a mode strains nothing
there is nothing to cancel. X^T K X from them (by_forces.py) keeps the digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant import errors

EPS = float(np.finfo(float).eps)
NOISE = 10.0  # times what rounding may leave of a motion that costs nothing (it leaves up to 0.45): below is zero
LIMIT = 0.01  # of a frequency, a stiffness: what rounding may do to it
ADVICE = (
    "Its beams are too thin for double precision with such a mesh: take fewer elements of a lower order, "
    "pl.Corotational, or smaller EA and GA (EA L^2/EI of 1e8 is as good as inextensible)."
)


def rounding(matrix: Any, vectors: np.ndarray) -> np.ndarray:
    """How far x^* A x of every column x may be off because the entries of A are rounded."""
    sizes = np.abs(vectors)
    return np.asarray(EPS * np.sum(sizes * (np.abs(matrix) @ sizes), axis=0))


def shares(
    off: np.ndarray, damping: Any | None, mass: Any, values: np.ndarray, vectors: np.ndarray, noise: float = NOISE
) -> np.ndarray:
    """How far each eigenvalue l of ``l^2 M + l C + K`` may be off, relative, where x^* K x is off by ``off``. Without
    damping C is None.

    Of one that was found to be zero: how large it may be all the same, hidden by ``noise`` times ``off``, over the
    smallest other one.
    """

    def form(matrix: Any) -> np.ndarray:
        return np.abs(np.sum(vectors.conj() * (matrix @ vectors), axis=0))

    least = np.min(np.abs(values[values != 0.0]), initial=np.inf)
    heavy = form(mass)
    change = np.abs(values) * np.abs(2.0 * np.abs(values) * heavy + (0.0 if damping is None else form(damping)))
    hidden = np.sqrt(noise * off / np.maximum(heavy, 1e-300)) / least
    return np.asarray(np.where(values != 0.0, off / np.maximum(change, 1e-300), hidden))


def warn(what: str, share: float, message: str) -> None:
    """Warn where rounding does more than it may."""
    if share > LIMIT:
        errors.warn(errors.DigitsLost, f"{what}: {message} {ADVICE}")
