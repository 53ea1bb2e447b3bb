"""Sticking contacts in the plane; none is packed with a model (system/limits/sticking.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.forces.stuck import Anchor
from pliant.forces.stuck.press import Arrays as Arrays
from pliant.forces.stuck.press import add as add
from pliant.forces.stuck.press import arrays
from pliant.forces.stuck.press import energy as energy
from pliant.forces.stuck.press import forces as forces

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout


def pack(layout: Layout) -> Arrays:
    """Return empty arrays: contacts stick only by a later call."""
    return anchored(layout, [], None)


def anchored(layout: Layout, anchors: list[Anchor], axes: Any) -> Arrays:
    """Return the arrays of places."""
    return arrays(layout, anchors, axes, lambda nodes: np.zeros((len(nodes), 0), np.uint32))
