"""Rotations that mean nothing, such as that of a massless bar about its own axis between two ball joints.

Nothing turns them, so they stay as they are; a stiffness of 1 N m/rad in the matrix alone keeps it regular.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """One entry a freedom."""

    dofs: np.ndarray  # (n, 1)
    slots: np.ndarray  # (n, 1)


def pack(layout: SpatialLayout) -> Arrays:
    """Freedoms that nothing turns."""
    held = np.array(layout.spinless(), np.uint32).reshape(-1, 1)
    return Arrays(held, np.empty((len(held), 0), np.uint32))


@kernel
def add(part: Arrays, ck: float, s: np.ndarray) -> None:
    """A stiffness without a moment."""
    for e in range(part.dofs.size):
        s[part.slots[e, 0]] += ck
