"""Checks of the whole model: connected parts, and coordinates driven twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pliant.errors import ModelError
from pliant.model import rotations
from pliant.model.bodies.rigid import Carrier, Ground, Movable
from pliant.model.markers import Marker
from pliant.model.parts import Joint

if TYPE_CHECKING:
    from pliant.model.model import Model

PLANE = {"x": "x", "y": "y", "rz": "angle"}
Key = tuple[object, ...]


def check_connections(model: Model) -> None:
    """Check that every group of connected parts holds the ground or a ``free=True`` part, once the model has joints."""
    if not model.joints:
        return
    group = {part: part for part in model if isinstance(part, Carrier)}

    def root(body: Carrier) -> Carrier:
        while group[body] is not body:
            group[body] = body = group[group[body]]
        return body

    for part in model:
        if part.connects:
            first, *others = (marker.body for marker in part.markers)
            for other in others:
                group[root(other)] = root(first)
    tied = {root(body) for body in group if isinstance(body, Ground) or (isinstance(body, Movable) and body.free)}
    loose = [body.owner for body in group if root(body) not in tied]
    if loose:
        ground = "" if model.ground else "; the model has no Ground"
        raise ModelError(
            f'Model "{model.name}": no joint or spring connects {", ".join(loose)} to the ground{ground}. '
            f"Add the missing joint, or say free=True on a part that is meant to fly."
        )


def check_drives(joints: Sequence[Joint], spatial: bool = False) -> None:
    """Check that no coordinate between two markers is driven twice, or driven and locked."""
    driven = [(joint, axis) for joint in joints if (axis := joint.coordinate)]
    held: dict[Key, Joint] = {}
    for joint in joints if driven else ():
        held |= dict.fromkeys(_locked_in_space(joint) if spatial else _locked(joint), joint)
    for joint, axis in driven:
        mine, others = _driven_in_space(joint, axis) if spatial else _driven(joint, axis)
        other = next((held[key] for key in (mine, *others) if key in held), None)
        if spatial and axis == "angle":
            other = other or next((one for one in joints if _stops(one, joint)), None)
        if other:
            verb = "drives" if other.coordinate else "locks"
            raise ModelError(
                f"{joint.owner} drives the {axis} of {joint.b.label} against {joint.a.label}, which {other.owner} "
                f"{verb} already. Take one of them away."
            )
        held[mine] = joint


def _locked(joint: Joint) -> list[Key]:
    """Return the relative coordinates that a joint locks in the plane."""
    words = joint.locked(False)
    locked = [_coordinate(joint, PLANE[word]) for word in words]
    return locked + ([_point_pair(joint)] if {"x", "y"} <= set(words) else [])  # in every frame, either order


def _driven(joint: Joint, axis: str) -> tuple[Key, list[Key]]:
    """Return the coordinate that a Motion drives in the plane, and the keys that would lock it."""
    return _coordinate(joint, axis), [] if axis == "angle" else [_point_pair(joint)]


def _coordinate(joint: Joint, axis: str) -> Key:
    """Return the key of a relative coordinate. Angles between two rigid bodies do not depend on the markers."""
    if axis == "angle":
        return axis, _frame_pair(joint)
    return axis, _point(joint.a), joint.a.angle, _point(joint.b)


def _locked_in_space(joint: Joint) -> list[Key]:
    """Return the coordinates that a joint locks in space: points along axes, whole points, whole rotations."""
    points = [axis for axis in "xyz" if axis in joint.locks]
    locked: list[Key] = [_along(joint, axis) for axis in points]
    if len(points) == 3:
        locked.append(_point_pair(joint))
    if {"rx", "ry", "rz"} <= set(joint.locks):
        locked.append(("turn", _frame_pair(joint)))
    return locked


def _driven_in_space(joint: Joint, axis: str) -> tuple[Key, list[Key]]:
    """Return the coordinate that a Motion drives in space, and the keys that would lock it."""
    if axis == "angle":
        return ("angle", _frame_pair(joint), _axis(joint, joint.a, "z")), [("turn", _frame_pair(joint))]
    return _along(joint, axis), [_point_pair(joint)]


def _stops(joint: Joint, motion: Joint) -> bool:
    """Return whether a joint with one free axis stops a rotation about another axis that a Motion drives."""
    free = [axis for axis in "xyz" if f"r{axis}" not in joint.locks]
    if len(free) != 1 or _frame_pair(joint) != _frame_pair(motion):
        return False
    pin = joint.a if _frame(joint.a) == _frame(motion.a) else joint.b
    return _axis(joint, pin, free[0]) != _axis(motion, motion.a, "z")


def _along(joint: Joint, axis: str) -> Key:
    return "along", _point(joint.a), _axis(joint, joint.a, axis), _point(joint.b)


def _axis(joint: Joint, marker: Marker, axis: str) -> Key:
    """Return the direction of a joint axis in the body of one of its markers; opposite directions are equal."""
    frame = joint.frame_a if marker is joint.a else joint.frame_b
    direction = rotations.rotate(rotations.product(marker.turn, frame), rotations.AXES[axis]).round(9) + 0.0
    return tuple((direction if direction[direction != 0.0][0] > 0.0 else 0.0 - direction).tolist())


def _point_pair(joint: Joint) -> Key:
    return "point", frozenset([_point(joint.a), _point(joint.b)])


def _frame_pair(joint: Joint) -> Key:
    return "frames", frozenset([_frame(joint.a), _frame(joint.b)])


def _point(marker: Marker) -> Key:
    return *_frame(marker), marker.x, marker.y, marker.z


def _frame(marker: Marker) -> Key:
    return marker.body, None if marker.body.rigid else marker.s
