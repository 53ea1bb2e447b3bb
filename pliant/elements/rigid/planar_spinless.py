"""Undetermined angles of massless bodies with all their markers at the centre, held by springs of 1 N m/rad."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.jit import kernel

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout


class Arrays(NamedTuple):
    """Arrays of angles, one entry each."""

    dofs: np.ndarray  # (n, 1)
    slots: np.ndarray  # (n, 1)
    rest: np.ndarray  # held position


def pack(layout: Layout) -> Arrays:
    """Pack the angles on which no part acts."""
    held = layout.spinless()
    dofs = np.array(list(held), np.uint32).reshape(-1, 1)
    return Arrays(dofs, np.empty((len(held), 0), np.uint32), np.array(list(held.values()), float))


@kernel
def add(part: Arrays, q: np.ndarray, ck: float, r: np.ndarray, s: np.ndarray) -> None:
    """Add the moments of the springs."""
    for e in range(part.rest.size):
        r[part.dofs[e, 0]] += q[part.dofs[e, 0]] - part.rest[e]
        s[part.slots[e, 0]] += ck
