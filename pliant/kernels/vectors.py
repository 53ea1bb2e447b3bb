"""Copies and norms of flat arrays."""

from __future__ import annotations

from math import sqrt

import numpy as np

from pliant.jit import inlined_kernel, kernel


@kernel
def fill(target: np.ndarray, source: np.ndarray) -> None:
    """Copy source to target, as far as the target extends."""
    for i in range(target.size):
        target[i] = source[i]


@kernel
def largest(x: np.ndarray, weight: np.ndarray) -> float:
    """Return the weighted maximum norm over the free coordinates; NaN is passed on."""
    top = 0.0
    for i in range(weight.size):
        y = abs(x[i]) * weight[i]
        if not y <= top:
            top = y
    return top


@inlined_kernel
def more(a: float, b: float) -> float:
    """Return the larger of two numbers in one instruction; b if either is NaN."""
    return a if a > b else b


@kernel
def sizes(dq: np.ndarray, abar: np.ndarray, q: np.ndarray, weight: np.ndarray, axes: int) -> tuple[float, float, float]:
    """Return the largest weighted lengths of an increment (infinite if not finite), of the acceleration and of the
    position, in one pass. Lengths are of points and rotations of planar (2 axes) or spatial (3) nodes, whatever the
    axes. Further coordinates of parts, after the last whole node, are one more group.
    """
    step, motion, place, total = 0.0, 0.0, 0.0, 0.0
    left, space = np.uint64(weight.size % 3), axes == 3  # a planar node, or a spatial point or rotation
    for i in range(np.uint64(0), np.uint64(weight.size) - left, np.uint64(3)):
        j, k = i + np.uint64(1), i + np.uint64(2)
        w, turn = weight[i] * weight[i], weight[k] * weight[k]
        x, y, z = dq[i] * dq[i] + dq[j] * dq[j], abar[i] * abar[i] + abar[j] * abar[j], q[i] * q[i] + q[j] * q[j]
        x3, y3, z3 = dq[k] * dq[k], abar[k] * abar[k], q[k] * q[k]
        if space:
            x, y, z = x + x3, y + y3, z + z3
            turn = 0.0
        total += x + x3
        step, motion, place = more(step, w * x), more(motion, w * y), more(place, w * z)
        step, motion, place = more(step, turn * x3), more(motion, turn * y3), more(place, turn * z3)
    if left > 0:
        first, x, y, z = np.uint64(weight.size) - left, 0.0, 0.0, 0.0
        for i in range(first, np.uint64(weight.size)):
            x, y, z = x + dq[i] * dq[i], y + abar[i] * abar[i], z + q[i] * q[i]
        total, w = total + x, weight[first] * weight[first]
        step, motion, place = more(step, w * x), more(motion, w * y), more(place, w * z)
    return sqrt(step) if total < np.inf else np.inf, sqrt(motion), sqrt(place)
