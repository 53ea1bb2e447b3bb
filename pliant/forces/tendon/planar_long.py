"""Tendons through many guides in the plane, and the packing for plane and space. Kernels: long.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.forces import Tendon
from pliant.forces.tendon.long import Arrays, add, energy, power, readings
from pliant.forces.tendon.planar import SMOOTH, all_tendons, kind_of, of_law, route_length
from pliant.model.kinds import packs_only
from pliant.model.markers import Marker

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout

__all__ = ["Arrays", "add", "energy", "lines", "pack", "power", "readings", "route_length"]


@packs_only(Tendon)
def pack(layout: Layout) -> Arrays:
    """Pack the tendons of the model."""
    return arrays(layout, lambda marker: layout.offset(marker)[:2], 2)


def arrays(layout: Any, arm: Callable[[Marker], Any], dimensions: int) -> Arrays:
    """Return the arrays of the tendons of a model in plane or space."""
    tendons = lines(layout)
    nodes, offsets, border, first = [], [], [], [0]
    signals, law = of_law(layout, tendons)
    for t in tendons:
        places, arms = [layout.node(marker) for marker in t.markers], [arm(marker) for marker in t.markers]
        nodes += list(zip(places, places[1:], strict=False))
        offsets += [(*one, *next_) for one, next_ in zip(arms, arms[1:], strict=False)]
        border += [[layout.border(t.name)]] * (len(places) - 1)
        first.append(len(nodes))
    ends = np.array(nodes, np.int64).reshape(-1, 2)
    return Arrays(
        dofs=layout.dofs(ends, 2),
        slots=np.empty((len(ends), 0), np.uint32),
        frames=layout.frames(ends, 2),
        border=np.array(border, np.uint32).reshape(-1, 1),
        offsets=np.array(offsets, float).reshape(-1, 2 * dimensions),
        first=np.array(first, np.uint32),
        signals=signals,
        law=law,
        steady=np.array([all(map(layout.is_constant, pair)) for pair in signals.tolist()], np.uint32),
    )


def lines(layout: Any) -> list[Tendon]:
    """Return the tendons through many guides, in the order of their readings."""
    return [tendon for tendon in all_tendons(layout) if kind_of(layout, tendon) == SMOOTH]
