"""Convex hulls with rounded edges and corners, at compile: corners, edges and faces of what is inside the rounding.

A hull of half-spaces ``n . x <= d`` rounded with radius R is all that is no further than R from its core

    { x : n . x <= d - R for all half-spaces }

so that its faces stay where they were given, and its edges and corners become round.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import optimize, spatial_geometry
from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.bodies.outlines import Outline

FLAT = 1e-6  # of its extent: a hull thinner than this is none
DENT = 1e-4  # of its extent: a shape that is further from its hull is not convex
SAME = 1e-9  # of its extent, and of a unit vector: faces nearer to each other are one
MOST_CORNERS = 256


class Face(NamedTuple):
    """A flat face."""

    point: np.ndarray
    normal: np.ndarray
    sides: list[np.ndarray]
    """(3, 3) both ends of each, in the plane the same corner, and the direction from it into the face."""


class Core(NamedTuple):
    """The core of a rounded hull, in space; in the plane its faces are the sides of a polygon, and it has no edges."""

    corners: np.ndarray
    edges: list[np.ndarray]
    faces: list[Face]
    room: float
    """Radius of the largest ball in the hull with its rounding."""

    def placed(self, axes: np.ndarray, place: np.ndarray) -> Core:
        """The same in other axes."""
        faces = [
            Face(axes @ each.point + place, axes @ each.normal, [_turned(side, axes, place) for side in each.sides])
            for each in self.faces
        ]
        edges = [ends @ axes.T + place for ends in self.edges]
        return self._replace(corners=self.corners @ axes.T + place, edges=edges, faces=faces)


def _turned(side: np.ndarray, axes: np.ndarray, place: np.ndarray) -> np.ndarray:
    return np.vstack([side[:2] @ axes.T + place, side[2] @ axes.T])


def core_of(part: Any, shape: Outline, radius: float, spatial: bool) -> Core:
    """The core of a shape of a part, for its rounding."""
    what, axes = f"{part.owner}: the {type(shape).__name__}", 3 if spatial else 2
    given = shape.surface.points[:, :axes]
    extent = float(np.ptp(given, axis=0).max())
    planes, room, middle = _half_spaces(what, given, extent)
    if shape.dent > DENT * extent:
        hint = "Give Hull(points) to take its convex hull, or several convex shapes, each on a marker of its own."
        raise ModelError(f"{what} is not convex: its surface is up to {shape.dent:.3g} m within its hull. {hint}")
    if not radius < room:
        hint = f"It rounds the edges of {type(shape).__name__}, in which the largest ball has a radius of {room:.6g} m."
        raise checks.refuse(part.owner, "radius", radius, f"below {room:.6g}", hint)
    inner = planes + np.append(np.zeros(axes), radius)
    within = spatial_geometry.HalfspaceIntersection(inner, middle).intersections
    return _built(spatial_geometry.ConvexHull(_apart(within, SAME * extent)), room, SAME * extent)


def _half_spaces(what: str, given: np.ndarray, extent: float) -> tuple[np.ndarray, float, np.ndarray]:
    """Half-spaces (normal, offset) of a hull, radius and middle of the largest ball in it."""
    axes = given.shape[1]
    enough = f"Give at least {axes + 1} points that are not all in one {'plane' if axes == 3 else 'line'}."
    try:
        found = spatial_geometry.ConvexHull(given)
    except (spatial_geometry.QhullError, ValueError) as error:
        raise ModelError(f"{what} is flat, or a point. {enough}") from error
    if len(found.vertices) > MOST_CORNERS:
        raise ModelError(f"{what} has {len(found.vertices)} corners; at most {MOST_CORNERS} can collide. Simplify it.")
    planes = np.unique(found.equations, axis=0)
    room, middle = _largest_ball(planes, extent)
    if not room > FLAT * extent:
        raise ModelError(f"{what} is flat: the largest ball in it has a radius of {room:.3g} m. {enough}")
    return planes, room, middle


def _largest_ball(planes: np.ndarray, extent: float) -> tuple[float, np.ndarray]:
    """Radius and middle of the largest ball within half-spaces: a linear programme, whose tolerances are absolute, in
    parts of the extent.
    """
    normals, offsets = planes[:, :-1], planes[:, -1] / extent
    wanted = np.append(np.zeros(normals.shape[1]), -1.0)
    columns = np.column_stack([normals, np.ones(len(normals))])
    free = [(None, None)] * normals.shape[1]
    best = optimize.linprog(wanted, A_ub=columns, b_ub=-offsets, bounds=[*free, (0.0, None)])
    return (extent * float(best.x[-1]), extent * best.x[:-1]) if best.success else (0.0, np.zeros(normals.shape[1]))


def _apart(points: np.ndarray, near: float) -> np.ndarray:
    """Points of which none is near another."""
    kept = points[:1]
    for point in points[1:]:
        if np.abs(kept - point).max(axis=1).min() > near:
            kept = np.vstack([kept, point])
    return kept


def _built(found: Any, room: float, near: float) -> Core:
    """Faces of triangles in one plane, with their sides, which are edges; of a polygon its sides."""
    axes = found.points.shape[1]
    points = np.pad(found.points, ((0, 0), (0, 3 - axes)))
    normals = np.pad(found.equations[:, :-1], ((0, 0), (0, 3 - axes)))
    face = _faces(found.equations, found.neighbors, near)
    faces, edges = [], dict[tuple[int, ...], np.ndarray]()
    for number in np.unique(face):
        sides = []
        members = np.flatnonzero(face == number)
        middle = points[found.simplices[members]].mean(axis=(0, 1))
        for side in _sides(found, face, members):
            ends = points[list(side)]
            into = middle - ends[0]
            if axes == 3:
                across = np.cross(normals[members[0]], ends[1] - ends[0])
                into = across * np.sign(across @ into)
                edges[tuple(sorted(side))] = ends
            sides.append(np.vstack([ends[0], ends[-1], into / np.linalg.norm(into)]))
        faces.append(Face(sides[0][0], normals[members[0]], sides))
    return Core(points[found.vertices], list(edges.values()), faces, room)


def _faces(equations: np.ndarray, neighbors: np.ndarray, near: float) -> np.ndarray:
    """Number of the face of every triangle: neighbours in one plane are one face."""
    face = np.arange(len(equations))
    allowed = np.append(np.full(equations.shape[1] - 1, SAME), near)
    for k, others in enumerate(neighbors):
        for other in others:
            if np.all(np.abs(equations[k] - equations[other]) <= allowed):
                face[face == face[other]] = face[k]
    return face


def _sides(found: Any, face: np.ndarray, members: np.ndarray) -> Iterator[tuple[int, ...]]:
    """Corners of the sides of a face, which are those of its triangles that are towards another face."""
    for k in members:
        for i, other in enumerate(found.neighbors[k]):
            if face[other] != face[k]:
                yield tuple(int(corner) for corner in np.delete(found.simplices[k], i))
