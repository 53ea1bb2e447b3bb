"""Least squares with bounds, and the shortest of all solutions of equations with bounds.

The latter by the method of multipliers (Hestenes 1969, Powell 1969), which with rho large takes a few steps:

    x = least of |x|^2 + rho |goal - matrix x + y / rho|^2 within bounds,      y <- y + rho (goal - matrix x)
"""

from __future__ import annotations

import numpy as np

from pliant.errors import ConvergenceError

PENALTY = 1e6  # rho where the map has its largest singular value, at first
STIFFEST = 1e6  # root of rho there, at most
STEPS = 100  # of the method of multipliers
ROUNDING = 1e-13  # of the wrench


def nearest(
    matrix: np.ndarray, goal: np.ndarray, low: np.ndarray, high: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Least |x| with ``matrix x = goal`` within bounds, which start fulfils, and the multipliers of these equations."""
    largest, x, multipliers = float(np.linalg.norm(matrix, 2)) if matrix.size else 0.0, start, np.zeros(goal.size)
    if largest == 0.0:
        return np.clip(np.zeros_like(start), low, high), multipliers
    size = max(float(np.linalg.norm(goal)), largest * float(np.linalg.norm(start)))
    root, last = np.sqrt(PENALTY) / largest, np.inf
    for _ in range(STEPS):
        stacked = np.vstack([root * matrix, np.eye(x.size)])
        x = bounded(stacked, np.r_[root * goal + multipliers / root, np.zeros(x.size)], low, high, x)
        gap = goal - matrix @ x
        multipliers = multipliers + root**2 * gap
        left = float(np.linalg.norm(gap))
        if left <= ROUNDING * size:
            break
        root, last = root * (3.0 if left > 0.1 * last and root * largest < STIFFEST else 1.0), left
    free = (x > low) & (x < high)
    if free.any():  # both again without rho, which is rounding by now
        x[free] = np.clip(_least(matrix[:, free], goal - matrix[:, ~free] @ x[~free]), low[free], high[free])
        multipliers = multipliers + _least(matrix[:, free].T, x[free] - matrix[:, free].T @ multipliers)
    return x, multipliers


def _least(matrix: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Shortest least-squares solution."""
    return np.asarray(np.linalg.lstsq(matrix, goal, rcond=1e-13)[0])


def bounded(matrix: np.ndarray, goal: np.ndarray, low: np.ndarray, high: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Least |matrix x - goal| within bounds: active sets, from a start within the bounds.

    Minimise with the variables at bounds held; on the way stop at the first bound met and hold it too; at the minimum
    let go the one that pulls inward most. Every minimum is lower than the one before, so none comes back.

    >>> bounded(np.eye(2), np.array([2.0, -1.0]), np.zeros(2), np.ones(2), np.zeros(2))
    array([1., 0.])
    """
    x = np.clip(start, low, high)
    free = (x > low) & (x < high)
    for _ in range(20 * x.size + 20):
        step = np.zeros_like(x)
        step[free] = _least(matrix[:, free], goal - matrix @ x) if free.any() else 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step > 0.0, (high - x) / step, np.where(step < 0.0, (low - x) / step, np.inf))
        first = int(np.argmin(room))
        if room[first] < 1.0:
            x = np.clip(x + max(0.0, room[first]) * step, low, high)
            x[first] = high[first] if step[first] > 0.0 else low[first]
            free[first] = False
            continue
        x = np.clip(x + step, low, high)
        pull = matrix.T @ (goal - matrix @ x)
        inward = np.where(x <= low, pull, -pull)
        inward[free | (low == high)] = 0.0
        worst = int(np.argmax(inward))
        noise = 1e-14 * np.linalg.norm(matrix[:, worst]) * max(np.linalg.norm(goal), np.linalg.norm(matrix @ x))
        if inward[worst] <= noise:
            return x
        free[worst] = True
    raise ConvergenceError("allocate: the active-set method did not converge. Give weights that differ less.")
