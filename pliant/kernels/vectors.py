"""Copies and norms of flat arrays."""

from __future__ import annotations

from math import sqrt

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
def sizes(dq: np.ndarray, abar: np.ndarray, q: np.ndarray, weight: np.ndarray, axes: int) -> tuple[float, float, float]:
    """Largest weighted lengths of an increment (NaN is passed on), of the acceleration and of the place, in one pass:
    those of points, and of rotations, of nodes in a plane (2 axes) or in space (3), the same in whatever axes. What is
    left over after the last whole node, coordinates that parts have besides, is taken in the same groups.
    """
    width = axes * (axes + 1) // 2
    step, motion, place = 0.0, 0.0, 0.0
    for first in range(0, weight.size, width):
        for begin, end in ((first, first + axes), (first + axes, first + width)):
            if begin >= weight.size:
                break
            x, y, z, w = 0.0, 0.0, 0.0, weight[begin] * weight[begin]
            for i in range(begin, min(end, weight.size)):
                x += dq[i] * dq[i]
                y += abar[i] * abar[i]
                z += q[i] * q[i]
            if not w * x <= step:
                step = w * x
            motion = max(motion, w * y)
            place = max(place, w * z)
    return sqrt(step), sqrt(motion), sqrt(place)
