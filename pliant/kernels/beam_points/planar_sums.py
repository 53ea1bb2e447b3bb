"""Tangent of resultants at a Gauss point of a planar beam, for the nodes of its element."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.jit import kernel
from pliant.kernels.beam_points.planar import Strains


@kernel
def note_across(part: Any, e: int, g: int, at: Strains, n: tuple[float, float, float], out: np.ndarray) -> None:
    """Store ``n . (E1, E2, theta')_q`` by the freedoms of the element."""
    p, L = part.order[e], part.length[e]
    for i in range(p + 1):
        shape, slope = part.shape[p, g, i], part.slope[p, g, i] / L
        out[3 * i] = slope * (n[0] * at.c - n[1] * at.s)
        out[3 * i + 1] = slope * (n[0] * at.s + n[1] * at.c)
        out[3 * i + 2] = shape * (n[0] * at.E2 - n[1] * at.E1) + slope * n[2]


@kernel
def turned(part: Any, e: int, g: int, row: int, column: int, size: tuple[float, float, float]) -> float:
    """Return an entry of the tangent of forces that turn with the section: by x, by y and by the angle."""
    p, (by_x, by_y, bow) = part.order[e], size
    i, a, j, b = row // 3, row % 3, column // 3, column % 3
    if a == 2 and b == 2:
        return -bow * part.shape[p, g, i] * part.shape[p, g, j]
    if b == 2:
        return (by_x if a == 0 else by_y) * part.slope[p, g, i] * part.shape[p, g, j]
    if a == 2:
        return (by_x if b == 0 else by_y) * part.shape[p, g, i] * part.slope[p, g, j]
    return 0.0


@kernel
def add_point(
    part: Any, e: int, g: int, C: np.ndarray, B: np.ndarray, size: tuple[float, float, float], s: np.ndarray
) -> None:
    """Add ``B^T C B`` of a Gauss point, C (3, 3) times its share of the length, and the turning forces to s."""
    n = 0
    for row in range(3 * (part.order[e] + 1)):
        N, V, M = 0.0, 0.0, 0.0
        for k in range(3):
            N += C[0, k] * B[k, row]
            V += C[1, k] * B[k, row]
            M += C[2, k] * B[k, row]
        for column in range(row + 1):
            own = N * B[0, column] + V * B[1, column] + M * B[2, column]
            s[part.slots[e, n]] += own + turned(part, e, g, row, column, size)
            n += 1
