"""Idle rotations (system/assembly/massless_spins.py), such as of a slender bar about its axis n between two ball
joints.

No inertia, joint or load depends on them, so that any spin about n is a solution; they keep their spin, mostly zero:

    J n (n . w') = 0   in motion,   n (n . theta) = 0   at rest (a stiffness of 1 N m/rad in the matrix alone)

J is any inertia, as large as about the other axes. It is not a mass: modes ignore it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.blocks import add_diagonal_block, add_vector
from pliant.kernels.dyads import outer
from pliant.kernels.triples import dot, vector

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """Arrays of idle rotations, one entry each."""

    dofs: np.ndarray  # (n, 3)
    slots: np.ndarray  # (n, 6)
    axis: np.ndarray  # (n, 3) in the node's frame
    inertia: np.ndarray  # J


def pack(layout: SpatialLayout) -> Arrays:
    """Pack the rotations on which no part acts."""
    idle = layout.idle
    return Arrays(
        dofs=layout.dofs([layout.body_node(spin.body) for spin in idle])[:, 3:].copy(),
        slots=np.empty((len(idle), 0), np.uint32),
        axis=np.array([spin.axis for spin in idle]).reshape(-1, 3),
        inertia=np.array([np.max(spin.body.inertia_matrix) or 1.0 for spin in idle], float),
    )


@kernel
def add(part: Arrays, a: np.ndarray, ck: float, cm: float, r: np.ndarray, s: np.ndarray) -> None:
    """Add J n (n . w') to r, and cm J n n^T to s next to other stiffness; without inertia, ck n n^T."""
    for e in range(part.inertia.size):
        n = vector(part.axis[e], 0)
        add_vector(r, part.dofs, e, 0, part.inertia[e] * dot(n, vector(a, part.dofs[e, 0])), n)
        if ck != 0.0:
            add_diagonal_block(s, part.slots, e, 0, cm * part.inertia[e] if cm > 0.0 else ck, outer(n, n, 0.0))
