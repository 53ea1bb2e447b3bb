"""Riccati equations of regulators and observers, continuous and discrete, solved in balanced coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pliant.control.poles import UNDAMPED, Complex, continuous, eigenvalues, unseen
from pliant.errors import ConvergenceError

Array = NDArray[np.float64]

LARGEST_RESIDUAL = 1e-6  # of the largest term: above it the solution is not trusted


class Solution(NamedTuple):
    """Feedback K of ``u = -K x``, solution P, what is left of the equation over its largest term, poles of A - B K."""

    K: Array
    P: Array
    residual: float
    poles: Complex


def solve(owner: str, A: Array, B: Array, Q: Array, R: Array, N: Array, *, discrete: bool) -> Solution:
    """The stabilising solution for the cost ``x'Qx + 2 x'Nu + u'Ru``, integrated or summed.

    continuous   A'P + PA - K'RK + Q = 0             K = R^-1 (B'P + N')
    discrete     A'PA - P - K'(R + B'PB)K + Q = 0    K = (R + B'PB)^-1 (B'PA + N')
    """
    from scipy.linalg import LinAlgError, matrix_balance, solve_continuous_are, solve_discrete_are

    _, (scale, _) = matrix_balance(A, permute=False, separate=True)
    a, b = A * scale / scale[:, None], B / scale[:, None]
    q, s = Q * np.outer(scale, scale), N * scale[:, None]
    try:
        p = (solve_discrete_are if discrete else solve_continuous_are)(a, b, q, R, s=s)
    except (LinAlgError, ValueError) as error:
        raise _failed(owner, f"the solver says: {error}") from None
    if discrete:
        weight = R + b.T @ p @ b
        k = np.linalg.solve(weight, b.T @ p @ a + s.T)
        terms = (a.T @ p @ a, -p, -k.T @ weight @ k, q)
    else:
        k = np.linalg.solve(R, b.T @ p + s.T)
        terms = (a.T @ p + p @ a, -k.T @ R @ k, q)
    residual = float(np.max(np.abs(sum(terms))) / max(max(np.max(np.abs(term)) for term in terms), 1e-300))
    poles = eigenvalues(a - b @ k)
    rates = continuous(poles, 1.0 if discrete else None)
    damped = bool(np.all(rates.real < -UNDAMPED * np.abs(rates)))
    if not (residual <= LARGEST_RESIDUAL and damped):
        raise _failed(owner, f"the residual is {residual:.1e} and the closed loop is {'' if damped else 'not '}damped")
    return Solution(k / scale, p / np.outer(scale, scale), residual, poles)


def _failed(owner: str, why: str) -> ConvergenceError:
    return ConvergenceError(
        f"{owner}: the Riccati equation could not be solved: {why}. The model may hold modes of very different speed, "
        "or the weights may differ by too many orders: reduce the model first (pl.reduce) and look at the weights."
    )


def without_weight(
    A: Array, B: Array, Q: Array, R: Array, N: Array, names: Sequence[str], sample_time: float | None
) -> str | None:
    """The undamped mode that no weight sees, for which there is no stabilising solution; None if there is none."""
    own, free = A - B @ np.linalg.solve(R, N.T), Q - N @ np.linalg.solve(R, N.T)
    values, vectors = np.linalg.eigh(free)
    factor = vectors * np.sqrt(np.where(values > 1e-14 * values[-1], values, 0.0))
    return unseen(own, factor.T, names, sample_time=sample_time, growing=False)
