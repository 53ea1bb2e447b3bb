"""Small motions of a mechanism whose parts rub: friction has a kink at rest, which has no derivative."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pliant.errors import OptionError
from pliant.system.capabilities import Rough, can
from pliant.system.dry_laws import dry_laws
from pliant.system.state import Matrices, State

STUCK, FREE = "stuck", "free"


class Rubbing(NamedTuple):
    """What rubs in a state: names of what holds, whether anything may; the damping that matrices lack (that of viscous
    friction) or have too much (of dry friction, smoothed); speeds that are zero where it holds.
    """

    names: list[str]
    rubs: bool
    damping: Any
    speeds: list[Any]


def small_motions(system: Any, state: State, friction: str | None, what: str, *, whole: bool = False) -> Matrices:
    """The matrices about an equilibrium. Parts that rub are locked (``"stuck"``: rows are added to the ties), or their
    dry friction is left out (``"free"``); refused where it would hold and neither is said.
    """
    if friction not in (None, STUCK, FREE):
        raise OptionError(f"friction={friction!r} is not known: give {STUCK!r} or {FREE!r}, or leave it out.")
    matrices: Matrices = system.matrices(state, whole=whole) if whole else system.matrices(state)
    found = rubbing(system, state)
    if friction is not None and not found.rubs:
        raise OptionError(f"{what}: friction={friction!r}, but no part of {system.model.name!r} rubs. Leave it out.")
    if friction is None and found.names:
        raise OptionError(
            f"{what}: {told(system, found)} At rest friction has a kink: it holds small motions, and gives way to "
            f"large ones. Say friction={STUCK!r} to lock them, or {FREE!r} to leave dry friction out."
        )
    if found.names and np.any(state.v):
        raise OptionError(
            f"{what}: {told(system, found)} They stick in an instant of a motion, in which there is no model of that. "
            "Linearise at rest, or where they slide."
        )
    matrices = replace(matrices, damping=sparse.csc_matrix(matrices.damping + found.damping))
    if friction != STUCK or not found.speeds:
        return matrices
    return replace(matrices, ties=sparse.csr_array(sparse.vstack([matrices.ties, *found.speeds])))


def rubbing(system: Any, state: State) -> Rubbing:
    """All that rubs: joints (`Friction`), and laws of dry friction."""
    n = system.observed.freedoms
    found = Rubbing([], False, sparse.csr_array((n, n)), [])
    if can(system, Rough) and system.rubs:
        grips = system.grips(state.q, state.lam)
        holds = grips.limit > 0.0
        names = [name for name, held in zip(grips.names, holds, strict=True) if held]
        lossy = sparse.csr_array(grips.speeds.T @ (grips.viscous[grips.owner][:, None] * grips.speeds))
        found = Rubbing(names, True, lossy, [sparse.csr_array(grips.speeds[holds[grips.owner]])])
    for law in dry_laws(system.observed, state):
        found = found._replace(rubs=True)
        if law.holds:
            found.names.append(law.part.name)
            found.speeds.append(law.speed)
            found = found._replace(damping=found.damping - law.damping)
    return found


def told(system: Any, found: Rubbing) -> str:
    """What holds, by name."""
    return f"{', '.join(map(repr, found.names))} of {system.model.name!r} rub."


def padded(rows: np.ndarray, matrices: Matrices) -> np.ndarray:
    """An array of rows for all ties, zero for those of parts that stick."""
    return np.pad(rows, ((0, matrices.ties.shape[0] - rows.shape[0]), (0, 0)))
