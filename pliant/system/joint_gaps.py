"""What is open between rigid frames that joints tie in space, and how it changes as they move; all joints at once.

==========  ===================================================================================================
FIXED       ``n . D`` with n a global axis, for points that coincide
TURNING     ``n . D - target`` with n an axis of the joint on a
DISTANCE    ``|D| - target``
HEADING     angle of b's x axis about a's z axis, less the target
KEPT        component of the rotation vector from the orientation that is kept to the one that is
ALIGNED     component of the shortest rotation from a's free axis to b's
CROSSED     ``e_a . e_b`` of two axes to be at a right angle
==========  ===================================================================================================

D is the way from marker a to marker b. Angles are measured as such, so that no condition is met by a part that lies the
wrong way round; their derivatives are those of nearly closed joints: Newton needs no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.joints import Distance, Motion
from pliant.model import rotations

FIXED, TURNING, DISTANCE, HEADING, KEPT, ALIGNED, CROSSED = range(7)


class Tie(NamedTuple):
    """A joint between two frames: the frames' numbers, the marker's arm and the joint's quaternion on each, and what it
    keeps: a length, the value of a drive, or the quaternion of b's axes in a's.
    """

    number: int
    joint: Any
    nodes: tuple[int, int]
    arms: tuple[np.ndarray, np.ndarray]
    turns: tuple[np.ndarray, np.ndarray]
    kept: Any


class Row(NamedTuple):
    """One condition: its tie, its kind, one or two axes, and a target."""

    tie: int
    kind: int
    axis: int = 0
    other: int = 0
    target: float = 0.0


class Sides(NamedTuple):
    """All joints on one of their frames: rotation matrices, points, arms and axes (columns), global; quaternions."""

    turn: np.ndarray
    point: np.ndarray
    arm: np.ndarray
    axes: np.ndarray
    quaternion: np.ndarray


class Slopes(NamedTuple):
    """Derivative of each condition: along b's way (minus a's), about a's and about b's spin, global."""

    along: np.ndarray
    about_a: np.ndarray
    about_b: np.ndarray


class JointGaps:
    """The conditions of some ties on the poses of all frames, rows of a point and a quaternion."""

    def __init__(self, ties: Sequence[Tie]) -> None:
        self.ties = list(ties)
        rows = [row for k, tie in enumerate(ties) for row in conditions(k, tie)]
        table = np.array(rows, float).reshape(-1, 5)
        self.tie, self.kind, self.axis, self.other = (table[:, :4].astype(int)).T
        self.target = table[:, 4]
        self.owner = np.array([tie.number for tie in ties], int)[self.tie] if len(rows) else np.zeros(0, int)
        self._nodes = np.array([tie.nodes for tie in ties], int).reshape(-1, 2)
        self._arms = np.array([tie.arms for tie in ties], float).reshape(-1, 2, 3)
        self._turns = np.array([tie.turns for tie in ties], float).reshape(-1, 2, 4)
        kept = [tie.kept if np.ndim(tie.kept) else rotations.IDENTITY for tie in ties]
        self._kept = np.array(kept, float).reshape(-1, 4)

    def evaluate(self, pose: np.ndarray) -> np.ndarray:
        """All gaps (m and rad)."""
        return self._evaluate(pose)[0]

    def jacobian(self, pose: np.ndarray) -> np.ndarray:
        """Their derivatives with respect to the points (global) and spins (own axes) of all frames."""
        _, slopes, a, b = self._evaluate(pose)
        count, place = self.kind.size, np.arange(self.kind.size)[:, None]
        jacobian = np.zeros((count, 6 * len(pose)))
        first = 6 * self._nodes[self.tie][:, :, None] + np.arange(6)
        np.add.at(jacobian, (place, first[:, 0]), np.hstack([-slopes.along, _spin(slopes.about_a, a.turn[self.tie])]))
        np.add.at(jacobian, (place, first[:, 1]), np.hstack([slopes.along, _spin(slopes.about_b, b.turn[self.tie])]))
        return jacobian

    def _sides(self, pose: np.ndarray, k: int) -> Sides:
        x, p = pose[self._nodes[:, k], :3], pose[self._nodes[:, k], 3:]
        turn = rotations.matrix(p)
        arm = np.einsum("nij,nj->ni", turn, self._arms[:, k])
        quaternion = rotations.product(p, self._turns[:, k])
        return Sides(turn, x + arm, arm, rotations.matrix(quaternion), quaternion)

    def _evaluate(self, pose: np.ndarray) -> tuple[np.ndarray, Slopes, Sides, Sides]:
        a, b = self._sides(pose, 0), self._sides(pose, 1)
        apart = (b.point - a.point)[self.tie]
        along, spin = np.zeros((self.kind.size, 3)), np.zeros((self.kind.size, 3))
        gap = np.zeros(self.kind.size)
        own = a.axes[self.tie, :, self.axis]

        at = self.kind == FIXED
        along[at] = np.eye(3)[self.axis[at]]
        at = self.kind == TURNING
        along[at] = own[at]
        at = self.kind == DISTANCE
        length = np.linalg.norm(apart[at], axis=1)
        along[at] = np.where(length[:, None] > 0.0, apart[at], [1.0, 0.0, 0.0]) / np.where(length, length, 1.0)[:, None]
        gap += np.sum(along * apart, axis=1) - self.target

        at = self.kind == KEPT
        turned = rotations.product(rotations.product(rotations.conjugate(a.quaternion), b.quaternion), self._back)
        gap[at] = rotations.logarithm(turned)[self.tie[at], self.axis[at]]
        spin[at] = own[at]
        at = self.kind == ALIGNED
        free = self.other[at]
        turned = _shortest(a.axes[self.tie[at], :, free], b.axes[self.tie[at], :, free], own[at])
        gap[at] = np.sum(turned * own[at], axis=1)
        spin[at] = own[at]
        at = self.kind == CROSSED
        across = b.axes[self.tie[at], :, self.other[at]]
        gap[at] = np.sum(own[at] * across, axis=1)
        spin[at] = rotations.cross(across, own[at])
        at = self.kind == HEADING
        gap[at], spin[at] = _heading(a.axes[self.tie[at]], b.axes[self.tie[at], :, 0], self.target[at])

        about_a = -rotations.cross(a.arm[self.tie], along) - spin
        about_a[self.kind == TURNING] += rotations.cross(along, apart)[self.kind == TURNING]
        return gap, Slopes(along, about_a, rotations.cross(b.arm[self.tie], along) + spin), a, b

    @property
    def _back(self) -> np.ndarray:
        return rotations.conjugate(self._kept)


def conditions(number: int, tie: Tie) -> list[Row]:
    """Conditions of a joint, from what it locks or drives."""
    joint = tie.joint
    if isinstance(joint, Distance):
        return [Row(number, DISTANCE, target=tie.kept)]
    if isinstance(joint, Motion):
        if joint.coordinate == "angle":
            return [Row(number, HEADING, target=tie.kept)]
        return [Row(number, TURNING, "xyz".index(joint.coordinate), target=tie.kept)]
    points = [k for k, axis in enumerate("xyz") if axis in joint.space]
    locked = [k for k, axis in enumerate("xyz") if f"r{axis}" in joint.space]
    free = [k for k in range(3) if k not in locked]
    rows = [Row(number, FIXED if len(points) == 3 else TURNING, k) for k in points]
    if len(locked) == 3:
        return rows + [Row(number, KEPT, k) for k in range(3)]
    if len(locked) == 2:
        return rows + [Row(number, ALIGNED, k, free[0]) for k in locked]
    return rows + [Row(number, CROSSED, *free) for _ in locked]


def _spin(about: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Slopes about global axes as slopes about a frame's own."""
    return np.einsum("ni,nij->nj", about, turn)


def _shortest(one: np.ndarray, other: np.ndarray, any_across: np.ndarray) -> np.ndarray:
    """Rotation vectors that turn unit vectors into others the shortest way; about a given axis if they are opposite."""
    cross, cosine = rotations.cross(one, other), np.sum(one * other, axis=1)
    sine = np.linalg.norm(cross, axis=1)
    angle = np.arctan2(sine, cosine)
    plain = cross * (angle / np.where(sine > 0.0, sine, 1.0))[:, None]
    return np.where(((sine < 1e-12) & (cosine < 0.0))[:, None], np.pi * any_across, plain)


def _heading(axes: np.ndarray, x: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles of directions about the z axes of frames, less their targets, and the axes about which they grow."""
    c, s = (np.sum(axes[:, :, k] * x, axis=1) for k in (0, 1))
    off = np.arctan2(s, c) - target
    growing = rotations.cross(x, c[:, None] * axes[:, :, 1] - s[:, None] * axes[:, :, 0])
    return np.arctan2(np.sin(off), np.cos(off)), growing / np.maximum(c * c + s * s, 1e-12)[:, None]
