"""Load per length along a beam, as nodal forces ``int N_i f ds``, f its factor along the beam; a follower turns with
each node's section.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pliant.forces import DistributedLoad
from pliant.forces._loads import Entry


def entries(layout: Any) -> Iterator[Entry]:
    """Yield one load for each node of the loaded beams."""
    for load in layout.forces(DistributedLoad):
        force = [layout.signal(getattr(load, axis), load, axis) for axis in layout.space.axes]
        mesh = layout.mesh(load.beam)
        for node, length in zip(mesh.nodes, mesh.borne(load.factor), strict=True):
            yield Entry(int(node), length, force, follower=load.follower)
