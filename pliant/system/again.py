"""A system once more for other numbers of its model: what these numbers reach is packed again, the rest is shared.

Shared are sparse pattern, symbolic factorisation, dependent rows, families without elements, compiled kernels, working
arrays; and where no length, place or joint changes, the assembled pose and the rows of the joints. Whatever would
change more than numbers (a part that comes or goes with a zero, another node under a marker, loops that close only when
beams bend) is left to `compile`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pliant.joints.rows import Rows
from pliant.model import Joint, Marker, Model
from pliant.model.bodies import Carrier
from pliant.model.parts import Part
from pliant.system import build, fused, spins
from pliant.system.assembly import assemble
from pliant.system.joint_rows import pack
from pliant.system.rubbing import frictions, rubbing_of
from pliant.system.spatial_layout import SpatialLayout
from pliant.system.system import System

AnySystem = TypeVar("AnySystem", bound=System)
INERT = {"mass", "inertia", "section", "damping"}  # of bodies and beams: what the assembled pose does not know
SAME = ("row", "kind", "dofs", "frames", "acts_on_b", "gain", "signal", "pairs")  # of rows: what is no number
PLACED = ("softness", "slots", "jacobian_slots", "diagonal", "pair_slots")  # of rows: what the pattern tells


class Posed(NamedTuple):
    """An assembled pose, families packed in it, and the rows of the joints."""

    initial: np.ndarray
    arrays: dict[str, Any]
    rows: Rows


def again(system: AnySystem, model: Model) -> AnySystem | None:
    """The same system of a model with other numbers; None where more than numbers changes."""
    known, parts = system.layout.parts, tuple(model)
    changed = [(old, new) for old, new in zip(known, parts, strict=False) if old is not new]
    if (
        len(known) != len(parts)
        or system.layout.forced
        or not all(_alike(_leaves(old), _leaves(new)) for old, new in changed)
    ):
        return None
    layout = type(system.layout)(model, {mesh.beam.name: mesh.options for mesh in system.layout.beams})
    before, layout.length_scale = system.layout.beams, build.length_scale(model)
    if [mesh.s.size for mesh in layout.beams] != [mesh.s.size for mesh in before]:
        return None
    moved = layout.length_scale != system.length_scale or any(_moves(old, new) for old, new in changed)
    moved |= any(not np.array_equal(new.s, old.s) for new, old in zip(layout.beams, before, strict=True))
    posed = (_assembled if moved else _standing)(system, layout)
    packed = posed and fused.refilled(system.equations.parts, posed.arrays)
    return None if posed is None or packed is None else _made(system, layout, posed, packed)


def _made(system: AnySystem, layout: Any, posed: Posed, parts: fused.Parts) -> AnySystem:
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


def _standing(system: System, layout: Any) -> Posed | None:
    """The pose that the system has."""
    for new, old in zip(layout.beams, system.layout.beams, strict=True):
        new.pose = old.pose
        if isinstance(layout, SpatialLayout):
            new.turn = old.turn
    layout.assembled = system.initial
    if isinstance(layout, SpatialLayout):
        bodies = {body.name: body for body in layout.rigid_bodies}
        idle: Any = getattr(system.layout, "idle", ())
        layout.idle = tuple(spin._replace(body=bodies[spin.body.name]) for spin in idle)
    arrays = build.pack_families(layout, fused.names(system.equations.parts))[0]
    layout.add_signals(system.layout.signals[len(layout.signals) :])
    return Posed(system.initial, arrays, system.equations.rows) if _same_signals(system, layout) else None


def _assembled(system: System, layout: Any) -> Posed | None:
    """The pose in which the joints of the model close."""
    model, scale = layout.model, layout.length_scale
    assembly = assemble(model, scale)
    if assembly.gap:
        return None
    initial = layout.assembled = build.configured(layout, assembly)
    build.check_spans(layout, scale)
    if isinstance(layout, SpatialLayout):
        layout.idle = spins.idle(layout, build.unsigned_rows(layout, assembly), initial, scale)
    arrays = build.pack_families(layout, fused.names(system.equations.parts))[0]
    rows = pack(model.joints, layout, assembly.kept, scale, layout.signal)[0]
    old = system.equations.rows
    if not _same_signals(system, layout) or any(not np.array_equal(getattr(rows, k), getattr(old, k)) for k in SAME):
        return None
    return Posed(initial, arrays, rows._replace(**{name: getattr(old, name) for name in PLACED}))


def _same_signals(system: System, layout: Any) -> bool:
    return [each.name for each in layout.signals] == [each.name for each in system.layout.signals]


def _moves(old: Part, new: Part) -> bool:
    """Whether the assembled pose may depend on how two parts differ."""
    if not isinstance(new, Carrier | Joint):
        return False
    return not all(a is b or a == b for a, b in zip(_leaves(old, INERT), _leaves(new, INERT), strict=True))


def _alike(old: Iterable[Any], new: Iterable[Any]) -> bool:
    """Whether two parts differ by numbers only, zeros where zeros were."""
    pairs = list(zip(old, new, strict=False))
    return all(a == 0.0 if b == 0.0 else a != 0.0 for a, b in pairs if _number(a) and _number(b)) and all(
        a is b or a == b for a, b in pairs if not (_number(a) and _number(b))
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _leaves(value: Any, without: Iterable[str] = (), *, within: bool = False) -> Iterator[Any]:
    """What a part is made of, down to numbers and words; other parts by their names."""
    if within and isinstance(value, Part):
        yield value.name
    elif isinstance(value, Marker) or is_dataclass(value):
        yield type(value)
        for field in fields(value):
            if field.name not in without and field.name != "made":
                yield from _leaves(getattr(value, field.name), within=True)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield len(value)
        for each in value:
            yield from _leaves(each, within=True)
    elif isinstance(value, np.ndarray):
        yield value.shape
        yield from value.ravel().tolist()
    else:
        yield value
