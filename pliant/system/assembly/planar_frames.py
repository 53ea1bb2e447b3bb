"""Placement of the bodies of a planar model along its joints."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin
from typing import Any, ClassVar, cast

import numpy as np

from pliant.model import Beam, Joint, Marker, Model, rotations
from pliant.model.bodies.beams import rest_poses
from pliant.system.assembly.frames import Frames, PlacementOrder, driven_angle
from pliant.system.numbering.space import PLANE, Space


class PlanarFrames(Frames):
    """Frames (x, y, theta)."""

    space: ClassVar[Space] = PLANE
    retries: ClassVar[int] = 40

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        on_beams = [marker for marker in model.markers if isinstance(marker.body, Beam)]
        self._local = dict(zip(on_beams, _on_beams(on_beams), strict=True))

    def local(self, marker: Marker) -> tuple[float, float, float]:
        """Return the point and angle of a marker in its body's frame."""
        if not isinstance(marker.body, Beam):
            return marker.x, marker.y, marker.angle
        if marker not in self._local:
            [self._local[marker]] = _on_beams([marker])
        return self._local[marker]

    def arm(self, marker: Marker) -> tuple[float, float]:
        return self.local(marker)[:2]

    def turn(self, marker: Marker) -> float:
        return self.local(marker)[2]

    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        return np.empty((len(nodes), 0), np.uint32)

    def relative(self, joint: Joint, pose: np.ndarray) -> Any:
        return rotations.IDENTITY

    def point(self, marker: Marker, pose: Sequence[float] | np.ndarray) -> tuple[float, float]:
        """Return the position of a marker."""
        k, (x, y) = 3 * self.node(marker), self.arm(marker)
        c, s = cos(pose[k + 2]), sin(pose[k + 2])
        return pose[k] + c * x - s * y, pose[k + 1] + s * x + c * y

    def shuffle(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        start = pose.copy()
        start[[3 * k + 2 for k in self.free]] = generator.uniform(-np.pi, np.pi, len(self.free))
        return start

    def rotation_angle(self, k: int, before: np.ndarray, after: np.ndarray) -> float:
        return float(abs(after[3 * k + 2] - before[3 * k + 2]))

    def poses(self, pose: np.ndarray) -> dict[Any, Any]:
        return {body: pose[3 * k : 3 * k + 3] for k, body in enumerate(self.bodies)}

    def place(self, joints: Sequence[Joint], time: float) -> tuple[np.ndarray, list[Joint]]:
        pose = [0.0] * (3 * len(self.bodies) + 3)
        laying, asked = PlacementOrder(self, joints), set[Joint]()
        while True:
            k, base, new = laying.step()
            if k < 0:
                return np.array(pose), laying.closing(asked)
            body = self.bodies[k]
            angle = body.angle
            if angle is None:
                angle, clamp = self._turned(laying.joints_at(k), pose, laying.laid, k, time) if base else (0.0, None)
                asked |= {clamp} if clamp else set()
            root = (0.0, 0.0)
            if base is not None and new is not None:
                (x0, y0), (x, y), c, s = self.point(base, pose), self.arm(new), cos(angle), sin(angle)
                root = x0 - (c * x - s * y), y0 - (s * x + c * y)
            pose[3 * k : 3 * k + 3] = (*(root if body.position is None else body.position), angle)
            laying.lay(k)

    def _turned(
        self, joints: Sequence[Joint], pose: Sequence[float], laid: set[int], k: int, time: float
    ) -> tuple[float, Joint | None]:
        """Return the angle of body k from a joint to a placed body that determines it, and this joint; else 0, None."""
        for joint in joints:
            for base, new, sign in ((joint.a, joint.b, 1.0), (joint.b, joint.a, -1.0)):
                if self.node(new) != k or self.node(base) not in laid:
                    continue
                relative = driven_angle(joint, False, time)
                if relative is None and "rz" in joint.locks:
                    relative = joint.kept_angle or 0.0
                if relative is not None:
                    turn = pose[3 * self.node(base) + 2] + self.turn(base) - self.turn(new)
                    return float(turn + sign * relative), joint
        return 0.0, None


def _on_beams(markers: Sequence[Marker]) -> list[tuple[float, float, float]]:
    """Return points and angles of markers on beams in the frames of the beams."""
    rest = rest_poses([cast("Beam", marker.body) for marker in markers], [[marker.s or 0.0] for marker in markers])
    found = []
    for marker, (x, y, theta) in zip(markers, rest.tolist(), strict=True):
        c, s = cos(theta), sin(theta)
        found.append(
            (x + c * marker.x - s * marker.y, y + s * marker.x + c * marker.y, theta + marker.angle),
        )
    return found
