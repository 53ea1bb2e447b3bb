"""Tendons that slide through many guides with friction, in space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Tendon
from pliant.forces.tendon import planar
from pliant.forces.tendon.long_rough import Arrays, add, energy, power, readings, unsymmetric
from pliant.forces.tendon.planar_long_rough import arrays, lines
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "energy", "lines", "pack", "power", "readings", "unsymmetric"]


@packs_only(Tendon)
def pack(layout: SpatialLayout) -> Arrays:
    """Pack the tendons of the model."""
    route, nodes = planar.arrays(layout, lines(layout), layout.arm, 3)
    return arrays(layout, route._replace(frames=layout.frames(nodes, nodes.shape[1])), nodes)
