"""Contacts and sliding stops of a model as balls against surfaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from pliant.forces import Contact, Stop
from pliant.forces.contact.press import Entry
from pliant.model import rotations

FLAT = 0.0, 0.0, 1.0


def touches(layout: Any) -> list[Contact | Stop]:
    """Return contacts and stops of the family, in the order of their readings."""
    return [*layout.forces(Contact), *(stop for stop in layout.forces(Stop) if stop.slides)]


def planar_frame(layout: Any) -> Callable[[Any, Any], tuple[np.ndarray, np.ndarray]]:
    """Return the function for axes and place of a marker on its node in the plane, as three-dimensional arrays."""

    def frame(marker: Any, _turn: Any) -> tuple[np.ndarray, np.ndarray]:
        x, y, angle = layout.offset(marker)
        return rotations.matrix(rotations.exponential((0.0, 0.0, angle))), np.array([x, y, 0.0])

    return frame


def spatial_frame(layout: Any) -> Callable[[Any, Any], tuple[np.ndarray, np.ndarray]]:
    """Return the function for axes, turned by a quaternion, and place of a marker on its node."""

    def frame(marker: Any, turn: Any) -> tuple[np.ndarray, np.ndarray]:
        return rotations.matrix(rotations.product(layout.turn(marker), turn)), layout.arm(marker)

    return frame


def entries(layout: Any, frame: Callable[[Any, Any], tuple[np.ndarray, np.ndarray]], spatial: bool) -> Iterator[Entry]:
    """Yield balls of contacts, ends of stops; ``frame(marker, turn)`` gives a marker's axes and place on its node."""
    for owner, part in enumerate(touches(layout)):
        nodes = layout.node(part.a), layout.node(part.b)
        (axes, origin), (on_b, arm) = frame(part.a, part.frame_a), frame(part.b, part.frame_b)
        if isinstance(part, Stop):
            for wall, shift in part.walls(axes):
                yield Entry(nodes, wall, origin + shift, arm, 0.0, FLAT, (*part.law, 0.0, 1.0), owner)
            continue
        law = part.stiffness, part.exponent, part.damping, part.friction, part.friction_speed
        surface = axes if spatial else axes[:, [0, 2, 1]] * (1.0, -1.0, 1.0)  # y is the normal in the plane
        for ball, shape in product(part.balls(spatial), part.shapes):
            yield Entry(nodes, surface, origin, arm + on_b @ ball, part.radius, shape, law, owner)
