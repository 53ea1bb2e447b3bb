"""Matching of values without an order, such as eigenvalues, from one result to the next."""

from __future__ import annotations

import numpy as np

SAME = 1e-6  # relative distance below which values are repeated


def nearest_first(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    """Match new values to the old ones by least total distance; return each at the place of its partner.

    >>> nearest_first(np.array([1.0, 5.0]), np.array([5.1, 0.9, 30.0]))
    array([0.9, 5.1])
    """
    from scipy.optimize import linear_sum_assignment

    apart = np.abs(np.asarray(before)[:, None] - np.asarray(now)[None])
    return np.asarray(now)[linear_sum_assignment(apart)[1]]


def is_repeated(values: np.ndarray) -> np.ndarray:
    """Return for each of the values (n,) whether another one is equal.

    >>> is_repeated(np.array([1.0, 2.0, 2.0]))
    array([False,  True,  True])
    """
    apart = np.abs(values[:, None] - values[None]) + np.diag(np.full(values.size, np.inf))
    return np.asarray(np.any(apart <= SAME * np.abs(values), axis=0))
