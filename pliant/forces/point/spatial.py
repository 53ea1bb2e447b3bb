"""Point forces and moments at markers in space, dead or following."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Force, Moment
from pliant.forces._spatial_loads import NOWHERE, Arrays, Entry, add, arrays, energy, power, unsymmetric

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: SpatialLayout) -> Arrays:
    """One load a force or moment."""
    zero, entries = layout.ZERO, []
    for force in layout.forces(Force):
        x, y, z = (layout.signal(getattr(force, axis), force, axis) for axis in "xyz")
        node, arm, turn = layout.node(force.marker), layout.arm(force.marker), layout.turn(force.marker)
        entries.append(Entry(node, arm, 1.0, (x, y, z), zero, follower=force.follower, turn=turn))
    for moment in layout.forces(Moment):
        value, node = layout.signal(moment.value, moment, "value"), layout.node(moment.marker)
        turn = layout.turn(moment.marker)
        load = Entry(node, NOWHERE, 1.0, (zero, zero, zero), value, moment.direction, moment.follower, turn)
        entries.append(load)
    return arrays(layout, entries)
