"""Loads along beams in space."""

from typing import Any

from pliant.forces import DistributedLoad
from pliant.forces._spatial_loads import Arrays, add, arrays, energy, power, unsymmetric
from pliant.forces.distributed.entries import entries
from pliant.model.kinds import packs_only

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


@packs_only(DistributedLoad)
def pack(layout: Any) -> Arrays:
    """Pack the loads of the model."""
    return arrays(layout, entries(layout))
