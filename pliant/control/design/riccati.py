"""Riccati equations of regulators and observers, continuous and discrete, solved in balanced coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pliant.control.models.poles import UNDAMPED, eigenvalues, scales, unobserved_mode
from pliant.errors import ConvergenceError, SingularError

LARGEST_RESIDUAL = 1e-6  # of the largest term: solutions with a larger one are refused
GOOD_RESIDUAL = 1e-12  # solutions with a smaller one are not refined
REFINEMENTS = 4


@dataclass(frozen=True, eq=False)
class Problem:
    """``x' = Ax + Bu`` (discrete: ``x <- Ax + Bu``) with the cost ``x'Qx + 2x'Nu + u'Ru``, integrated (summed)."""

    A: np.ndarray
    B: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    N: np.ndarray
    sample_time: float | None

    @property
    def discrete(self) -> bool:
        """Return whether the problem is discrete in time."""
        return self.sample_time is not None

    def curvature(self, P: np.ndarray) -> np.ndarray:
        """Return R + B'PB, continuous R: the cost of a deviation of the inputs from the best ones, squared."""
        return self.R + self.B.T @ P @ self.B if self.discrete else self.R

    def feedback(self, P: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the feedback K of P, and the residual of the equation over its largest term.

        continuous   A'P + PA - K'RK + Q = 0             K = R^-1 (B'P + N')
        discrete     A'PA - P - K'(R + B'PB)K + Q = 0    K = (R + B'PB)^-1 (B'PA + N')
        """
        A, B, weight = self.A, self.B, self.curvature(P)
        K = np.linalg.solve(weight, B.T @ P @ (A if self.discrete else np.eye(len(A))) + self.N.T)
        free = [A.T @ P @ A, -P] if self.discrete else [A.T @ P + P @ A]
        terms = [*free, -K.T @ weight @ K, self.Q]
        return K, float(np.max(np.abs(sum(terms))) / max(*(np.max(np.abs(term)) for term in terms), 1e-300))

    def cost_of(self, K: np.ndarray) -> np.ndarray:
        """Return P of ``u = -K x`` if it stabilises: a Lyapunov equation, one Newton step (Kleinman 1968)."""
        from scipy.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov

        closed, cost = self.A - self.B @ K, self.Q + K.T @ self.R @ K - self.N @ K - K.T @ self.N.T
        P = solve_discrete_lyapunov(closed.T, cost) if self.discrete else solve_continuous_lyapunov(closed.T, -cost)
        return 0.5 * (P + P.T)

    def balanced(self) -> tuple[Problem, np.ndarray]:
        """Return the problem in states of similar size, and the sizes."""
        size = scales(self.A)
        column = size[:, None]
        scaled = (self.A * size / column, self.B / column, self.Q * size * column, self.R, self.N * column)
        return Problem(*scaled, self.sample_time), size

    def without_weight(self, names: Sequence[str]) -> str | None:
        """Name the undamped mode without weight, which has no stabilising solution; None without one."""
        free = np.linalg.solve(self.R, self.N.T)
        values, vectors = np.linalg.eigh(self.Q - self.N @ free)
        rows = (vectors * np.sqrt(np.where(values > 1e-14 * values[-1], values, 0.0))).T
        return unobserved_mode(self.A - self.B @ free, rows, names, sample_time=self.sample_time, growing=False)


class Solution(NamedTuple):
    """Feedback K of ``u = -K x``, solution P, residual of the equation, poles of A - B K in 1/s."""

    K: np.ndarray
    P: np.ndarray
    residual: float
    poles: np.ndarray


def solve_or_name(owner: str, problem: Problem, names: Sequence[str], missed: str, hint: str) -> Solution:
    """Solve the problem; if an undamped mode without weight prevents it, name the mode."""
    try:
        return solve(owner, problem)
    except ConvergenceError:
        lost = problem.without_weight(names)
        if lost is None:
            raise
        raise SingularError(f"{owner}: {missed} the undamped {lost}: {hint}") from None


def solve(owner: str, problem: Problem) -> Solution:
    """Return the stabilising solution: scipy's Schur method, refined by Newton's against rounding."""
    from scipy.linalg import LinAlgError, solve_continuous_are, solve_discrete_are

    near, size = problem.balanced()
    method = solve_discrete_are if near.discrete else solve_continuous_are
    try:
        with np.errstate(all="ignore"):  # overflow ends in the check of the residual
            P = method(near.A, near.B, near.Q, near.R, s=near.N)
            K, residual = near.feedback(P)
            for _ in range(REFINEMENTS):
                if residual < GOOD_RESIDUAL:
                    break
                better = near.cost_of(K)
                again, left = near.feedback(better)
                if not left < 0.5 * residual:
                    break
                P, K, residual = better, again, left
    except (LinAlgError, ValueError) as error:
        raise _failed(owner, f"the solver says: {error}") from None
    poles = eigenvalues(near.A - near.B @ K, near.sample_time)
    stable = bool(np.all(poles.real < UNDAMPED * np.abs(poles)))
    if not (residual <= LARGEST_RESIDUAL and stable):
        raise _failed(owner, f"the residual is {residual:.1e} and the closed loop is {'' if stable else 'not '}stable")
    return Solution(K / size, P / np.outer(size, size), residual, poles)


def _failed(owner: str, why: str) -> ConvergenceError:
    return ConvergenceError(
        f"{owner}: the Riccati equation could not be solved: {why}. The model may hold modes of very different speed, "
        "or the weights may differ by too many orders: reduce the model first (pl.reduce), and look at the weights. A "
        "part that moves freely, with poles near zero, is easier with a soft spring that holds it."
    )
