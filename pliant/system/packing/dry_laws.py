"""Dry friction about a state, part by part: the damping due to its smoothing, and the speeds that it holds.

Joints have friction by their reactions (`Friction`); laws, contacts and tendons by forces of their families.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant._libraries import sparse
from pliant.forces._dry import Dry
from pliant.kernels.sums import Instant, Into
from pliant.linalg import ldl
from pliant.system.capabilities import HasEquations, Rough, can
from pliant.system.limits import stuck_places
from pliant.system.packing import catalogue, fused
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.system.system import System

SLIDES = 1e-3  # of the damping at rest: damping of sliding smoothed friction, at four times its speed
ROUNDING = 1e-13  # of an entry of a damping matrix
NOTHING = 1e-9  # of the largest eigenvalue of the relative damping: a zero one


class DryLaw(NamedTuple):
    """A part with friction. While it sticks, its smoothed friction has a damping, and it holds speeds (None: other
    parts also hold them); without damping it slides or holds nothing.
    """

    part: Any
    damping: Any = None
    speeds: Any = None  # (speeds, freedoms)

    @property
    def holds(self) -> bool:
        """Return whether it sticks."""
        return self.damping is not None


class Rubbing(NamedTuple):
    """Friction in a state: names of sticking parts; whether any part may rub; the damping that matrices lack (viscous
    friction) less their excess (smoothed dry friction), if any; speeds that are zero while parts stick; names of parts
    that yield while sticking.
    """

    names: list[str]
    rubs: bool
    damping: Any
    speeds: list[Any]
    elastic: list[str]


def rubbing(system: Any, state: State) -> Rubbing:
    """Collect all friction: joints (`Friction`), and laws, contacts and tendons with dry friction."""
    found = Rubbing([], False, None, [], [])
    if can(system, Rough) and system.rubs:
        grips = system.grips(state.q, state.lam)
        holds = grips.limit > 0.0
        names = [name for name, held in zip(grips.names, holds, strict=True) if held]
        viscous = sparse.csr_array(grips.speeds.T @ (grips.viscous[grips.owner][:, None] * grips.speeds))
        found = Rubbing(names, True, viscous, [sparse.csr_array(grips.speeds[holds[grips.owner]])], [])
    tied = stuck_places.parts(system.observed)
    for law in dry_laws(system.observed, state):
        found = found._replace(rubs=True)
        if law.holds:
            found = found._replace(damping=-law.damping if found.damping is None else found.damping - law.damping)
        if law.holds and law.part not in tied:
            found.names.extend({law.part.name}.difference(found.names))
            if law.speeds is None:
                found.elastic.append(law.part.name)
            else:
                found.speeds.append(law.speeds)
    return found


def without_dry(damping: Any, found: Rubbing) -> Any:
    """Return a damping matrix with viscous friction and without smoothed dry friction: entries within its rounding are
    removed.
    """
    if found.damping is None or not found.damping.nnz:
        return sparse.csc_matrix(damping)
    total = sparse.csr_array(damping + found.damping)
    left = abs(total) > ROUNDING * abs(sparse.csr_array(found.damping))
    return sparse.csc_matrix(total.multiply(left))


def dry_laws(system: Any, state: State) -> list[DryLaw]:
    """Return the parts with dry friction as a force of their family, in a state; a contact once per ball."""
    if not can(system, HasEquations):
        return []
    found = list[DryLaw]()
    now = Instant(state.q, state.v, state.a, system.signals(np.array([state.time]))[0])
    for name, dry in _dry(system):
        law = DryLaw(dry.part, *_sticking(system, now, name, dry))
        if law.holds or dry.always:
            found.append(law)
    return found


def abrupt(system: System) -> bool:
    """Return whether the force of some part can change at once: contacts, friction, Python functions."""
    known = system.rubs or any(force.unilateral or force.opaque for force in system.model.forces)
    return known or first_dry(system) is not None


def first_dry(system: System) -> Any:
    """Return a part with dry friction as a force of its family in any state, if there is one."""
    return next((dry.part for _, dry in _dry(system)), None)


def _dry(system: System) -> Iterator[tuple[str, Dry]]:
    """Yield the parts that may rub, and their families."""
    parts, names = system.equations.parts, catalogue.families()
    for name in (names[number] for number in parts.present[:, fused.NUMBER]):
        family = catalogue.of(name)
        for dry in family.dry(fused.family(parts, name), system.layout) if hasattr(family, "dry") else ():
            yield name, dry


def _sticking(system: Any, now: Instant, name: str, dry: Dry) -> tuple[Any, ...]:
    """Return the damping D at rest, and the speeds s with D = sum of d s^T s; empty if the part slides or has none.

    With ``D = E V diag(d) V^T E``, E^2 the diagonal of D, the rows of V^T E are these speeds, without units.
    """
    still = now._replace(v=np.zeros_like(now.v))
    damping, here = (
        _damping(system, at, name, dry.rough) - _damping(system, at, name, dry.smooth) for at in (still, now)
    )
    held = np.flatnonzero(damping.diagonal() > 0.0)
    if not held.size:
        return ()
    size = np.sqrt(damping.diagonal()[held])
    relative, slope = (each[held][:, held].toarray() / np.outer(size, size) for each in (damping, here))
    values, vectors = np.linalg.eigh(0.5 * (relative + relative.T))
    some = values > NOTHING * values[-1]
    unit = vectors[:, some] / np.sqrt(values[some])
    shares = np.linalg.eigvalsh(unit.T @ (0.5 * (slope + slope.T)) @ unit)
    if (shares[0] if dry.locks else shares[-1]) < SLIDES:
        return ()
    if not dry.locks:
        return damping, None
    rows = np.zeros((int(np.sum(some)), system.freedoms))
    rows[:, held] = vectors[:, some].T * size
    return damping, sparse.csr_array(rows)


def _damping(system: Any, at: Instant, name: str, arrays: Any) -> Any:
    """Return the damping matrix of some parts of a family alone."""
    s = system.scratch()
    fused.add(fused.pack({name: arrays}), at, Into(0.0, 1.0, 0.0, s.r, s.s, s.w), s.stress, False)
    return sparse.csr_array(ldl.to_csc(system.equations.pattern, s.s, None, system.freedoms))
