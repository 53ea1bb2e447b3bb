"""Surfaces and symbols of a picture: shapes of bodies, sections of beams, rails, walls, stops.

Like lines (`parts`), they are weighted sums of station positions, in the plane and in space alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pliant.results.drawing.parts import Array, Part, Stations
from pliant.results.result import Result

Triangles = npt.NDArray[np.int64]

SIDES = {"edge": 4, "rod": 12, "tube": 12}
"""Corners that sections are drawn with, by kind."""
SHARP = np.cos(np.radians(30.0))
"""Where triangles meet at a larger angle, an edge is drawn."""
LONGEST = 0.12  # side of a triangle in space, as a share of the extent
MOST = 4000  # triangles of a shape: further ones are not halved
BEYOND = 0.04  # overhang of rails and walls, as a share of the extent
HATCH = 0.025  # depth of a wall's hatching, as a share of the extent
STROKES = 12  # strokes of hatching along a wall


class Solid(NamedTuple):
    """Triangles and lines between points that move with stations."""

    name: str
    kind: str
    """"outline" of a part; "edge", "rod" or "tube", the section of a beam; "rail", "block", "wall" or "stroke"."""
    stations: Stations
    weights: Array
    """(point, station): the points are ``weights @ positions``."""
    triangles: Triangles
    edges: Triangles
    """(edge, 2)"""

    def points(self, values: Array) -> Array:
        """Return points (..., point, axis), from values (..., station, axis) at all stations of the result."""
        return self.weights @ values[..., self.stations, :]


def solids(result: Result, parts: list[Part]) -> list[Solid]:
    """Return all surfaces and symbols of a result; `parts` are its lines."""
    data = result.data
    kinds, names = data["part_kind"].values, data["part"].values
    frames = np.array(data["shape"].values, ndmin=3)
    found = [*_outlines(result), *_sections(result, parts)]
    drawn = data["joint_drawing"].values == "slide" if "joint_drawing" in data.coords else np.zeros(0, bool)
    blocks = set(data["joint"].values[drawn].tolist()) if drawn.any() else set()
    for kind in ("rail", "wall", "stroke"):
        mine = np.flatnonzero(kinds == kind)
        for stations in _runs(mine, kind, data["s"].values, data.sizes["axis"]):
            name = str(names[stations[0]])
            found.append(_track(name, kind, stations, frames) if kind != "stroke" else _stroke(name, stations))
            if kind == "rail" and name in blocks:
                found.append(_block(name, stations, data.sizes["axis"]))
    return found


def _runs(stations: Stations, kind: str, s: Array, axes: int) -> list[Stations]:
    """Return stations of each rail, wall or stroke. A stroke has two; the others have a frame and the points to reach,
    which end with s = 0 (one point) or rise to 1. The first station on a rail slides.
    """
    runs, at = list[Stations](), 0
    while at < len(stations):
        size = 2 if kind == "stroke" else 2 + axes
        if kind != "stroke":
            while at + size < len(stations) and s[stations[at + size]] > s[stations[at + size - 1]]:
                size += 1
        runs.append(stations[at : at + size])
        at += size
    return runs


def _outlines(result: Result) -> list[Solid]:
    """Return shapes of bodies; each moves with four stations, in the plane with three."""
    data = result.data
    if "outline_place" not in data.variables:
        return []
    count = data.sizes["axis"] + 1
    stations = np.flatnonzero(data["part_kind"].values == "outline").reshape(-1, count)
    owner, places = data["outline"].values, data["outline_place"].values
    triangles, found = data["outline_triangle"].values, []
    shape = np.array(data["shape"].values, ndmin=3)[0]
    for k, mine in enumerate(stations):
        points = np.flatnonzero(owner == k)
        weights = np.column_stack([1.0 - places[points].sum(axis=1), places[points]])
        own = triangles[owner[triangles[:, 0]] == k] - points[0]
        corners, name = shape[mine], str(data["part"].values[mine[0]])
        edges = _edges(weights @ corners, own)
        if count == 4:
            weights, own = _split(weights, own, corners, LONGEST * float(np.ptp(shape, axis=0).max()))
        found.append(Solid(name, "outline", mine, weights, own, edges))
    return found


def _split(weights: Array, triangles: Triangles, corners: Array, longest: float) -> tuple[Array, Triangles]:
    """Halve triangles at their longest sides until these are short, as needed for drawing far triangles first."""
    while len(triangles) <= MOST:
        ends = (weights @ corners)[triangles]
        sides = np.linalg.norm(ends - np.roll(ends, -1, axis=1), axis=2)  # from each corner to the next
        long = np.flatnonzero(sides.max(axis=1) > longest)
        if not len(long):
            break
        turn = (sides[long].argmax(axis=1)[:, None] + np.arange(3)) % 3  # the longest side first
        a, b, c = np.take_along_axis(triangles[long], turn, axis=1).T
        middle = len(weights) + np.arange(len(long))
        weights = np.vstack([weights, 0.5 * (weights[a] + weights[b])])
        halves = [np.column_stack([a, middle, c]), np.column_stack([middle, b, c])]
        triangles = np.vstack([np.delete(triangles, long, axis=0), *halves])
    return weights, triangles


def _edges(points: Array, triangles: Triangles) -> Triangles:
    """Return edges that belong to one triangle only, or at which two meet at an angle."""
    solid = np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])
    _, same = np.unique(np.round(solid / (np.ptp(solid) or 1.0), 9), axis=0, return_inverse=True)  # joined corners
    corners = solid[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    pairs = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    keys = np.sort(same.reshape(-1)[pairs], axis=1)
    order = np.lexsort(keys.T)
    keys, pairs, owner = keys[order], pairs[order], np.repeat(np.arange(len(triangles)), 3)[order]
    alike = np.append((keys[1:] == keys[:-1]).all(axis=1), False)
    inner = np.append(False, alike[:-1]) | alike
    sharp = alike & (np.abs(np.sum(normal[owner] * normal[np.roll(owner, -1)], axis=1)) < SHARP)
    return np.asarray(pairs[~inner | sharp])


def _sections(result: Result, parts: list[Part]) -> list[Solid]:
    """Return surfaces of beams in space; none where sections and lines are known at different places."""
    kinds, names, s = (result.data[name].values for name in ("part_kind", "part", "s"))
    found = []
    for part in parts:
        sides = np.flatnonzero((names == part.name) & np.isin(kinds, tuple(SIDES)))
        count = len(part.stations)
        if part.kind != "beam" or len(sides) != 2 * count or np.any(s[sides[:count]] != s[part.stations]):
            continue
        kind = str(kinds[sides[0]])
        line, turns = part.weights, 2.0 * np.pi / SIDES[kind] * np.arange(SIDES[kind])
        around = np.column_stack([np.cos(turns), np.sin(turns)])
        if kind == "edge":
            around = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
        rings = [np.hstack([(1.0 - y - z) * line, y * line, z * line]) for y, z in around]
        weights = np.stack(rings, axis=1).reshape(-1, 3 * count)
        stations = np.concatenate([part.stations, sides])
        found.append(Solid(part.name, kind, stations, weights, *tube(len(line), len(around), kind)))
    return found


def tube(rings: int, sides: int, kind: str) -> tuple[Triangles, Triangles]:
    """Return triangles between rings of points, with ends unless hollow, and edges: at both ends and lengthwise."""
    k, after = np.arange(sides), np.roll(np.arange(sides), -1)
    first = np.arange(rings - 1)[:, None] * sides
    a, b, c, d = (np.ravel(first + each) for each in (k, after, sides + k, sides + after))
    walls = [np.column_stack([a, b, c]), np.column_stack([b, d, c])]
    last, fan = (rings - 1) * sides, np.arange(1, sides - 1)
    ends = [np.column_stack([0 * fan, fan + 1, fan]), last + np.column_stack([0 * fan, fan, fan + 1])]
    rims = [np.column_stack([k, after]), last + np.column_stack([k, after])]
    along = [np.column_stack([a, c])] if kind == "edge" else []
    return np.vstack([*walls, *(ends if kind != "tube" else [])]), np.vstack([*rims, *along])


def _stroke(name: str, stations: Stations) -> Solid:
    return Solid(name, "stroke", stations, np.eye(len(stations)), np.empty((0, 3), np.int64), np.array([[0, 1]]))


def _block(name: str, stations: Stations, axes: int) -> Solid:
    """Return the block that slides along a rail, about the moving station."""
    corners = np.array([(-1.0, -0.6), (1.0, -0.6), (1.0, 0.6), (-1.0, 0.6)])
    triangles, edges = np.array([(0, 1, 2), (0, 2, 3)]), np.array([(0, 1), (1, 2), (2, 3), (3, 0)])
    if axes == 3:
        corners = np.array([(*corner, z) for z in (-0.6, 0.6) for corner in corners])
        walls = [(a, b, a + 4) for a, b in edges.tolist()] + [(b, b + 4, a + 4) for a, b in edges.tolist()]
        triangles = np.vstack([triangles, triangles + 4, walls])
        edges = np.vstack([edges, edges + 4, [(k, k + 4) for k in range(4)]])
    weights = np.column_stack([-corners.sum(axis=1), corners, np.ones(len(corners))])
    return Solid(name, "block", stations[: axes + 2], weights, triangles, edges)


def _track(name: str, kind: str, stations: Stations, frames: Array) -> Solid:
    """Return a rail or a wall along x of its frame, long enough for what moves along it in all frames."""
    axes = frames.shape[-1]
    frame, followers = frames[:, stations[: axes + 1]], frames[:, stations[axes + 1 :]]
    sides = frame[:, 1:] - frame[:, :1]  # (frame, side, axis): all of one length, at right angles
    size = float(np.mean(np.linalg.norm(sides, axis=-1))) or 1.0
    ways = np.einsum("fka,fsa->fks", followers - frame[:, :1], sides) / size**2  # distances, in sides
    extent = float(np.ptp(frames.reshape(-1, axes), axis=0).max()) / size
    low, high = ways.min(axis=(0, 1)) - BEYOND * extent, ways.max(axis=(0, 1)) + BEYOND * extent
    if kind == "rail":
        points: list[tuple[float, ...]] = [(low[0], 0.0, 0.0), (high[0], 0.0, 0.0)]
        edges = [(0, 1)]
        triangles = np.empty((0, 3), np.int64)
    elif axes == 2:
        along, deep = np.linspace(low[0], high[0], STROKES + 1), HATCH * extent
        points = [(along[0], 0.0), (along[-1], 0.0)]
        points += [point for x in along[1:] for point in ((x, 0.0), (x - deep, -deep))]
        edges = [(0, 1), *((2 * k, 2 * k + 1) for k in range(1, STROKES + 1))]
        triangles = np.empty((0, 3), np.int64)
    else:
        points = [(x, 0.0, z) for x, z in ((low[0], low[2]), (high[0], low[2]), (high[0], high[2]), (low[0], high[2]))]
        edges, triangles = [(0, 1), (1, 2), (2, 3), (3, 0)], np.array([(0, 1, 2), (0, 2, 3)])
    places = np.array(points)[:, :axes]
    weights = np.column_stack([1.0 - places.sum(axis=1), places])
    return Solid(name, kind, stations[: axes + 1], weights, triangles, np.array(edges))
