"""Placement of the bodies of a spatial model along its joints: without a guess, a body is rotated from the global axes
only as far as its joints require.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from pliant.model import Beam, Joint, Marker, Model, rotations
from pliant.system.assembly.frames import Frames, PlacementOrder, driven_angle
from pliant.system.numbering.space import SPACE, Space


class SpatialFrames(Frames):
    """Frames of a point and a quaternion."""

    space: ClassVar[Space] = SPACE
    retries: ClassVar[int] = 20

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._local: dict[Marker, tuple[np.ndarray, np.ndarray]] = {}

    @property
    def attempts(self) -> int:
        return 1 if self.flexible else self.retries  # beams are left open instead

    def local(self, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
        """Return the point and quaternion of a marker in its body's frame."""
        if marker not in self._local:
            point, turn = marker.point, marker.turn
            if isinstance(marker.body, Beam):
                points, turns = marker.body.rest_pose_in_space([marker.s or 0.0])
                point = points[0] + rotations.rotate(turns[0], point)
                turn = rotations.product(turns[0], turn)
            self._local[marker] = point, turn
        return self._local[marker]

    def arm(self, marker: Marker) -> np.ndarray:
        return self.local(marker)[0]

    def turn(self, marker: Marker) -> np.ndarray:
        return self.local(marker)[1]

    def frames(self, nodes: Any, count: int = 1) -> np.ndarray:
        first = self.space.frames(len(self.bodies))
        return np.ascontiguousarray(first + 4 * np.asarray(nodes, np.int64).reshape(-1, count), dtype=np.uint32)

    def _quaternions(self, pose: np.ndarray) -> np.ndarray:
        """Return the (frames, 4) quaternions as a view."""
        return pose[self.space.frames(len(self.bodies)) :].reshape(-1, 4)

    def point(self, marker: Marker, pose: np.ndarray) -> np.ndarray:
        """Return the position of a marker."""
        k = self.node(marker)
        return pose[6 * k : 6 * k + 3] + rotations.rotate(self._quaternions(pose)[k], self.arm(marker))

    def direction(self, marker: Marker, pose: np.ndarray) -> np.ndarray:
        """Return the quaternion of a marker's axes."""
        return rotations.product(self._quaternions(pose)[self.node(marker)], self.turn(marker))

    def relative(self, joint: Joint, pose: np.ndarray) -> np.ndarray:
        back = rotations.conjugate(self.direction(joint.a, pose))
        return rotations.product(back, self.direction(joint.b, pose))

    def shuffle(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        start, random = pose.copy(), generator.normal(size=(len(self.free), 4))
        self._quaternions(start)[self.free] = random / np.linalg.norm(random, axis=1, keepdims=True)
        return start

    def rotation_angle(self, k: int, before: np.ndarray, after: np.ndarray) -> float:
        return float(2.0 * np.arccos(min(1.0, abs(self._quaternions(before)[k] @ self._quaternions(after)[k]))))

    def poses(self, pose: np.ndarray) -> dict[Any, Any]:
        turns = self._quaternions(pose)
        return {body: (pose[6 * k : 6 * k + 3], turns[k]) for k, body in enumerate(self.bodies)}

    def place(self, joints: Sequence[Joint], time: float) -> tuple[np.ndarray, list[Joint]]:
        pose = self.space.still(len(self.bodies))
        turns = self._quaternions(pose)
        laying, asked = PlacementOrder(self, joints), set[Joint]()
        while True:
            k, base, new = laying.step()
            if k < 0:
                return pose, laying.closing(asked)
            body = self.bodies[k]
            if body.turn is not None:
                turns[k] = body.turn
            else:
                turns[k], said = self._turned(joints, pose, laying.laid, k, time)
                asked.update(said)
            if body.position is not None:
                pose[6 * k : 6 * k + 3] = body.position
            elif base is not None and new is not None:
                pose[6 * k : 6 * k + 3] = self.point(base, pose) - self.point(new, pose)
            laying.lay(k)

    def _turned(
        self, joints: Sequence[Joint], pose: np.ndarray, laid: set[int], k: int, time: float
    ) -> tuple[np.ndarray, list[Joint]]:
        """Return the quaternion of body k from its joints to placed bodies, those with most locked axes first, and
        these joints. Each rotates the body as little as possible; a joint that locks all axes is the only one used.
        """
        ties = [(j, _locked_axes(j), driven_angle(j, True, time)) for j in joints]
        ties = [
            (j, locked, driven)
            for j, locked, driven in ties
            if {self.node(j.a), self.node(j.b)} - laid == {k} and (locked or driven is not None)
        ]
        trial, said = pose.copy(), list[Joint]()
        turns = self._quaternions(trial)
        turns[k] = rotations.IDENTITY
        for joint, locked, driven in sorted(ties, key=lambda tie: len(tie[1]), reverse=True):
            a, b = self._axes(joint, trial)
            sign = 1.0 if self.node(joint.b) == k else -1.0
            turns[k] = rotations.product(rotations.exponential(sign * _spin(joint, a, b, locked, driven)), turns[k])
            said.append(joint)
            if len(locked) == 3:
                break
        return turns[k], said

    def _axes(self, joint: Joint, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the global axes of a joint's frames on a and on b, as columns."""
        pairs = zip((joint.a, joint.b), (joint.frame_a, joint.frame_b), strict=True)
        a, b = (rotations.matrix(rotations.product(self.direction(marker, pose), turn)) for marker, turn in pairs)
        return a, b


def _locked_axes(joint: Joint) -> list[int]:
    """Return the axes about which a joint locks rotation."""
    return [n for n, axis in enumerate("xyz") if f"r{axis}" in joint.locks]


def _spin(joint: Joint, a: np.ndarray, b: np.ndarray, locked: list[int], driven: float | None) -> np.ndarray:
    """Return the shortest rotation vector of b that closes a joint's locked angles, or its driven angle if none."""
    free = [n for n in range(3) if n not in locked]
    if not locked:
        heading = a.T @ b[:, 0]
        return np.asarray(((driven or 0.0) - np.arctan2(heading[1], heading[0])) * a[:, 2])
    if not free:
        kept = np.eye(3) if joint.kept_turn is None else rotations.matrix(joint.kept_turn)
        return np.asarray(-a @ rotations.logarithm(rotations.quaternion(a.T @ b @ kept.T)))
    if len(free) == 1:
        return np.asarray(-rotations.logarithm(rotations.between(a[:, free[0]], b[:, free[0]])))
    one, other = a[:, free[0]], b[:, free[1]]
    across = np.cross(one, other) if abs(one @ other) < 1.0 - 1e-12 else a[:, free[1]]
    return np.asarray(np.arcsin(np.clip(one @ other, -1.0, 1.0)) * across / np.linalg.norm(across))
