"""Motor torque between two markers: on b, and minus the same on a."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Motor
from pliant.forces._loads import Arrays, Entry, add, arrays, energy, power, unsymmetric

if TYPE_CHECKING:
    from pliant.system.layout import Layout

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: Layout) -> Arrays:
    """Two opposite moments a motor."""
    entries = []
    for motor in layout.forces(Motor):
        torque = layout.signal(motor.torque, motor, "torque")
        for marker, sign in ((motor.b, 1.0), (motor.a, -1.0)):
            entries.append(Entry(layout.node(marker), 0.0, 0.0, sign, layout.ZERO, layout.ZERO, torque))
    return arrays(layout, entries)
