"""Picture of a sheet: bars, joints, springs and loads as drawn, handles to drag, errors in red."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pliant.forces import Force, Moment
from pliant.model.bodies.rigid import Beam, Body, Ground, Link, PointMass
from pliant.model.parts import Joint, Part
from pliant_studio.sheet.drawing import SIZE, Drawing, Point, Spot
from pliant_studio.viewer.bars import PLAIN, RIGID, TENDON, linear
from pliant_studio.viewer.camera import look_at

Colour = tuple[int, int, int]
WRONG, CHOSEN, LOAD, PIN, GROUND, MASS = (
    (200, 30, 45), (230, 159, 0), (0, 158, 115), (38, 42, 48), (130, 136, 142), (86, 60, 130),
)  # fmt: skip
ROOT = "/sheet"
ARROW, HANDLE, SIGN = 0.13, 0.011, 0.024  # of the size
ABOVE = {
    "body": 0.0,
    "line": 0.006,
    "joint": 0.012,
    "load": 0.014,
}  # height above the sheet of parts that cover others, of the size
NARROW = 0.25  # of the width, on either side: panels cover both
CIRCLE = np.linspace(-0.75 * np.pi, 0.75 * np.pi, 16)


class SheetView:
    """View of a sheet, drawn again after every edit.

    dragged  called with a spot and the point where its handle was released
    """

    def __init__(self, server: Any, dragged: Callable[[Spot, Point], None]) -> None:
        self.server, self.dragged = server, dragged
        self.scale = 1.0  # of the scene, per metre

    def draw(self, drawing: Drawing, chosen: str = "", begun: Spot | None = None, *, movable: bool = False) -> None:
        """Draw everything; `chosen` is the name of a part, `begun` the first of two clicks, `movable` whether spots can
        be dragged.
        """
        seen = drawing.sheet.seen()
        labels = drawing.sheet.labels()
        wrong = {labels[k] for k in seen.errors}
        size = drawing.size
        self.scale = 1.0 / size
        with self.server.atomic():
            self.server.scene.remove_by_name(ROOT)
            self._lines: dict[str, list[tuple[np.ndarray, Colour]]] = {"body": [], "line": [], "joint": [], "load": []}
            for part in seen.parts:
                if isinstance(part, Part):
                    colour = WRONG if part.name in wrong else CHOSEN if part.name == chosen else None
                    self._part(drawing, part, size, colour)
            for layer, lines in self._lines.items():
                self._segments(layer, lines)
            self._errors(drawing, labels)
            for k, spot in enumerate(drawing.spots()):
                self._handle(k, spot, begun, movable)
            if begun is not None and not begun.ends:
                self._handle(-1, begun, begun, False)

    def point(self, place: Any) -> Point:
        """Return the point of the sheet at a place of the scene."""
        return float(place[0]) / self.scale, float(place[1]) / self.scale

    def frame(self, drawing: Drawing) -> None:
        """Fit the view to everything, or to an empty sheet."""
        points = np.array([spot.point for spot in drawing.spots()] or [(0.0, 0.0)])
        drawing.size = drawing.extent or SIZE
        low, high = points.min(axis=0), points.max(axis=0)
        low[0], high[0] = low[0] - NARROW * (high[0] - low[0]), high[0] + NARROW * (high[0] - low[0])
        missing = 0.5 * np.maximum(0.5 * drawing.size - (high - low), 0.0) if drawing.extent else 0.5 * SIZE
        self.scale = 1.0 / drawing.size
        lowest, highest = (self.scale * np.array([*corner, 0.0]) for corner in (low - missing, high + missing))
        look_at(self.server, lowest, highest, True, self.scale)

    # --- parts -----------------------------------------------------------------------------------------------------

    def _part(self, drawing: Drawing, part: Part, size: float, colour: Colour | None) -> None:
        if isinstance(part, Link | Beam):
            line = drawing.line(part)
            self._lines["body"].append((line, colour or (RIGID if isinstance(part, Link) else PLAIN)))
            middle = 0.5 * (line[(len(line) - 1) // 2] + line[len(line) // 2])
            self._label(part.name, middle)
        elif isinstance(part, Body):
            self._body(drawing, part, colour or RIGID)
        elif isinstance(part, Joint):
            self._joint(drawing, part, size, colour)
        elif isinstance(part, Force | Moment):
            self._load(drawing, part, size, colour or LOAD)
        elif isinstance(part, PointMass):
            point = np.array(drawing.where(part.marker))
            self._lines["joint"].append((_square(point, 0.6 * SIGN * size), colour or MASS))
        elif part.line:
            points = np.array([drawing.where(marker) for marker in part.line])
            self._lines["line"].append((points, colour or TENDON))

    def _body(self, drawing: Drawing, body: Body, colour: Colour) -> None:
        """Draw a plate: lines from its centre to all its markers."""
        centre = drawing.sheet.seen().poses[body.name][:2]
        markers = [each for part in drawing.sheet.seen().model for each in part.markers if each.body is body]
        for marker in markers:
            self._lines["body"].append((np.array([centre, drawing.where(marker)]), colour))
        self._label(body.name, centre)

    def _joint(self, drawing: Drawing, joint: Joint, size: float, colour: Colour | None) -> None:
        point = np.array(drawing.where(joint.b))
        grounded = any(isinstance(each.body, Ground) for each in (joint.a, joint.b))
        if joint.coordinate:  # a drive: an arc about the pin
            arc = point + 1.6 * SIGN * size * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
            self._lines["load"].append((arc, colour or LOAD))
            return
        if grounded:
            foot = SIGN * size * np.array([(0.0, 0.0), (-0.8, -1.4), (0.8, -1.4), (0.0, 0.0)])
            self._lines["joint"].append((point + foot, colour or GROUND))
        if joint.drawing == "clamp":
            self._lines["joint"].append((_square(point, 0.45 * SIGN * size), colour or PIN))
        elif not grounded or joint.stoppable == "travel":
            ring = np.linspace(0.0, 2.0 * np.pi, 17)
            circle = point + 0.55 * SIGN * size * np.column_stack([np.cos(ring), np.sin(ring)])
            self._lines["joint"].append((circle, colour or PIN))
        if grounded and joint.stoppable == "travel":
            along = 2.5 * SIGN * size * np.array([np.cos(joint.a.angle), np.sin(joint.a.angle)])
            self._lines["joint"].append((np.array([point - along, point + along]), colour or GROUND))

    def _load(self, drawing: Drawing, load: Any, size: float, colour: Colour) -> None:
        point = np.array(drawing.where(load.marker))
        if isinstance(load, Moment):
            arc = point + 2.0 * SIGN * size * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
            self._lines["load"].append((arc, colour))
            return
        values = np.array([_first(each, load.owner) for each in (load.x, load.y)])
        length = float(np.hypot(*values))
        way = values / length if length else np.array([0.0, -1.0])
        tip = point + ARROW * size * way
        side = 0.25 * ARROW * size * np.array([-way[1], way[0]])
        head = tip - 0.3 * ARROW * size * way
        self._lines["load"] += [(np.array([point, tip]), colour), (np.array([head + side, tip, head - side]), colour)]

    # --- objects of the scene --------------------------------------------------------------------------------------

    def _segments(self, layer: str, lines: list[tuple[np.ndarray, Colour]]) -> None:
        if not lines:
            return
        thick = {"body": 0.016, "line": 0.006, "joint": 0.005, "load": 0.007}[layer]
        points = self.scale * np.concatenate([np.stack([line[:-1], line[1:]], axis=1) for line, _ in lines])
        points = np.concatenate([points, np.full((*points.shape[:2], 1), ABOVE[layer])], axis=-1)
        paint = [np.tile(linear(np.array(colour, np.uint8)), (len(line) - 1, 2, 1)) for line, colour in lines]
        self.server.scene.add_line_segments(f"{ROOT}/{layer}", points, np.concatenate(paint), thickness=thick)

    def _label(self, name: str, point: np.ndarray) -> None:
        place = (self.scale * float(point[0]), self.scale * float(point[1]), 0.0)
        self.server.scene.add_label(f"{ROOT}/names/{name}", name, position=place, anchor="bottom-center")

    def _errors(self, drawing: Drawing, labels: list[str]) -> None:
        """Show an error beside its part."""
        seen, told = drawing.sheet.seen(), set[str]()
        for number, text in seen.errors.items():
            part = seen.parts[number]
            if text in told or not isinstance(part, Part):
                continue
            told.add(text)
            if isinstance(part, Link | Beam):
                point = drawing.line(part)[0]
            elif part.markers:
                point = np.array(drawing.where(part.markers[-1]))
            else:
                continue
            place = (self.scale * float(point[0]), self.scale * float(point[1]) - 2.0 * SIGN, 0.0)
            said = f"{labels[number]}: see the list of parts"
            self.server.scene.add_label(f"{ROOT}/errors/{number}", said, position=place, anchor="top-center")

    def _handle(self, number: int, spot: Spot, begun: Spot | None, movable: bool) -> None:
        place = (self.scale * spot.point[0], self.scale * spot.point[1], ABOVE["load"])
        name = f"{ROOT}/handles/{number}"
        colour = CHOSEN if begun is not None and spot.point == begun.point else PIN
        ball = self.server.scene.add_icosphere(
            name, HANDLE, color=colour, subdivisions=2, material="toon3", cast_shadow=False,
            receive_shadow=False, position=place,
        )  # fmt: skip

        def drag(event: Any) -> None:
            if event.phase == "end":
                self.dragged(spot, self.point(event.end_position))
            else:
                ball.position = (*event.end_position[:2], place[2])

        if movable:
            ball.on_drag(drag)


def _first(signal: Any, owner: str) -> float:
    """Return the initial value of a signal."""
    return float(np.asarray(signal(np.zeros(1), owner)).reshape(-1)[0])


def _square(middle: np.ndarray, half: float) -> np.ndarray:
    return np.asarray(middle + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]))
