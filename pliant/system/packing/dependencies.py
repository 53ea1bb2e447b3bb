"""Dependencies on a parameter of a model: the parts, families and joints to make and pack again, and whether the
assembled pose changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.elements.beam_fed import Feed
from pliant.forces import DistributedLoad, Drag, Gravity
from pliant.model import Beam, Joint, rotations
from pliant.model.bodies.rigid import Carrier, PointMass
from pliant.model.conditions import ASSEMBLED
from pliant.model.copies import depends
from pliant.model.formulas import parameters_of
from pliant.model.model import carriers
from pliant.model.parts import Load, Part
from pliant.system.assembly.assembly import depends_on_pose
from pliant.system.packing import build, catalogue, fused
from pliant.system.packing.repack import INERT
from pliant.system.system import System

SAME = 1e-9  # of the largest number of an array: rounding of a rigid motion
ELEMENTS = "pliant.elements."
ALONG_BEAMS = (Gravity, DistributedLoad, Drag, Feed)  # loads that elements of beams read, see `loads_along.py`


class Dependents(NamedTuple):
    """Dependents of a parameter: parts, families, and joints by their numbers."""

    parts: Sequence[Part]
    families: Sequence[str]
    joints: Sequence[int]
    moving: bool  # whether positions may change
    posed: bool  # whether numbers depend on the assembled pose
    shifts: bool  # whether markers may move on their bodies


def dependents_of(system: System, name: str) -> Dependents | None:
    """Return the possible dependents of a parameter; None if unknown."""
    model, layout = system.model, system.layout
    if layout.forced or system.rubs or tuple(model) != layout.parts:
        return None
    made, families = [part for part in model if depends(part, (name,))], fused.names(system.equations.parts)
    if not made:
        return None
    read = {each for _, own in _bodies(system).values() for each in own}
    if all(part not in read and _stands(part, name) for part in made):
        return Dependents(made, _reading(families, made), (), False, False, False)
    posed = posed_families(system)
    if posed is None or not posed.isdisjoint(catalogue.having("meshes", layout)):
        return None
    told = [{str(each.kept) for each in kept.conditions if depends_on_pose(each)} for kept in layout.assembly.kept]
    stay = _stay(system, made, name)
    asked, lengthens = bool(posed) or any(ASSEMBLED in each for each in told), stay and _lengthens(made, name)
    parts = [part for part in _dependents_on(system, made) if asked or not lengthens or not isinstance(part, Joint)]
    keep = lengthens and not any(ASSEMBLED in each for each in told)
    joints = () if keep else [k for k, joint in enumerate(model.joints) if told[k] or joint in parts]
    return Dependents(parts, families, joints, True, asked, not stay)


def _reading(families: Sequence[str], made: Sequence[Part]) -> list[str]:
    """Return the families that may read some of the parts: families that declare these loads (`packs_only`), and
    undeclared families, except for our own elements, which read only loads along beams.
    """
    kinds = [part.computed_as or type(part) for part in made if isinstance(part, Load)]
    said = {name: packed_loads(name) for name in families}
    known = all(any(issubclass(kind, only) for only in said.values()) for kind in kinds)
    if len(kinds) < len(made) or not known or any(issubclass(kind, ALONG_BEAMS) for kind in kinds):
        return list(families)

    def reads(name: str) -> bool:
        if said[name]:
            return any(issubclass(kind, said[name]) for kind in kinds)
        return not catalogue.of(name).__name__.startswith(ELEMENTS)

    return [name for name in families if reads(name)]


def packed_loads(name: str) -> tuple[type, ...]:
    """Return the kinds of loads that a family declares to be all that it packs."""
    found: tuple[type, ...] = vars(catalogue.of(name).pack).get("only", ())
    return found


def _stay(system: System, made: Sequence[Part], name: str) -> bool:
    """Return whether a parameter of some parts leaves all markers in place on their bodies: at the nodes of beams."""
    fixed = (isinstance(part, Beam) or isinstance(part, Load) and not part.ties() for part in made)
    return all(fixed) and not any(depends(marker, (name,)) for marker in system.model.markers)


def _lengthens(made: Sequence[Part], name: str) -> bool:
    """Return whether only the lengths of straight beams change among these parts, so that joints keep their
    directions.
    """
    for part in made:
        if isinstance(part, Beam):
            given = part.made.arguments if part.made and not part.made.by else {"": part}
            depending = {key for key, value in given.items() if name in parameters_of(value)}
            if part.curvature != 0.0 or not depending <= {*INERT, "length"}:
                return False
    return True


def _stands(part: Part, name: str) -> bool:
    """Return whether a part and its markers stay in place for any value of a parameter."""
    if part.made is None or part.made.by or isinstance(part, Joint):
        return False
    depending = [key for key, value in part.made.arguments.items() if name in parameters_of(value)]
    if isinstance(part, Carrier):
        return set(depending) <= INERT
    fixed = isinstance(part, PointMass) or isinstance(part, Load) and not part.ties()
    return fixed and not any(name in parameters_of(marker) for marker in part.markers)


def _dependents_on(system: System, made: Sequence[Part]) -> list[Part]:
    """Return the parts, and the parts that depend on their positions, in the order of the model."""
    found = set(made)
    for part, (bodies, _) in _bodies(system).items():
        if not found.isdisjoint(bodies):
            found.add(part)
    return [part for part in system.model if part in found]


def _bodies(system: System) -> dict[Part, tuple[list[Carrier], list[Carrier]]]:
    """Return the bodies to which each part refers, and the bodies to which it refers directly, without a marker."""
    known = vars(system)
    if "_bodies" not in known:
        direct = {part: [each for each in vars(part).values() if isinstance(each, Carrier)] for part in system.model}
        known["_bodies"] = {part: (carriers(part), own) for part, own in direct.items()}
    found: dict[Part, tuple[list[Carrier], list[Carrier]]] = known["_bodies"]
    return found


def posed_families(system: System) -> set[str] | None:
    """Return the families whose numbers depend on the assembled positions of beams and bodies, not only on their
    shapes: found by packing them elsewhere, once. None if unknown.
    """
    known = vars(system)
    if "_posed" not in known:
        known["_posed"] = None if system.layout.stretches else _differing_families(system, _elsewhere(system))
    found: set[str] | None = known["_posed"]
    return found


def _elsewhere(system: System) -> Any:
    """Return the layout with every beam and body moved as a rigid body, each differently."""
    layout, space, rng = system.layout, system.layout.space, np.random.default_rng(0)
    points, width, scale = len(space.axes), space.width, system.length_scale
    shift = np.zeros((layout.moving, width))
    for nodes in [np.array([layout.body_node(body)]) for body in layout.rigid_bodies] + [m.nodes for m in layout.beams]:
        turn = rng.normal(size=width - points)
        places = layout.assembled[: width * layout.moving].reshape(-1, width)[nodes, :points]
        if space.quaternions:
            frames = layout.assembled[layout.frames(nodes)[:, :1] + np.arange(4)]
            shift[nodes, points:] = rotations.rotate(rotations.conjugate(frames), np.tile(turn, (nodes.size, 1)))
            moved = rotations.rotate(rotations.exponential(turn), places)
        else:
            shift[nodes, points:], (c, s) = turn, (np.cos(turn[0]), np.sin(turn[0]))
            moved = places @ np.array([[c, s], [-s, c]])
        shift[nodes, :points] = moved + scale * rng.normal(size=points) - places
    found = layout.bent(shift.ravel())
    found.assembled = system.moved(layout.assembled, shift.ravel())
    return found


def _differing_families(system: System, layout: Any) -> set[str] | None:
    """Return the families for which another layout packs other numbers; None if it packs other families."""
    names, found = fused.names(system.equations.parts), set[str]()
    arrays = build.pack_families(layout, names)[0]
    if len(arrays) < len(names):
        return None
    for name in names:
        for mine, other in zip(fused.family(system.equations.parts, name), arrays[name], strict=True):
            if isinstance(other, np.ndarray) and other.dtype == np.float64:
                size, apart = np.max(np.abs(mine[np.isfinite(mine)]), initial=0.0), mine != other
                if not np.all(np.abs(mine[apart] - other[apart]) <= SAME * size):
                    found.add(name)
    return found
