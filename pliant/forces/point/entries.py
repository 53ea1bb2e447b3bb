"""Point forces and moments at markers, dead or following."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pliant.forces import Force, Moment
from pliant.forces._loads import Entry


def entries(layout: Any) -> Iterator[Entry]:
    """Yield one load for each force or moment."""
    for force in layout.forces(Force):
        signals = [layout.signal(getattr(force, axis), force, axis) for axis in layout.space.axes]
        node, arm, turn = layout.node(force.marker), layout.arm(force.marker), layout.turn(force.marker)
        yield Entry(node, 1.0, signals, arm=arm, follower=force.follower, turn=turn)
    for moment in layout.forces(Moment):
        words = "xyz" if layout.space.quaternions else ("value",)
        signals = [layout.signal(getattr(moment, word), moment, word) for word in words]
        node, turn = layout.node(moment.marker), layout.turn(moment.marker)
        yield Entry(node, 1.0, moment=signals, follower=moment.follower, turn=turn)
