"""One mechanism in the scene: beams, links, tendons, pins, supports, and the forces of its joints as arrows.

It also draws shapes of bodies, sections of beams, rails, walls and stops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from pliant.results.drawing import scene
from pliant.results.drawing.colouring import Quantity
from pliant.results.drawing.parts import Array, Part, colours_of
from pliant.results.drawing.scene import solids
from pliant.results.drawing.solids import SIDES, Solid, Triangles, tube
from pliant.results.names import PART, joint_names, open_joints, part_names
from pliant.results.result import Result
from pliant_studio.viewer.bars import PLAIN, RIGID, TENDON, Colours, colours, linear

GREY, MARK = (150, 157, 165), (110, 116, 123)
PALE = 0.45  # share of a part's colour in its surface; the rest is light grey
BACK = (225, 228, 231)
LINE = {"stroke": 0.008}  # thickness of lines over the extent, by kind
THIN = 0.0035
DOWN = 0.004  # depth of surfaces under lines in the plane, of the extent


def _pose(frame: Array) -> Array:
    """Return (3, 3) axes of a frame, from its corner and the adjacent ones (3 or 4, axis)."""
    corners = np.column_stack([frame, np.zeros((len(frame), 3 - frame.shape[1]))])
    x, y = corners[1] - corners[0], corners[2] - corners[0]
    x = x / (np.linalg.norm(x) or 1.0)
    y = y - (y @ x) * x
    y = y / (np.linalg.norm(y) or 1.0)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _wxyz(axes: Array) -> Array:
    """Return quaternions (..., 4) of axes (..., 3, 3)."""
    return np.asarray(Rotation.from_matrix(axes).as_quat())[..., [3, 0, 1, 2]]


def _unit(kind: str) -> tuple[Array, Triangles]:
    """Return a box of sides 1, or a cylinder along x, hollow for a tube. Its ends have separate corners: else their
    normals would be mixed with the sides', and a row of such pieces would look like pearls.
    """
    turns = 2.0 * np.pi / SIDES[kind] * (np.arange(SIDES[kind]) + 0.5)
    ring = (np.sqrt(0.5) if kind == "edge" else 0.5) * np.column_stack([np.cos(turns), np.sin(turns)])
    points = [np.column_stack([np.full(len(ring), x), ring]) for x in (-0.5, 0.5)]
    corners, faces = np.concatenate(points), np.array(tube(2, SIDES[kind], kind)[0])
    ends = np.ptp(faces // SIDES[kind], axis=1) == 0
    return np.tile(corners, (2, 1)), faces + np.where(ends, len(corners), 0)[:, None]


class Figures:
    """Solids of a scene, drawn again for each frame like the lines of `Stage`."""

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
        """Draw the shape of a frame in the scene; `tops` are the ends of the colour bars."""
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
        """Add pieces of all beams with one kind of section: each a box, or a cylinder, of its own size."""
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
        """Return the colours of every piece of a beam."""
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
    """Return middles (n, 3), axes (n, 3, 3) and sizes (n, 3) of the pieces of a beam."""
    rings = each.points(shape).reshape(-1, SIDES[kind], 3)
    centre = rings.mean(axis=1)
    if kind == "edge":  # edge with four corners
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


THICKNESS = {"beam": 0.014, "rigid": 0.024, "line": 0.005}  # of the extent, as all below
SHORT, THINNEST = 10.0, 0.15  # lines are thinner if parts are shorter than a tenth of the extent, down to this share
HEIGHT = {
    "beam": 0.010,
    "rigid": 0.0,
    "line": 0.014,
    "pin": 0.018,
    "ghost": 0.012,
}  # of planar parts that cross
PIN = (0.014, 0.022)  # in space, in the plane
SUPPORT = 0.045
LONGEST_ARROW = 0.28
FORCE, VELOCITY, GHOST = (0, 158, 115), (0, 114, 178), (186, 191, 197)
TRACE, OPEN, JOINT = (204, 121, 167), (214, 39, 40), (74, 81, 90)


def solid(points: Array) -> Array:
    """Return points (..., axis) in space; planar points get z = 0."""
    missing = 3 - points.shape[-1]
    return np.concatenate([points, np.zeros((*points.shape[:-1], missing))], axis=-1) if missing else points


def pieces(points: Any) -> Any:
    """Return (n, 2, ...) segments between the points of a line; a single point becomes one of zero length."""
    return np.stack([points[:-1], points[1:]], axis=1) if len(points) > 1 else np.stack([points, points], axis=1)


class Stage:
    """Drawing of one result in the scene: its shape (station, axis) and colours, frame after frame.

    scale    of the scene, per metre, in which the mechanism has about size 1
    place    of its origin in the scene
    faint    drawn in grey, behind another
    """

    def __init__(self, api: Any, root: str, result: Result, scale: float, place: Array, *, faint: bool = False) -> None:
        self.faint, self._ghost = faint, np.zeros(0)
        self.parts = scene.parts(result)
        self.scale, self.place, self.api, self.root = scale, place, api, root
        self.extent = extent = self._extent(result)  # reference size of lines and pins
        self.handles: dict[str, Any] = {}
        self.planar = result.data.sizes["axis"] == 2
        self.result, self._names = result, dict[str, Any]()
        self.figures = Figures(api, root, result, self.parts, scale, place)
        self.welds = scene.clamps(result)
        for word, ground in scene.supports(result).items():
            if word != "slide" and len(ground):
                self._supports(word, scale * ground)
        for k, (name, ends) in enumerate(open_joints(result)):
            points = pieces(scale * solid(ends)) + place + self._lift("pin")
            paint = np.full((1, 2, 3), linear(np.array(OPEN)))
            api.add_line_segments(f"{root}/open/{k}", points, paint, thickness=THICKNESS["line"] * extent)
            api.add_label(f"{root}/open/{k}/name", f"{name} is open", position=tuple(points[0, 1]), anchor="top-center")

    def draw(
        self, shape: Array, colour: Quantity | None, tension: Quantity | None, frame: int, tops: dict[str, float]
    ) -> None:
        """Draw the shape; `tops` are the ends of the colour bars."""
        shape = self.scale * shape
        self.figures.draw(shape, colour, frame, tops, self.faint)
        self._lines("beams", ("beam", "chain"), shape, colour, frame, tops, PLAIN)
        self._lines(
            "links", ("rigid",), shape, colour if colour and colour.name == "speed" else None, frame, tops, RIGID
        )
        self._lines("tendons", ("line",), shape, tension, frame, tops, TENDON)
        pins = np.unique(np.concatenate([np.empty(0, int), *(p.dots for p in self.parts if p.kind != "line")]))
        for name, stations in (("pins", pins), ("welds", self.welds)):
            if len(stations):
                self._pins(name, solid(shape[stations]) + self.place)

    def traces(self, lines: list[Array]) -> None:
        """Replace the lines (instant, axis) that markers draw."""
        if "traces" in self.handles:
            self.handles.pop("traces").remove()
        if lines:
            points = np.concatenate([pieces(self.scale * solid(line)) for line in lines]) + self.place
            paint = np.tile(linear(np.array(TRACE, np.uint8)), (len(points), 2, 1))
            size = THICKNESS["line"] * self.extent
            self.handles["traces"] = self.api.add_line_segments(f"{self.root}/traces", points, paint, thickness=size)

    def arrows(self, name: str, places: Array, values: Array, largest: float, shown: bool) -> None:
        """Draw arrows (joint or marker, axis) at places; the largest of all frames is as long as `LONGEST_ARROW`."""
        start = self.scale * solid(places) + self.place
        ends = np.stack([start, start + LONGEST_ARROW / max(largest, 1e-300) * solid(values)], axis=1)
        if name in self.handles:
            self.handles[name].visible = shown
            if shown:
                self.handles[name].points = ends.astype(np.float32)
        elif shown:
            size, colour = 0.004 * self.extent, {"forces": FORCE, "velocities": VELOCITY}[name]
            self.handles[name] = self.api.add_arrows(
                f"{self.root}/{name}", ends, colour, shaft_radius=size, head_radius=2.8 * size, head_length=7.0 * size
            )

    def names(self, shape: Array, shown: bool) -> None:
        """Write names of parts at their middles; at rest, of joints and markers too."""
        if not shown:
            for handle in self._names.values():
                handle.remove()
            self._names = {}
            return
        resting = self.result.data["shape"].ndim == 2
        for k, each in enumerate([*part_names(self.result, shape), *(joint_names(self.result) if resting else [])]):
            place, key = tuple(self.scale * solid(each.place) + self.place), f"{k} {each.text}"
            if key in self._names:
                self._names[key].position = place
            else:
                side = "bottom-center" if each.kind == PART else "top-left"
                self._names[key] = self.api.add_label(
                    f"{self.root}/names/{k}", each.text, position=place, anchor=side, font_screen_scale=0.85
                )

    def ghost(self, shape: Array | None, shown: bool) -> None:
        """Draw another shape as thin grey lines, behind."""
        if "ghost" in self.handles and (shape is not self._ghost or not shown):
            self.handles.pop("ghost").remove()
        if shape is not None and shown and "ghost" not in self.handles:
            lines = [pieces(solid(part.line(shape))) for part in self.parts]
            lines += [solid(each.points(shape))[each.edges] for each, *_ in self.figures.bodies]
            points = self.scale * np.concatenate(lines) + self.place - self._lift("ghost")
            paint = np.tile(linear(np.array(GHOST, np.uint8)), (len(points), 2, 1))
            size = 0.6 * THICKNESS["beam"] * self.extent
            self.handles["ghost"] = self.api.add_line_segments(f"{self.root}/ghost", points, paint, thickness=size)
            self._ghost = shape

    def _lines(
        self, name: str, kinds: tuple[str, ...], shape: Array, quantity: Quantity | None, frame: int,
        tops: dict[str, float], plain: tuple[int, int, int],
    ) -> None:  # fmt: skip
        hidden = self.figures.solid  # drawn as sections
        mine = [part for part in self.parts if part.kind in kinds and len(part.weights) and part.name not in hidden]
        if not mine:
            return
        if self.faint:
            quantity, plain = None, GHOST
        points = np.concatenate([pieces(solid(part.line(shape))) for part in mine]) + self.place + self._lift(kinds[0])
        paint = np.concatenate([self._paint(part, quantity, frame, tops, plain) for part in mine])
        if name in self.handles:
            self.handles[name].points = points.astype(np.float32)
            self.handles[name].colors = paint
        else:
            self.handles[name] = self.api.add_line_segments(
                f"{self.root}/{name}", points, paint, thickness=THICKNESS[kinds[0]] * self.extent
            )

    def _paint(
        self, part: Part, quantity: Quantity | None, frame: int, tops: dict[str, float], plain: tuple[int, int, int]
    ) -> Colours:
        values = None if quantity is None else quantity.values[frame, part.stations]
        if quantity is None or values is None or np.isnan(values).any():
            paint = np.tile(np.array(plain, np.uint8), (len(part.weights), 1))
        else:
            paint = colours(part.weights @ values, tops[quantity.name], quantity.signed)
        return np.asarray(pieces(linear(paint)), dtype=np.uint8)

    def _pins(self, name: str, places: Array) -> None:
        """Draw pins as discs, welds as squares."""
        places = places + self._lift("pin")
        if name in self.handles:
            self.handles[name].points = places.astype(np.float32)
        else:
            shape = "circle" if name == "pins" else "square"
            self.handles[name] = self.api.add_point_cloud(
                f"{self.root}/{name}", places, JOINT, point_size=PIN[self.planar] * self.extent,
                point_shape=shape, precision="float32",
            )  # fmt: skip

    def _lift(self, kind: str) -> Array:
        """Return the height of a kind: parts in a plane are drawn one above the other."""
        height = HEIGHT[kind] - (HEIGHT["ghost"] + HEIGHT["pin"] if self.faint else 0.0)
        return np.array([0.0, 0.0, height * self.extent if self.planar else 0.0])

    def _extent(self, result: Result) -> float:
        """Return the reference size: 1, or less with many short parts."""
        shape = np.array(result.data["shape"].values, ndmin=3)[0]
        sizes = [float(np.ptp(shape[part.stations], axis=0).max()) for part in self.parts]
        return float(np.clip(SHORT * self.scale * np.median(sizes or [1.0]), THINNEST, 1.0))

    def _supports(self, word: str, ground: Array) -> None:
        """Draw a small pyramid under every point of the ground that carries a pin: along -y in the plane, -z in space;
        a small cube at welds.
        """
        size, flat = SUPPORT * self.extent, ground.shape[-1] == 2
        base = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 0.6 * size
        down = np.full((4, 1), -1.4 * size)
        foot = np.hstack([base[:, :1], down, base[:, 1:]]) if flat else np.hstack([base, down])
        corners = np.vstack([np.zeros(3), foot])
        faces = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1), (1, 2, 3), (1, 3, 4)])
        if word == "clamp":
            corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.45 * size
            corners -= self._lift("pin")  # behind the supported part
            faces = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
                              (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)])  # fmt: skip
        places = solid(np.unique(ground, axis=0)) + self.place
        self.api.add_mesh_simple(
            f"{self.root}/supports/{word}", (places[:, None] + corners).reshape(-1, 3),
            (len(corners) * np.arange(len(places))[:, None, None] + faces).reshape(-1, 3), color=(160, 166, 172),
            side="double", flat_shading=True,
        )  # fmt: skip
