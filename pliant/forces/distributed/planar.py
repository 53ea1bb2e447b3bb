"""Load per length along a beam, as nodal forces ``int N_i ds``; a follower turns with each node's section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import DistributedLoad
from pliant.forces._loads import Arrays, Entry, add, arrays, energy, power, unsymmetric

if TYPE_CHECKING:
    from pliant.system.layout import Layout

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: Layout) -> Arrays:
    """One load a node of the loaded beams."""
    entries = []
    for load in layout.forces(DistributedLoad):
        x, y = layout.signal(load.x, load, "x"), layout.signal(load.y, load, "y")
        mesh = layout.mesh(load.beam)
        for node, length in zip(mesh.nodes, mesh.tributary, strict=True):
            entries.append(Entry(int(node), 0.0, 0.0, length, x, y, layout.ZERO, load.follower))
    return arrays(layout, entries)
