"""Gravity in the plane."""

from typing import Any

from pliant.forces import Gravity
from pliant.forces._loads import Arrays, add, arrays, energy, power, unsymmetric
from pliant.forces.gravity.entries import entries
from pliant.model.kinds import packs_only

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


@packs_only(Gravity)
def pack(layout: Any) -> Arrays:
    """Pack the weights of the model."""
    return arrays(layout, entries(layout))
