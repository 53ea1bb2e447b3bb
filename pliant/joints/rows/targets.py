"""What rows are to be: the same in the plane and in space."""

from __future__ import annotations

from math import floor

import numpy as np

from pliant._jit import kernel, linked_kernel
from pliant.joints.rows.data import Rows


@kernel
def nearest(period: float, g: float) -> float:
    """The value of a row less whole periods, if it has one: between minus and plus half of it."""
    if period > 0.0:
        return g - period * floor(g / period + 0.5)
    return g


@linked_kernel
def power(rows: Rows, lam: np.ndarray, rate: np.ndarray) -> float:
    """Power that prescribed motions feed in: lambda . g_t."""
    total = 0.0
    for k in range(rows.offset.size):
        total -= lam[k] * rows.gain[k] * rate[rows.signal[k]]
    return total
