"""Where elements and rows are stored in the factors of a system."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from pliant.solvers import ldl


@cache
def _below(size: int) -> tuple[np.ndarray, ...]:
    """Rows and columns of a lower triangle."""
    return np.tril_indices(size)


def places(pattern: Any, n: int, dofs: np.ndarray) -> np.ndarray:
    """Where the lower triangles of elements with these freedoms are stored."""
    if not len(dofs):
        return np.empty((0, dofs.shape[1] * (dofs.shape[1] + 1) // 2), np.uint32)
    known = np.where(dofs < n, dofs, pattern.size).astype(np.int64)
    i, j = _below(dofs.shape[1])
    return ldl.slots(pattern, known[:, i], known[:, j])
