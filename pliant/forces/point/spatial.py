"""Point forces and moments at markers in space, dead or following."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Force, Moment
from pliant.forces._spatial_loads import NONE, NOWHERE, Arrays, Entry, add, arrays, energy, power, unsymmetric

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: SpatialLayout) -> Arrays:
    """One load a force or moment."""
    entries = []
    loads: list[Force | Moment] = [*layout.forces(Force), *layout.forces(Moment)]
    for load in loads:
        signals = [layout.signal(getattr(load, axis), load, axis) for axis in "xyz"]
        node, arm, turn = layout.node(load.marker), layout.arm(load.marker), layout.turn(load.marker)
        if isinstance(load, Force):
            entries.append(Entry(node, arm, 1.0, signals, follower=load.follower, turn=turn))
        else:
            entries.append(Entry(node, NOWHERE, 1.0, (NONE, NONE, NONE), signals, load.follower, turn))
    return arrays(layout, entries)
