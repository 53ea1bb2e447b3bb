"""Numbering of a spatial model: nodes are points and frames.

The coordinates of a node are three of its point, in global axes, and three of a pending rotation increment in its own
frame; the unit quaternions (w, x, y, z) of all frames follow after all nodes. The ground's node is the last of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from pliant.model import Marker, rotations
from pliant.model.bodies.rigid import RigidBody
from pliant.model.parts import Part
from pliant.system.assembly.massless_spins import Spin
from pliant.system.numbering.numbering import NodeNumbering
from pliant.system.numbering.space import SPACE, Space

INERT = 1e-14  # of the largest inertia of a body: rounding


class SpatialLayout(NodeNumbering):
    """Numbering of a spatial model; families pack their arrays from it."""

    space: ClassVar[Space] = SPACE
    idle: tuple[Spin, ...] = ()  # rotations without meaning (massless_spins.py)

    def with_parts(self, instead: Mapping[Part, Part]) -> Self:
        """Return the numbering with other numbers of some parts."""
        twin, bodies = super().with_parts(instead), cast("Mapping[RigidBody, RigidBody]", instead)
        twin.idle = tuple(spin._replace(body=bodies.get(spin.body, spin.body)) for spin in self.idle)
        return twin

    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Return the places of the quaternions of the given nodes: (n, count), as unsigned indices."""
        first = self.space.frames(self.ground)
        return np.ascontiguousarray(first + 4 * np.asarray(nodes, np.int64).reshape(-1, count), dtype=np.uint32)

    def arm(self, marker: Marker) -> np.ndarray:
        """Return the (3,) point of a marker in its node's frame (m)."""
        centre = (*marker.body.centre_of_mass, 0.0) if isinstance(marker.body, RigidBody) else np.zeros(3)
        return marker.point - centre

    def turn(self, marker: Marker) -> np.ndarray:
        """Return the (4,) quaternion from the marker's axes to the axes of its node."""
        return marker.turn

    def node_pose(self, node: int, q: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return point (3,) and quaternion (4,) of a node in a configuration, by default the assembled one."""
        q = self.assembled if q is None else q
        frame = int(self.frames([node])[0, 0])
        turn = rotations.product(q[frame : frame + 4], rotations.exponential(q[6 * node + 3 : 6 * node + 6]))
        return q[6 * node : 6 * node + 3], turn

    def place(self, marker: Marker, q: np.ndarray | None = None) -> np.ndarray:
        """Return the (3,) position of a marker in a configuration, by default the assembled one."""
        point, turn = self.node_pose(self.node(marker), q)
        return point + rotations.rotate(turn, self.arm(marker))

    def direction(self, marker: Marker, q: np.ndarray | None = None) -> np.ndarray:
        """Return the (4,) quaternion from the marker's axes to the global axes in a configuration."""
        return rotations.product(self.node_pose(self.node(marker), q)[1], self.turn(marker))

    def inert_axes(self, body: RigidBody) -> np.ndarray:
        """Return the (n, 3) axes, in a body's frame, about which it has no inertia of its own: one for a slender
        bar."""
        inertias, axes = np.linalg.eigh(body.inertia_matrix)
        return np.asarray(axes.T[inertias <= INERT * inertias[-1]])

    def bent(self, shift: np.ndarray) -> Self:
        """Return the numbering with the unstressed beams moved by a displacement of the freedoms."""
        moved = shift[: self.freedoms].reshape(-1, 6)
        return self._with_meshes([_move(mesh, moved[mesh.nodes]) for mesh in self.beams])


def _move(mesh: Any, shift: np.ndarray) -> Any:
    turn = rotations.product(mesh.turn, rotations.exponential(shift[:, 3:]))
    return replace(mesh, pose=mesh.pose + shift[:, :3], turn=turn)
