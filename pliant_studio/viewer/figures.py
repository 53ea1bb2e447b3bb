"""Shapes of bodies, sections of beams, rails, walls and stops in the scene."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from pliant.results.drawing.colouring import Quantity
from pliant.results.drawing.parts import Array, Part, colours_of
from pliant.results.drawing.scene import solids
from pliant.results.drawing.solids import SIDES, Solid, Triangles, tube
from pliant.results.result import Result
from pliant_studio.viewer.bars import PLAIN, Colours, colours, linear

GREY, MARK = (150, 157, 165), (110, 116, 123)
PALE = 0.45  # how much of the colour of a part its surface has; the rest is light grey
BACK = (225, 228, 231)
LINE = {"stroke": 0.008}  # thickness, of the extent; of others
THIN = 0.0035
DOWN = 0.004  # in the plane surfaces are under lines, so much of the extent


def _pose(frame: Array) -> Array:
    """(3, 3) axes of a frame, from its corner and those beside it (3 or 4, axis)."""
    corners = np.column_stack([frame, np.zeros((len(frame), 3 - frame.shape[1]))])
    x, y = corners[1] - corners[0], corners[2] - corners[0]
    x = x / (np.linalg.norm(x) or 1.0)
    y = y - (y @ x) * x
    y = y / (np.linalg.norm(y) or 1.0)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _wxyz(axes: Array) -> Array:
    """Quaternions (..., 4) of axes (..., 3, 3)."""
    return np.asarray(Rotation.from_matrix(axes).as_quat())[..., [3, 0, 1, 2]]


def _unit(kind: str) -> tuple[Array, Triangles]:
    """A box of sides 1, or a round one along x, hollow if it is a tube. Its ends have corners of their own: else their
    normals would be mixed with those of its sides, and a row of such pieces would look like pearls.
    """
    turns = 2.0 * np.pi / SIDES[kind] * (np.arange(SIDES[kind]) + 0.5)
    ring = (np.sqrt(0.5) if kind == "edge" else 0.5) * np.column_stack([np.cos(turns), np.sin(turns)])
    points = [np.column_stack([np.full(len(ring), x), ring]) for x in (-0.5, 0.5)]
    corners, faces = np.concatenate(points), np.array(tube(2, SIDES[kind], kind)[0])
    ends = np.ptp(faces // SIDES[kind], axis=1) == 0
    return np.tile(corners, (2, 1)), faces + np.where(ends, len(corners), 0)[:, None]


class Figures:
    """Draws them again and again, as `Stage` does lines."""

    def __init__(self, api: Any, root: str, result: Result, parts: list[Part], scale: float, place: Array) -> None:
        self.api, self.root, self.place = api, root, place
        paints = {name: _pale(colour) for name, colour in colours_of(parts).items()}
        found, first = solids(result), scale * np.array(result.data["shape"].values, ndmin=3)[0]
        planar = first.shape[-1] == 2
        self.lift = np.array([0.0, 0.0, -DOWN if planar else 0.0]) + place
        self.beams = {kind: [each for each in found if each.kind == kind] for kind in SIDES}
        self.marks = [each for each in found if each.kind in ("rail", "stroke") or each.kind == "wall" and planar]
        self.solid = {each.name for kind in self.beams.values() for each in kind}
        self.handles: dict[str, Any] = {}
        self.bodies: list[tuple[Solid, Array, Any]] = []
        for k, each in enumerate(each for each in found if each.kind in ("outline", "block", "wall")):
            if not len(each.triangles):
                continue
            axes, points = _pose(first[each.stations[:3]]), _solid(each.points(first))
            own = (points - points[0]) @ axes
            paint = paints.get(each.name, GREY if each.kind == "outline" else MARK)
            handle = api.add_mesh_simple(
                f"{root}/bodies/{k}", own, each.triangles, color=paint, side="double", flat_shading=True,
                opacity=0.4 if each.kind == "wall" else None, cast_shadow=False,
            )  # fmt: skip
            self.bodies.append((each, own[0], handle))

    def draw(self, shape: Array, quantity: Quantity | None, frame: int, tops: dict[str, float], faint: bool) -> None:
        """The shape in a frame, in the scene; `tops` are the ends of the colour bars."""
        for each, _, handle in self.bodies:
            axes = _pose(shape[each.stations[:3]])
            handle.wxyz, handle.position = tuple(_wxyz(axes)), tuple(_solid(each.points(shape)[:1])[0] + self.lift)
        for kind, mine in self.beams.items():
            if mine:
                self._sections(kind, mine, shape, None if faint else quantity, frame, tops)
        if self.marks:
            self._marks(shape)

    def _sections(
        self, kind: str, mine: list[Solid], shape: Array, quantity: Quantity | None, frame: int, tops: dict[str, float]
    ) -> None:
        """Pieces of all beams with one kind of section: each a box, or a cylinder, of its own size."""
        found = [_pieces(each, kind, shape) for each in mine]
        middle, axes, size = (np.concatenate([each[k] for each in found]) for k in range(3))
        paint = np.concatenate([self._paint(each, quantity, frame, tops) for each in mine])
        look = {
            "batched_positions": (middle + self.place).astype(np.float32),
            "batched_wxyzs": _wxyz(axes).astype(np.float32),
            "batched_scales": size.astype(np.float32),
            "batched_colors": paint,
        }
        if kind in self.handles:
            for name, values in look.items():
                setattr(self.handles[kind], name, values)
        else:
            vertices, faces = _unit(kind)
            self.handles[kind] = self.api.add_batched_meshes_simple(
                f"{self.root}/sections/{kind}", vertices.astype(np.float32), faces.astype(np.uint32), side="double",
                flat_shading=kind == "edge", lod="off", cast_shadow=False, **look,
            )  # fmt: skip

    def _paint(self, each: Solid, quantity: Quantity | None, frame: int, tops: dict[str, float]) -> Colours:
        """Of every piece of a beam."""
        values = None if quantity is None else quantity.values[frame][each.stations]
        sides = SIDES[each.kind]
        if quantity is None or values is None or np.isnan(values).any():
            return np.tile(np.array(PLAIN, np.uint8), (len(each.weights) // sides - 1, 1))
        known = each.weights[::sides] @ values
        return colours(0.5 * (known[1:] + known[:-1]), tops[quantity.name], quantity.signed)

    def _marks(self, shape: Array) -> None:
        ends = np.concatenate([_solid(each.points(shape))[each.edges] for each in self.marks]) + self.lift
        if "marks" in self.handles:
            self.handles["marks"].points = ends.astype(np.float32)
            return
        paint = np.tile(linear(np.array(MARK, np.uint8)), (len(ends), 2, 1))
        size = max(LINE.get(each.kind, THIN) for each in self.marks)
        self.handles["marks"] = self.api.add_line_segments(f"{self.root}/marks", ends, paint, thickness=size)


def _solid(points: Array) -> Array:
    return np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])


def _pale(colour: str) -> tuple[int, int, int]:
    own = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    r, g, b = (round(PALE * x + (1.0 - PALE) * y) for x, y in zip(own, BACK, strict=True))
    return r, g, b


def _pieces(each: Solid, kind: str, shape: Array) -> tuple[Array, Array, Array]:
    """Middles (n, 3), axes (n, 3, 3) and sizes (n, 3) of the pieces of a beam."""
    rings = each.points(shape).reshape(-1, SIDES[kind], 3)
    centre = rings.mean(axis=1)
    if kind == "edge":  # of its four corners
        y, z = 0.5 * (rings[:, 0] - rings[:, 1]), 0.5 * (rings[:, 0] - rings[:, 3])
    else:
        y, z = rings[:, 0] - centre, rings[:, SIDES[kind] // 4] - centre
    way = centre[1:] - centre[:-1]
    length = np.linalg.norm(way, axis=1)
    x = way / np.maximum(length, 1e-300)[:, None]
    across = 0.5 * (y[1:] + y[:-1])
    across = across - np.sum(across * x, axis=1, keepdims=True) * x
    high = np.linalg.norm(across, axis=1)
    across = across / np.maximum(high, 1e-300)[:, None]
    wide = np.linalg.norm(0.5 * (z[1:] + z[:-1]), axis=1)
    axes = np.stack([x, across, np.cross(x, across)], axis=-1)
    return 0.5 * (centre[1:] + centre[:-1]), axes, np.column_stack([length, 2.0 * high, 2.0 * wide])
