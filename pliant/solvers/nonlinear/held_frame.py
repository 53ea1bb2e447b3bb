"""Pose of a frame on a node that signals hold, and the motion between poses; compiled."""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.kernels import so3
from pliant.kernels.so3 import Four
from pliant.kernels.triples import cross, vector

POSE = 7  # numbers of a pose: place, quaternion; in the plane x, y, 0, angle, 0, 0, 0


class Frame(Bundle):
    """Frame on a node, and its held components: the first ``task`` of its pose; 0: signals are given."""

    first: int  # freedom of its node
    quaternion: int  # place of its node's quaternion; 0 in the plane
    axes: int  # 2 or 3
    task: int
    arm: np.ndarray  # (3) in the axes of the node
    turn: np.ndarray  # (4) its axes in the axes of the node; in the plane the angle first


@kernel
def turn_of(pose: np.ndarray) -> Four:
    """Return the quaternion of a pose."""
    return pose[3], pose[4], pose[5], pose[6]


@kernel
def see(frame: Frame, q: np.ndarray, pose: np.ndarray, motion: np.ndarray) -> None:
    """Compute the pose, and its motion with its node, rotations about global axes."""
    x, axes = vector(frame.arm, 0), frame.axes
    motion[:] = 0.0
    if axes == 2:
        angle = q[frame.first + 2]
        c, s = np.cos(angle), np.sin(angle)
        x = c * x[0] - s * x[1], s * x[0] + c * x[1], 0.0
        pose[3] = angle + frame.turn[0]
        motion[0, 2], motion[1, 2], motion[2, 2] = -x[1], x[0], 1.0
    else:
        p = so3.quaternion(q, frame.quaternion)
        x = so3.rotate(p, x)
        pose[3], pose[4], pose[5], pose[6] = so3.product(p, so3.quaternion(frame.turn, 0))
        for k in range(3):
            a, b, c = so3.rotate(p, (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0))
            motion[3, 3 + k], motion[4, 3 + k], motion[5, 3 + k] = a, b, c
            motion[0, 3 + k], motion[1, 3 + k], motion[2, 3 + k] = cross((a, b, c), x)
    for k in range(axes):
        pose[k] = q[frame.first + k] + x[k]
        motion[k, k] = 1.0


@kernel
def lead(axes: int, start: np.ndarray, end: np.ndarray, way: np.ndarray) -> None:
    """Compute the motion from one pose to another: a displacement, and a rotation vector in global axes."""
    for k in range(axes):
        way[k] = end[k] - start[k]
    if axes == 2:
        way[2] = (end[3] - start[3] + np.pi) % (2.0 * np.pi) - np.pi
    else:
        w, x, y, z = turn_of(start)
        way[3], way[4], way[5] = so3.logarithm(so3.product(turn_of(end), (w, -x, -y, -z)))


@kernel
def go(axes: int, start: np.ndarray, way: np.ndarray, share: float, pose: np.ndarray) -> None:
    """Compute the pose after a share of a motion."""
    for k in range(axes):
        pose[k] = start[k] + share * way[k]
    if axes == 2:
        pose[3] = start[3] + share * way[2]
    else:
        turned = so3.exponential((share * way[3], share * way[4], share * way[5]))
        pose[3], pose[4], pose[5], pose[6] = so3.product(turned, turn_of(start))
