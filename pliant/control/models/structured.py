"""The size of a matrix under perturbations of each loop by itself: an upper bound of the structured singular value.

    mu(M) <= least over D of sigma_max(D M D^-1),   D = diag(e^x)

exact for up to three loops (J. C. Doyle 1982). It does not depend on the units of the loops, as sigma_max(M) does.
"""

from __future__ import annotations

import numpy as np

ROUNDS = 12  # of Osborne's balancing
LARGEST = 12.0  # of x: 1e5 between the loops
POWERS = (16.0, 1e6)  # p of (sum of sigma^p)^(1/p), the second as good as the largest sigma


def balanced(M: np.ndarray) -> np.ndarray:
    """x of the scales that make rows and columns of M (or of each of several) alike: near the least, and cheap
    (E. E. Osborne 1960).
    """
    size = np.abs(M) ** 2 * (1.0 - np.eye(M.shape[-1]))
    x = np.zeros(M.shape[:-1])
    for _ in range(ROUNDS):
        for i in range(M.shape[-1]):
            weight = np.exp(2.0 * (x[..., i, None] - x))
            row, column = np.sum(size[..., i, :] * weight, axis=-1), np.sum(size[..., :, i] / weight, axis=-1)
            both = (row > 0.0) & (column > 0.0)
            x[..., i] -= 0.25 * np.log(np.where(both, row, 1.0) / np.where(both, column, 1.0))
    return x


def bound(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    """sigma_max(D M D^-1), of one matrix or of each of several."""
    scale = np.exp(np.clip(x, -LARGEST, LARGEST))
    return np.linalg.norm(M * scale[..., :, None] / scale[..., None, :], 2, axis=(-2, -1))


def least_bound(M: np.ndarray) -> float:
    """The least of the bounds: a convex problem in x (R. Sezginer, M. Overton 1990), from Osborne's scales on, by BFGS:
    first of a smooth sum of all singular values, then of the largest, which has kinks where two meet (A. S. Lewis,
    M. L. Overton 2013). Whatever x it ends at is a bound.

    >>> float(round(least_bound(np.array([[0.0, 100.0], [0.01, 0.0]])), 6))
    1.0
    """
    from scipy.optimize import minimize

    x = balanced(M)
    least = float(bound(M, x))
    if len(M) < 2 or least <= 0.0:
        return least
    for power in POWERS:
        x = minimize(_summed, x, (M, power), "BFGS", jac=True, options={"gtol": 1e-8, "maxiter": 300}).x
        x = x - x.mean()
        least = min(least, float(bound(M, x)))
    return least


def _summed(x: np.ndarray, M: np.ndarray, power: float) -> tuple[float, np.ndarray]:
    """log (sum of sigma^p)^(1/p) of D M D^-1, and its derivative: that of log sigma by x_i is |u_i|^2 - |v_i|^2."""
    scale = np.exp(np.clip(x - x.mean(), -LARGEST, LARGEST))
    left, sigma, right = np.linalg.svd(M * scale[:, None] / scale)
    share = (sigma / sigma[0]) ** power
    total = float(np.sum(share))
    slope = (np.abs(left) ** 2 - np.abs(right.T) ** 2) @ share / total
    return float(np.log(sigma[0]) + np.log(total) / power), slope
