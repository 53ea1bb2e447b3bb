"""Numbering of a planar model: nodes are (x, y, theta)."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin
from typing import Any, ClassVar, Self

import numpy as np

from pliant.model import Marker
from pliant.model.bodies.rigid import RigidBody
from pliant.system.numbering.numbering import NodeNumbering
from pliant.system.numbering.space import PLANE, Space


class Layout(NodeNumbering):
    """Numbering of a planar model; families pack themselves from it."""

    space: ClassVar[Space] = PLANE

    def offset(self, marker: Marker) -> tuple[float, float, float]:
        """Place and angle of a marker in its node's frame."""
        x, y = marker.x, marker.y
        if isinstance(marker.body, RigidBody):
            x, y = x - marker.body.centre_of_mass[0], y - marker.body.centre_of_mass[1]
        return x, y, marker.angle

    def arm(self, marker: Marker) -> tuple[float, float]:
        """Place of a marker in its node's frame."""
        return self.offset(marker)[:2]

    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Places of quaternions: there are none."""
        return np.empty((len(nodes), 0), np.uint32)

    def turn(self, marker: Marker) -> float:
        """Angle of a marker in its node's frame."""
        return self.offset(marker)[2]

    def place(self, marker: Marker, q: np.ndarray | None = None) -> np.ndarray:
        """Where a marker is in a configuration, the assembled one unless given."""
        x, y, theta = (self.assembled if q is None else q)[3 * self.node(marker) :][:3]
        dx, dy, _ = self.offset(marker)
        return np.array([x + cos(theta) * dx - sin(theta) * dy, y + sin(theta) * dx + cos(theta) * dy])

    def inert_axes(self, body: RigidBody) -> np.ndarray:
        """(n, 1) axes about which a body has no inertia of its own: the one there is, or none."""
        return np.ones((int(body.inertia == 0.0), 1))

    def spinless(self) -> dict[int, float]:
        """Angles of bodies without inertia that nothing can turn (all their markers sit at the centre), and their
        values.

        Such a body is a point: its angle means nothing, but has to be held.
        """
        inert = [body for body in self.rigid_bodies if body.inertia == 0.0]
        turning = {
            m.body
            for part in (self.model if inert else ())
            for m in part.markers
            if part.acts_on_directions(False) or self.offset(m)[:2] != (0.0, 0.0)
        }
        return {3 * self._node[body] + 2: body.angle or 0.0 for body in inert if body not in turning}

    def bent(self, shift: np.ndarray) -> Self:
        """The same numbering with the unstressed beams moved by a displacement of the coordinates."""
        moved = shift[: 3 * self.moving].reshape(-1, 3)
        return self._with_meshes([replace(mesh, pose=mesh.pose + moved[mesh.nodes]) for mesh in self.beams])
