"""Tendons that slide through many guides with friction, in the plane, and the packing for space. See long_rough.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.forces import Tendon
from pliant.forces.tendon import planar
from pliant.forces.tendon.long_rough import Arrays, add, energy, power, readings, unsymmetric
from pliant.forces.tendon.planar import ROUGH, all_tendons, kind_of, route_length
from pliant.forces.tendon.pull import Arrays as Route
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout

__all__ = ["Arrays", "add", "energy", "lines", "pack", "power", "readings", "route_length", "unsymmetric"]


@packs_only(Tendon)
def pack(layout: Layout) -> Arrays:
    """Pack the tendons of the model."""
    return arrays(layout, *planar.arrays(layout, lines(layout), lambda marker: layout.offset(marker)[:2], 2))


def arrays(layout: Any, route: Route, nodes: np.ndarray) -> Arrays:
    """Return the arrays of the guides of tendons with these routes and nodes."""
    tendons, beside, border, first = lines(layout), [], [], [0]
    for t, places in zip(tendons, nodes.tolist(), strict=True):
        last = len(t.markers) - 2
        tau, beta = ([layout.border(f"{t.name}/{word} {k}") for k in range(last + 1)] for word in ("pull", "passing"))
        for k in range(last):
            beside.append(places[k : k + 3])
            border.append((tau[k], tau[k + 1], tau[0], beta[k], beta[k + 1], beta[last]))
        first.append(len(beside))
    points = np.array(beside, np.int64).reshape(-1, 3)
    return Arrays(
        dofs=layout.dofs(points, 3),
        slots=np.empty((len(points), 0), np.uint32),
        border=np.array(border, np.uint32).reshape(-1, 6),
        first=np.array(first, np.uint32),
        members=route.dofs,
        **{name: getattr(route, name) for name in Arrays._fields[5:]},
    )


def lines(layout: Any) -> list[Tendon]:
    """Return these tendons, in the order of their readings."""
    return [tendon for tendon in all_tendons(layout) if kind_of(layout, tendon) == ROUGH]
