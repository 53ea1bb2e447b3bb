"""Contacts in space, and stops of sliding joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Contact, Stop
from pliant.forces.contact.balls import entries, spatial_frame
from pliant.forces.contact.balls import touches as touches
from pliant.forces.contact.press import Arrays as Arrays
from pliant.forces.contact.press import add as add
from pliant.forces.contact.press import arrays
from pliant.forces.contact.press import dry as dry
from pliant.forces.contact.press import energy as energy
from pliant.forces.contact.press import openings as openings
from pliant.forces.contact.press import passed as passed
from pliant.forces.contact.press import places as places
from pliant.forces.contact.press import power as power
from pliant.forces.contact.press import pressed as pressed
from pliant.forces.contact.press import rubbing as rubbing
from pliant.forces.contact.press import touching as touching
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout


@packs_only(Contact, Stop)
def pack(layout: SpatialLayout) -> Arrays:
    """Pack one entry a ball, or an end of a stop."""
    return arrays(layout, entries(layout, spatial_frame(layout), spatial=True), lambda nodes: layout.frames(nodes, 2))
