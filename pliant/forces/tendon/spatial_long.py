"""Tendons through many guides in space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Tendon
from pliant.forces.tendon.long import Arrays, add, energy, power, readings
from pliant.forces.tendon.planar_long import arrays, lines
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "energy", "lines", "pack", "power", "readings"]


@packs_only(Tendon)
def pack(layout: SpatialLayout) -> Arrays:
    """Pack the tendons of the model."""
    return arrays(layout, layout.arm, 3)
