"""Items that are near each other: intervals along one axis, sorted (M. Lin, D. Manocha; sweep and prune)."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from pliant.forces.collisions.items import BALL, EDGE, END, FLOOR, HULL, PIECE
from pliant.forces.collisions.nearest import pose_of
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.tensors import apply
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector


@kernel
def ball_around(part: Any, item: int, q: np.ndarray) -> tuple[Vector, float]:
    """Return centre and radius of a ball around an item other than a floor."""
    x, R = pose_of(part, part.nodes[item, 0], q)
    centre, reach = plus(x, apply(R, vector(part.arms[item], 0))), part.radius[item]
    if part.kind[item] == HULL:
        return centre, reach + part.arms[item, 3]
    if part.kind[item] == PIECE or part.kind[item] == EDGE:
        y, S = pose_of(part, part.nodes[item, 1], q)
        half = times(0.5, minus(plus(y, apply(S, vector(part.arms[item], 3))), centre))
        return plus(centre, half), reach + sqrt(dot(half, half))
    return centre, reach


@kernel
def bounds(part: Any, q: np.ndarray, out: np.ndarray) -> int:
    """Write the balls around all items but floors: centre and radius. Returns how many."""
    count = 0
    while count < part.kind.size and part.kind[count] != FLOOR:
        centre, reach = ball_around(part, count, q)
        out[count, 0], out[count, 1], out[count, 2], out[count, 3] = centre[0], centre[1], centre[2], reach
        count += 1
    return count


@kernel
def may_meet(part: Any, a: int, b: int) -> bool:
    """Return whether two items but floors can touch: balls with each other, pieces with all but hulls, edges with each
    other and hulls with points.
    """
    one, other = part.kind[a], part.kind[b]
    if part.owner[a] != part.owner[b] or part.meets[part.body[a], part.body[b]] == 0:
        return False
    if one == HULL or other == HULL:
        return min(one, other) <= END
    return one == PIECE or other == PIECE or (one == BALL and other == BALL) or (one == EDGE and other == EDGE)


@kernel
def longest_axis(box: np.ndarray, count: int) -> int:
    """Return the axis along which centres are furthest apart."""
    best, widest = 0, -1.0
    for axis in range(3):
        low, high = np.inf, -np.inf
        for k in range(count):
            low, high = min(low, box[k, axis]), max(high, box[k, axis])
        if high - low > widest:
            best, widest = axis, high - low
    return best


@allocating_kernel
def listed(part: Any, q: np.ndarray, close: float, pairs: np.ndarray) -> int:
    """List pairs of items whose bounds are nearer than ``close``, as far as the array reaches: the floor, the hull, or
    the earlier item first. Returns how many there are.
    """
    box = np.empty((part.kind.size, 4))
    count = bounds(part, q, box)
    axis, lows = longest_axis(box, count), np.empty(count)
    for k in range(count):
        lows[k] = box[k, axis] - box[k, 3]
    order, found = np.argsort(lows), 0
    for m in range(count):
        i = order[m]
        high = box[i, axis] + box[i, 3] + close
        for o in range(m + 1, count):
            j = order[o]
            if lows[j] > high:
                break
            x, y, z = box[i, 0] - box[j, 0], box[i, 1] - box[j, 1], box[i, 2] - box[j, 2]
            reach = box[i, 3] + box[j, 3] + close
            if x * x + y * y + z * z <= reach * reach and may_meet(part, i, j):
                if found < pairs.shape[0]:
                    first = max(i, j) if part.kind[max(i, j)] == HULL else min(i, j)
                    pairs[found, 0], pairs[found, 1] = first, i + j - first
                found += 1
    for f in range(count, part.kind.size):
        place, R = pose_of(part, part.nodes[f, 0], q)
        place, n = plus(place, apply(R, vector(part.arms[f], 0))), apply(R, vector(part.arms[f], 3))
        for k in range(count):
            round_ = part.kind[k] == BALL or part.kind[k] == END
            if not round_ or part.owner[k] != part.owner[f] or part.meets[part.body[k], part.body[f]] == 0:
                continue
            if dot(n, minus(vector(box[k], 0), place)) - box[k, 3] <= close:
                if found < pairs.shape[0]:
                    pairs[found, 0], pairs[found, 1] = f, k
                found += 1
    return found


@allocating_kernel
def near(part: Any, q: np.ndarray, close: float) -> np.ndarray:
    """Return these pairs."""
    pairs = np.empty((4 * part.kind.size + 16, 2), np.int64)
    found = listed(part, q, close, pairs)
    if found > pairs.shape[0]:
        pairs = np.empty((found, 2), np.int64)
        found = listed(part, q, close, pairs)
    return pairs[:found]
