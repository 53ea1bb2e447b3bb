"""Build a system from a model: number, assemble, pack, and compute the sparse pattern once; close loops by bending."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil, hypot, pi
from typing import Any, TypeVar

import numpy as np

from pliant.elements._options import BeamElement
from pliant.elements.auto import Auto
from pliant.elements.beam_exact import Exact
from pliant.elements.beam_fed import fed_options
from pliant.errors import ModelError, OptionError, PliantWarning, nearest, warn
from pliant.forces.rest_lengths import pretension
from pliant.joints import rows as kernels
from pliant.model import Ground, Joint, Model
from pliant.model.kinds import kinds_of
from pliant.system.assembly import dependent_rows, massless_spins
from pliant.system.assembly.assembly import Assembly, assemble, refuse
from pliant.system.assembly.configuration import assembled_coordinates
from pliant.system.equations import Equations
from pliant.system.numbering.element_counts import AUTO, fewest
from pliant.system.numbering.numbering import enough_elements
from pliant.system.numbering.planar_layout import Layout
from pliant.system.numbering.spatial_layout import SpatialLayout
from pliant.system.packing import catalogue, fused, refusals
from pliant.system.packing.beam_mass import set_beam_masses
from pliant.system.packing.entry_places import pattern_of, placed_in
from pliant.system.packing.family_checks import pack_checked
from pliant.system.packing.joint_friction import frictions, rubbing_of
from pliant.system.packing.joint_rows import default_constants, pack
from pliant.system.system import JointRows, System

AnySystem = TypeVar("AnySystem", bound=System)
Closing = Callable[[System, Assembly], System]
SOFTNESS = 1e-9
STANDARD = Exact(3, order=3)  # default of a beam; more elements if its markers need them
FOLDED = 1e-6  # rad; a tendon that turns by half a turn, within this angle, lies on itself


def build(
    model: Model,
    *,
    elements: Any = None,
    rubs: bool = False,
    length: float | None = None,
    bordered: bool = False,
    close: Closing | None = None,
) -> System:
    """Number, assemble and pack a model.

    elements  as in `compile`
    rubs      whether the formulation computes friction due to the reactions of joints
    length    size of the model, if it represents another one
    bordered  whether matrices may have a border (linalg/pattern.py)
    close     function that bends beams until open loops close; without it open loops are refused
    """
    options = fed_options(model, element_options(model, elements, close))
    kind: Any = Layout if model.plane else SpatialLayout
    layout = kind(model, options)
    layout.bordered = bordered
    scale = layout.length_scale = length or length_scale(model)
    assembly = layout.assembly = assemble(model, scale)
    if assembly.gap and not (layout.beams and close):
        refuse(assembly)
    initial = layout.assembled = assembled_coordinates(layout, assembly)
    check_spans(layout, scale)
    if isinstance(layout, SpatialLayout):
        layout.idle = massless_spins.idle_spins(layout, unsigned_rows(layout, assembly), initial, scale)
    arrays, stress = pack_families(layout)
    rows, owner = pack(model.joints, layout, assembly.kept, scale, layout.signal)
    joint_rows = _joint_rows(model, owner)
    meshed = {mesh.beam for name in catalogue.having("meshes", layout) for mesh in catalogue.of(name).meshes(layout)}
    rough = frictions(layout, model.joints, computed=rubs)
    refusals.check_used(layout, meshed, joint_rows)
    space, n = layout.space, layout.freedoms
    redundant = dependent_rows.redundant_rows(rows, initial, signals_at_start(layout), scale, space, n)
    if redundant.any():
        rows = rows._replace(softness=np.where(redundant, SOFTNESS, 0.0))
    arrays, rows, pattern = pattern_of(layout, arrays, rows, owner)
    system = System(
        model=model,
        layout=layout,
        equations=Equations(
            parts=fused.pack(arrays),
            rows=rows,
            pattern=pattern,
            freedoms=n,
            frames=space.frames(layout.ground),
            turning=layout.moving if space.quaternions else 0,
            weight=np.where(layout.angular, 1.0, 1.0 / scale),
            gamma=gamma(layout),
            mass=mass(layout),
            inertia=np.empty((0, 11)),
            rubbing=rubbing_of(layout, rough, rows, owner, pattern),
        ),
        joints=joint_rows,
        initial=initial,
        length_scale=scale,
        unsymmetric=_unsymmetric(layout, arrays) or bool(rough),
        conservative=not _any("unsymmetric", arrays),
        stress_size=stress,
        redundant=tuple(sorted({model.joints[k].name for k in owner[redundant]})),
        settings={"elements": {name: repr(option) for name, option in options.items()}},
    )
    if system.redundant:
        warn(
            PliantWarning,
            f"Redundant constraints: joints {', '.join(system.redundant)} lock the same motion more than once. "
            "The motion is unaffected; how reactions share between them is not determined and is split evenly.",
        )
    if assembly.gap and close:
        system = close(system, assembly)
        layout.assembled, layout.forced = system.initial, True
        pretension(layout)
    return system


def by_beam(model: Model, elements: Any, default: Any) -> dict[str, Any]:
    """Return the option ``elements`` for every beam: one for all, or some by name and the default for the others."""
    given = dict(elements) if isinstance(elements, Mapping) else {}
    names = [beam.name for beam in model.beams]
    for name in given:
        if name not in names:
            raise OptionError(f"elements: there is no beam {name!r} in the model. {nearest(name, names)}")
    return {name: given.get(name, default if isinstance(elements, Mapping) else elements) for name in names}


def element_options(model: Model, elements: Any, close: Closing | None = None) -> dict[str, Any]:
    """Return the options of the elements of every beam, by its name, from the argument of `compile`."""
    given = by_beam(model, elements, None)
    options = {name: _one(name, value) for name, value in given.items() if value is not None}
    if len(options) < len(given):
        wishes = {beam: STANDARD.elements for beam in model.beams if beam.name not in options}
        enough = enough_elements(model, wishes)
        options |= {beam.name: replace(STANDARD, elements=count) for beam, count in enough.items()}
    if any(isinstance(option, Auto) for option in options.values()):
        options = _count_elements(model, options, close)
    for name, option in options.items():
        here, other = ("spatial", "planar") if model.spatial else ("planar", "spatial")
        if here not in option.spaces():
            raise OptionError(
                f"elements of beam {name!r}: {option!r:.60} is for {other} models; {model.name!r} is {here}. Give a "
                f"whole number, {_elements(here)}."
            )
    return options


def _count_elements(model: Model, options: dict[str, Any], close: Closing | None) -> dict[str, Any]:
    """Return options with exact elements instead of `Auto`, the same number for equal lengths."""
    auto = {beam: options[beam.name] for beam in model.beams if isinstance(options[beam.name], Auto)}
    longest = max(beam.length for beam in auto)

    def chosen(count: int, refinement: int = 1) -> dict[str, Any]:
        counts = enough_elements(model, {beam: ceil(count * beam.length / longest) for beam in auto})
        return options | {beam.name: Exact(refinement * counts[beam], order=auto[beam].order) for beam in auto}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # the final mesh repeats the warnings
        count = fewest(
            lambda count, refinement: build(model, elements=chosen(count, refinement), rubs=True, close=close),
            modes=max(each.modes for each in auto.values()),
            accuracy=min(each.accuracy for each in auto.values()),
            least=1, first=1, what="elements",
        )  # fmt: skip
    return chosen(count)


def finer_elements(model: Model, factor: int, *, elements: Any = None) -> dict[str, Any]:
    """Return options of `compile` for a mesh with ``factor`` times as many elements."""
    options = element_options(model, elements)
    return {"elements": {name: replace(each, elements=factor * each.elements) for name, each in options.items()}}


def _one(name: str, value: Any) -> Any:
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return Exact(elements=int(value))
    if isinstance(value, Auto) or (isinstance(value, str) and value == AUTO):
        return value if isinstance(value, Auto) else Auto()
    if isinstance(value, BeamElement) and not value.decorated():
        raise OptionError(
            f"elements of beam {name!r}: {type(value).__module__}.{type(value).__name__} is no dataclass; write "
            "@dataclass(frozen=True) above it."
        )
    if not isinstance(value, BeamElement):
        lumped = type(value).__name__ == "Lumped"
        raise OptionError(
            f"elements of beam {name!r}: got {value!r:.60}; give a whole number, {AUTO!r}, {_elements('planar')}"
            f"{', or compile with formulation=' + repr('udwadia_kalaba') if lumped else ''}."
        )
    return value


def _elements(space: str) -> str:
    """Return the names of the available elements, in words."""
    *names, last = (f"{kind.__name__}(...)" for kind in kinds_of(BeamElement) if space in kind.spaces())
    return f"{', '.join(names)} or {last}"


def length_scale(model: Model) -> float:
    """Return the largest length in the model: bodies, beams, offsets of markers, distances of ground points; else the
    largest distance between ground points and guessed positions of bodies. It does not depend on the axes.
    """
    lengths = [getattr(body, "length", 0.0) for body in (*model.bodies, *model.beams)]
    markers = model.markers
    lengths += [hypot(m.x, m.y, m.z) for m in markers if not isinstance(m.body, Ground)]
    fixed = [(m.x, m.y, m.z) for m in markers if isinstance(m.body, Ground)]
    places: list[Any] = [getattr(body, "position", None) for body in model.bodies]
    guessed = [(*place, 0.0)[:3] for place in places if place is not None]
    return float(max([_spread(fixed), *lengths])) or _spread(fixed + guessed) or 1.0


def _spread(points: Sequence[Any]) -> float:
    """Return the largest distance between any two points."""
    table = np.array(list(dict.fromkeys(points)), float).reshape(-1, 3)
    return max((float(np.max(np.linalg.norm(table - point, axis=1))) for point in table), default=0.0)


def pack_families(layout: Any, names: Collection[str] | None = None) -> tuple[dict[str, Any], int]:
    """Return the arrays of every family that has elements, and the number of stresses of mixed integration points. With
    names only of these families of the layout, whose arrays were checked at compilation.
    """
    here = [name for name in catalogue.here(layout) if names is None or name in names]
    kinds, sectioned = {force.computed_as for force in layout.model.forces}, catalogue.having("meshes", layout)

    def arrays_of(name: str) -> Any:
        return pack_checked(name, layout, kinds) if names is None else catalogue.of(name).pack(layout)

    beams = {name: arrays_of(name) for name in here if name in sectioned}
    set_beam_masses(layout, {name: part for name, part in beams.items() if part is not None})
    arrays: dict[str, Any] = {}
    stress = 0
    for name in here:
        part = beams[name] if name in beams else arrays_of(name)
        if hasattr(part, "stress_start"):
            part = part._replace(stress_start=stress)
            stress += catalogue.of(name).stress_size(part)
        if part is not None and len(part.dofs):
            arrays[name] = part
    return arrays, stress


def _any(question: str, arrays: Mapping[str, Any]) -> bool:
    """Return whether any family answers a question about its arrays with yes."""
    asked = ((catalogue.of(name), part) for name, part in arrays.items())
    return any(getattr(family, question)(part) for family, part in asked if hasattr(family, question))


def _unsymmetric(layout: Any, arrays: Mapping[str, Any]) -> bool:
    """Return whether Newton in motion needs the skew half of the tangent.

    In space every mass is gyroscopic, by half the rotation in a step: so little that Newton converges without it.
    """
    strong = _any("unsymmetric", arrays) or _any("rubbing", arrays)
    return strong or (not layout.space.quaternions and _any("gyroscopic", arrays))


def _joint_rows(model: Model, owner: np.ndarray) -> tuple[JointRows, ...]:
    """Return the rows of every joint."""
    counts = np.bincount(owner, minlength=len(model.joints))
    return tuple(
        JointRows(joint, int(first), int(count))
        for joint, first, count in zip(model.joints, np.cumsum(counts) - counts, counts, strict=True)
    )


def condition_rows(system: System, conditions: Sequence[Joint]) -> kernels.Rows:
    """Return rows of joints outside the model: conditions on its pose. Directions that are not given are directions of
    coinciding markers.
    """
    kept = [default_constants(joint, system.space.quaternions) for joint in conditions]
    return pack(conditions, system.layout, kept, system.length_scale, _no_signal)[0]


def unsigned_rows(layout: Any, assembly: Assembly) -> kernels.Rows:
    """Return the rows of the joints without drives."""
    return pack(layout.model.joints, layout, assembly.kept, layout.length_scale, _unsigned)[0]


def _unsigned(value: Any, owner: Joint, quantity: str) -> int:
    """Return a dummy number of a signal, if only directions of rows matter."""
    return 0


def _no_signal(value: Any, owner: Joint, quantity: str) -> int:
    raise OptionError(f"{owner.owner}: a prescribed motion cannot be a condition.")


def signals_at_start(layout: Layout) -> np.ndarray:
    """Return the values of all signals at t = 0."""
    moving = {k: named for k, named in enumerate(layout.signals) if k != Layout.TIME}
    u = np.zeros(len(layout.signals))
    u[list(moving)] = [float(np.asarray(named.at(np.zeros(1))).reshape(-1)[0]) for named in moving.values()]
    return u


def reduce_pattern(system: AnySystem, arrays: dict[str, Any]) -> AnySystem:
    """Return the system with arrays that couple fewer nodes: its matrices omit entries that are always zero."""
    present = {name: part for name, part in arrays.items() if len(part.dofs)}
    if all(len(part.dofs) == len(fused.family(system.equations.parts, name).dofs) for name, part in present.items()):
        return with_arrays(system, arrays)
    return with_pattern(system, arrays)


def with_pattern(system: AnySystem, arrays: dict[str, Any]) -> AnySystem:
    """Return the system with a pattern for these arrays of its families."""
    owner = np.repeat(np.arange(len(system.joints)), [joint.count for joint in system.joints])
    placed, rows, pattern = pattern_of(system.layout, arrays, system.equations.rows, owner)
    rough = frictions(system.layout, system.model.joints, computed=system.rubs)
    rubbing = rubbing_of(system.layout, rough, rows, owner, pattern)
    equations = system.equations._replace(parts=fused.pack(placed), rows=rows, pattern=pattern, rubbing=rubbing)
    unsymmetric = _unsymmetric(system.layout, arrays) or system.rubs
    return replace(system, equations=equations, unsymmetric=unsymmetric, conservative=not _any("unsymmetric", arrays))


def unbordered(system: AnySystem) -> AnySystem:
    """Return the system with matrices without a border, for loops that read their entries."""
    if not system.equations.pattern.borders:
        return system
    system = replace(system, layout=system.layout.unbordered())
    return with_pattern(system, pack_families(system.layout)[0])


def repack(system: AnySystem, arrays: dict[str, Any] | None = None) -> AnySystem:
    """Return the system with its families packed again, or with other arrays of them: for example, a load that now
    varies in time has no potential any more.
    """
    again = with_arrays(system, arrays or pack_families(system.layout)[0])
    if not np.array_equal(again.equations.parts.header, system.equations.parts.header):
        raise ModelError(f"Model {system.model.name!r} has changed since it was compiled: compile it again.")
    return again


def undamped(system: AnySystem) -> AnySystem:
    """Return the system with undamped beams."""
    layout = system.layout.undamped()
    return with_arrays(replace(system, layout=layout), pack_families(layout)[0])


def remeshed(system: AnySystem, options: Mapping[str, Any]) -> AnySystem:
    """Return the system with other options of its beams that couple the same nodes."""
    layout = system.layout.with_options(options)
    arrays, stress = pack_families(layout)
    return with_arrays(replace(system, layout=layout, stress_size=stress), arrays)


def with_arrays(system: AnySystem, arrays: dict[str, Any]) -> AnySystem:
    """Return the system with other arrays of its families."""
    equations = system.equations
    placed = placed_in(equations.pattern, system.freedoms, arrays)
    return replace(
        system,
        equations=equations._replace(parts=fused.pack(placed)),
        unsymmetric=_unsymmetric(system.layout, arrays) or system.rubs,
        conservative=not _any("unsymmetric", arrays),
    )


def check_spans(layout: Layout, scale: float) -> None:
    """Refuse a line between two coinciding points, which has no direction (unless it may vanish), and a line that folds
    back at a guide.
    """
    for part in (part for part in layout.model if part.line):
        steps = np.diff([layout.place(marker) for marker in part.line], axis=0)
        for (a, b), apart in zip(pairwise(part.line), np.linalg.norm(steps, axis=1), strict=True):
            if apart < 1e-9 * scale and not part.may_vanish:
                raise ModelError(
                    f"{part.owner}: its markers {a.label} and {b.label} coincide, so it has no direction. Give "
                    "the bodies other guesses, or markers apart from each other."
                )
        for guide, before, after in zip(part.line[1:], steps, steps[1:], strict=False):
            cosine = before @ after / (np.linalg.norm(before) * np.linalg.norm(after))
            if np.arccos(np.clip(cosine, -1.0, 1.0)) > pi - FOLDED:
                raise ModelError(
                    f"{part.owner}: it folds back on itself at its guide {guide.label}, which it cannot turn round. "
                    "The guides may be in the wrong order: name them as the tendon meets them, from a to b."
                )


def mass(layout: Layout) -> float:
    """Total mass."""
    model = layout.model
    lumps = sum(body.mass for body in model.bodies) + sum(lump.mass for lump in model.point_masses)
    carried = sum(mass for part in model.forces for _, mass in part.carried(layout))
    return float(lumps + sum(beam.mass for beam in model.beams) + carried) or 1.0


def gamma(layout: Layout) -> float:
    """Return the augmented term in motion: needed only if a part can move without moving any mass, such as a slender
    spatial bar about its own axis.
    """
    if all(body.mass and not len(layout.inert_axes(body)) for body in layout.rigid_bodies):
        return 0.0
    return mass(layout)
