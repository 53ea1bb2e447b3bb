"""Build a Tree from a model: frames, nodes and elements of an arm, and the places of its markers on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pliant.elements import _sections
from pliant.elements._beams import INERTIAS, stiffnesses
from pliant.errors import ModelError
from pliant.forces import Force, Gravity, Moment, Motor, TorsionSpring
from pliant.model import Beam, Ground, Joint, Marker, Model
from pliant.model.bodies.rigid import Carrier, RigidBody
from pliant.system.numbering.numbering import BeamMesh
from pliant.system.numbering.planar_layout import Layout
from pliant.system.system import System
from pliant_papers.kinked.recursion import POINTS, WEIGHT, XI
from pliant_papers.kinked.refusals import INSTEAD, check, is_pin
from pliant_papers.kinked.tree import Tree

NONE = -1  # freedom of a node without one, until their number is known
NO_BEAMS = tuple(np.zeros((0, *shape)) for shape in ((), (5,), (POINTS,), (POINTS,)))


class Place(NamedTuple):
    """A point fixed to the section at a node."""

    node: int
    x: float = 0.0
    y: float = 0.0


class Start(NamedTuple):
    """A frame to be created: an element of a beam, or a part beyond a joint."""

    place: Place
    part: Carrier
    element: int = 0
    joint: Joint | None = None
    entry: Marker | None = None
    turning: int = 0  # rotary joints before it
    base: Marker | None = None  # beyond the last of these


@dataclass
class Arm:
    """An arm during its division, from the ground outwards.

    observed  nodes of the same model: assembled pose, stations of beams, signals
    frames  "element": a frame for every element, "link": one for every beam
    modes   "component", or "system": joints beyond the first are locked for bending
    shear   whether sections shear and have rotary inertia
    """

    observed: System
    frames: str
    modes: str
    shear: bool
    place: dict[tuple[Carrier, int], Place] = field(default_factory=dict)  # of every node of the observed system
    names: list[str] = field(default_factory=list)  # of the freedoms
    turning: dict[str, int] = field(default_factory=dict)  # freedom of a rotary joint, by its name
    carriers: dict[str, tuple[int, float]] = field(default_factory=dict)  # frame beyond a joint, -1 if on its side a
    bases: dict[str, Marker | None] = field(default_factory=dict)  # beyond the last rotary joint before a beam

    def __post_init__(self) -> None:
        self._frame: list[tuple[int, tuple[float, float, float], int, float, int]] = []
        self._node: list[tuple[int, float, int]] = []
        self._element: list[tuple[int, int, Beam, int]] = []
        self._joints = {joint for joint in self.model.joints if not joint.coordinate}
        check(self.model)
        self._grow()
        for part in (*self.model.bodies, *self.model.beams):
            if (part, 0) not in self.place:
                raise ModelError(f"{part.owner}: no joint leads to it from the ground, as in an arm. {INSTEAD}")

    @property
    def model(self) -> Model:
        """The model."""
        return self.observed.model

    @property
    def layout(self) -> Layout:
        """Numbering of the observed system."""
        return self.observed.layout

    def _grow(self) -> None:
        """Create the frames depth first, so that the freedoms beyond a joint are consecutive."""
        self._frame.append((0, (0.0, 0.0, 0.0), NONE, 1.0, 0))
        ground = Place(self._add_node(0, 0.0, free=False))
        waiting = self._beyond(Start(ground, self.model.ground), ground)  # type: ignore[arg-type]
        while waiting:
            waiting += self._add_frame(waiting.pop())

    def _add_frame(self, start: Start) -> list[Start]:
        """Create a frame with its nodes. Returns its starts; the last is processed next."""
        kink, joint, share, first = 0.0, NONE, 1.0, len(self.names)
        held = start.joint
        if held is not None and is_pin(held):
            joint, share = first, 0.0 if self.modes == "system" and start.turning else 1.0
            start = start._replace(turning=start.turning + 1, base=start.entry)
            self.names.append(held.name)
            self.turning[held.name] = joint
        elif held is not None:
            kink = self._assembled(start)
        k = len(self._frame)
        if held is not None:
            self.carriers[held.name] = k, 1.0 if start.entry is held.b else -1.0
        self._frame.append((start.place.node, (start.place.x, start.place.y, kink), joint, share, first))
        origin = Place(self._add_node(k, 0.0, free=False))
        if isinstance(start.part, RigidBody):
            entry = self.layout.offset(start.entry)  # type: ignore[arg-type]
            self.place[start.part, 0] = Place(origin.node, -entry[0], -entry[1])
            return self._beyond(start, self.place[start.part, 0])
        return self._add_beam(start, k, origin)

    def _add_beam(self, start: Start, k: int, origin: Place) -> list[Start]:
        beam: Any = start.part
        s = self.layout.mesh(beam).s * beam.length
        last = s.size - 1 if self.frames == "link" else start.element + 1
        before, found = origin.node, []
        if start.element == 0:
            self.place[beam, 0], self.bases[beam.name] = origin, start.base
            found += self._beyond(start, origin)
        for e in range(start.element, last):
            node = self._add_node(k, s[e + 1] - s[start.element], free=True, name=f"{beam.name}:{e + 1}")
            self.place[beam, e + 1] = Place(node)
            self._element.append((before, node, beam, e))
            found += self._beyond(start, self.place[beam, e + 1], e + 1)
            before = node
        if last < s.size - 1:
            found.append(start._replace(place=self.place[beam, last], element=last, joint=None))
        return found

    def _add_node(self, frame: int, x: float, *, free: bool, name: str = "") -> int:
        self._node.append((frame, x, len(self.names) if free else NONE))
        if free:
            self.names += [f"{name}:{what}" for what in ("u", "w", "phi")]
        return len(self._node) - 1

    def _beyond(self, start: Start, base: Place, number: int = 0) -> list[Start]:
        """Return the starts of parts that joints attach to a part (to one node of a beam)."""
        found = []
        for joint in sorted(self._joints, key=lambda joint: joint.name, reverse=True):
            for marker, other in ((joint.a, joint.b), (joint.b, joint.a)):
                if marker.body is start.part and (marker.body.rigid or self._number(marker) == number):
                    self._joints.discard(joint)
                    self._check_entry(joint, other)
                    place = self._carried(base, marker)
                    found.append(Start(place, other.body, 0, joint, other, start.turning, start.base))
        return found

    def _check_entry(self, joint: Joint, marker: Marker) -> None:
        body = marker.body
        if isinstance(body, Beam) and (marker.s != 0.0 or marker.x or marker.y):
            raise ModelError(
                f"{joint.owner} holds {body.owner} at {marker.label}; an arm holds a beam at its base, without offset. "
                f"Turn the beam round or put a Link between, or compile with formulation='dae'."
            )

    def _assembled(self, start: Start) -> float:
        """Return the angle of a part relative to the place that it is welded to, as assembled."""
        joint, entry = start.joint, start.entry
        other = joint.a if entry is joint.b else joint.b  # type: ignore[union-attr]
        return self._angle(entry) - self._angle(other)  # type: ignore[arg-type]

    def _angle(self, marker: Marker) -> float:
        return float(self.observed.initial[3 * self.layout.node(marker) + 2])

    def _carried(self, base: Place, marker: Marker) -> Place:
        x, y, _ = self.layout.offset(marker)
        return Place(base.node, base.x + x, base.y + y)

    def _number(self, marker: Marker) -> int:
        """Return the number of the part's node that carries a marker."""
        if not isinstance(marker.body, Beam):
            return 0
        return self.layout.node(marker) - int(self.layout.mesh(marker.body).nodes[0])

    def at(self, marker: Marker) -> Place:
        """Return the place of a marker."""
        if isinstance(marker.body, Ground):
            return Place(0, marker.x, marker.y)
        return self._carried(self.place[marker.body, self._number(marker)], marker)

    def tree(self, order: tuple[float, float, float]) -> Tree:
        """Return the flat arrays."""
        n = len(self.names)
        joints = np.array([frame[2] for frame in self._frame])
        nodes = np.array(self._node, float).reshape(-1, 3)
        freedoms = np.array([node[2] for node in self._node])
        frames = np.array([node[0] for node in self._node])
        starts = np.array([frame[0] for frame in self._frame])
        lumps, loads = [*self._lumps()], [*self._loads()]
        gravity = next(iter(self.layout.forces(Gravity)), None)
        known = {mesh.beam: _properties(mesh, self.shear) for mesh in self.layout.beams}
        rows = [[column[e] for column in known[beam]] for _, _, beam, e in self._element]
        length, beams, mass, rotary = (np.array(column) for column in zip(*rows, strict=True)) if rows else NO_BEAMS
        return Tree(
            start=_index(starts),
            offset=np.array([frame[1] for frame in self._frame]),
            joint=_index(np.where(joints == NONE, n, joints)),
            share=np.array([frame[3] for frame in self._frame]),
            beyond=_index(self._ranges(starts, frames, n)),
            frame=_index(frames),
            x=nodes[:, 1].copy(),
            freedom=_index(np.where(freedoms == NONE, n, freedoms)),
            nodes=_index(np.array([element[:2] for element in self._element]).reshape(-1, 2)),
            length=length,
            beam=beams,
            mass=mass,
            rotary=rotary,
            lump=_index(np.array([place.node for place, _, _ in lumps])),
            inertia=np.array([(mass, turning, p.x, p.y) for p, mass, turning in lumps]).reshape(-1, 4),
            load=_index(np.array([place.node for place, _, _, _ in loads])),
            signal=_index(np.array([signals for _, signals, _, _ in loads]).reshape(-1, 3)),
            arm=np.array([(p.x, p.y, sign, follower) for p, _, sign, follower in loads]).reshape(-1, 4),
            gravity=_index(np.array([self._signal(gravity, axis) for axis in ("x", "y")])),
            spring=self._springs(n),
            order=np.array(order, float),
        )

    def _ranges(self, starts: np.ndarray, frames: np.ndarray, n: int) -> np.ndarray:
        """Return the freedoms that move with a frame: from its first to the first of the next frame not beyond it."""
        first = np.array([frame[4] for frame in self._frame])
        end = np.append(first[1:], n)
        for k in range(first.size - 1, 0, -1):
            parent = frames[starts[k]]
            end[parent] = max(end[parent], end[k])
        return np.column_stack([first, end])

    def _signal(self, part: Any, quantity: str) -> int:
        return self.layout.ZERO if part is None else self.layout.signal(getattr(part, quantity), part, quantity)

    def _lumps(self) -> Iterator[tuple[Place, float, float]]:
        for body in self.model.bodies:
            yield self.place[body, 0], body.mass, body.inertia
        for lump in self.model.point_masses:
            yield self.at(lump.marker), lump.mass, lump.inertia

    def _loads(self) -> Iterator[tuple[Place, tuple[int, int, int], float, float]]:
        zero = self.layout.ZERO
        for force in self.layout.forces(Force):
            turned = self.at(force.marker)
            if force.follower and force.marker.angle:
                raise ModelError(f"{force.owner}: its marker is turned by {force.marker.angle:g} rad. Use angle 0.")
            yield turned, (self._signal(force, "x"), self._signal(force, "y"), zero), 1.0, float(force.follower)
        for moment in self.layout.forces(Moment):
            yield self.at(moment.marker), (zero, zero, self._signal(moment, "value")), 1.0, 0.0
        for motor in self.layout.forces(Motor):
            torque = self._signal(motor, "torque")
            yield self.at(motor.b), (zero, zero, torque), 1.0, 0.0
            yield self.at(motor.a), (zero, zero, torque), -1.0, 0.0

    def _springs(self, n: int) -> np.ndarray:
        """Return stiffness, rest angle and damping of torsion springs about rotary joints."""
        found = np.zeros((n + 3, 3))
        for spring in self.layout.forces(TorsionSpring):
            sign, joint, _ = self.about(spring)
            a, b = (spring.a, spring.b) if sign > 0 else (spring.b, spring.a)
            rest = sign * spring.rest_angle - b.angle + a.angle
            row = found[joint]
            row[1] = (row[0] * row[1] + spring.stiffness * rest) / ((row[0] + spring.stiffness) or 1.0)
            row[0] += spring.stiffness
            row[2] += spring.damping
        return found

    def about(self, part: Any) -> tuple[int, int, int]:
        """Return sense, freedom and frame of the rotary joint between whose two sides a part acts."""
        ends = self.at(part.a).node, self.at(part.b).node
        for k, (start, _, joint, _, _) in enumerate(self._frame):
            origin = next(node for node, (frame, _, _) in enumerate(self._node) if frame == k)
            if joint != NONE and (start, origin) in (ends, ends[::-1]):
                return (1 if (start, origin) == ends else -1), joint, k
        raise ModelError(
            f"{part.owner}: in the formulation 'kinked' it must act between the two sides of a rotary joint. {INSTEAD}"
        )


def _properties(mesh: BeamMesh, shear: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the columns of a `Tree` for the elements of a beam."""
    length = np.diff(mesh.s) * mesh.beam.length
    _, GA, EI = _sections.values([mesh], 1, _sections.MIDDLE, stiffnesses)[:, 0].T
    stiffness = np.column_stack([_sections.bending(mesh, shear=shear), shear * 12.0 * EI / (GA * length**2)])
    shares = length[:, None] * WEIGHT
    mass, rotary = (shares * _sections.values([mesh], 1, XI, attrgetter(name)) for name in INERTIAS)
    return length, stiffness, mass, shear * rotary


def _index(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.int64)
