"""Viscous drag along a beam in space, per length and direction: ``-(sigma_x x', sigma_y y', sigma_z z')``.

Each node carries the drag of its tributary length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.forces import Drag

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """One entry a node of a beam with drag."""

    dofs: np.ndarray  # (n, 3)
    slots: np.ndarray
    coefficient: np.ndarray  # (n, 3)


def pack(layout: SpatialLayout) -> Arrays:
    """Nodes of all beams with drag."""
    nodes: list[int] = []
    rows: list[np.ndarray] = []
    for drag in layout.forces(Drag):
        mesh = layout.mesh(drag.beam)
        nodes.extend(int(node) for node in mesh.nodes)
        rows.append(np.outer(mesh.tributary, (drag.x, drag.y, drag.z)))
    return Arrays(
        dofs=np.ascontiguousarray(layout.dofs(nodes)[:, :3]),
        slots=np.empty((len(nodes), 0), np.uint32),
        coefficient=np.concatenate([np.zeros((0, 3)), *rows]),
    )


@kernel
def add(part: Arrays, v: np.ndarray, cc: float, r: np.ndarray, s: np.ndarray) -> None:
    """Drag forces; the damping matrix is diagonal."""
    for e in range(part.coefficient.shape[0]):
        for i in range(3):
            r[part.dofs[e, i]] += part.coefficient[e, i] * v[part.dofs[e, i]]
            s[part.slots[e, i * (i + 3) // 2]] += cc * part.coefficient[e, i]


@kernel
def power(part: Arrays, v: np.ndarray) -> tuple[float, float]:
    """Power lost to the drag."""
    dissipated = 0.0
    for e in range(part.coefficient.shape[0]):
        for i in range(3):
            dissipated += part.coefficient[e, i] * v[part.dofs[e, i]] ** 2
    return 0.0, dissipated
