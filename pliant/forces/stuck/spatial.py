"""Sticking contacts in space; none is packed with a model (system/limits/sticking.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pliant.forces.stuck import POINTS, Anchor
from pliant.forces.stuck.press import Arrays as Arrays
from pliant.forces.stuck.press import add as add
from pliant.forces.stuck.press import arrays
from pliant.forces.stuck.press import energy as energy
from pliant.forces.stuck.press import forces as forces

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout


def pack(layout: SpatialLayout) -> Arrays:
    """Return empty arrays: contacts stick only by a later call."""
    return anchored(layout, [], None)


def anchored(layout: SpatialLayout, anchors: list[Anchor], axes: Any) -> Arrays:
    """Return the arrays of places."""
    return arrays(layout, anchors, axes, lambda nodes: layout.frames(nodes, POINTS))
