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
    """Numbering of a planar model; families pack their arrays from it."""

    space: ClassVar[Space] = PLANE

    def offset(self, marker: Marker) -> tuple[float, float, float]:
        """Return the position and angle of a marker in its node's frame."""
        x, y = marker.x, marker.y
        if isinstance(marker.body, RigidBody):
            x, y = x - marker.body.centre_of_mass[0], y - marker.body.centre_of_mass[1]
        return x, y, marker.angle

    def arm(self, marker: Marker) -> tuple[float, float]:
        """Return the position of a marker in its node's frame."""
        return self.offset(marker)[:2]

    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Return the places of quaternions: none."""
        return np.empty((len(nodes), 0), np.uint32)

    def turn(self, marker: Marker) -> float:
        """Return the angle of a marker in its node's frame."""
        return self.offset(marker)[2]

    def place(self, marker: Marker, q: np.ndarray | None = None) -> np.ndarray:
        """Return the position of a marker in a configuration, by default the assembled one."""
        x, y, theta = (self.assembled if q is None else q)[3 * self.node(marker) :][:3]
        dx, dy, _ = self.offset(marker)
        return np.array([x + cos(theta) * dx - sin(theta) * dy, y + sin(theta) * dx + cos(theta) * dy])

    def inert_axes(self, body: RigidBody) -> np.ndarray:
        """Return the (n, 1) axes about which a body has no inertia of its own: one or none."""
        return np.ones((int(body.inertia == 0.0), 1))

    def spinless(self) -> dict[int, float]:
        """Return the angles, with their values, of bodies without inertia that nothing can turn (all their markers are
        at the centre).

        Such a body is a point: its angle has no meaning, but must be fixed.
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
        """Return the numbering with the unstressed beams moved by a displacement of the coordinates."""
        moved = shift[: 3 * self.moving].reshape(-1, 3)
        return self._with_meshes([replace(mesh, pose=mesh.pose + moved[mesh.nodes]) for mesh in self.beams])
