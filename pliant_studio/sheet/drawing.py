"""Drawing on a sheet: spots where parts meet, and the effects of clicks. In the plane, without a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from math import atan2, cos, floor, hypot, log10, pi, remainder, sin
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import OptionError
from pliant.forces import Spring, Tendon
from pliant.model.bodies.rigid import Beam, Ground, Link
from pliant.model.files.io import Table
from pliant.model.markers import Marker
from pliant.model.parts import Part
from pliant.model.sections.materials import STEEL
from pliant_studio.sheet.sheet import Sheet

SIZE = 0.5  # m, of an empty sheet
CELLS = 50  # cells of the snap grid across the sheet
SAME = 1e-6  # of the size: places closer than this are equal
THIN, WIDE = 1 / 500, 1 / 25  # of the size: initial thickness and width of a leaf
STATIONS = 17  # stations of a beam, for drawing and for finding the nearest
STEEL_TABLE: Table = {"kind": "Material", **asdict(STEEL)}

PIN, WELD, NOTHING = "pin", "weld", "nothing"
JOINS = {PIN: "Revolute", WELD: "Weld"}
Point = tuple[float, float]


class End(NamedTuple):
    """A place on a body, in arguments of ``at``."""

    body: str
    address: dict[str, float]

    @property
    def marker(self) -> Table:
        """Return its table."""
        return {"body": self.body, **self.address}


class Spot(NamedTuple):
    """A point of the sheet, and the ends of bodies and of the ground there."""

    point: Point
    ends: tuple[End, ...] = ()


class Drawing:
    """Effects of clicks on a sheet. Each edit can be undone separately.

    >>> drawing = Drawing(Sheet())
    >>> crank = drawing.bar("Link", drawing.spot((0.0, 0.0)), drawing.spot((0.0, 0.1)))
    >>> coupler = drawing.bar("Beam", drawing.spot((0.0, 0.1)), drawing.spot((0.3, 0.2)))
    >>> drawing.support(drawing.spot((0.0, 0.0)), "pin"), drawing.support(drawing.spot((0.3, 0.2)), "pin")
    ('support', 'support 2')
    >>> drawing.drive(drawing.spot((0.0, 0.0)))
    'drive'
    >>> drawing.sheet.seen().ready
    True
    >>> drawing.move(drawing.spot((0.3, 0.2)), (0.3, 0.1))
    >>> drawing.sheet.seen().model.part("beam").length
    0.3
    """

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.size = self.extent or SIZE

    # --- places --------------------------------------------------------------------------------------------------

    @property
    def extent(self) -> float:
        """Return the extent of the drawing (m); 0 if empty. `size` is the visible size of the sheet."""
        points = np.array([point for point, _ in self._ends()])
        return float(np.ptp(points, axis=0).max()) if len(points) > 1 else 0.0

    @property
    def cell(self) -> float:
        """Return the cell of the snap grid: 1, 2 or 5 times a power of ten (m)."""
        wanted = self.size / CELLS
        power = 10.0 ** floor(log10(wanted))
        return max(k for k in (1.0, 2.0, 5.0) if k * power <= wanted * (1 + 1e-9)) * power

    def spots(self) -> list[Spot]:
        """Return ends of bodies and markers that parts hold, grouped by place."""
        found: list[Spot] = []
        near = SAME * self.size
        for point, end in self._ends():
            k = next((k for k, each in enumerate(found) if _far(each.point, point) <= near), None)
            if k is None:
                found.append(Spot(point, (end,)))
            elif end not in found[k].ends:
                found[k] = Spot(found[k].point, (*found[k].ends, end))
        return found

    def spot(self, point: Point, reach: float = 0.0) -> Spot:
        """Return the spot within reach of a point; else the nearest place along a bar; else a new one on the grid."""
        reach = max(reach, 0.5 * self.cell)
        nearest = min(self.spots(), key=lambda each: _far(each.point, point), default=None)
        if nearest is not None and _far(nearest.point, point) <= reach:
            return nearest
        return self._along(point, reach) or Spot((self._rounded(point[0]), self._rounded(point[1])))

    def line(self, body: Any) -> np.ndarray:
        """Return (n, 2) points of a link or beam."""
        x, y, angle = self.sheet.seen().poses[body.name]
        if isinstance(body, Beam):
            local = np.asarray(body.rest_pose(np.linspace(0.0, 1.0, STATIONS)))[:, :2]
        else:
            local = np.array([(0.0, 0.0), (body.length, 0.0)])
        turn = np.array([(cos(angle), sin(angle)), (-sin(angle), cos(angle))])
        return np.asarray(local @ turn + (x, y))

    def where(self, marker: Marker) -> Point:
        """Return the point of a marker on the sheet."""
        body, poses = marker.body, self.sheet.seen().poses
        if isinstance(body, Ground):
            return marker.x, marker.y
        x, y, angle = poses[body.name]
        local = np.array([marker.x, marker.y])
        if isinstance(body, Beam):
            base = np.asarray(body.rest_pose([marker.s or 0.0]))[0]
            local = base[:2] + _turned(local, base[2])
        return _pair(_turned(local, angle) + (x, y))

    def _ends(self) -> Iterator[tuple[Point, End]]:
        seen = self.sheet.seen()
        for part in seen.parts:
            for marker in part.markers if isinstance(part, Part) else ():
                if isinstance(marker.body, Ground):
                    yield self.where(marker), End(marker.body.name, {"x": marker.x, "y": marker.y})
        for part in seen.parts:
            if isinstance(part, Link | Beam):
                points = self.line(part)
                yield _pair(points[0]), End(part.name, {"s": 0.0})
                yield _pair(points[-1]), End(part.name, {"s": 1.0})
        for part in seen.parts:
            for marker in part.markers if isinstance(part, Part) else ():
                if not isinstance(marker.body, Ground):
                    address = marker.body.address(marker)
                    plain: dict[str, Any] = {key: address[key] for key in ("s", "x", "y") if key in address}
                    yield self.where(marker), End(marker.body.name, plain)

    def _along(self, point: Point, reach: float) -> Spot | None:
        """Return a place on the nearest bar, at a round share of its length."""
        best: tuple[float, Spot] | None = None
        for part in self.sheet.seen().parts:
            if not isinstance(part, Link | Beam):
                continue
            line = self.line(part)
            shares = np.linspace(0.0, 1.0, 21)
            places = np.column_stack([np.interp(shares, np.linspace(0.0, 1.0, len(line)), each) for each in line.T])
            k = int(np.argmin(np.hypot(*(places - point).T)))
            far = _far(_pair(places[k]), point)
            if far <= max(reach, part.length / 40.0) and (best is None or far < best[0]):
                best = far, Spot(_pair(places[k]), (End(part.name, {"s": round(float(shares[k]), 6)}),))
        return None if best is None else best[1]

    def _rounded(self, value: float) -> float:
        return float(f"{round(value / self.cell) * self.cell:.9g}") + 0.0

    # --- effects of clicks -----------------------------------------------------------------------------------------

    def bar(self, kind: str, start: Spot, end: Spot, *, join: str = PIN) -> str:
        """Add a link or beam from one spot to another, joined to the parts there; return its name."""
        if start.point == end.point:
            raise OptionError(f"A {kind.lower()} needs two places; both clicks were at {_said(start.point)}.")
        self.sheet.begin()
        name, length = self.sheet.free_name(kind.lower()), _digits(_far(start.point, end.point))
        table: Table = {"kind": kind, "name": name, "length": length}
        wide, thin = _digits(self.size * WIDE, 2), _digits(self.size * THIN, 1)
        if kind == "Link":
            table["mass"] = _digits(STEEL.density * wide * 3.0 * thin * length, 2)
        else:
            table["section"] = {"kind": "Rectangle", "width": wide, "height": thin, "material": dict(STEEL_TABLE)}
        dx, dy = end.point[0] - start.point[0], end.point[1] - start.point[1]
        table |= {"angle": _digits(atan2(dy, dx)), "position": list(start.point)}
        self.sheet.add("body", table)
        for spot, s in ((start, 0.0), (end, 1.0)):
            held = _holding(spot)
            if held is not None and join != NOTHING:
                word = "pin" if join == PIN else "weld"
                self._joint(JOINS[join], word, held.marker, {"body": name, "s": s})
        return name

    def support(self, spot: Spot, join: str) -> str:
        """Tie a place to the ground: by a pin, a weld, or a slider along x."""
        end = self._moving(spot, "A support")
        kind = JOINS.get(join, "Slider")
        self.sheet.begin()
        return self._joint(kind, "support", self._ground(spot.point).marker, end.marker)

    def drive(self, spot: Spot) -> str:
        """Hold the angle of a pin where it is; it becomes a slider."""
        seen = self.sheet.seen()
        pins = [part for part in seen.model.joints if type(part).__name__ == "Revolute"]
        near = SAME * self.size
        pin = next((each for each in pins if _far(self.where(each.a), spot.point) <= near), None)
        if pin is None:
            raise OptionError(f"A drive needs a pin, and there is no pin at {_said(spot.point)}. Draw a support first.")
        self.sheet.begin()
        table = self._table(pin.name)
        ends = {"a": dict(table["a"]), "b": dict(table["b"])}
        return self._add("joint", "drive", {"kind": "Motion", **ends, "angle": self._angle(pin.a, pin.b)})

    def line_between(self, kind: str, start: Spot, end: Spot) -> str:
        """Add a spring or tendon from one spot to another, unstressed as drawn."""
        if start.point == end.point:
            raise OptionError(f"A {kind.lower()} needs two places; both clicks were at {_said(start.point)}.")
        self.sheet.begin()
        ends = [(_holding(each) or self._ground(each.point)).marker for each in (start, end)]
        given = {"stiffness": 100.0 if kind == "Spring" else 1e4, "rest_length": _digits(_far(start.point, end.point))}
        return self._add("force", kind.lower(), {"kind": kind, "a": ends[0], "b": ends[1], **given})

    def load(self, kind: str, spot: Spot) -> str:
        """Add a force downward, a moment or a mass at a spot."""
        marker = self._moving(spot, f"A {kind.lower()}").marker
        self.sheet.begin()
        if kind == "PointMass":
            return self._add("point_mass", "mass", {"kind": kind, "marker": marker, "mass": 0.1})
        given = {"x": 0.0, "y": -1.0} if kind == "Force" else {"value": 0.1}
        return self._add("force", kind.lower(), {"kind": kind, "marker": marker, **given})

    def gravity(self) -> str:
        """Add gravity along -y."""
        if any(each.table["kind"] == "Gravity" for each in self.sheet.entries if "kind" in each.table):
            raise OptionError("The model has gravity already. Delete it in the list of parts.")
        self.sheet.begin()
        return self._add("force", "gravity", {"kind": "Gravity", "y": -9.81})

    # --- moving ----------------------------------------------------------------------------------------------------

    def move(self, spot: Spot, to: Point) -> None:
        """Move all ends at a spot to another point: bars change length and direction, markers their place on their
        body. Drives and welds keep the angle as drawn then, unstressed springs stay unstressed.
        """
        if spot.point == to:
            return
        seen = self.sheet.seen()
        bars = {end.body: self._bar_at(end) for end in spot.ends if _is_end(seen.model.part(end.body), end)}
        slack = [part for part in seen.parts if isinstance(part, Spring | Tendon) and self._unstressed(part)]
        poses = {name: np.array(pose) for name, pose in seen.poses.items()}
        self.sheet.begin()
        for end in spot.ends:
            if end.body in bars:
                base, tip = (to, bars[end.body][1]) if end.address["s"] == 0.0 else (bars[end.body][0], to)
                angle = _digits(atan2(tip[1] - base[1], tip[0] - base[0]))
                table = self._table(end.body)
                table |= {"length": _digits(_far(base, tip)), "angle": angle, "position": list(base)}
                table.pop("inertia", None)  # inertia of the old length
                poses[end.body] = np.array([*base, angle])
            else:
                self._readdress(end, self._address(seen.model.part(end.body), end, to))
        self._keep_angles(seen.model, poses)
        self.sheet.forget()
        for part in slack:
            again = self.sheet.seen().model.part(part.name)
            self._table(part.name)["rest_length"] = _digits(_far(self.where(again.a), self.where(again.b)))
        self.sheet.forget()

    def _bar_at(self, end: End) -> tuple[Point, Point]:
        """Return base and tip of a bar whose end is moved."""
        part, table = self.sheet.seen().model.part(end.body), self._table(end.body)
        if isinstance(table.get("length"), str) or table.get("curvature"):
            why = "is curved" if table.get("curvature") else f"has the length {table['length']!r}"
            raise OptionError(f"{part.owner} {why}: its end cannot be moved. Change its numbers in the list of parts.")
        line = self.line(part)
        return _pair(line[0]), _pair(line[-1])

    def _address(self, body: Any, end: End, to: Point) -> dict[str, float]:
        """Return the place of a point on a body."""
        if isinstance(body, Ground):
            return {"x": to[0], "y": to[1]}
        if "s" in end.address and isinstance(body, Link | Beam):
            line = self.line(body)
            along = (line[-1] - line[0]) / body.length
            return {"s": _digits(float(np.clip((np.array(to) - line[0]) @ along / body.length, 0.0, 1.0)), 4)}
        x, y, angle = self.sheet.seen().poses[body.name]
        local = _turned(np.array([to[0] - x, to[1] - y]), -angle)
        return {"x": _digits(float(local[0])), "y": _digits(float(local[1]))}

    def _readdress(self, end: End, address: dict[str, float]) -> None:
        """Move all markers at an end to another place on their body."""
        for entry in self.sheet.entries:
            for marker in _markers(entry.table):
                here = {key: marker[key] for key in ("s", "x", "y") if key in marker}
                if marker["body"] == end.body and here == end.address:
                    marker |= address

    def _keep_angles(self, model: Any, poses: dict[str, Any]) -> None:
        """Update the angles of drives and welds between turned bodies."""
        for joint in model.joints:
            table = self._table(joint.name)
            if table["kind"] in ("Motion", "Weld") and isinstance(table.get("angle"), int | float):
                table["angle"] = self._angle(joint.a, joint.b, poses)

    def _angle(self, a: Marker, b: Marker, poses: Any = None) -> float:
        """Return the angle of marker b from marker a as drawn (rad), within half a turn."""
        found = self.sheet.seen().poses if poses is None else poses
        turn = [each.angle + (0.0 if isinstance(each.body, Ground) else found[each.body.name][2]) for each in (a, b)]
        return _digits(remainder(turn[1] - turn[0], 2.0 * pi))

    def _unstressed(self, part: Any) -> bool:
        rest = self._table(part.name).get("rest_length")
        now = _far(self.where(part.a), self.where(part.b))
        return isinstance(rest, int | float) and abs(rest - now) <= SAME * now

    # --- tables --------------------------------------------------------------------------------------------------

    def _table(self, name: str) -> Table:
        return self.sheet.entries[self.sheet.number(name)].table

    def _add(self, group: str, word: str, table: Table) -> str:
        name = self.sheet.free_name(word)
        self.sheet.add(group, {"kind": table["kind"], "name": name} | table)
        return name

    def _joint(self, kind: str, word: str, a: Table, b: Table) -> str:
        return self._add("joint", word, {"kind": kind, "a": a, "b": b})

    def _ground(self, point: Point) -> End:
        """Return a place on the ground, which is added if missing."""
        ground = next((each for each in self.sheet.entries if each.table.get("kind") == "Ground"), None)
        if ground is None:
            self.sheet.add("body", {"kind": "Ground", "name": "ground"})
        return End("ground" if ground is None else ground.name, {"x": point[0], "y": point[1]})

    def _moving(self, spot: Spot, what: str) -> End:
        """Return the first body at a spot that can move."""
        ends = [end for end in spot.ends if not isinstance(self.sheet.seen().model.part(end.body), Ground)]
        if not ends:
            raise OptionError(f"{what} needs a link or beam, and there is no such part at {_said(spot.point)}.")
        return ends[0]


def _is_end(body: Any, end: End) -> bool:
    return isinstance(body, Link | Beam) and end.address in ({"s": 0.0}, {"s": 1.0})


def _markers(value: Any) -> Iterator[Table]:
    """Yield the tables of all markers in a table."""
    if isinstance(value, dict):
        if "body" in value:
            yield value
        for item in value.values():
            yield from _markers(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _markers(item)


def _holding(spot: Spot) -> End | None:
    """Return what a new bar is joined to: the ground if present, else the first body."""
    return spot.ends[0] if spot.ends else None


def _turned(vector: np.ndarray, angle: float) -> np.ndarray:
    return np.array([cos(angle) * vector[0] - sin(angle) * vector[1], sin(angle) * vector[0] + cos(angle) * vector[1]])


def _far(a: Point, b: Point) -> float:
    return hypot(b[0] - a[0], b[1] - a[1])


def _pair(point: np.ndarray) -> Point:
    return _digits(float(point[0]), 10), _digits(float(point[1]), 10)  # without rounding noise


def _digits(value: float, digits: int = 12) -> float:
    return float(f"{value:.{digits}g}")


def _said(point: Point) -> str:
    return f"({point[0]:.4g}, {point[1]:.4g}) m"
