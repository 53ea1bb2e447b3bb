"""A planar model as the same model in space.

Parts keep their names and markers; the words of the plane are said in space: a curvature or a moment is about z, a
spring about z, gravity along y. A pin, a slide and a clamp keep the plane. A group of bodies that only springs, slots
and drives tie together would leave it: one of them is tied to it by a Planar joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pliant.errors import ModelError, nearest
from pliant.model.bodies.rigid import Carrier, Ground
from pliant.model.copies import copied, marker_on
from pliant.model.sections.sections import Section

if TYPE_CHECKING:
    from pliant.model.model import Model

KEEPING = {"z", "rx", "ry"}  # what a joint locks that keeps the plane


def promoted(model: Model, sections: Mapping[str, Section]) -> Model:
    """The model in space; itself if it is there already."""
    from pliant.model.model import Model

    if model.spatial:
        return model
    names = [beam.name for beam in model.beams]
    for name in sections:
        if name not in names:
            raise ModelError(f"promoted: sections: there is no beam {name!r} in the model. {nearest(name, names)}")
    twin = Model(model.name, plane=None)
    twin.scales = model.scales
    known: dict[Any, Any] = {}
    for part in model:
        chosen = {"section": sections[part.name]} if part.name in sections else {}
        known[part] = twin.add(copied(part, known, **part.said_in_space() | chosen))
    for marker in model.watched:
        twin.add(marker_on(marker, known))
    _keep_plane(twin)
    return twin


def _keep_plane(model: Model) -> None:
    """Tie every group of bodies that no joint keeps in the plane to it."""
    from pliant.joints import Planar

    group: dict[Any, Any] = {part: part for part in model if isinstance(part, Carrier)}

    def root(body: Any) -> Any:
        while group[body] is not body:
            body = group[body]
        return body

    for joint in model.joints:
        if set(joint.locks) >= KEEPING:
            group[root(joint.a.body)] = root(joint.b.body)
    ground = model.ground or model.add(Ground(_free_name(model)))
    group.setdefault(ground, ground)
    for body in list(group):
        if root(body) is not root(ground):
            group[root(body)] = root(ground)
            model.add(Planar(ground.at(0, 0), body.at(0)))


def _free_name(model: Model) -> str:
    names = {part.name for part in model}
    return next(name for name in ("ground", *(f"ground {k}" for k in range(2, len(names) + 3))) if name not in names)
