"""Flexible links: rigid links of a model, such as a robot from a file, replaced by beams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from pliant.errors import ModelError, nearest
from pliant.model import Beam, Link, Marker, Model, rotations
from pliant.model.bodies.rigid import RigidBody
from pliant.model.copies import copy_part, marker_on
from pliant.model.damping import Rayleigh
from pliant.model.sections.profiles import Profile
from pliant.model.sections.sections import Section

SAME = 1e-9  # relative to the length: equal points


def with_beams(model: Model, sections: Mapping[str, Section | Profile], *, damping: Rayleigh | None = None) -> Model:
    """Return a copy of a model in which beams replace some rigid links and bodies: a link from base to tip, a body
    between the two of its joints that are furthest apart.

    sections  mapping from names of the replaced bodies to sections
    damping   of these beams

    Markers stay where they are: on the axis of the beam, or beside it, fixed to the nearest section. The mass is the
    beam's, not the body's: add a `PointMass` for a motor on it.

    >>> from pliant_gallery import four_bar
    >>> from pliant.model import STEEL
    >>> with_beams(four_bar.model(), {"coupler": Section.rectangle(10e-3, 1e-3, STEEL)})
    <Model "four-bar": 2 rigid bodies, 1 beam, 4 joints, 1 force>
    """
    names = [body.name for body in model.bodies]
    for name in sections:
        if name not in names:
            raise ModelError(f"with_beams: there is no rigid body {name!r} in the model. {nearest(name, names)}")
    twin, known = Model(model.name, plane=model.plane), _Replaced(model)
    twin.scales = model.scales
    for part in model:
        if isinstance(part, RigidBody) and part.name in sections:
            beam = known.replace(part, sections[part.name], damping)
            twin.add(beam)
            known[part] = beam
        else:
            known[part] = twin.add(known.copy(part))
    for marker in model.watched:
        twin.add(known.marker(marker))
    return twin


class _Replaced(dict[Any, Any]):
    """Parts of the new model by parts of the old one."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model
        self.axes: dict[Any, tuple[np.ndarray, np.ndarray, float]] = {}  # origin, axes (rows: x, y, z), length

    def replace(self, body: Any, section: Any, damping: Rayleigh | None) -> Beam:
        """Add the beam that replaces a body, and store its axis."""
        start, end = self._ends(body)
        length = float(np.linalg.norm(end - start))
        turn = rotations.between((1.0, 0.0, 0.0), (end - start) / length)
        R = rotations.matrix(turn)
        self.axes[body] = start, R, length
        guess: dict[str, Any] = {}
        if body.turn is not None:
            whole = rotations.product(body.turn, turn)
            vector = rotations.logarithm(whole)
            guess = {"orientation": tuple(vector.tolist())} if self.model.spatial else {"angle": float(vector[2])}
            if not self.model.spatial and body.angle is not None:
                guess["angle"] = float(body.angle + rotations.logarithm(turn)[2])
        if body.position is not None:
            old = np.eye(3) if body.turn is None else rotations.matrix(body.turn)
            there = np.array([*body.position, 0.0][:3]) + old @ start
            guess["position"] = tuple(there[: len(body.position)].tolist())
        return Beam(body.name, length=length, section=section, damping=damping, free=body.free, **guess)

    def _ends(self, body: Any) -> tuple[np.ndarray, np.ndarray]:
        if isinstance(body, Link):
            return np.zeros(3), np.array([body.length, 0.0, 0.0])
        held = [m.point for joint in self.model.joints for m in (joint.a, joint.b) if m.body is body]
        held += [m.point for m in self.model.watched if m.body is body] if len(held) < 2 else []
        pairs = [(float(np.linalg.norm(q - p)), p, q) for i, p in enumerate(held) for q in held[i + 1 :]]
        far = max(pairs, key=lambda pair: pair[0], default=(0.0, np.zeros(3), np.zeros(3)))
        if far[0] == 0.0:
            raise ModelError(
                f"with_beams: {body.owner} has no two joints apart from each other between which a beam could lie. "
                "Add a marker where it should end: model.add(body.at(x, y, z))."
            )
        return far[1], far[2]

    def marker(self, marker: Marker) -> Marker:
        """Return the marker at the same place."""
        if marker.body not in self.axes:
            return marker_on(marker, self)
        start, R, length = self.axes[marker.body]
        x, y, z = R.T @ (marker.point - start)
        s = float(np.clip(x / length, 0.0, 1.0))
        s = next((end for end in (0.0, 1.0) if abs(s - end) < SAME), s)
        off = [0.0 if abs(each) < SAME * length else float(each) for each in (x - s * length, y, z)]
        turn = rotations.logarithm(rotations.product(rotations.conjugate(rotations.quaternion(R)), marker.turn))
        if self.model.spatial:
            return self[marker.body].at(
                s, x=off[0], y=off[1], z=off[2], orientation=tuple(turn.tolist()), name=marker.name
            )
        return self[marker.body].at(s, x=off[0], y=off[1], angle=float(turn[2]), name=marker.name)

    def copy(self, part: Any) -> Any:  # type: ignore[override]
        """Copy a part to the new bodies."""
        if not any(marker.body in self.axes for marker in part.markers):
            return copy_part(part, self)
        moved = {marker: self.marker(marker) for marker in part.markers}

        def instead(value: Any) -> Any:
            if isinstance(value, Marker):
                return moved[value]
            if isinstance(value, tuple | list) and any(isinstance(each, Marker) for each in value):
                return type(value)(instead(each) for each in value)
            return value

        given = {f.name: instead(getattr(part, f.name)) for f in fields(part) if f.init}
        changed = {key: value for key, value in given.items() if value is not getattr(part, key)}
        stand_in = {marker.body: marker.body for marker in part.markers}
        return copy_part(part, {**self, **stand_in}, **changed)
