"""Joints of a model as constraint rows, read from their conditions (model/conditions.py), in the plane or in space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, combinations
from math import cos, sin
from typing import Any, NamedTuple, Protocol

import numpy as np

from pliant.joints.rows import Rows
from pliant.kernels import measures
from pliant.model import Ground, Joint, Marker, rotations
from pliant.model.conditions import ASSEMBLED, GUESSED, POINTS, Condition, Term
from pliant.system.space import Space

AXES = "xyz"
NOWHERE = (0.0,) * 9  # numbers of a direction that are not needed
UNITS = np.eye(3)


class Numbering(Protocol):
    """Where markers are: the layout of a system, or the one-frame-a-body numbering of the assembly."""

    @property
    def space(self) -> Space: ...
    def node(self, marker: Marker) -> int: ...
    def arm(self, marker: Marker) -> Any: ...
    def turn(self, marker: Marker) -> Any: ...  # angle, or quaternion, of a marker's axes in its node's
    def dofs(self, nodes: Any, count: int = 1) -> np.ndarray: ...
    def frames(self, nodes: Any, count: int = 1) -> np.ndarray: ...  # places of quaternions; none in the plane


class Kept(NamedTuple):
    """What a joint keeps: its conditions, a value for each, None where that is not known yet; and in space the
    quaternion of marker b in marker a's axes.
    """

    conditions: Sequence[Condition]
    values: tuple[float | None, ...]
    turn: Any = rotations.IDENTITY


class Packed(NamedTuple):
    """A term as a kernel knows it. The measure of the markers is that of their nodes less ``shift``."""

    kind: int
    direction: Any = ()
    shift: float = 0.0


Signals = Callable[[Any, Joint, str], int]


class Row(NamedTuple):
    """A condition of a joint, and what is kept."""

    joint: Joint
    condition: Condition
    value: float = 0.0
    turn: Any = rotations.IDENTITY

    @property
    def terms(self) -> tuple[Term, ...]:
        """What it is a sum of."""
        return self.condition.terms


def pack(
    joints: Sequence[Joint], numbering: Numbering, kept: Sequence[Kept], length_scale: float, signal: Signals
) -> tuple[Rows, np.ndarray]:
    """Flat arrays of the rows of joints, and the joint of each; conditions whose value is not known are left out."""
    found, owner = list[Row](), list[int]()
    for number, (joint, keeps) in enumerate(zip(joints, kept, strict=True)):
        for condition, value in zip(keeps.conditions, keeps.values, strict=True):
            if value is not None:
                found.append(Row(joint, condition, value, keeps.turn))
                owner.append(number)
    return pack_rows(found, numbering, length_scale, signal), np.array(owner, int)


def pack_rows(found: Sequence[Row], numbering: Numbering, length_scale: float, signal: Signals) -> Rows:
    """Flat arrays of rows."""
    spatial = numbering.space.quaternions
    pack_term, width = (_spatial(numbering), 9) if spatial else (_planar(numbering), 2)
    terms = [
        (k, term, term.a or one.joint.a, term.b or one.joint.b) for k, one in enumerate(found) for term in one.terms
    ]
    packed = [pack_term(term, a, b, found[k]) for k, term, a, b in terms]
    row, factor = [k for k, *_ in terms], [term.factor for _, term, *_ in terms]
    offset = np.array([each.value for each in found], float)
    np.add.at(offset, row, [share * each.shift for share, each in zip(factor, packed, strict=True)])
    nodes = [(numbering.node(a), numbering.node(b)) for *_, a, b in terms]
    arms = [(*numbering.arm(a), *numbering.arm(b)) for *_, a, b in terms]
    directions = [(*each.direction, *NOWHERE[len(each.direction) : width]) for each in packed]
    signals = [
        None if each.condition.signal is None else signal(each.condition.signal, each.joint, each.condition.quantity)
        for each in found
    ]
    ends = accumulate(len(each.terms) for each in found)
    pairs = [
        pair
        for each, end in zip(found, ends, strict=True)
        for pair in combinations(range(end - len(each.terms), end), 2)
    ]
    count = len(terms)
    return Rows(
        row=np.array(row, np.uint32),
        kind=np.array([each.kind for each in packed], np.uint32),
        factor=np.array(factor, float),
        dofs=numbering.dofs(nodes, 2),
        frames=numbering.frames(nodes, 2),
        offsets=np.array(arms, float).reshape(-1, 2 * len(numbering.space.axes)),
        direction=np.array(directions, float).reshape(-1, width),
        acts_on_b=np.array([b is found[k].joint.b for k, _, _, b in terms], np.uint32),
        slots=np.empty((count, 0), np.uint32),
        jacobian_slots=np.empty((count, 0), np.uint32),
        offset=offset,
        gain=np.array([float(number is not None) for number in signals]),
        signal=np.array([number or 0 for number in signals], np.uint32),
        period=np.array([each.condition.period if spatial else 0.0 for each in found]),
        weight=np.array([1.0 if each.terms[0].measure in POINTS else length_scale**2 for each in found]),
        softness=np.zeros(offset.size),
        diagonal=np.empty(offset.size, np.uint32),
        pairs=np.array(pairs, np.uint32).reshape(-1, 2),
        pair_slots=np.empty((len(pairs), 0), np.uint32),
    )


def _planar(numbering: Numbering) -> Callable[[Term, Marker, Marker, Row], Packed]:
    """What packs a term in the plane."""

    def packed(term: Term, a: Marker, b: Marker, row: Row) -> Packed:
        if term.measure == "distance":
            return Packed(measures.DISTANCE)
        if term.measure == "angle":
            return Packed(measures.ANGLE, shift=numbering.turn(a) - numbering.turn(b))
        if term.measure == "point":
            return Packed(measures.PLACE, UNITS[AXES.index(term.axes), :2])
        c, s = cos(numbering.turn(a)), sin(numbering.turn(a))
        return Packed(_place(a), {"x": (c, s), "y": (-s, c)}[term.axes])

    return packed


def _spatial(numbering: Numbering) -> Callable[[Term, Marker, Marker, Row], Packed]:
    """What packs a term in space; the axes of a joint's markers are computed once for all of its terms."""

    @cache
    def axes_of(joint: Joint, a: Marker, b: Marker) -> Sequence[Any]:
        frames = [
            rotations.product(numbering.turn(marker), frame)
            for marker, frame in ((a, joint.frame_a), (b, joint.frame_b))
        ]
        return *frames, *map(rotations.matrix, frames)

    def packed(term: Term, a: Marker, b: Marker, row: Row) -> Packed:
        if term.measure == "distance":
            return Packed(measures.DISTANCE)
        axes = [AXES.index(axis) for axis in term.axes]
        if term.measure == "point":
            return Packed(measures.PLACE, UNITS[axes[0]])
        frame_a, frame_b, A, B = axes_of(row.joint, a, b)
        if term.measure == "place":
            return Packed(_place(a), A[:, axes[0]])
        if term.measure == "angle":
            return Packed(measures.ANGLE, (*A[:, axes[0]], *rotations.product(frame_b, rotations.conjugate(frame_a))))
        if term.measure == "crossed":
            return Packed(measures.CROSSED, (*A[:, axes[0]], *B[:, axes[1]]))
        if term.measure == "aligned":
            about, free = axes
            return Packed(measures.ALIGNED, (*A[:, free], *np.cross(A[:, about], A[:, free]), *B[:, free]))
        kept = rotations.product(numbering.turn(a), row.turn)
        back = rotations.product(numbering.turn(b), rotations.conjugate(kept))  # kept, a's axes in b's
        return Packed(measures.TURNED, (*A[:, axes[0]], *back))

    return packed


def _place(a: Marker) -> int:
    """An axis of the ground does not turn."""
    return measures.PLACE if isinstance(a.body, Ground) else measures.TURNING


def given(joint: Joint, spatial: bool) -> Kept:
    """What a joint keeps that is not told by the guesses of any bodies: directions not given are aligned."""
    conditions = joint.conditions(spatial)
    values = [0.0 if isinstance(each.kept, str) else each.kept for each in conditions]
    return Kept(conditions, tuple(values), rotations.IDENTITY if joint.kept_turn is None else joint.kept_turn)


def known(joint: Joint, conditions: Sequence[Condition], measured: Sequence[float], turn: Any, *, closed: bool) -> Kept:
    """What a joint keeps, given what its conditions measure and how its markers are turned: before loops are closed
    that which is told by guesses, and then that which is told by the closed pose. Nothing need be measured where
    neither tells.
    """
    values: list[float | None] = []
    for condition, value in zip(conditions, measured or (0.0,) * len(conditions), strict=True):
        if condition.kept == GUESSED and condition.terms[0].measure != "turned":
            values.append(value)
        elif condition.kept == ASSEMBLED:
            values.append(value if closed else None)
        else:
            values.append(0.0 if isinstance(condition.kept, str) else condition.kept)
    return Kept(conditions, tuple(values), turn if joint.kept_turn is None else joint.kept_turn)
