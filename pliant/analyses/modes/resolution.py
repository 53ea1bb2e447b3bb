"""Separation of vibrations of the mechanism from vibrations of its mesh (system/limits/mesh_resolution.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.analyses.checks import Checks, unanswered
from pliant.results.records import Check
from pliant.system.capabilities import LinearisableByFrequency, Observed, Turning, can
from pliant.system.limits.mesh_resolution import Vibrations
from pliant.system.limits.offered import ResolvesWaves
from pliant.system.state import State

RESOLVED = 0.2  # of a frequency: a mode that is further off is one of the mesh, not of the mechanism
SHORT = "waves too short for the mesh"


def too_short(system: Any, state: State, modes: Vibrations) -> np.ndarray:
    """Estimate the relative errors of frequencies that meshes of beams cause; zero without meshes."""
    seen, omega = system.observed, np.abs(modes.values)
    if can(system, LinearisableByFrequency) or not can(seen, ResolvesWaves):
        return np.zeros(omega.size)
    if can(system, Turning):  # of what whirls in axes that stand still
        omega = np.minimum(omega, np.abs(omega - abs(system.spin.rate)))
    return np.asarray(seen.wave_errors(state, modes, omega, RESOLVED))


def resolved(errors: np.ndarray, values: np.ndarray) -> int:
    """Return how many of the first modes, of ordered eigenvalues, are resolved with no others between them: an
    unresolved mode may in truth be slower than resolved ones.
    """
    off, size = errors > RESOLVED, np.abs(values)
    off |= size > np.min(size[off] / (1.0 + errors[off]), initial=np.inf)
    return int(np.argmax(off)) if np.any(off) else off.size


def of_waves(seen: Observed, errors: np.ndarray, values: np.ndarray) -> Checks:
    """Check that the meshes of beams resolve all modes."""
    if not can(seen, ResolvesWaves) and seen.model.beams:
        return unanswered(SHORT, ResolvesWaves, concerned=True)
    advice, good = "Take more elements, or elements of a higher order", resolved(errors, values)
    advice += f", or ask for modes={good}." if good else "."
    where = f" (from mode {good + 1} on)" if good < errors.size else ""
    return [Check(SHORT, np.max(errors, initial=0.0), RESOLVED, f"of a frequency{where}", advice)]
