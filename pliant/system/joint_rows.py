"""Joints of a model as constraint rows, read from their lock masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, sin
from typing import Any, NamedTuple, Protocol

import numpy as np

from pliant.joints import Distance, Motion
from pliant.joints.rows import ANGLE, DISTANCE, POINT, Rows
from pliant.model import Ground, Marker


class Numbering(Protocol):
    """Where markers are: the layout of a system, or the one-frame-a-body numbering of the assembly."""

    def node(self, marker: Marker) -> int: ...
    def offset(self, marker: Marker) -> tuple[float, float, float]: ...
    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray: ...


class Line(NamedTuple):
    """One row before packing."""

    joint: int
    kind: int
    direction: tuple[float, float] = (0.0, 0.0)
    turning: bool = False
    offset: float = 0.0
    signal: int | None = None


def lines(number: int, joint: Any, numbering: Numbering, target: float, signal: Callable[..., int]) -> list[Line]:
    """Rows of a joint. ``target`` is its relative angle, or its length for a distance joint."""
    turn_a, turn_b = numbering.offset(joint.a)[2], numbering.offset(joint.b)[2]
    axes = {"x": (cos(turn_a), sin(turn_a)), "y": (-sin(turn_a), cos(turn_a))}
    turning = not isinstance(joint.a.body, Ground)
    if isinstance(joint, Distance):
        return [Line(number, DISTANCE, offset=target)]
    if isinstance(joint, Motion):
        driver = signal(joint.value, joint, joint.coordinate)
        if joint.coordinate == "angle":
            return [Line(number, ANGLE, offset=turn_a - turn_b, signal=driver)]
        return [Line(number, POINT, axes[joint.coordinate], turning, signal=driver)]
    lock_x, lock_y, lock_angle = joint.locks
    found = []
    if lock_x and lock_y:  # the points coincide: any fixed pair of axes says it
        found += [Line(number, POINT, (1.0, 0.0)), Line(number, POINT, (0.0, 1.0))]
    else:
        locks = zip("xy", (lock_x, lock_y), strict=True)
        found += [Line(number, POINT, axes[axis], turning) for axis, lock in locks if lock]
    if lock_angle:
        found.append(Line(number, ANGLE, offset=target + turn_a - turn_b))
    return found


def pack(joints: Sequence[Any], found: Sequence[Line], numbering: Numbering, length_scale: float) -> Rows:
    """Flat arrays of the rows."""
    pairs = [(joints[line.joint].a, joints[line.joint].b) for line in found]
    return Rows(
        kind=np.array([line.kind for line in found], np.uint32),
        dofs=numbering.dofs([(numbering.node(a), numbering.node(b)) for a, b in pairs], 2),
        frames=np.empty((len(found), 0), np.uint32),
        offsets=np.array([(*numbering.offset(a)[:2], *numbering.offset(b)[:2]) for a, b in pairs], float).reshape(
            -1, 4
        ),
        direction=np.array([line.direction for line in found], float).reshape(-1, 2),
        turning=np.array([line.turning for line in found], np.uint32),
        offset=np.array([line.offset for line in found], float),
        gain=np.array([float(line.signal is not None) for line in found]),
        signal=np.array([line.signal or 0 for line in found], np.uint32),
        weight=np.array([length_scale**2 if line.kind == ANGLE else 1.0 for line in found]),
        softness=np.zeros(len(found)),
        slots=np.empty((len(found), 0), np.uint32),
        jacobian_slots=np.empty((len(found), 0), np.uint32),
        diagonal=np.empty(len(found), np.uint32),
    )
