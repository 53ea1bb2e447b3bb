"""Places of a system that stick, as its equations have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.system.observation.labels import labels_of
from pliant.system.packing import catalogue, fused


def family(system: Any) -> str:
    """Name of the family of places that stick."""
    return "stuck_spatial" if system.space.quaternions else "stuck_planar"


def places(system: Any) -> Any:
    """Arrays of the places that stick; None where there are none."""
    parts = getattr(getattr(system, "equations", None), "parts", None)
    name = family(system) if parts is not None else ""
    return fused.family(parts, name) if parts is not None and name in fused.names(parts) else None


def parts(system: Any) -> list[Any]:
    """Contacts of which places stick."""
    part = places(system)
    return [] if part is None else [labels_of(system).touches[k] for k in np.unique(part.owner)]


def friction(system: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the contacts of all places that stick, and (n, 3) the forces of these on the second part."""
    part = places(system)
    found = np.zeros((part.stiffness.size, 3))
    catalogue.of(family(system)).forces(part, q, found)
    return part.owner.astype(int), found
