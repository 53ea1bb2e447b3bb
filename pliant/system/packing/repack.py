"""A system for other numbers of its model: the dependent numbers are packed again, the rest is shared.

Shared are sparse pattern, symbolic factorisation, dependent rows, families without elements, compiled kernels, working
arrays; and, if no length, position or joint changes, the assembled pose and the rows of the joints. Changes of more
than numbers (a part that a zero removes, another node of a marker, loops that close only when beams bend) require
`compile`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pliant.joints.rows import Rows
from pliant.model import Joint, Model
from pliant.model.bodies.rigid import Carrier
from pliant.model.parts import Part
from pliant.system.assembly import massless_spins
from pliant.system.assembly.assembly import assemble
from pliant.system.assembly.configuration import assembled_coordinates
from pliant.system.numbering.spatial_layout import SpatialLayout
from pliant.system.packing import build, fused
from pliant.system.packing.joint_friction import frictions, rubbing_of
from pliant.system.packing.joint_rows import pack
from pliant.system.system import System

AnySystem = TypeVar("AnySystem", bound=System)
INERT = {"mass", "inertia", "section", "damping"}  # fields of bodies and beams that do not affect the assembled pose
SAME = ("row", "kind", "dofs", "frames", "acts_on_b", "gain", "signal", "pairs")  # fields of rows that are not numbers
PLACED = (
    "softness",
    "slots",
    "jacobian_slots",
    "diagonal",
    "pair_slots",
)  # fields of rows that follow from the pattern


class PackedPose(NamedTuple):
    """An assembled pose, families packed in it, and the rows of the joints."""

    initial: np.ndarray
    arrays: dict[str, Any]
    rows: Rows


class Change(NamedTuple):
    """A difference of two parts: the new part, its field, the old and the new value."""

    part: Part
    field: str
    old: Any
    new: Any

    @property
    def of_number(self) -> bool:
        """Return whether it is a change of a number that is zero in both or in neither."""
        return _number(self.old) and _number(self.new) and (self.old == 0.0) == (self.new == 0.0)

    @property
    def moves(self) -> bool:
        """Return whether the assembled pose may depend on it."""
        return isinstance(self.part, Carrier | Joint) and self.field not in INERT


def again(system: AnySystem, model: Model) -> AnySystem | None:
    """Return the system for a model with other numbers; None if more than numbers changes."""
    differs = part_differences(system.layout.parts, model)
    if differs is None or system.layout.forced or not all(each.of_number for each in differs):
        return None
    layout = type(system.layout)(model, {mesh.beam.name: mesh.options for mesh in system.layout.beams})
    before, layout.length_scale = system.layout.beams, build.length_scale(model)
    layout.bordered = system.layout.bordered
    if [mesh.s.size for mesh in layout.beams] != [mesh.s.size for mesh in before]:
        return None
    moved = layout.length_scale != system.length_scale or any(each.moves for each in differs)
    moved |= any(not np.array_equal(new.s, old.s) for new, old in zip(layout.beams, before, strict=True))
    posed = (_reassemble if moved else _keep_pose)(system, layout)
    if posed is None or len(posed.arrays) < len(fused.names(system.equations.parts)):
        return None
    packed = fused.refill(system.equations.parts, posed.arrays)
    return None if packed is None else _make(system, layout, posed, packed)


def part_differences(known: Sequence[Part], model: Model) -> list[Change] | None:
    """Return the differences of the parts of a model from others; None if their numbers differ."""
    parts = tuple(model)
    if len(known) != len(parts):
        return None
    return [Change(new, *each) for old, new in zip(known, parts, strict=True) for each in differences(old, new)]


def _make(system: AnySystem, layout: Any, posed: PackedPose, parts: fused.Parts) -> AnySystem:
    model, rubbing = layout.model, system.equations.rubbing
    joints = tuple(replace(old, joint=new) for old, new in zip(system.joints, model.joints, strict=True))
    if system.rubs:
        owner = np.repeat(np.arange(len(joints)), [each.count for each in joints])
        rough = frictions(layout, model.joints, computed=True)
        rubbing = rubbing_of(layout, rough, posed.rows, owner, system.equations.pattern)
    equations = system.equations._replace(
        parts=parts,
        rows=posed.rows,
        weight=np.where(layout.angular, 1.0, 1.0 / layout.length_scale),
        gamma=build.gamma(layout),
        mass=build.mass(layout),
        rubbing=rubbing,
    )
    vars(equations)["spare"] = system.equations.spare
    return replace(
        system,
        model=model,
        layout=layout,
        equations=equations,
        joints=joints,
        initial=posed.initial,
        length_scale=layout.length_scale,
        notes={},
    )


def _keep_pose(system: System, layout: Any) -> PackedPose | None:
    """Return the present pose of the system with families packed again."""
    for new, old in zip(layout.beams, system.layout.beams, strict=True):
        new.pose = old.pose
        if isinstance(layout, SpatialLayout):
            new.turn = old.turn
    layout.assembled, layout.assembly = system.initial, system.layout.assembly
    if isinstance(layout, SpatialLayout):
        layout.idle = _idle(system, layout)
    arrays = build.pack_families(layout, fused.names(system.equations.parts))[0]
    layout.add_signals(system.layout.signals[len(layout.signals) :])
    return PackedPose(system.initial, arrays, system.equations.rows) if _same_signals(system, layout) else None


def _reassemble(system: System, layout: Any) -> PackedPose | None:
    """Return the pose in which the joints of the model close."""
    model, scale = layout.model, layout.length_scale
    assembly = layout.assembly = assemble(model, scale, beside=system.layout.assembly)
    if assembly.gap:
        return None
    initial = layout.assembled = assembled_coordinates(layout, assembly)
    build.check_spans(layout, scale)
    if isinstance(layout, SpatialLayout):
        layout.idle = _idle(system, layout)
    arrays = build.pack_families(layout, fused.names(system.equations.parts))[0]
    rows = pack(model.joints, layout, assembly.kept, scale, layout.signal)[0]
    old = system.equations.rows
    if not _same_signals(system, layout) or any(not np.array_equal(getattr(rows, k), getattr(old, k)) for k in SAME):
        return None
    if isinstance(layout, SpatialLayout) and massless_spins.are_held(layout, layout.idle, rows, initial).any():
        return None
    return PackedPose(initial, arrays, rows._replace(**{name: getattr(old, name) for name in PLACED}))


def _idle(system: System, layout: SpatialLayout) -> tuple[massless_spins.Spin, ...]:
    """Return the idle rotations of the system, for the bodies of another layout."""
    known: Any = system.layout
    bodies = {body.name: body for body in layout.rigid_bodies}
    return tuple(spin._replace(body=bodies[spin.body.name]) for spin in known.idle)


def _same_signals(system: System, layout: Any) -> bool:
    return [each.name for each in layout.signals] == [each.name for each in system.layout.signals]


def differences(old: Any, new: Any, field: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield numbers and words in which two parts differ, each with the field of the part that contains it; other parts
    are compared by name.
    """
    if old is new:
        return
    if field and isinstance(old, Part) and isinstance(new, Part):
        old, new = old.name, new.name
    if type(old) is type(new) and is_dataclass(old):
        kind: Any = type(old)
        for name in _field_names(kind):
            yield from differences(getattr(old, name), getattr(new, name), field or name)
        return
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray) and old.shape == new.shape:
        old, new = old.ravel().tolist(), new.ravel().tolist()
    if type(old) is type(new) and isinstance(old, Sequence) and not isinstance(old, str) and len(old) == len(new):
        for a, b in zip(old, new, strict=True):
            yield from differences(a, b, field)
    elif isinstance(old, np.ndarray) or isinstance(new, np.ndarray) or old != new:
        yield field, old, new


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.name != "made")


def _number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
