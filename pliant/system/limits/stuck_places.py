"""Sticking places in the equations of a system."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.system.observation.labels import labels_of
from pliant.system.packing import catalogue, fused


def family(system: Any) -> str:
    """Return the name of the family of sticking places."""
    return "stuck_spatial" if system.space.quaternions else "stuck_planar"


def places(system: Any) -> Any:
    """Return the arrays of the sticking places, if any."""
    parts = getattr(getattr(system, "equations", None), "parts", None)
    name = family(system) if parts is not None else ""
    return fused.family(parts, name) if parts is not None and name in fused.names(parts) else None


def parts(system: Any) -> list[Any]:
    """Return the contacts with sticking places."""
    part = places(system)
    return [] if part is None else [labels_of(system).touches[k] for k in np.unique(part.owner)]


def friction(system: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the contact numbers of all sticking places, and their (n, 3) forces on the second part."""
    part = places(system)
    found = np.zeros((part.stiffness.size, 3))
    catalogue.of(family(system)).forces(part, q, found)
    return part.owner.astype(int), found
