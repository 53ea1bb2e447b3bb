"""Forces and moments at markers in space."""

from typing import Any

from pliant.forces import Force, Moment
from pliant.forces._spatial_loads import Arrays, add, arrays, energy, power, unsymmetric
from pliant.forces.point.entries import entries
from pliant.model.kinds import packs_only

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


@packs_only(Force, Moment)
def pack(layout: Any) -> Arrays:
    """Pack the loads of the model."""
    return arrays(layout, entries(layout))
