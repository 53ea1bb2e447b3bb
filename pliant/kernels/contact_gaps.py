"""What kernels tell of a place whose gap is closed, or nearly: a row of whole numbers and one of numbers.

who   place, owner, then WIDTH freedoms, negative where there is none
out   gap, two directions across the normal (3 each), then by those freedoms the rate of the gap and two of sliding
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.kernels.triples import Vector

WIDTH = 24  # freedoms of a place, at most
PLACE, OWNER, FREEDOMS = 0, 1, 2  # columns of ``who``
GAP, ACROSS, RATES = 0, 1, 7  # columns of ``out``
WHO, OUT = FREEDOMS + WIDTH, RATES + 3 * WIDTH


@kernel
def begin(who: np.ndarray, out: np.ndarray, place: int, owner: int, gap: float) -> None:
    """A place that no freedom moves yet, of a gap without directions."""
    who[:], out[:] = -1, 0.0
    who[PLACE], who[OWNER], out[GAP] = place, owner, gap


@kernel
def lie(out: np.ndarray, t: Vector, b: Vector) -> None:
    """Directions across the normal."""
    for i in range(3):
        out[ACROSS + i], out[ACROSS + 3 + i] = t[i], b[i]


@kernel
def enter(who: np.ndarray, out: np.ndarray, i: int, freedom: int, rates: Vector) -> None:
    """The i-th freedom of a place, and what it does to the gap and to sliding."""
    who[FREEDOMS + i] = freedom
    for j in range(3):
        out[RATES + WIDTH * j + i] = rates[j]
