"""Checks of the whole model: what hangs together, and what is driven twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pliant.errors import ModelError
from pliant.model.bodies import Carrier, Ground, Movable
from pliant.model.markers import Marker
from pliant.model.parts import Joint

if TYPE_CHECKING:
    from pliant.model.model import Model

AXES = ("x", "y", "angle")
Key = tuple[object, ...]


def check_connections(model: Model) -> None:
    """Every group of connected parts holds the ground or a part marked ``free=True``, once the model has joints."""
    if not model.joints:
        return
    group = {part: part for part in model if isinstance(part, Carrier)}

    def root(body: Carrier) -> Carrier:
        while group[body] is not body:
            body = group[body]
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


def check_drives(joints: Sequence[Joint]) -> None:
    """No coordinate between two markers may be driven twice, or driven and locked."""
    held: dict[Key, Joint] = {}
    for joint in joints:
        for axis, locked in zip(AXES, joint.locks, strict=True):
            if locked:
                held[_coordinate(joint, axis)] = joint
        if joint.locks[0] and joint.locks[1]:  # in every frame, in either order
            held[_point_pair(joint)] = joint
    for joint in joints:
        axis = getattr(joint, "coordinate", "")
        if not axis:
            continue
        mine = _coordinate(joint, axis)
        other = held.get(mine) or (held.get(_point_pair(joint)) if axis != "angle" else None)
        if other:
            verb = "drives" if hasattr(other, "coordinate") else "locks"
            raise ModelError(
                f"{joint.owner} drives the {axis} of {joint.b.label} against {joint.a.label}, which {other.owner} "
                f"{verb} already. Take one of them away."
            )
        held[mine] = joint


def _coordinate(joint: Joint, axis: str) -> Key:
    """Key of a relative coordinate. Angles between two rigid bodies are the same wherever the markers sit."""
    if axis == "angle":
        return axis, frozenset([_frame(joint.a), _frame(joint.b)])
    return axis, _point(joint.a), joint.a.angle, _point(joint.b)


def _point_pair(joint: Joint) -> Key:
    return "point", frozenset([_point(joint.a), _point(joint.b)])


def _point(marker: Marker) -> Key:
    return *_frame(marker), marker.x, marker.y


def _frame(marker: Marker) -> Key:
    return marker.body, None if marker.body.rigid else marker.s
