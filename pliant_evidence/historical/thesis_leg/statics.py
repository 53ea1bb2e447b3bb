"""Newton's method for an equilibrium with multipliers: what (5.49) should have been."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import null_space

from pliant_evidence.historical.thesis_leg.mechanism import Array, Mechanism

TRUST = 0.05  # m or rad: the largest change of a coordinate in an iteration (5.14.4)


class Equilibrium(NamedTuple):
    """The end of an iteration."""

    q: Array
    multipliers: Array  # N: what the leaf's tip exerts on the upper link
    unbalanced: float  # N or N m, largest
    converged: bool


def equilibrium(
    model: Mechanism, q: Array, *, hold: Sequence[int], load: Array | float = 0.0, iterations: int = 400
) -> Equilibrium:
    """Solve H(q, 0) + J_c' lambda = load, phi(q) = 0, with some coordinates held."""
    free, multipliers = np.setdiff1d(model.active, hold), np.zeros(len(model.closure(q)))
    for _ in range(iterations):
        _, H, K, _ = model.operators(q, np.zeros_like(q))
        J = model.closure_jacobian(q)
        residual = (H - load + J.T @ multipliers)[free]
        K = K + model.closure_stiffness(q, multipliers)
        change, more = constrained_solution(K, J, free, -residual, -model.closure(q))
        factor = min(1.0, TRUST / max(np.abs(change).max(), 1e-300))
        q, multipliers = q.copy(), multipliers + factor * more
        q[free] += factor * change
        converged = bool(np.abs(change).max() < 1e-11)
        if converged:
            break
    return Equilibrium(q, multipliers, float(np.abs(residual).max()), converged)


def lowest_stiffness(model: Mechanism, state: Equilibrium, *, hold: Sequence[int]) -> float:
    """Return smallest eigenvalue of the tangent on the motions that the loop allows; negative where it is unstable."""
    free, J = np.setdiff1d(model.active, hold), model.closure_jacobian(state.q)
    tangent = model.operators(state.q, np.zeros_like(state.q))[2] + model.closure_stiffness(state.q, state.multipliers)
    allowed = null_space(J[:, free])
    return float(np.linalg.eigvalsh(allowed.T @ tangent[np.ix_(free, free)] @ allowed)[0])


def constrained_solution(K: Array, J: Array, free: Array, right: Array, gap: Array) -> tuple[Array, Array]:
    """Solve K x + J' y = right, J x = gap, the smallest x and y if there are several; rows and columns scaled alike."""
    scale = np.abs(K[np.ix_(free, free)]).max()
    matrix, rows = saddle(K, scale * J, free), np.concatenate([right, scale * gap])
    solution = np.linalg.lstsq(matrix, rows, rcond=1e-14)[0]
    return solution[: len(free)], scale * solution[len(free) :]


def saddle(stiffness: Array, jacobian: Array, free: Array) -> Array:
    """Return [S, J'; J, 0] over the coordinates that are free."""
    J = jacobian[:, free]
    return np.block([[stiffness[np.ix_(free, free)], J.T], [J, np.zeros((len(J), len(J)))]])
