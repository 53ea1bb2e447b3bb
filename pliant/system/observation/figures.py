"""Drawn features other than lines, as stations: shapes of bodies, sections of spatial beams, rails, walls and stops.

A shape moves with corners of its bounding box: the first, and its neighbours along x, y (and z). Every point of the
shape is a sum of these corners with constant weights (`outline_place`), in modes too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pliant.model import Ground, Marker, rotations
from pliant.system.numbering.planar_layout import Layout

SYMBOL = 0.03  # of the model's length: size of a symbol
THIN = 1e-3  # of the longest side of a box: smallest other side


class Stations(NamedTuple):
    """Stations of one part: kind, node and position in the node's frame of each, and s along the part."""

    part: str
    kind: str
    nodes: list[int]
    arms: list[Any]
    s: list[float]


class Figures:
    """Drawn features of one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.spatial = bool(layout.space.quaternions)
        self.axes = len(layout.space.axes)

    @cached_property
    def size(self) -> float:
        """Size of symbols (m)."""
        from pliant.system.packing.build import length_scale

        return SYMBOL * length_scale(self.layout.model)

    @cached_property
    def surfaces(self) -> list[tuple[str, Marker, np.ndarray, np.ndarray]]:
        """Part, marker, points (n, axes) and triangles of every shape."""
        found = []
        for part in self.layout.model:
            shapes = part.figures(self.spatial)
            for marker in dict.fromkeys(marker for marker, _ in shapes):
                mine = [each.surface for at, each in shapes if at is marker]
                counts = np.cumsum([0, *(len(each.points) for each in mine)])
                points = np.concatenate([each.points for each in mine])[:, : self.axes]
                corners = np.concatenate([each.triangles + n for each, n in zip(mine, counts[:-1], strict=True)])
                found.append((part.name, marker, points, corners))
        return found

    def _found(self) -> Iterator[Stations]:
        """Yield all stations; shapes are in the order of `surfaces`."""
        for name, marker, points, _ in self.surfaces:
            yield self._on(name, "outline", marker, _corners(points))
        for part in self.layout.model:
            for track in part.tracks(self.spatial):
                axes = self.size * np.vstack([np.zeros(3), np.eye(3)[: self.axes]])
                own = self._on(part.name, track.kind, track.marker, axes, track.turn)
                along = track.followers
                if track.kind == "rail" and not isinstance(track.marker.body, Ground):
                    along += (track.marker,)  # a rail on a part extends to its fixed point
                nodes = [self.layout.node(each) for each in along]
                arms = [self.layout.arm(each) for each in along]
                yield Stations(
                    part.name, track.kind, own.nodes + nodes, own.arms + arms, [*own.s, *np.linspace(0, 1, len(nodes))]
                )
            for stroke in part.strokes(self.spatial, self.size):
                yield self._on(part.name, "stroke", stroke.marker, stroke.points, stroke.turn)
        if self.spatial:
            yield from self._sections()

    def _sections(self) -> Iterator[Stations]:
        """Yield the midpoints of two sides at every node, for beams whose sections have a height and a width."""
        for mesh in self.layout.beams:
            sections = [mesh.beam.section_at(float(s)) for s in mesh.s]
            sizes = [(each.height, each.width) for each in sections if each.height and each.width]
            if len(sizes) < len(sections):
                continue
            kind = "edge" if sections[0].bore is None else "tube" if sections[0].bore else "rod"
            arms = [(0.0, 0.5 * height, 0.0) for height, _ in sizes]
            arms += [(0.0, 0.0, 0.5 * width) for _, width in sizes]
            yield Stations(mesh.beam.name, kind, 2 * mesh.nodes.tolist(), arms, 2 * mesh.s.tolist())

    def _on(self, part: str, kind: str, marker: Marker, points: np.ndarray, turn: Any = None) -> Stations:
        """Return stations at points in the axes of a marker, or of a frame on it."""
        if turn is not None:
            points = points @ rotations.matrix(turn).T
        arm = np.asarray(self.layout.arm(marker), float)
        own = self.layout.turn(marker)
        if self.spatial:
            points = points @ rotations.matrix(own).T
        else:
            c, s = np.cos(own), np.sin(own)
            points = points[:, :2] @ np.array([[c, s], [-s, c]])
        return Stations(part, kind, [self.layout.node(marker)] * len(points), [*(points + arm)], [0.0] * len(points))

    @cached_property
    def stations(self) -> list[Stations]:
        """Stations of all shapes, sections, rails, walls and symbols."""
        return list(self._found())

    @property
    def count(self) -> int:
        """Number of stations."""
        return sum(len(each.nodes) for each in self.stations)

    def coords(self) -> dict[str, Any]:
        """Return labels of results: points of the shapes, relative to the sides of their boxes, and triangles."""
        if not self.surfaces:
            return {}
        places, numbers, triangles, count = [], [], [], 0
        for k, (_, _, points, corners) in enumerate(self.surfaces):
            box = _corners(points)
            places.append((points - box[0]) / np.diagonal(box[1:] - box[0]))
            numbers += [k] * len(points)
            triangles.append(corners + count)
            count += len(points)
        return {
            "outline": ("outline_point", numbers),
            "outline_place": (("outline_point", "outline_axis"), np.concatenate(places)),
            "outline_triangle": (("outline_face", "outline_corner"), np.concatenate(triangles)),
        }


def _corners(points: np.ndarray) -> np.ndarray:
    """Return the (1 + axes, axes) first corner of the box around points, and its neighbours, at a distance each."""
    low, high = points.min(axis=0), points.max(axis=0)
    sides = np.maximum(high - low, THIN * float((high - low).max()) or 1.0)
    return np.asarray(np.vstack([low, low + np.diag(sides)]))
