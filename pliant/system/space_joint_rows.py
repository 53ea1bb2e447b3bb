"""Joints in space as constraint rows, read from the words of what they lock (``Joint.space``).

=====================  ==============================================================================
x y z, all locked      three points rows along global axes
some of x y z          point rows along axes of the joint's frame on a, which turn with it
rx ry rz, all locked   x_a . y_b = y_a . z_b = z_a . x_b = 0 of the frames that coincide in the pose kept
two of them            the axis c that stays free: c_a . d_b = c_a . e_b = 0
one of them            universal: of the two axes that stay free the first of a, the second of b: c_a . d_b = 0
=====================  ==============================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.joints import Distance, Motion
from pliant.joints.rows import ANGULAR, HEADING, PARALLEL, SPACE_DISTANCE, SPACE_POINT, Rows
from pliant.model import Ground, rotations

AXES = "xyz"


class SpaceLine(NamedTuple):
    """One row before packing; ``direction`` holds up to nine numbers, see joints/rows.py."""

    joint: int
    kind: int
    direction: tuple[float, ...] = ()
    turning: bool = False
    offset: float = 0.0
    signal: int | None = None


def lines(number: int, joint: Any, numbering: Any, target: Any, signal: Callable[..., int]) -> list[SpaceLine]:
    """Rows of a joint. ``target``: orientation of node b in node a's axes that a joint without rotation keeps (a
    quaternion), or the length of a distance joint.
    """
    if isinstance(joint, Distance):
        return [SpaceLine(number, SPACE_DISTANCE, offset=float(target))]
    a, b = (frame(numbering, marker, turn) for marker, turn in ((joint.a, joint.frame_a), (joint.b, joint.frame_b)))
    turning = not isinstance(joint.a.body, Ground)
    if isinstance(joint, Motion):
        driver = signal(joint.value, joint, joint.coordinate)
        if joint.coordinate == "angle":
            return [SpaceLine(number, HEADING, (*a[:, 0], *a[:, 1], *b[:, 0]), signal=driver)]
        return [SpaceLine(number, SPACE_POINT, tuple(a[:, AXES.index(joint.coordinate)]), turning, signal=driver)]
    points = [k for k, axis in enumerate(AXES) if axis in joint.space]
    if len(points) == 3:
        found = [SpaceLine(number, SPACE_POINT, tuple(axis)) for axis in np.eye(3)]
    else:
        found = [SpaceLine(number, SPACE_POINT, tuple(a[:, k]), turning) for k in points]
    return found + [SpaceLine(number, PARALLEL, (*e, *f)) for e, f in _right_angles(joint, a, b, target)]


def _right_angles(joint: Any, a: np.ndarray, b: np.ndarray, target: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of directions, on a and on b, that stay at a right angle."""
    locked = [k for k, axis in enumerate(AXES) if f"r{axis}" in joint.space]
    free = [k for k in range(3) if k not in locked]
    if not locked:
        return []
    if len(free) == 2:
        return [(a[:, free[0]], b[:, free[1]])]
    if len(free) == 1:
        return [(a[:, free[0]], b[:, k]) for k in locked]
    kept = rotations.matrix(rotations.conjugate(target)) @ a  # a's axes seen from b in the pose kept
    return [(a[:, k], kept[:, (k + 1) % 3]) for k in range(3)]


def frame(numbering: Any, marker: Any, turn: np.ndarray) -> np.ndarray:
    """Axes of a joint on a marker, in the axes of the marker's node, as columns."""
    return rotations.matrix(rotations.product(numbering.turn(marker), turn))


def pack(joints: Sequence[Any], found: Sequence[SpaceLine], numbering: Any, length_scale: float) -> Rows:
    """Flat arrays of the rows."""
    pairs = [(joints[line.joint].a, joints[line.joint].b) for line in found]
    nodes = [(numbering.node(a), numbering.node(b)) for a, b in pairs]
    direction = np.zeros((len(found), 9))
    for row, line in zip(direction, found, strict=True):
        row[: len(line.direction)] = line.direction
    kind = np.array([line.kind for line in found], np.uint32)
    arms = [(*numbering.arm(a), *numbering.arm(b)) for a, b in pairs]
    return Rows(
        kind=kind,
        dofs=numbering.dofs(nodes, 2),
        frames=numbering.frames(nodes, 2),
        offsets=np.array(arms, float).reshape(-1, 6),
        direction=direction,
        turning=np.array([line.turning for line in found], np.uint32),
        offset=np.array([line.offset for line in found], float),
        gain=np.array([float(line.signal is not None) for line in found]),
        signal=np.array([line.signal or 0 for line in found], np.uint32),
        weight=np.where(np.isin(kind, ANGULAR), length_scale**2, 1.0),
        softness=np.zeros(len(found)),
        slots=np.empty((len(found), 0), np.uint32),
        jacobian_slots=np.empty((len(found), 0), np.uint32),
        diagonal=np.empty(len(found), np.uint32),
    )
