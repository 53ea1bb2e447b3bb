"""Whether vibrations are those of the mechanism, or of its mesh (system/limits/mesh_resolution.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.results.records import Check
from pliant.system.capabilities import LinearisableByFrequency, Turning, can
from pliant.system.limits.mesh_resolution import Vibrations, Waves
from pliant.system.samples import Samples
from pliant.system.state import State
from pliant.system.system import System

RESOLVED = 0.2  # of a frequency: a mode that is further off is one of the mesh, not of the mechanism
SHORT = "waves too short for the mesh"


def too_short(system: Any, state: State, modes: Vibrations) -> np.ndarray:
    """How far frequencies are off because of their meshes, relative; zero where beams have none. What pulls at beams,
    which makes waves longer, is looked at if it matters.
    """
    seen, omega = system.observed, np.abs(modes.values)
    waves = None if can(system, LinearisableByFrequency) or not isinstance(seen, System) else Waves.of(seen)
    if waves is None:
        return np.zeros(omega.size)
    if can(system, Turning):  # of what whirls in axes that stand still
        omega = np.minimum(omega, np.abs(omega - abs(system.spin.rate)))
    errors = waves.errors(seen, state.q, modes, omega)
    return waves.errors(seen, state.q, modes, omega, _pulls(seen, state)) if np.any(errors > RESOLVED) else errors


def resolved(errors: np.ndarray, values: np.ndarray) -> int:
    """How many of the first modes, of eigenvalues in their order, are resolved and no others are between them: one that
    is not resolved may in truth be slower than some that are.
    """
    off, size = errors > RESOLVED, np.abs(values)
    off |= size > np.min(size[off] / (1.0 + errors[off]), initial=np.inf)
    return int(np.argmax(off)) if np.any(off) else off.size


def of_waves(errors: np.ndarray, values: np.ndarray) -> Check:
    """Whether all modes are resolved."""
    advice, good = "Take more elements, or elements of a higher order", resolved(errors, values)
    advice += f", or ask for modes={good}." if good else "."
    where = f" (from mode {good + 1} on)" if good < errors.size else ""
    return Check(SHORT, np.max(errors, initial=0.0), RESOLVED, f"of a frequency{where}", advice)


def _pulls(system: System, state: State) -> np.ndarray:
    """Mean axial force in every beam (N)."""
    observer = system.observer()
    forces = observer.values("resultant", Samples.of(state), system.signals(np.array([state.time])))[0, :, 0]
    number = {mesh.beam.name: k for k, mesh in enumerate(system.layout.beams)}
    owners = np.array([number[name] for name in observer.sections()[0]])
    return np.bincount(owners, forces, len(number)) / np.maximum(np.bincount(owners, minlength=len(number)), 1)
