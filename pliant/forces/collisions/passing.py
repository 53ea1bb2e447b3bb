"""Depth of penetration of shapes between two instants, as if their ends moved straight in between.

The distance of two pieces changes by at most the largest displacement L of an end of one relative to an end of the
other: from a distance phi the share (phi - d) / L of the interval can be skipped in a search for distances below d.
This also holds for a point and a hull, as if the point moved straight in the axes of the hull, for two hulls, and for a
hull and a piece. The distance of these is the largest of all corners of one from a face of the other, or along the
shortest line between their edges; it is negative if they overlap.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant.forces.collisions.items import EDGE, FLOOR, HULL, NONE, PIECE, Arrays
from pliant.forces.collisions.nearest import ZERO, foot, of_hull, pose_of
from pliant.forces.collisions.sweep import ball_around, near
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.tensors import apply, apply_transposed
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector

FINE = 0.05  # tolerance of depths, relative to `measured_by`


class Path(NamedTuple):
    """Both ends of an item at two instants; a point has equal ends."""

    first: Vector
    last: Vector
    first_way: Vector
    last_way: Vector


@kernel
def size_of(x: Vector) -> float:
    """Return the length of a vector."""
    return sqrt(dot(x, x))


@kernel
def path_of(part: Arrays, item: int, q: np.ndarray, then: np.ndarray) -> Path:
    """Return the path of an item from the coordinates q to the coordinates then."""
    first, way = end_path(part, item, 0, q, then)
    piece = part.kind[item] == PIECE or part.kind[item] == EDGE
    last, last_way = end_path(part, item, 1, q, then) if piece else (first, way)
    return Path(first, last, way, last_way)


@kernel
def end_path(part: Arrays, item: int, side: int, q: np.ndarray, then: np.ndarray) -> tuple[Vector, Vector]:
    """Return the first place of an end of an item, and its displacement."""
    node, arm = part.nodes[item, side], vector(part.arms[item], 3 * side)
    x, R = pose_of(part, node, q)
    y, S = pose_of(part, node, then)
    begin = plus(x, apply(R, arm))
    return begin, minus(plus(y, apply(S, arm)), begin)


@kernel
def apart(a: Path, b: Path, t: float) -> float:
    """Return the distance of two items at a part t of the interval."""
    p, q = plus(a.first, times(t, a.first_way)), plus(b.first, times(t, b.first_way))
    d, e = minus(plus(a.last, times(t, a.last_way)), p), minus(plus(b.last, times(t, b.last_way)), q)
    at = foot(minus(q, p), d, e)
    return size_of(plus(minus(q, p), minus(times(at.t, e), times(at.s, d))))


@kernel
def largest_displacement(a: Path, b: Path) -> float:
    """Return the largest displacement of an end of one item relative to an end of the other."""
    return max(
        size_of(minus(b.first_way, a.first_way)), size_of(minus(b.first_way, a.last_way)),
        size_of(minus(b.last_way, a.first_way)), size_of(minus(b.last_way, a.last_way)),
    )  # fmt: skip


@kernel
def nearest_between(a: Path, b: Path, below: float, fine: float) -> tuple[float, float]:
    """Return the smallest distance at both instants, and within the interval, to ``fine``; ``below`` is the largest
    value returned.
    """
    way, distance = largest_displacement(a, b), apart(a, b, 0.0)
    if distance - way >= below:
        return below, below
    ends = min(below, distance, apart(a, b, 1.0))
    t, low = (distance - ends + fine) / way if way > 0.0 else 1.0, ends
    while t < 1.0:
        distance = apart(a, b, t)
        low = min(low, distance)
        t += (distance - low + fine) / way
    return ends, low


@kernel
def in_hull_axes(part: Arrays, hull: int, item: int, side: int, q: np.ndarray) -> Vector:
    """Return a point, or one of both ends of a piece, in the axes of the node of a hull."""
    x, R = pose_of(part, part.nodes[hull, 0], q)
    y, S = pose_of(part, part.nodes[item, side], q)
    return apply_transposed(R, minus(plus(y, apply(S, vector(part.arms[item], 3 * side))), x))


@kernel
def point_distances(part: Arrays, a: int, b: int, q: np.ndarray, then: np.ndarray, fine: float) -> tuple[float, float]:
    """Return the smallest distance of point b from hull a at both instants, and within the interval, to ``fine``."""
    first, last, hull = in_hull_axes(part, a, b, 0, q), in_hull_axes(part, a, b, 0, then), part.hull[a]
    way, whole = minus(last, first), part.radius[a] + part.radius[b]
    ends = min(whole, of_hull(part, hull, first)[0], of_hull(part, hull, last)[0])
    t, low, far = 0.0, ends, size_of(way)
    while t < 1.0 and far > 0.0:
        distance = of_hull(part, hull, plus(first, times(t, way)))[0]
        low = min(low, distance)
        t += (distance - low + fine) / far
    return ends, low


@kernel
def begins(part: Arrays, item: int) -> int:
    """Return the first of the items of a hull, which precede it; for a piece, itself."""
    first = item
    while first > 0 and part.kind[item] == HULL and part.hull[first - 1] == part.hull[item]:
        first -= 1
    return first


@allocating_kernel
def edges_in_hull_axes(part: Arrays, a: int, b: int, q: np.ndarray, then: np.ndarray) -> np.ndarray:
    """Return the corners and edges of a hull b, or a piece, in the axes of the hull a (n, 12): both ends where they
    begin, and how far these move.
    """
    start = begins(part, b)
    found = np.empty((max(1, b - start), 12))
    for k in range(found.shape[0]):
        for side in range(2):
            first, last = in_hull_axes(part, a, start + k, side, q), in_hull_axes(part, a, start + k, side, then)
            for i in range(3):
                found[k, 3 * side + i], found[k, 6 + 3 * side + i] = first[i], last[i] - first[i]
    return found


@kernel
def end_at(edge: np.ndarray, side: int, t: float) -> Vector:
    """Return an end of an edge at a part t of the interval."""
    return plus(vector(edge, 3 * side), times(t, vector(edge, 6 + 3 * side)))


@kernel
def face_separation(part: Arrays, a: int, edges: np.ndarray, t: float) -> float:
    """Return the distance of all of some edges from one of the faces of a hull, at a part t of the interval; a piece
    has no faces: -inf.
    """
    most, hull = -np.inf, part.hull[a]
    if part.kind[a] != HULL:
        return most
    for f in range(part.first_face[hull], part.first_face[hull + 1]):
        point, normal, least = vector(part.faces[f], 0), vector(part.faces[f], 3), np.inf
        for k in range(edges.shape[0]):
            for side in range(2):
                least = min(least, dot(normal, minus(end_at(edges[k], side, t), point)))
        most = max(most, least)
    return most


@kernel
def edge_separation(part: Arrays, a: int, edges: np.ndarray, t: float) -> float:
    """Return that distance along the shortest line from the edges of the hull to the others."""
    shortest, line, start = np.inf, ZERO, begins(part, a)
    for k in range(start, a):
        first, last = vector(part.arms[k], 0), vector(part.arms[k], 3)
        d = minus(last, first)
        for i in range(edges.shape[0]):
            begin = end_at(edges[i], 0, t)
            w, e = minus(begin, first), minus(end_at(edges[i], 1, t), begin)
            at = foot(w, d, e)
            w = plus(w, minus(times(at.t, e), times(at.s, d)))
            if dot(w, w) < shortest:
                shortest, line = dot(w, w), w
    if not shortest > 0.0:
        return -np.inf
    low, high = np.inf, -np.inf
    for i in range(edges.shape[0]):
        low = min(low, dot(line, end_at(edges[i], 0, t)), dot(line, end_at(edges[i], 1, t)))
    for k in range(start, a):
        high = max(high, dot(line, vector(part.arms[k], 0)))
    return (low - high) / sqrt(shortest)


@allocating_kernel
def hull_distances(part: Arrays, a: int, b: int, q: np.ndarray, then: np.ndarray, fine: float) -> tuple[float, float]:
    """Return the smallest distance of a hull a from another, or from a piece, at both instants, and within the
    interval, to ``fine``.
    """
    one, other = edges_in_hull_axes(part, b, a, q, then), edges_in_hull_axes(part, a, b, q, then)
    far, low = 0.0, part.radius[a] + part.radius[b]
    for edges in (one, other):
        for k in range(edges.shape[0]):
            far = max(far, size_of(vector(edges[k], 6)), size_of(vector(edges[k], 9)))
    for t in (0.0, 1.0):
        low = min(low, separation(part, a, b, one, other, t, low))
    ends, t = low, 0.0
    while t < 1.0 and far > 0.0:
        distance = separation(part, a, b, one, other, t, low)
        low = min(low, distance)
        t += (distance - low + fine) / far
    return ends, low


@kernel
def separation(part: Arrays, a: int, b: int, one: np.ndarray, other: np.ndarray, t: float, low: float) -> float:
    """Return the distance of both at a part t of the interval: edges are tried if faces give less than ``low``."""
    distance = max(face_separation(part, a, other, t), face_separation(part, b, one, t))
    return distance if distance >= low else max(distance, edge_separation(part, a, other, t))


@kernel
def straight(part: Arrays, item: int, q: np.ndarray, then: np.ndarray, ways: np.ndarray, allowed: float) -> bool:
    """Return whether an item moved straight; ``ways`` are the nodes' velocities times the interval."""
    way = path_of(part, item, q, then)
    for side in range(2):
        first, moved = part.base[part.nodes[item, side]], way.first_way if side == 0 else way.last_way
        for k in range(2):
            for i in range(3 if part.dofs.shape[1] == 12 else 2):
                if not abs(moved[i] - ways[k, first + i]) <= allowed:
                    return False
    return True


@kernel
def measured_by(part: Arrays, a: int, b: int) -> float:
    """Return the reference length of depths of two items: the sum of their radii, beyond which the nearest face of a
    hull may be the wrong face, or the radius of the largest ball in one of their shapes.
    """
    return min(part.radius[a] + part.radius[b], part.room[a], part.room[b])


@kernel
def smallest_distances(
    part: Arrays, a: int, b: int, q: np.ndarray, then: np.ndarray, fine: float
) -> tuple[float, float]:
    """Return the smallest distance of two items at both instants, and within the interval, to ``fine``."""
    if part.kind[a] == HULL:
        return point_distances(part, a, b, q, then, fine)
    one, other = path_of(part, a, q, then), path_of(part, b, q, then)
    return nearest_between(one, other, part.radius[a] + part.radius[b], fine)


@kernel
def bent(part: Arrays, a: int, b: int, q: np.ndarray, then: np.ndarray, ways: np.ndarray) -> bool:
    """Return whether one of two items is known to have moved along a curve."""
    if ways.size == 0:
        return False
    allowed = FINE * measured_by(part, a, b)
    return not (straight(part, a, q, then, ways, allowed) and straight(part, b, q, then, ways, allowed))


@kernel
def update_depths(part: Arrays, a: int, b: int, near_by: tuple[float, float], known: bool, out: np.ndarray) -> None:
    """Update the largest depths by two items; in between only if their motion is known."""
    k, size = part.owner[a], measured_by(part, a, b)
    out[k, 0] = max(out[k, 0], (part.radius[a] + part.radius[b] - near_by[0]) / size)
    if known:
        out[k, 1] = max(out[k, 1], (near_by[0] - near_by[1]) / size)


@kernel
def overlap(part: Arrays, a: int, b: int, q: np.ndarray, close: float) -> bool:
    """Return whether the balls around two items are nearer than ``close``."""
    one, reach = ball_around(part, a, q)
    other, more = ball_around(part, b, q)
    return size_of(minus(other, one)) <= reach + more + close


@allocating_kernel
def passed(part: Arrays, q: np.ndarray, then: np.ndarray, ways: np.ndarray, out: np.ndarray) -> None:
    """Compute the largest depths between two instants, relative to `measured_by`, of every part: at both instants, and
    the excess in between. With ``ways`` (2, freedoms) only straight motion counts in between.
    """
    reach = 0.0
    for item in range(part.kind.size):
        if part.kind[item] != FLOOR:
            way = path_of(part, item, q, then)
            reach = max(reach, size_of(way.first_way), size_of(way.last_way))
    pairs = near(part, q, 2.0 * reach)
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        if part.kind[a] != FLOOR and (part.hull[a] == NONE or part.hull[b] == NONE):
            found = smallest_distances(part, a, b, q, then, FINE * measured_by(part, a, b))
            update_depths(part, a, b, found, not bent(part, a, b, q, then, ways), out)
    for b in range(part.kind.size if part.first_face.size > 1 else 0):
        last = b if part.kind[b] == HULL else part.kind.size
        for a in range(last if part.kind[b] == HULL or part.kind[b] == PIECE else 0):
            same = part.owner[a] == part.owner[b] and part.meets[part.body[a], part.body[b]] != 0
            if part.kind[a] == HULL and same and overlap(part, a, b, q, 2.0 * reach):
                found = hull_distances(part, a, b, q, then, FINE * measured_by(part, a, b))
                update_depths(part, a, b, found, not bent(part, a, b, q, then, ways), out)
