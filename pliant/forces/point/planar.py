"""Point forces and moments at markers, dead or following."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Force, Moment
from pliant.forces._loads import Arrays, Entry, add, arrays, energy, power, unsymmetric

if TYPE_CHECKING:
    from pliant.system.layout import Layout

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: Layout) -> Arrays:
    """One load a force or moment."""
    entries = []
    for force in layout.forces(Force):
        dx, dy, angle = layout.offset(force.marker)
        x, y = layout.signal(force.x, force, "x"), layout.signal(force.y, force, "y")
        entries.append(Entry(layout.node(force.marker), dx, dy, 1.0, x, y, layout.ZERO, force.follower, angle))
    for moment in layout.forces(Moment):
        value = layout.signal(moment.value, moment, "value")
        entries.append(Entry(layout.node(moment.marker), 0.0, 0.0, 1.0, layout.ZERO, layout.ZERO, value))
    return arrays(layout, entries)
