"""Selection of a part by a click."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.model.bodies.rigid import Beam, Body, Link, PointMass
from pliant.model.parts import Joint, Load
from pliant_studio.sheet.drawing import Drawing, Spot

FIRST: tuple[type, ...] = (Load, PointMass, Joint, Body, Link, Beam)
"""What lies above what: loads are meant before the joints and bars that they sit on."""


def part_at(drawing: Drawing, spot: Spot) -> str:
    """Return the part at a spot: the last load drawn there, else the last joint, else a bar, a spring or a tendon."""
    near = drawing.cell
    for kind in FIRST:
        for part in reversed(list(drawing.sheet.seen().model)):
            if isinstance(part, kind) and _far(drawing, part, spot) <= near:
                return str(part.name)
    raise OptionError(f"There is no part at ({spot.point[0]:.4g}, {spot.point[1]:.4g}) m. Click on one.")


def _far(drawing: Drawing, part: Any, spot: Spot) -> float:
    """Return the distance of a spot from the drawing of a part (m)."""
    if isinstance(part, Link | Beam):
        return _from_line(drawing.line(part), spot)
    if part.line:
        return _from_line(np.array([drawing.where(marker) for marker in part.line]), spot)
    if isinstance(part, Body):
        return float(np.hypot(*(drawing.sheet.seen().poses[part.name][:2] - np.array(spot.point))))
    return min((float(np.hypot(*np.subtract(drawing.where(m), spot.point))) for m in part.markers), default=np.inf)


def _from_line(line: np.ndarray, spot: Spot) -> float:
    begin, way = line[:-1], np.diff(line, axis=0)
    share = np.clip(((np.array(spot.point) - begin) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-300), 0, 1)
    return float(np.hypot(*(begin + share[:, None] * way - spot.point).T).min())
