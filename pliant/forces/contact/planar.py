"""Contacts in the plane, and stops of sliding joints: as in space, with x, y and the rotation about z of the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.forces import Contact, Stop
from pliant.forces.contact.balls import entries, planar_frame
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
    from pliant.system.numbering.planar_layout import Layout


@packs_only(Contact, Stop)
def pack(layout: Layout) -> Arrays:
    """Pack one entry a ball, or an end of a stop."""
    return arrays(
        layout, entries(layout, planar_frame(layout), spatial=False), lambda nodes: np.zeros((len(nodes), 0), np.uint32)
    )
