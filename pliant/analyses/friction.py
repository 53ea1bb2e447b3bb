"""Small motions of a mechanism whose parts rub: friction has a kink at rest, which has no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pliant.analyses.statics.statics import STUCK
from pliant.errors import OptionError
from pliant.system.limits import stuck_places
from pliant.system.packing.dry_laws import Rubbing, rubbing, without_dry
from pliant.system.state import Matrices, State

FREE = "free"


def small_motions(system: Any, state: State, friction: str | None, what: str, *, whole: bool = False) -> Matrices:
    """Return the matrices about an equilibrium. Parts with dry friction are locked (``"stuck"``: rows are added to the
    ties), or their friction is left out (``"free"``); without either, friction that would hold is refused.
    """
    if friction not in (None, STUCK, FREE):
        raise OptionError(f"friction={friction!r} is not known: give {STUCK!r} or {FREE!r}, or leave it out.")
    matrices: Matrices = system.matrices(state, whole=whole) if whole else system.matrices(state)
    found = rubbing(system, state)
    if friction is not None and not found.rubs:
        raise OptionError(f"{what}: friction={friction!r}, but no part of {system.model.name!r} rubs. Leave it out.")
    tied = stuck_places.parts(system.observed)
    if friction == FREE and tied:
        raise OptionError(
            f"{what}: friction={FREE!r}, but {', '.join(repr(part.name) for part in tied)} of {system.model.name!r} "
            f"hold the state it is about. Leave friction= out, or give {STUCK!r}."
        )
    if friction is None and found.names:
        raise OptionError(
            f"{what}: {holding(system, found)} Friction has a kink at rest: it prevents small motions and allows "
            f"large ones. Give friction={STUCK!r} to lock them, or {FREE!r} to leave dry friction out."
        )
    if found.names and np.any(state.v):
        raise OptionError(
            f"{what}: {holding(system, found)} They stick at that instant of a motion, which a linear model cannot "
            "describe. Linearise at rest, or while they slide."
        )
    if friction == STUCK and found.elastic:
        raise OptionError(
            f"{what}: friction={STUCK!r}, but {', '.join(map(repr, found.elastic))} of {system.model.name!r} would "
            "stick at guides and become a row of springs with tensions of their own. Model it so, with a tendon for "
            f"each piece, give the direction in which it slides (sliding=), or friction={FREE!r}."
        )
    plain = matrices
    matrices = plain.having(damping=lambda: without_dry(plain.damping, found))
    if friction != STUCK or not found.speeds:
        return matrices
    return matrices.having(ties=sparse.csr_array(sparse.vstack([matrices.ties, *found.speeds])))


def holding(system: Any, found: Rubbing) -> str:
    """Describe the parts that hold, by name."""
    return f"{', '.join(map(repr, found.names))} of {system.model.name!r} rub."


def padded(rows: np.ndarray, matrices: Matrices) -> np.ndarray:
    """Return an array of rows extended to all ties, with zeros for sticking parts."""
    return np.pad(rows, ((0, matrices.ties.shape[0] - rows.shape[0]), (0, 0)))
