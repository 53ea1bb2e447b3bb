"""How deep shapes are in each other between two instants, as if their ends moved straight from one to the other.

The distance of two pieces changes by no more than the largest way L of an end of one against an end of the other, so
that from a distance phi the way (phi - d) / L of the interval is safe to skip when none below d is looked for.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, kernel
from pliant.forces.collisions.items import FLOOR, PIECE, Arrays
from pliant.forces.collisions.nearest import foot, pose_of
from pliant.forces.collisions.sweep import near
from pliant.kernels.tensors import apply
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector

FINE = 0.05  # of the smaller radius: depths are found to that


class Path(NamedTuple):
    """Both ends of an item at two instants; of a point they are one."""

    first: Vector
    last: Vector
    first_way: Vector
    last_way: Vector


@kernel
def size_of(x: Vector) -> float:
    """Its length."""
    return sqrt(dot(x, x))


@kernel
def path_of(part: Arrays, item: int, q: np.ndarray, then: np.ndarray) -> Path:
    """Of an item from the coordinates q to those then."""
    first, way = _end(part, item, 0, q, then)
    last, last_way = _end(part, item, 1, q, then) if part.kind[item] == PIECE else (first, way)
    return Path(first, last, way, last_way)


@kernel
def _end(part: Arrays, item: int, side: int, q: np.ndarray, then: np.ndarray) -> tuple[Vector, Vector]:
    node, arm = part.nodes[item, side], vector(part.arms[item], 3 * side)
    x, R = pose_of(part, node, q)
    y, S = pose_of(part, node, then)
    begin = plus(x, apply(R, arm))
    return begin, minus(plus(y, apply(S, arm)), begin)


@kernel
def apart(a: Path, b: Path, t: float) -> float:
    """Distance of two items at a part t of the interval."""
    p, q = plus(a.first, times(t, a.first_way)), plus(b.first, times(t, b.first_way))
    d, e = minus(plus(a.last, times(t, a.last_way)), p), minus(plus(b.last, times(t, b.last_way)), q)
    at = foot(minus(q, p), d, e)
    return size_of(plus(minus(q, p), minus(times(at.t, e), times(at.s, d))))


@kernel
def nearest_between(a: Path, b: Path, below: float, fine: float) -> float:
    """Smallest distance within the interval, if it is less than ``below``, which else is the answer; to ``fine``."""
    way = max(
        size_of(minus(b.first_way, a.first_way)), size_of(minus(b.first_way, a.last_way)),
        size_of(minus(b.last_way, a.first_way)), size_of(minus(b.last_way, a.last_way)),
    )  # fmt: skip
    t, low = 0.0, below
    while t < 1.0 and way > 0.0:
        distance = apart(a, b, t)
        low = min(low, distance)
        t += (distance - low + fine) / way
    return low


@kernel
def straight(part: Arrays, item: int, way: Path, ways: np.ndarray, allowed: float) -> bool:
    """Whether an item moved as its nodes did at both instants, whose velocities times the interval are ``ways``."""
    for side in range(2):
        first, moved = part.base[part.nodes[item, side]], way.first_way if side == 0 else way.last_way
        for k in range(2):
            for i in range(3 if part.dofs.shape[1] == 12 else 2):
                if not abs(moved[i] - ways[k, first + i]) <= allowed:
                    return False
    return True


@allocating_kernel
def passed(part: Arrays, q: np.ndarray, then: np.ndarray, ways: np.ndarray, out: np.ndarray) -> None:
    """Largest depths between two instants, in smaller radii of two shapes, of every part: at both instants, and beyond
    these in between. With ``ways`` (2, freedoms) only what moved straight counts in between.
    """
    reach = 0.0
    for item in range(part.kind.size):
        if part.kind[item] != FLOOR:
            way = path_of(part, item, q, then)
            reach = max(reach, size_of(way.first_way), size_of(way.last_way))
    pairs = near(part, q, 2.0 * reach)
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        if part.kind[a] == FLOOR:
            continue
        one, other, k = path_of(part, a, q, then), path_of(part, b, q, then), part.owner[a]
        whole, least = part.radius[a] + part.radius[b], min(part.radius[a], part.radius[b])
        seen = min(whole, apart(one, other, 0.0), apart(one, other, 1.0))
        out[k, 0] = max(out[k, 0], (whole - seen) / least)
        bent = ways.size > 0 and not (
            straight(part, a, one, ways, FINE * least) and straight(part, b, other, ways, FINE * least)
        )
        if not bent:
            between = nearest_between(one, other, seen, FINE * least)
            out[k, 1] = max(out[k, 1], (seen - between) / least)
