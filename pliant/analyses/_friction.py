"""Small motions of a mechanism whose joints rub: friction has a kink at rest, which has no derivative."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from pliant.errors import OptionError
from pliant.system.capabilities import Rough, can
from pliant.system.state import Matrices, State

STUCK, FREE = "stuck", "free"


def small_motions(system: Any, state: State, friction: str | None, what: str, *, whole: bool = False) -> Matrices:
    """The matrices about an equilibrium. Joints that rub are locked (``"stuck"``: rows are added to the ties), or their
    dry friction is left out (``"free"``); refused where it would hold and neither is said.
    """
    if friction not in (None, STUCK, FREE):
        raise OptionError(f"friction={friction!r} is not known: give {STUCK!r} or {FREE!r}, or leave it out.")
    matrices: Matrices = system.matrices(state, whole=whole) if whole else system.matrices(state)
    if not (can(system, Rough) and system.rubs):
        if friction is not None:
            raise OptionError(
                f"{what}: friction={friction!r}, but no joint of {system.model.name!r} rubs. Leave it out."
            )
        return matrices
    grips = system.grips(state.q, state.lam)
    holds = grips.limit > 0.0
    if friction is None and holds.any():
        names = ", ".join(repr(name) for name, held in zip(grips.names, holds, strict=True) if held)
        raise OptionError(
            f"{what}: {names} of {system.model.name!r} rub. At rest friction has a kink: it holds small motions, and "
            f"gives way to large ones. Say friction={STUCK!r} to lock them, or {FREE!r} to leave dry friction out."
        )
    lossy = sparse.csc_matrix(grips.speeds.T @ (grips.viscous[grips.owner][:, None] * grips.speeds))
    matrices = replace(matrices, damping=matrices.damping + lossy)
    if friction != STUCK:
        return matrices
    held = sparse.csr_array(grips.speeds[holds[grips.owner]])
    return replace(matrices, ties=sparse.csr_array(sparse.vstack([matrices.ties, held])))


def padded(rows: np.ndarray, matrices: Matrices) -> np.ndarray:
    """An array of rows for all ties, zero for those of joints that stick."""
    return np.pad(rows, ((0, matrices.ties.shape[0] - rows.shape[0]), (0, 0)))
