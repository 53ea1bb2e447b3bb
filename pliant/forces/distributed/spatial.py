"""Load per length along a beam in space, as nodal forces ``int N_i ds``; a follower turns with each node's section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import DistributedLoad
from pliant.forces._spatial_loads import NOWHERE, Arrays, Entry, add, arrays, energy, power, unsymmetric

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: SpatialLayout) -> Arrays:
    """One load a node of the loaded beams."""
    entries = []
    for load in layout.forces(DistributedLoad):
        force = [layout.signal(getattr(load, axis), load, axis) for axis in "xyz"]
        mesh = layout.mesh(load.beam)
        for node, length in zip(mesh.nodes, mesh.tributary, strict=True):
            entries.append(Entry(int(node), NOWHERE, length, force, follower=load.follower))
    return arrays(layout, entries)
