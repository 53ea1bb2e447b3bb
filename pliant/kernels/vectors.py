"""Copies and norms of flat arrays."""

from __future__ import annotations

import numpy as np

from pliant._jit import kernel


@kernel
def fill(target: np.ndarray, source: np.ndarray) -> None:
    """target = source, as far as the target goes."""
    for i in range(target.size):
        target[i] = source[i]


@kernel
def largest(x: np.ndarray, weight: np.ndarray) -> float:
    """Weighted maximum norm over the free coordinates; NaN is passed on."""
    top = 0.0
    for i in range(weight.size):
        y = abs(x[i]) * weight[i]
        if not y <= top:
            top = y
    return top


@kernel
def sizes(dq: np.ndarray, abar: np.ndarray, q: np.ndarray, weight: np.ndarray) -> tuple[float, float, float]:
    """Weighted maximum norms of an increment (NaN is passed on), of the acceleration and of the place, in one pass."""
    step, motion, place = 0.0, 0.0, 0.0
    for i in range(weight.size):
        w = weight[i]
        x = abs(dq[i]) * w
        if not x <= step:
            step = x
        motion = max(motion, abs(abar[i]) * w)
        place = max(place, abs(q[i]) * w)
    return step, motion, place
