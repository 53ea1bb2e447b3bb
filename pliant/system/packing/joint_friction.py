"""Friction of joints as flat arrays (joints/rows/rubbing.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pliant.errors import ModelError, OptionError, nearest
from pliant.forces.friction import Friction
from pliant.joints.rows import Rows, chosen, rubbing
from pliant.joints.rows.rubbing import Rubbed, Rubbing
from pliant.linalg.ldl import triangles
from pliant.model import Joint, Model, rotations
from pliant.model.conditions import Condition
from pliant.system.numbering.planar_layout import Layout
from pliant.system.numbering.spatial_layout import SpatialLayout
from pliant.system.packing.joint_rows import Row, pack_rows
from pliant.system.samples import Samples


def frictions(layout: Any, joints: Sequence[Joint], *, computed: bool) -> list[Friction]:
    """Return the friction of a model in the order of its joints; refuse friction that is not ``computed``."""
    for part in (force for force in layout.model.forces if force.computed_as is Friction and not computed):
        raise ModelError(
            f"{part.owner}: friction by the reaction of a joint is not in this formulation. Compile with "
            "formulation='dae' or 'udwadia_kalaba', or take PinFriction or SlideFriction, whose size is given."
        )
    parts: list[Friction] = sorted(layout.forces(Friction), key=lambda part: joints.index(part.joint))
    for one, other in pairwise(parts):
        if one.joint is other.joint:
            raise ModelError(f"{other.owner}: joint {one.joint.name!r} has friction already, {one.owner}. Give one.")
    return parts


def rubbing_of(layout: Any, parts: Sequence[Friction], rows: Rows, owner: np.ndarray, pattern: Any) -> Rubbing:
    """Return the arrays of the friction of joints; ``owner`` is the joint of every row."""
    if not parts:
        return _none(layout.space.quaternions)
    spatial, joints = layout.space.quaternions, layout.model.joints
    surfaces = [part.surface(spatial) for part in parts]
    sliding = [Row(part.joint, Condition((x.term,))) for part, each in zip(parts, surfaces, strict=True) for x in each]
    owners = [joints.index(part.joint) for part in parts]
    number = np.concatenate([np.flatnonzero(owner == k) for k in owners] or [np.zeros(0, int)])
    terms = [int(np.isin(rows.row, np.flatnonzero(owner == k)).sum()) for k in owners]
    packed = pack_rows(sliding, layout, 1.0, layout.signal)
    return Rubbing(
        sliding=packed._replace(slots=triangles(pattern, layout.freedoms, packed.dofs)),
        normal=chosen(rows, number),
        slides=np.cumsum([0, *map(len, surfaces)]),
        presses=np.cumsum([0, *terms]),
        number=number,
        axis=np.array([_axis(part.joint, layout) for part in parts]).reshape(-1, 3),
        arm=np.array([x.arm for each in surfaces for x in each], float),
        spins=np.array([int(x.spins) for each in surfaces for x in each], np.int64),
        law=np.array([part.law for part in parts], float).reshape(-1, 8),
    )


@cache
def _none(spatial: bool) -> Rubbing:
    """Return the arrays of a model without friction of joints."""
    layout = SpatialLayout(Model("smooth", plane=None), {}) if spatial else Layout(Model("smooth"), {})
    rows, none = pack_rows([], layout, 1.0, layout.signal), np.zeros(0, np.int64)
    starts = np.zeros(1, np.int64)
    return Rubbing(rows, rows, starts, starts, none, np.zeros((0, 3)), np.zeros(0), none, np.zeros((0, 8)))


class Grips(NamedTuple):
    """Joints with friction at rest: names, the largest held load (N, or N m for rotation only), its derivative by the
    multipliers, and the speeds of their surfaces by velocities, with the joint of each.
    """

    names: tuple[str, ...]
    limit: np.ndarray  # (joints)
    slope: np.ndarray  # (joints, constraints)
    speeds: np.ndarray  # (speeds, freedoms)
    owner: np.ndarray  # (speeds)
    viscous: np.ndarray  # (joints)


def grips_of(system: Any, q: np.ndarray, lam: np.ndarray) -> Grips:
    """Return the friction that joints can hold in a pose, for these reactions."""
    found, out = system.equations.rubbing, rubbed_of(system.equations.rubbing)
    rubbing.rub(found, q, np.zeros(system.size), lam, out)
    joints, owner = found.law.shape[0], np.repeat(np.arange(found.law.shape[0]), np.diff(found.slides))
    speeds, slope = np.zeros((owner.size, system.size)), np.zeros((joints, system.constraints))
    for i in range(owner.size):
        np.add.at(speeds[i], found.sliding.dofs[i].astype(int), found.arm[i] * out.along[i])
    rise = found.law[:, rubbing.COEFFICIENT] * (1.0 + found.law[:, rubbing.RISE])
    for e in range(joints):
        terms = np.arange(found.presses[e], found.presses[e + 1])
        np.add.at(slope[e], found.number[found.normal.row[terms]], rise[e] * out.press[terms])
    names = tuple(system.row_owner(int(found.number[found.normal.row[k]])).name for k in found.presses[:-1])
    viscous = found.law[:, rubbing.VISCOUS].copy()
    return Grips(names, out.limit.copy(), slope, speeds[:, : system.freedoms], owner, viscous)


Slip: TypeAlias = int | Sequence[float]
"""Impending slip of a joint: the sign of its rate, 0 for no slip; the rate itself if it can slip in any direction."""


def slips_of(system: Any, sides: Mapping[str, Slip]) -> np.ndarray:
    """Return the (speeds) unit velocities of the surfaces of joints about to slip."""
    parts = {part.joint.name: part for part in system.layout.forces(Friction)}
    names = system.grips(system.initial, np.zeros(system.constraints)).names
    for name in sides:
        if name not in names:
            raise OptionError(f"friction: there is no joint {name!r} that rubs. {nearest(str(name), names)}")
    found: list[float] = []
    for name in names:
        if name not in sides:
            raise OptionError(f"friction: joint {name!r} rubs too. Give its direction, 1 or -1; 0: it does not slip.")
        found += _slip(name, parts[name], sides[name], system.space.quaternions)
    return np.array(found)


def _slip(name: str, part: Friction, side: Any, spatial: bool) -> list[float]:
    """Return the unit velocity of the surface of a joint; zero without slip."""
    arms = np.array([sliding.arm for sliding in part.surface(spatial)])
    if not isinstance(side, bool) and np.ndim(side) == 0 and side in ((0,) if part.slip is None else (1, -1, 0)):
        return [side * x for x in part.slip or np.zeros(arms.size)]
    if part.slip is not None:
        raise OptionError(
            f"friction of {name!r}={side!r}: give 1, -1 or 0, the sign of the rate with which it is about to slip."
        )
    try:
        rate = np.asarray(side, float)
    except (TypeError, ValueError):
        rate = np.zeros(0)
    if rate.shape != arms.shape or not 0.0 < np.linalg.norm(arms * rate) < np.inf:
        words = "(x, y, z) of the angular velocity" if arms.size == 3 else "(travel in m/s, turn in rad/s)"
        raise OptionError(
            f"friction of {name!r}={side!r}: it can slip in more than one direction, so a sign is not enough. Give the "
            f"rate with which it is about to slip, {words}, of any size; 0: it does not slip."
        )
    return list(arms * rate / np.linalg.norm(arms * rate))


def friction_variables(system: Any, samples: Samples) -> dict[str, np.ndarray]:
    """Return the (instants, joints) values of joints with friction, by variable."""
    found, out = system.equations.rubbing, rubbed_of(system.equations.rubbing)
    speed, force = np.zeros((2, samples.time.size, found.arm.size))
    limit = np.zeros((samples.time.size, found.law.shape[0]))
    for k in range(samples.time.size):
        rubbing.rub(found, samples.q[k], samples.v[k], samples.lam[k], out)
        speed[k], force[k], limit[k] = out.speed, out.force, out.limit
    values = by_joint(found.slides, speed), by_joint(found.slides, force), limit
    return dict(zip(Friction.results, values, strict=True))


def by_joint(slides: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return (..., joints) values from values of speeds: the value itself for one speed, else their norm."""
    parts = [values[..., first:end] for first, end in pairwise(slides)]
    return np.stack([x[..., 0] if x.shape[-1] == 1 else np.linalg.norm(x, axis=-1) for x in parts], axis=-1)


def rubbed_of(rubbing: Rubbing) -> Rubbed:
    """Return the workspace of the friction of joints."""
    width, speeds, joints = rubbing.sliding.dofs.shape[1], rubbing.arm.size, rubbing.law.shape[0]
    terms = rubbing.normal.row.size
    shapes = (speeds, width), (terms, width), terms, speeds, speeds, (joints, 3), joints, 1
    return Rubbed(*(np.zeros(shape) for shape in shapes))


def _axis(joint: Joint, layout: Any) -> Any:
    """Return the axis of a joint in the frame of its node a: of sliding, else of rotation."""
    along = "xyz".index(getattr(joint, "along", "z"))
    if not layout.space.quaternions:
        turn = layout.turn(joint.a)
        return (np.cos(turn), np.sin(turn), 0.0) if along == 0 else (0.0, 0.0, 0.0)
    return rotations.matrix(rotations.product(layout.turn(joint.a), joint.frame_a))[:, along]
