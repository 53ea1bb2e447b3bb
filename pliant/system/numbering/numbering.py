"""Numbering for plane and space: nodes of bodies, beam stations and markers, and the signals.

Rigid bodies come first (their node is the centre of mass), then the beams, and last the ground, whose freedoms follow
all others and are no unknowns. Stretches of nodes (`BeamElement.nodal_stretch`) and angles of a part at nodes
(`Load.own_nodes`) do not change in rigid motion; they stand between the last moving node and the ground, padded to a
whole number of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from pliant.elements import _sections
from pliant.errors import ModelError
from pliant.forces import Gravity
from pliant.model import Beam, Ground, Marker, Model
from pliant.model.bodies.rigid import RigidBody
from pliant.model.parts import Part
from pliant.model.signals.base import Constant, Expression, Signal, as_signal
from pliant.system.numbering.loads_along import LoadAlong, drag_along, loads_along
from pliant.system.numbering.space import Space

T = TypeVar("T")
EQUAL = 1e-9  # of the beam: largest difference of equal pieces between markers
LONGER = 0.1 + EQUAL  # part of an element by which a piece may exceed a whole number of them


@dataclass(frozen=True)
class NamedSignal:
    """A function of time with the name of the quantity it drives, such as ``tip force/x``."""

    name: str
    signal: Signal

    @property
    def constant(self) -> bool:
        """Return whether the signal never changes."""
        return isinstance(self.signal, Constant)

    def at(self, times: np.ndarray) -> Any:
        """Return the signal's values; one number if it never changes."""
        return self.signal.value if isinstance(self.signal, Constant) else self.signal(times, self.name)


ALWAYS = (  # signals that every system has
    NamedSignal("one", Constant(1.0)),
    NamedSignal("time", Expression("t")),
    NamedSignal("zero", Constant(0.0)),
)


@dataclass
class BeamMesh:
    """A beam divided into elements: its nodes along the arc and its unstressed shape in the assembled pose."""

    beam: Beam
    options: Any
    nodes: np.ndarray
    s: np.ndarray
    connectivity: np.ndarray
    alpha: float
    beta: float
    relative: bool = False  # whether alpha damps only motion relative to the beam's rigid motion
    inertia: Any = None  # sparse mass matrix for such damping; set when elements are packed
    masses: Any = None  # this matrix as `Masses` of points and sections
    pose: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))  # (nodes, 3) x, y, theta; in space x, y, z
    turn: np.ndarray = field(default_factory=lambda: np.empty((0, 4)))  # (nodes, 4) quaternions, in space only
    stretch: np.ndarray = field(default_factory=lambda: np.empty(0, int))  # (nodes) freedoms, if its elements have them
    known: dict[Any, Any] = field(  # cache of families: shared with copies, but not by `replace`
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def coasts(self) -> bool:
        """Return whether its elements damp its rigid motion, which `elements/rigid_motion` corrects."""
        return self.inertia is not None

    @property
    def tributary(self) -> np.ndarray:
        """``int N_i ds`` of every node, for a load per length; zero if the beam carries loads without nodes."""
        if getattr(self.options, "continuous", False):
            return np.zeros(self.nodes.size)
        weights = lagrange_weights(self.options.order)
        start = self.nodes[0]
        ends = self.s[self.connectivity[:, [0, -1]] - start]
        total = np.zeros(self.nodes.size)
        for nodes, (s0, s1) in zip(self.connectivity - start, ends, strict=True):
            total[nodes] += weights * (s1 - s0) * self.beam.length
        return total

    def borne(self, factor: Callable[[float], float]) -> np.ndarray:
        """Return ``int N_i f ds`` of every node, f a function of s; zero if the beam carries loads without nodes."""
        total = np.zeros(self.nodes.size)
        if not getattr(self.options, "continuous", False):
            np.add.at(total, self.connectivity - self.nodes[0], _sections.borne(self, self.options.order, factor))
        return total

    def carried(self, pick: Callable[[Any], Any]) -> np.ndarray:
        """Return ``int N_i f ds`` of every node, f of the sections; zero if the beam has its weight without nodes."""
        total = np.zeros(self.nodes.size)
        if not getattr(self.options, "continuous", False):
            np.add.at(total, self.connectivity - self.nodes[0], _sections.carried(self, self.options.order, pick))
        return total

    @cached_property
    def carried_mass(self) -> np.ndarray:
        """``int N_i rho A ds`` of every node (kg)."""
        return self.carried(attrgetter("mass_per_length"))

    @cached_property
    def carried_moment(self) -> np.ndarray:
        """(nodes, 3) ``int N_i rho A c ds`` with the centre of mass c in the axes of the section (kg m)."""
        return np.stack([self.carried(_first_moment(axis)) for axis in range(3)], axis=1)

    @cached_property
    def carried_arms(self) -> Sequence[Any]:
        """Vectors from every node to the centre of the mass it carries, in its axes (m); empty if at the node."""
        if not (self.turn.size and _sections.eccentric(self, self.options.order)):
            return [()] * self.nodes.size
        masses = self.carried_mass
        return list(self.carried_moment / np.where(masses > 0.0, masses, 1.0)[:, None])


def _first_moment(axis: int) -> Callable[[Any], Any]:
    return lambda section: section.mass_per_length * section.centre[axis]


def lagrange_weights(order: int) -> np.ndarray:
    """Return the integrals over [0, 1] of the Lagrange polynomials on order + 1 equally spaced nodes."""
    nodes = np.linspace(0.0, 1.0, order + 1)
    powers = np.arange(order + 1)
    vandermonde = nodes[None, :] ** powers[:, None]
    return np.asarray(np.linalg.solve(vandermonde, 1.0 / (powers + 1.0)))


def stations(name: str, marked: Collection[float], elements: int) -> np.ndarray:
    """Return the ends of the elements in [0, 1], including each marked station: uniform if possible."""
    uniform, breaks = np.linspace(0.0, 1.0, elements + 1), _breaks(marked)
    if np.all(np.min(np.abs(uniform[:, None] - breaks), axis=0) < EQUAL):
        return uniform
    if elements < breaks.size - 1:
        places = ", ".join(f"{s:g}" for s in breaks[1:-1])
        raise ModelError(
            f"Beam {name!r}: {elements} elements cannot reach its markers at s = {places}; "
            f"give it at least {breaks.size - 1} elements."
        )
    counts = _counts(np.diff(breaks), elements)
    pieces = [np.linspace(a, b, n + 1)[:-1] for a, b, n in zip(breaks[:-1], breaks[1:], counts, strict=True)]
    return np.append(np.concatenate(pieces), 1.0)


def _counts(spans: np.ndarray, elements: int) -> np.ndarray:
    """Divide elements among the pieces of a beam, one more each time for the piece whose elements are longest.

    Reversing the beam reverses the counts. Pieces that mirror each other have equal counts, unless the number is odd
    and the middle of the beam is between two pieces.
    """
    unlike = np.flatnonzero(np.abs(spans - spans[::-1]) > EQUAL)
    if unlike.size and spans[unlike[0]] < spans[::-1][unlike[0]]:
        return _counts(spans[::-1], elements)[::-1]
    counts, last = np.ones(spans.size, int), spans.size - 1
    while left := elements - counts.sum():
        lengths = spans / counts
        k = int(np.argmax(lengths > (1.0 - EQUAL) * np.max(lengths)))
        pair = [k] if unlike.size else sorted({k, last - k})
        if len(pair) > left:
            pair = [last // 2]  # the middle piece, if there is one
        counts[pair] += 1
    return counts


def _divide(name: str, marked: Collection[float], elements: int, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the nodes of a beam in [0, 1], and the nodes of each of its elements."""
    ends = stations(name, marked, elements)
    s = np.append((ends[:-1, None] + np.diff(ends)[:, None] / order * np.arange(order)).ravel(), 1.0)
    return s, order * np.arange(elements)[:, None] + np.arange(order + 1)


def enough_elements(model: Model, wishes: Mapping[Any, int]) -> dict[Any, int]:
    """Return for each beam the number of elements that reach all its markers, none of them more than 10 % longer than
    if the beam had as many equal elements as wished.
    """
    marked = _stations_of(model)
    return {
        beam: int(np.sum(np.maximum(1.0, np.ceil(wish * np.diff(_breaks(marked[beam])) - LONGER))))
        for beam, wish in wishes.items()
    }


def _breaks(marked: Collection[float]) -> np.ndarray:
    """Return the marked stations in [0, 1] and the ends, in order, each once."""
    breaks = np.array(sorted({0.0, 1.0, *marked}))
    return breaks[np.concatenate(([True], np.diff(breaks) > 1e-12))]


def _stations_of(model: Model) -> dict[Any, list[float]]:
    """Return the positions of markers along bodies with length, and where beams end to be straight."""
    found: dict[Any, list[float]] = {beam: [beam.straight / beam.length] for beam in model.beams}
    for marker in model.markers:
        if marker.s is not None:
            found.setdefault(marker.body, []).append(marker.s)
    return found


class NodeNumbering:
    """Nodes, meshes and signals of a model; families pack their arrays from its planar or spatial kind."""

    ONE, TIME, ZERO, NAMED = 0, 1, 2, 3  # places of signals; signals of parts follow
    space: ClassVar[Space]

    def __init__(self, model: Model, options: dict[str, Any]) -> None:
        self.model = model
        self.parts = tuple(model)  # of the model at construction
        self.rigid_bodies: list[RigidBody] = [body for body in model.bodies if isinstance(body, RigidBody)]
        self._node = {body: k for k, body in enumerate(self.rigid_bodies)}
        self.beams: list[BeamMesh] = []
        count = len(self.rigid_bodies)
        marked = _stations_of(model)
        divided: dict[Any, tuple[np.ndarray, np.ndarray]] = {}  # cache: many beams are divided equally
        for beam in model.beams:
            option, places = options[beam.name], frozenset(marked[beam])
            how = places, option.elements, option.order
            if how not in divided:
                divided[how] = _divide(beam.name, *how)
            self.beams.append(self._mesh(beam, option, *divided[how], count))
            count += self.beams[-1].nodes.size
        self.moving = count  # nodes with a position and a direction
        self._meshes = {mesh.beam: mesh for mesh in self.beams}
        self._own: dict[Part, tuple[np.ndarray, np.ndarray]] = {}  # freedoms and their nodes
        for mesh in self.beams:
            if getattr(mesh.options, "nodal_stretch", False):
                mesh.stretch = self.freedoms + np.arange(mesh.nodes.size)
        for part in model.forces:
            nodes = np.array(part.own_nodes(self), int)
            if nodes.size:
                self._own[part] = self.freedoms + np.arange(nodes.size), nodes
        self.ground = self.moving + -(-self.stretches // self.space.width)
        count = self.ground
        self.assembled = self.space.still(count)  # coordinates in the assembled pose, with the ground; filled by build
        self.assembly: Any = None  # how the joints were closed; filled by build
        self.length_scale = 1.0  # of the model (m); filled by build
        self.forced = False  # whether loops closed only when beams bent; filled by build
        self.signals = list(ALWAYS)
        self._signal_numbers: dict[str, int] = {}
        self._kept: dict[str, Any] = {}
        self.bordered = False  # whether matrices may have a border; set by build
        self.borders: dict[str, int] = {}  # its unknowns
        self.taken: set[Part] = set()  # forces that a family has packed
        self._renewed: set[Any] = set()  # parts whose signals are replaced

    @staticmethod
    def _mesh(beam: Beam, options: Any, s: np.ndarray, connectivity: np.ndarray, first: int) -> BeamMesh:
        alpha, beta = beam.damping.coefficients(beam) if beam.damping else (0.0, 0.0)
        relative = bool(alpha) and beam.damping is not None and beam.damping.relative_to == "beam"
        nodes = np.arange(first, first + s.size)
        return BeamMesh(beam, options, nodes, s, first + connectivity, alpha, beta, relative)

    @property
    def named_signals(self) -> list[NamedSignal]:
        """Signals that drive quantities of parts."""
        return self.signals[self.NAMED :]

    @property
    def freedoms(self) -> int:
        """Number of coordinates without the ground's."""
        return self.space.width * self.moving + self.stretches

    @property
    def stretches(self) -> int:
        """Number of stretches of nodes and of angles that parts have at nodes."""
        return sum(mesh.stretch.size for mesh in self.beams) + sum(own.size for own, _ in self._own.values())

    @property
    def stretched(self) -> Part:
        """The first beam with stretches of nodes, or part with angles at nodes."""
        return [*(mesh.beam for mesh in self.beams if mesh.stretch.size), *self._own][0]

    def own(self, part: Part) -> np.ndarray:
        """Return the freedoms of the angles that a part has at its `own_nodes`."""
        return self._own[part][0]

    @property
    def angular(self) -> np.ndarray:
        """(freedoms) whether each coordinate is an angle or, without unit like it, a stretch."""
        found = self.space.angular(self.freedoms)
        found[self.space.width * self.moving :] = True
        return found

    @property
    def freedom_nodes(self) -> np.ndarray:
        """(freedoms) node of every freedom; for a stretch, or an angle of a part, the node it belongs to."""
        found: np.ndarray = np.arange(self.freedoms) // self.space.width
        for mesh in self.beams:
            found[mesh.stretch] = mesh.nodes[: mesh.stretch.size]
        for own, nodes in self._own.values():
            found[own] = nodes
        return found

    def mesh(self, beam: Beam) -> BeamMesh:
        """Return the mesh of a beam."""
        return self._meshes[beam]

    def body_node(self, body: RigidBody) -> int:
        """Return the node of a rigid body."""
        return self._node[body]

    def node(self, marker: Marker) -> int:
        """Return the node that carries a marker."""
        body = marker.body
        if isinstance(body, Ground):
            return self.ground
        if isinstance(body, Beam):
            mesh = self._meshes[body]
            return int(mesh.nodes[np.argmin(np.abs(mesh.s - marker.s))])
        return self._node[body]  # type: ignore[index]

    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray:
        """Return the freedoms of the given nodes: (n, width count), as unsigned indices."""
        table = np.asarray(nodes, dtype=np.int64).reshape(-1, count, 1)
        width = self.space.width
        freedoms = (width * table + np.arange(width)).reshape(-1, width * count)
        return np.ascontiguousarray(freedoms, dtype=np.uint32)

    def forces(self, kind: type[T]) -> list[T]:
        """Return the forces of one kind for a family to pack; forces that none packs are refused (refusals.py)."""
        found = [force for force in self.model.forces if force.computed_as is kind]
        self.taken.update(found)
        return found  # type: ignore[return-value]

    def gravity(self) -> list[list[int]]:
        """Return the signals of gravity along the axes, one row each, for elements that weigh more than their nodes."""
        found = [part for part in self.model.forces if isinstance(part, Gravity)]
        return [[self.signal(getattr(part, axis), part, axis) for axis in self.space.axes] for part in found]

    def loads_along(self, meshes: Sequence[BeamMesh]) -> list[LoadAlong]:
        """Return the loads along beams that carry them without nodes."""
        return list(loads_along(self, meshes))

    def drag_along(self, mesh: BeamMesh) -> tuple[float, ...]:
        """Return the drag of a beam per length and velocity along the global axes."""
        return drag_along(self, mesh)

    def signal(self, value: Any, owner: Any, quantity: str) -> int:
        """Return the number of the signal that drives a quantity of a part; always the same number."""
        name = f"{owner.name}/{quantity}"
        if name not in self._signal_numbers:
            self._signal_numbers[name] = len(self.signals)
            self.signals.append(NamedSignal(name, as_signal(value)))
        elif owner in self._renewed:
            self.signals[self._signal_numbers[name]] = NamedSignal(name, as_signal(value))
        return self._signal_numbers[name]

    def border(self, name: str) -> int:
        """Return the number of an unknown of the border of matrices (linalg/pattern.py); always the same number."""
        return self.borders.setdefault(name, len(self.borders))

    def add_signals(self, named: Iterable[NamedSignal]) -> None:
        """Append signals."""
        for each in named:
            self._signal_numbers[each.name] = len(self.signals)
            self.signals.append(each)

    def keep(self, name: str, make: Callable[[], T]) -> T:
        """Return an object that compiled code knows by number: created once, alive as long as all twins."""
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept

    def with_signals(self, replaced: Mapping[str, Signal]) -> Self:
        """Return the numbering with some signals replaced, to pack the families again."""
        twin = copy(self)
        twin.signals = [NamedSignal(old.name, replaced.get(old.name, old.signal)) for old in self.signals]
        return twin

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """Return the numbering with other options of the beams, with as many nodes."""
        return self._with_meshes([replace(mesh, options=options[mesh.beam.name]) for mesh in self.beams])

    def unbordered(self) -> Self:
        """Return the numbering for matrices without a border."""
        twin = copy(self)
        twin.bordered, twin.borders = False, {}
        return twin

    def undamped(self) -> Self:
        """Return the numbering with undamped beams."""
        return self._with_meshes([replace(mesh, alpha=0.0, beta=0.0) for mesh in self.beams])

    def with_parts(self, instead: Mapping[Part, Part]) -> Self:
        """Return the numbering with other numbers of some parts, which move nothing, to pack families again."""
        twin = copy(self)
        twin.model, twin._renewed = self.model._with_parts(instead), set(instead.values())
        twin.rigid_bodies = [instead.get(body, body) for body in self.rigid_bodies]  # type: ignore[misc]
        twin.beams = [self._remade(mesh, instead.get(mesh.beam, mesh.beam)) for mesh in self.beams]
        twin._meshes = dict(zip(self._meshes, twin.beams, strict=True)) | {mesh.beam: mesh for mesh in twin.beams}
        twin._node, twin._own = dict(self._node), dict(self._own)
        for old, new in instead.items():
            for places in (twin._node, twin._own):
                if old in places:
                    places[new] = places[old]  # type: ignore[index, assignment]
        twin.signals, twin._signal_numbers = list(self.signals), dict(self._signal_numbers)
        twin.taken, twin._kept = set(), {"of the other": self._kept}
        return twin

    @staticmethod
    def _remade(mesh: BeamMesh, beam: Any) -> BeamMesh:
        """Return the mesh of a beam with other numbers; always a copy, because families set its mass."""
        if beam is mesh.beam:
            return copy(mesh)
        alpha, beta = beam.damping.coefficients(beam) if beam.damping else (0.0, 0.0)
        return replace(mesh, beam=beam, alpha=alpha, beta=beta)

    def is_constant(self, index: int) -> bool:
        """Return whether a signal never changes in time."""
        return self.signals[index].constant

    def _with_meshes(self, beams: list[BeamMesh]) -> Self:
        """Return the numbering with other meshes of the same nodes."""
        twin = copy(self)
        twin.beams = beams
        twin._meshes = {mesh.beam: mesh for mesh in beams}
        return twin
