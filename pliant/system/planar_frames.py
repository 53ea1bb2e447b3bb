"""Laying the bodies of a planar model along its joints."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin
from typing import Any, ClassVar

import numpy as np

from pliant.model import Beam, Joint, Marker, rotations
from pliant.system.frames import Frames, driven_angle, laying
from pliant.system.space import PLANE, Space


class PlanarFrames(Frames):
    """Frames (x, y, theta)."""

    space: ClassVar[Space] = PLANE
    retries: ClassVar[int] = 40

    def _offset(self, marker: Marker) -> tuple[float, float, float]:
        if not isinstance(marker.body, Beam):
            return marker.x, marker.y, marker.angle
        x, y, theta = marker.body.rest_pose([marker.s or 0.0])[0]
        c, s = cos(theta), sin(theta)
        return (
            float(x + c * marker.x - s * marker.y),
            float(y + s * marker.x + c * marker.y),
            float(theta + marker.angle),
        )

    def arm(self, marker: Marker) -> tuple[float, float]:
        return self._offset(marker)[:2]

    def turn(self, marker: Marker) -> float:
        return self._offset(marker)[2]

    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        return np.empty((len(nodes), 0), np.uint32)

    def relative(self, joint: Joint, pose: np.ndarray) -> Any:
        return rotations.IDENTITY

    def point(self, marker: Marker, pose: np.ndarray) -> np.ndarray:
        """Where a marker is."""
        k, (x, y) = 3 * self.node(marker), self.arm(marker)
        c, s = cos(pose[k + 2]), sin(pose[k + 2])
        return np.array([pose[k] + c * x - s * y, pose[k + 1] + s * x + c * y])

    def shuffled(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        start = pose.copy()
        start[[3 * k + 2 for k in self.free]] = generator.uniform(-np.pi, np.pi, len(self.free))
        return start

    def poses(self, pose: np.ndarray) -> dict[Any, Any]:
        return {body: pose[3 * k : 3 * k + 3] for k, body in enumerate(self.bodies)}

    def place(self, joints: Sequence[Joint], time: float) -> tuple[np.ndarray, list[Joint]]:
        count = len(self.bodies)
        pose = np.zeros(3 * count + 3)
        placed = {count}
        waiting = laying(joints, False)
        asked: list[Any] = []
        while True:
            ready = [j for j in waiting if (self.node(j.a) in placed) != (self.node(j.b) in placed)]
            if not ready:
                loose = [k for k in range(count) if k not in placed]
                if not loose:
                    return pose, [joint for joint in waiting if joint not in asked]
                body = self.bodies[loose[0]]
                pose[3 * loose[0] : 3 * loose[0] + 3] = (*(body.position or (0.0, 0.0)), body.angle or 0.0)
                placed.add(loose[0])
                continue
            joint = ready[0]
            base, new = (joint.a, joint.b) if self.node(joint.a) in placed else (joint.b, joint.a)
            k = self.node(new)
            body = self.bodies[k]
            angle = body.angle
            if angle is None:
                angle, clamp = self._turned(joints, pose, placed, k, time)
                asked.append(clamp)
            x, y = self.arm(new)
            root = self.point(base, pose) - (cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y)
            pose[3 * k : 3 * k + 3] = (*(root if body.position is None else body.position), angle)
            placed.add(k)
            waiting.remove(joint)

    def _turned(
        self, joints: Sequence[Joint], pose: np.ndarray, placed: set[int], k: int, time: float
    ) -> tuple[float, Any]:
        """Angle of body k from a joint that ties it to the angle of a body already placed, and that joint; else 0,
        None.
        """
        for joint in joints:
            for base, new, sign in ((joint.a, joint.b, 1.0), (joint.b, joint.a, -1.0)):
                if self.node(new) != k or self.node(base) not in placed:
                    continue
                relative = driven_angle(joint, False, time)
                if relative is None and "rz" in joint.locks:
                    relative = joint.kept_angle or 0.0
                if relative is not None:
                    turn = pose[3 * self.node(base) + 2] + self.turn(base) - self.turn(new)
                    return float(turn + sign * relative), joint
        return 0.0, None
