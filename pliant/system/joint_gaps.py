"""What is open between two rigid frames that a joint ties in space, and how it changes as they move.

Angles are measured as such, so that no condition is met by a part that lies the wrong way round. A step is (dx_a,
dtheta_a, dx_b, dtheta_b): points in global axes, spins in the frames' own. Derivatives of the angles are those of
nearly closed joints: Newton needs no more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.joints import Distance, Motion
from pliant.model import rotations

Gap = tuple[np.ndarray, np.ndarray]  # (m,) and (m, 12)


class Side(NamedTuple):
    """A joint on one of its frames: the frame's turn (3, 3), the arm to the marker and the joint's axes, global."""

    turn: np.ndarray
    point: np.ndarray
    arm: np.ndarray
    axes: np.ndarray


def side(x: np.ndarray, turn: np.ndarray, arm: np.ndarray, axes: np.ndarray) -> Side:
    """A joint on a frame at x with the rotation matrix turn; arm and axes (columns) in the frame's own axes."""
    swung = turn @ arm
    return Side(turn, x + swung, swung, turn @ axes)


def joint_gap(joint: Any, a: Side, b: Side, target: Any) -> Gap:
    """Open conditions of a joint: lengths (m) and angles (rad). ``target`` is the length of a Distance, the value of a
    Motion, or the axes of b seen from those of a that a joint without rotation keeps.
    """
    apart = b.point - a.point
    if isinstance(joint, Distance):
        length = float(np.linalg.norm(apart))
        along = apart / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
        return np.array([length - target]), _point_rows(a, b, along[None])
    if isinstance(joint, Motion):
        if joint.coordinate == "angle":
            x, y, _ = a.axes.T @ b.axes[:, 0]
            angle = np.arctan2(y, x) - target
            about = np.cross(b.axes[:, 0], x * a.axes[:, 1] - y * a.axes[:, 0]) / max(x * x + y * y, 1e-12)
            return np.array([np.arctan2(np.sin(angle), np.cos(angle))]), _spin_rows(a, b, about[None])
        axis = a.axes[:, "xyz".index(joint.coordinate)]
        return np.array([axis @ apart - target]), _turning_rows(a, b, axis[None], apart)
    locked = [k for k, axis in enumerate("xyz") if axis in joint.space]
    if len(locked) == 3:
        gap, rows = apart, _point_rows(a, b, np.eye(3))
    else:
        axes = a.axes[:, locked].T
        gap, rows = axes @ apart, _turning_rows(a, b, axes, apart)
    turned, spin_rows = _turn_gap(joint, a, b, target)
    return np.concatenate([gap, turned]), np.concatenate([rows, spin_rows])


def _turn_gap(joint: Any, a: Side, b: Side, target: Any) -> Gap:
    """Angles that the joint locks: all three, the two across a free axis, or that of a universal joint."""
    locked = [k for k, axis in enumerate("xyz") if f"r{axis}" in joint.space]
    free = [k for k in range(3) if k not in locked]
    if len(locked) == 3:
        turned = rotations.logarithm(rotations.quaternion(a.axes.T @ b.axes @ target.T))  # in a's axes
        return turned, _spin_rows(a, b, a.axes.T)
    if len(locked) == 2:
        one, other = a.axes[:, free[0]], b.axes[:, free[0]]
        turned = rotations.logarithm(rotations.between(one, other))  # global: turns a's axis into b's
        return a.axes[:, locked].T @ turned, _spin_rows(a, b, a.axes[:, locked].T)
    if len(locked) == 1:
        one, other = a.axes[:, free[0]], b.axes[:, free[1]]
        return np.array([one @ other]), _spin_rows(a, b, np.cross(other, one)[None])
    return np.zeros(0), np.zeros((0, 12))


def _point_rows(a: Side, b: Side, along: np.ndarray) -> np.ndarray:
    """Derivatives of ``n . (r_b - r_a)`` for fixed directions n."""
    swing_a, swing_b = (along @ _skew(s.arm).T @ s.turn for s in (a, b))  # arm x n
    return np.hstack([-along, -swing_a, along, swing_b])


def _turning_rows(a: Side, b: Side, along: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """The same for directions that turn with a."""
    rows = _point_rows(a, b, along)
    rows[:, 3:6] -= along @ _skew(apart).T @ a.turn  # n x apart
    return rows


def _spin_rows(a: Side, b: Side, about: np.ndarray) -> np.ndarray:
    """Derivatives of an angle of b against a about an axis."""
    still = np.zeros_like(about)
    return np.hstack([still, -about @ a.turn, still, about @ b.turn])


def _skew(v: np.ndarray) -> np.ndarray:
    """Matrix of ``v x``."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
