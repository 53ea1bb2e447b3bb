"""Output of kernels for a contact place whose gap is closed or nearly closed: a row of integers and a row of floats.

who   place, owner, then WIDTH freedoms, negative where unused
out   gap, two directions across the normal (3 each), then for each freedom the rate of the gap and two sliding rates
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.kernels.triples import Vector

WIDTH = 24  # largest number of freedoms of a place
PLACE, OWNER, FREEDOMS = 0, 1, 2  # columns of ``who``
GAP, ACROSS, RATES = 0, 1, 7  # columns of ``out``
WHO, OUT = FREEDOMS + WIDTH, RATES + 3 * WIDTH


@kernel
def begin(who: np.ndarray, out: np.ndarray, place: int, owner: int, gap: float) -> None:
    """Initialise the rows of a place with a gap, without directions and freedoms."""
    who[:], out[:] = -1, 0.0
    who[PLACE], who[OWNER], out[GAP] = place, owner, gap


@kernel
def lie(out: np.ndarray, t: Vector, b: Vector) -> None:
    """Store the directions across the normal."""
    for i in range(3):
        out[ACROSS + i], out[ACROSS + 3 + i] = t[i], b[i]


@kernel
def enter(who: np.ndarray, out: np.ndarray, i: int, freedom: int, rates: Vector) -> None:
    """Store the i-th freedom of a place and its rates of the gap and of sliding."""
    who[FREEDOMS + i] = freedom
    for j in range(3):
        out[RATES + WIDTH * j + i] = rates[j]
