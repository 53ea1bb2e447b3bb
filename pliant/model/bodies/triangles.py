"""Triangles of simple shapes: polygons, prisms over them, bodies of revolution."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int64]

FLAT = 1e-12  # area over the square of the extent, below which a triangle is degenerate


def triangulate(corners: Array) -> Triangles | None:
    """Cut a polygon (n, 2) into triangles, ears first, all counter-clockwise; None if its sides cross or it has no
    area.

    >>> triangulate(np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])).tolist()
    [[3, 0, 1], [1, 2, 3]]
    >>> triangulate(np.array([(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)])) is None
    True
    """
    around = np.roll(corners, -1, axis=0)
    area = float(np.sum(corners[:, 0] * around[:, 1] - corners[:, 1] * around[:, 0]))
    flat = FLAT * float(np.ptp(corners, axis=0).max(initial=0.0)) ** 2
    if abs(area) <= flat or _crosses(corners, around):
        return None
    left = list(range(len(corners))) if area > 0.0 else list(range(len(corners)))[::-1]
    found: list[tuple[int, int, int]] = []
    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            turn = _turn(corners[a], corners[b], corners[c])
            others = corners[[each for each in left if each not in (a, b, c)]]
            if turn > flat and not _inside(corners[[a, b, c]], others):
                found.append((a, b, c))
                break
            if abs(turn) <= flat:  # on a straight side
                break
        else:
            return None
        del left[k]
    return np.array([*found, tuple(left)], np.int64)


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _inside(triangle: Array, points: Array) -> bool:
    """Return whether one of the points is within the triangle or on its sides, excluding its corners."""
    away = points[(points[:, None] != triangle).any(axis=2).all(axis=1)]
    sides = [
        (b[0] - a[0]) * (away[:, 1] - a[1]) - (b[1] - a[1]) * (away[:, 0] - a[0])
        for a, b in zip(triangle, np.roll(triangle, -1, axis=0), strict=True)
    ]
    return bool(np.any(np.min(sides, axis=0) >= 0.0)) if len(away) else False


def _crosses(a: Array, b: Array) -> bool:
    """Return whether two sides (a, b) of a polygon cross in the interior of both."""

    def side(p: Array, q: Array, r: Array) -> Array:
        return np.sign(
            (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
        )

    for k in range(len(a) - 2):
        c, d = a[k + 1 :], b[k + 1 :]
        apart = side(a[k], b[k], c) * side(a[k], b[k], d), side(c, d, a[k]) * side(c, d, b[k])
        if np.any((apart[0] < 0.0) & (apart[1] < 0.0)):
            return True
    return False


def prism(corners: Array, thickness: float) -> tuple[Array, Triangles]:
    """Return points (n, 3) and triangles of a plate over a polygon (n, 2), half of it on either side of z = 0."""
    top = triangulate(corners)
    if top is None:
        raise ValueError("the sides of the polygon cross")
    if not thickness:
        return np.column_stack([corners, np.zeros(len(corners))]), top
    n, levels = len(corners), np.repeat([0.5 * thickness, -0.5 * thickness], len(corners))
    k, after = np.arange(n), np.roll(np.arange(n), -1)
    if float(np.sum(corners[:, 0] * corners[after, 1] - corners[:, 1] * corners[after, 0])) < 0.0:
        k, after = after, k  # so that sides look outwards
    walls = [np.column_stack([k, k + n, after]), np.column_stack([after, k + n, after + n])]
    return np.column_stack([np.vstack([corners, corners]), levels]), np.vstack([top, top[:, ::-1] + n, *walls])


def lathe(along: Array, radius: Array, sides: int) -> tuple[Array, Triangles]:
    """Return a body of revolution about x: rings of `sides` points at places along it."""
    turns = 2.0 * np.pi / sides * np.arange(sides)
    rings = np.stack(
        [
            np.broadcast_to(along[:, None], (len(along), sides)),
            np.outer(radius, np.cos(turns)),
            np.outer(radius, np.sin(turns)),
        ],
        axis=-1,
    )
    k, after = np.arange(sides), np.roll(np.arange(sides), -1)
    first = np.arange(len(along) - 1)[:, None] * sides
    a, b, c, d = (
        (first + k).ravel(),
        (first + after).ravel(),
        (first + sides + k).ravel(),
        (first + sides + after).ravel(),
    )
    found = np.vstack([np.column_stack([a, b, c]), np.column_stack([b, d, c])])
    points = rings.reshape(-1, 3)
    corners = points[found]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return points, found[area > FLAT * float(np.ptp(points)) ** 2]  # no triangles at the poles
