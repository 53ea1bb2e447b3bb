"""Joints of a model as constraint rows, read from their conditions (model/conditions.py), in the plane or in space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, combinations
from math import cos, sin
from typing import Any, NamedTuple, Protocol

import numpy as np

from pliant.joints.rows import Rows
from pliant.kernels import measures
from pliant.model import Ground, Joint, Marker, rotations
from pliant.model.conditions import ASSEMBLED, GUESSED, POINTS, Condition, Term
from pliant.system.numbering.space import Space

AXES = "xyz"
NOWHERE = (0.0,) * 9  # filling for unused numbers of a direction
UNITS = np.eye(3).tolist()


class Numbering(Protocol):
    """Nodes and positions of markers: the layout of a system, or the frames of bodies in the assembly."""

    @property
    def space(self) -> Space: ...
    def node(self, marker: Marker) -> int: ...
    def arm(self, marker: Marker) -> Any: ...
    def turn(self, marker: Marker) -> Any: ...  # angle, or quaternion, of a marker's axes in its node's
    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray: ...
    def frames(self, nodes: Any, count: int = 1) -> np.ndarray: ...  # places of quaternions; none in the plane


class JointConstants(NamedTuple):
    """Constants of a joint: its conditions, a value for each (None if not yet known) and, in space, the quaternion of
    marker b in marker a's axes.
    """

    conditions: Sequence[Condition]
    values: tuple[float | None, ...]
    turn: Any = rotations.IDENTITY


class Measured(NamedTuple):
    """Terms as kernels read them. The measure of the markers is the measure of their nodes less ``shift``."""

    kind: Sequence[int] | np.ndarray
    direction: Any  # (n, 2), in space (n, 9)
    shift: Any = 0.0


class Ends(NamedTuple):
    """A term, its markers, and its row of the joint."""

    row: int
    term: Term
    a: Marker
    b: Marker


Signals = Callable[[Any, Joint, str], int]


class Row(NamedTuple):
    """A condition of a joint, and its constants."""

    joint: Joint
    condition: Condition
    value: float = 0.0
    turn: Any = rotations.IDENTITY


def pack(
    joints: Sequence[Joint], numbering: Numbering, kept: Sequence[JointConstants], length_scale: float, signal: Signals
) -> tuple[Rows, np.ndarray]:
    """Return flat arrays of the rows of joints, and the joint of each; conditions without known value are omitted."""
    found, owner = list[Row](), list[int]()
    for number, (joint, keeps) in enumerate(zip(joints, kept, strict=True)):
        for condition, value in zip(keeps.conditions, keeps.values, strict=True):
            if value is not None:
                found.append(Row(joint, condition, value, keeps.turn))
                owner.append(number)
    return pack_rows(found, numbering, length_scale, signal), np.array(owner, int)


def pack_rows(found: Sequence[Row], numbering: Numbering, length_scale: float, signal: Signals) -> Rows:
    """Return flat arrays of rows. The position of every marker is computed once, for all of its rows."""
    spatial, points = numbering.space.quaternions, len(numbering.space.axes)
    terms = [
        Ends(k, term, term.a or one.joint.a, term.b or one.joint.b)
        for k, one in enumerate(found)
        for term in one.condition.terms
    ]
    markers: dict[Marker, int] = {}
    ends = np.array([markers.setdefault(each, len(markers)) for *_, a, b in terms for each in (a, b)], int)
    nodes = np.array([numbering.node(each) for each in markers], int)[ends]
    arms = np.array([numbering.arm(each) for each in markers], float).reshape(-1, points)[ends]
    turns = {each: numbering.turn(each) for each in markers}
    measured = _in_space(terms, found, turns) if spatial else _in_plane(terms, turns)
    row, factor = np.array([k for k, *_ in terms], int), np.array([term.factor for _, term, *_ in terms], float)
    offset = np.array([each.value for each in found], float)
    np.add.at(offset, row, factor * measured.shift)
    signals = [
        None if each.condition.signal is None else signal(each.condition.signal, each.joint, each.condition.quantity)
        for each in found
    ]
    counts = [len(each.condition.terms) for each in found]
    pairs = [
        pair
        for count, end in zip(counts, accumulate(counts), strict=True)
        if count > 1
        for pair in combinations(range(end - count, end), 2)
    ]
    return Rows(
        row=row.astype(np.uint32),
        kind=np.array(measured.kind, np.uint32),
        factor=factor,
        dofs=numbering.dofs(nodes, 2),
        frames=numbering.frames(nodes.reshape(-1, 2), 2),
        offsets=arms.reshape(-1, 2 * points),
        direction=np.array(measured.direction, float).reshape(-1, 9 if spatial else 2),
        acts_on_b=np.array([b is found[k].joint.b for k, _, _, b in terms], np.uint32),
        slots=np.empty((row.size, 0), np.uint32),
        jacobian_slots=np.empty((row.size, 0), np.uint32),
        offset=offset,
        gain=np.array([float(number is not None) for number in signals]),
        signal=np.array([number or 0 for number in signals], np.uint32),
        period=np.array([each.condition.period if spatial else 0.0 for each in found]),
        weight=np.array([1.0 if each.condition.terms[0].measure in POINTS else length_scale**2 for each in found]),
        softness=np.zeros(offset.size),
        diagonal=np.empty(offset.size, np.uint32),
        pairs=np.array(pairs, np.uint32).reshape(-1, 2),
        pair_slots=np.empty((len(pairs), 0), np.uint32),
    )


PLANAR = {  # kind and direction of planar terms; places are along axes of marker a
    ("distance", ""): (measures.DISTANCE, 0.0, 0.0),
    ("angle", "z"): (measures.ANGLE, 0.0, 0.0),
    ("point", "x"): (measures.PLACE, 1.0, 0.0),
    ("point", "y"): (measures.PLACE, 0.0, 1.0),
    ("place", "x"): (measures.TURNING, 1.0, 0.0),
    ("place", "y"): (measures.TURNING, 0.0, 1.0),
}


def _in_plane(terms: Sequence[Ends], turns: Mapping[Marker, float]) -> Measured:
    """Return the terms in the plane."""
    said = np.array([PLANAR[term.measure, term.axes] for _, term, *_ in terms], float).reshape(-1, 3)
    kind, direction, shift = said[:, 0].astype(np.uint32), said[:, 1:], np.zeros(len(terms))
    for k in np.flatnonzero(kind == measures.ANGLE).tolist():
        shift[k] = turns[terms[k].a] - turns[terms[k].b]
    for k in np.flatnonzero(kind == measures.TURNING).tolist():
        a = terms[k].a
        c, s = cos(turns[a]), sin(turns[a])
        kind[k], direction[k] = _place(a), (c, s) if direction[k, 0] else (-s, c)
    return Measured(kind, direction, shift)


def _in_space(terms: Sequence[Ends], found: Sequence[Row], turns: Mapping[Marker, Any]) -> Measured:
    """Return the terms in space; the axes of a joint's markers are computed once for all of its terms."""

    @cache
    def axes_of(joint: Joint, a: Marker, b: Marker) -> Sequence[Any]:
        frames = [rotations.product(turns[marker], frame) for marker, frame in ((a, joint.frame_a), (b, joint.frame_b))]
        return *frames, *map(rotations.matrix, frames)

    def measured(row: Row, term: Term, a: Marker, b: Marker) -> tuple[int, Sequence[float]]:
        if term.measure == "distance":
            return measures.DISTANCE, ()
        axes = [AXES.index(axis) for axis in term.axes]
        if term.measure == "point":
            return measures.PLACE, UNITS[axes[0]]
        frame_a, frame_b, A, B = axes_of(row.joint, a, b)
        if term.measure == "place":
            return _place(a), A[:, axes[0]]
        if term.measure == "angle":
            return measures.ANGLE, (*A[:, axes[0]], *rotations.product(frame_b, rotations.conjugate(frame_a)))
        if term.measure == "crossed":
            return measures.CROSSED, (*A[:, axes[0]], *B[:, axes[1]])
        if term.measure == "aligned":
            about, free = axes
            return measures.ALIGNED, (*A[:, free], *np.cross(A[:, about], A[:, free]), *B[:, free])
        kept = rotations.product(turns[a], row.turn)
        back = rotations.product(turns[b], rotations.conjugate(kept))  # a's axes in b's, in the reference pose
        return measures.TURNED, (*A[:, axes[0]], *back)

    each = [measured(found[k], term, a, b) for k, term, a, b in terms]
    return Measured([kind for kind, _ in each], [(*numbers, *NOWHERE[len(numbers) :]) for _, numbers in each])


def _place(a: Marker) -> int:
    """Return the kind of a place along an axis of marker a: axes of the ground do not rotate."""
    return measures.PLACE if isinstance(a.body, Ground) else measures.TURNING


def default_constants(joint: Joint, spatial: bool) -> JointConstants:
    """Return the constants of a joint that do not depend on guesses: directions that are not given are aligned."""
    conditions = joint.conditions(spatial)
    values = [0.0 if isinstance(each.kept, str) else each.kept for each in conditions]
    return JointConstants(conditions, tuple(values), rotations.IDENTITY if joint.kept_turn is None else joint.kept_turn)


def joint_constants(
    joint: Joint, conditions: Sequence[Condition], measured: Sequence[float], turn: Any, *, closed: bool
) -> JointConstants:
    """Return the constants of a joint from the measured values of its conditions and the rotation of its markers:
    guessed values before loops are closed, assembled values afterwards. Measured values are needed only if a condition
    uses them.
    """
    values: list[float | None] = []
    for condition, value in zip(conditions, measured or (0.0,) * len(conditions), strict=True):
        if condition.kept == GUESSED and condition.terms[0].measure != "turned":
            values.append(value)
        elif condition.kept == ASSEMBLED:
            values.append(value if closed else None)
        else:
            values.append(0.0 if isinstance(condition.kept, str) else condition.kept)
    return JointConstants(conditions, tuple(values), turn if joint.kept_turn is None else joint.kept_turn)
