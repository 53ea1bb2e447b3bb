"""Values that have no order of their own, such as eigenvalues, from one result to the next."""

from __future__ import annotations

import numpy as np

SAME = 1e-6  # of a value: nearer ones are taken for repeated


def nearest_first(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    """The values that are there now, each at the place of the one before that it is nearest to, all together.

    >>> nearest_first(np.array([1.0, 5.0]), np.array([5.1, 0.9, 30.0]))
    array([0.9, 5.1])
    """
    from scipy.optimize import linear_sum_assignment

    apart = np.abs(np.asarray(before)[:, None] - np.asarray(now)[None])
    return np.asarray(now)[linear_sum_assignment(apart)[1]]


def repeated(values: np.ndarray) -> np.ndarray:
    """(values) whether another one is the same.

    >>> repeated(np.array([1.0, 2.0, 2.0]))
    array([False,  True,  True])
    """
    apart = np.abs(values[:, None] - values[None]) + np.diag(np.full(values.size, np.inf))
    return np.asarray(np.any(apart <= SAME * np.abs(values), axis=0))
