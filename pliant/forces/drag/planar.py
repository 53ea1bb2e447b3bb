"""Viscous drag along a beam, per length and direction: ``-(sigma_x x', sigma_y y')`` (Lan, Lee, Liou 2009, eq. 5).

Each node carries the drag of its tributary length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.forces import Drag

if TYPE_CHECKING:
    from pliant.system.layout import Layout


class Arrays(NamedTuple):
    """One entry a node of a beam with drag."""

    dofs: np.ndarray  # (n, 2)
    slots: np.ndarray
    coefficient: np.ndarray  # (n, 2)


def pack(layout: Layout) -> Arrays:
    """Nodes of all beams with drag."""
    nodes: list[int] = []
    coefficients: list[tuple[float, float]] = []
    for drag in layout.forces(Drag):
        mesh = layout.mesh(drag.beam)
        nodes.extend(int(node) for node in mesh.nodes)
        coefficients.extend((drag.x * length, drag.y * length) for length in mesh.tributary)
    return Arrays(
        dofs=np.ascontiguousarray(layout.dofs(nodes)[:, :2]),
        slots=np.empty((len(nodes), 0), np.uint32),
        coefficient=np.array(coefficients, float).reshape(-1, 2),
    )


@kernel
def add(part: Arrays, v: np.ndarray, cc: float, r: np.ndarray, s: np.ndarray) -> None:
    """Drag forces; the damping matrix is diagonal."""
    for e in range(part.coefficient.shape[0]):
        r[part.dofs[e, 0]] += part.coefficient[e, 0] * v[part.dofs[e, 0]]
        r[part.dofs[e, 1]] += part.coefficient[e, 1] * v[part.dofs[e, 1]]
        s[part.slots[e, 0]] += cc * part.coefficient[e, 0]
        s[part.slots[e, 2]] += cc * part.coefficient[e, 1]


@kernel
def power(part: Arrays, v: np.ndarray) -> tuple[float, float]:
    """Power lost to the drag."""
    dissipated = 0.0
    for e in range(part.coefficient.shape[0]):
        dissipated += (
            part.coefficient[e, 0] * v[part.dofs[e, 0]] ** 2 + part.coefficient[e, 1] * v[part.dofs[e, 1]] ** 2
        )
    return 0.0, dissipated
