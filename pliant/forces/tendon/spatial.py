"""Tendons through guides in space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Tendon
from pliant.forces.tendon.planar import arrays, lines
from pliant.forces.tendon.pull import Arrays, add, dry, energy, gyroscopic, power, readings, unsymmetric
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "dry", "energy", "gyroscopic", "lines", "pack", "power", "readings", "unsymmetric"]


@packs_only(Tendon)
def pack(layout: SpatialLayout) -> Arrays:
    """Pack the tendons of the model."""
    part, nodes = arrays(layout, lines(layout), layout.arm, 3)
    return part._replace(frames=layout.frames(nodes, nodes.shape[1]))
