"""Viscous drag along a beam, per length and direction: ``-(sigma_x x', sigma_y y', sigma_z z')`` (Lan, Lee, Liou 2009,
eq. 5); the plane has no z.

Each node carries the drag of its tributary length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.forces import Drag
from pliant.jit import kernel
from pliant.model.kinds import packs_only


class Arrays(NamedTuple):
    """Arrays of drag, one entry a node of a beam."""

    dofs: np.ndarray  # (n, 2), in space (n, 3)
    slots: np.ndarray
    coefficient: np.ndarray  # of the same shape as dofs


@packs_only(Drag)
def pack(layout: Any) -> Arrays:
    """Pack the nodes of all beams with drag."""
    axes = layout.space.axes
    nodes: list[int] = []
    rows: list[np.ndarray] = []
    for drag in layout.forces(Drag):
        mesh = layout.mesh(drag.beam)
        nodes.extend(int(node) for node in mesh.nodes)
        rows.append(np.outer(mesh.tributary, [getattr(drag, axis) for axis in axes]))
    return Arrays(
        dofs=np.ascontiguousarray(layout.dofs(nodes)[:, : len(axes)]),
        slots=np.empty((len(nodes), 0), np.uint32),
        coefficient=np.concatenate([np.zeros((0, len(axes))), *rows]),
    )


@kernel
def add(part: Arrays, v: np.ndarray, cc: float, r: np.ndarray, s: np.ndarray) -> None:
    """Add drag forces; the damping matrix is diagonal."""
    for e in range(part.dofs.shape[0]):
        for i in range(part.dofs.shape[1]):
            r[part.dofs[e, i]] += part.coefficient[e, i] * v[part.dofs[e, i]]
            s[part.slots[e, i * (i + 3) // 2]] += cc * part.coefficient[e, i]


@kernel
def power(part: Arrays, v: np.ndarray) -> tuple[float, float]:
    """Return the power lost to the drag."""
    dissipated = 0.0
    for e in range(part.dofs.shape[0]):
        for i in range(part.dofs.shape[1]):
            dissipated += part.coefficient[e, i] * v[part.dofs[e, i]] ** 2
    return 0.0, dissipated
