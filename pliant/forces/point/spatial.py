"""Forces and moments at markers in space."""

from typing import Any

from pliant.forces._spatial_loads import Arrays, add, arrays, energy, power, unsymmetric
from pliant.forces.point.entries import entries

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: Any) -> Arrays:
    """Of the model."""
    return arrays(layout, entries(layout))
