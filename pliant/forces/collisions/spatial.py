"""Collisions in space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Collisions
from pliant.forces.collisions import items
from pliant.forces.collisions.items import Arrays, dry, places, rigid, rubbing, touches
from pliant.forces.collisions.passing import passed
from pliant.forces.collisions.press import add, energy, openings, power, pressed, touching
from pliant.forces.contact.balls import spatial_frame
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "dry", "energy", "openings", "pack", "places"]
__all__ += ["passed", "power", "pressed", "rigid", "rubbing", "touches", "touching"]


@packs_only(Collisions)
def pack(layout: SpatialLayout) -> Arrays:
    """Pack points, pieces and floors."""
    return items.pack(layout, spatial_frame(layout), spatial=True)
