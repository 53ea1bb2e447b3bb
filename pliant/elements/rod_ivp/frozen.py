"""Forces of a rod in space at rest from one march without derivatives: stored derivatives are used.

A march with the wrench w at the base misses the second end by a gap. Corrections change w by the stored inverse of an
earlier iteration (``B^-1`` of two_port.py), which is Newton with an old matrix. A rod without loads between its ends is
in balance with any wrench, so that forces on the ends follow from statics:

    w' = w + kept . gap,   on the second end  n',  m' + n' x d,   d from the first end to the second
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.elements.rod_ivp.frames import FORCE, FRAME, PLACE, Work
from pliant.elements.rod_ivp.two_port import Ends
from pliant.jit import kernel
from pliant.kernels.so3 import logarithm, product, quaternion
from pliant.kernels.tensors import apply, apply_transposed
from pliant.kernels.triples import cross, minus, plus, vector
from pliant.kernels.vectors import fill

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays

KEPT = 84  # wrench (6), its derivative by the freedoms (6, 12) and by the length of the whole rod (6)
SECOND = 6  # of the 12 freedoms of the stored derivatives: the first of the second end


@kernel
def take_wrenches(part: Arrays, stress: np.ndarray, work: Work) -> None:
    """Read the stored wrenches, to march with."""
    for e in range(part.steps.size):
        fill(work.wrenches[e], stress[part.stress_start + KEPT * e :])


@kernel
def follow(at: Ends, stress: np.ndarray, kept: int, work: Work) -> None:
    """Update, after a march, the wrench at the base, also in the storage, and the wrench at the tip in ``work.y``."""
    w, y = work.wrench, work.y
    p0, p1, p2, p3 = quaternion(y, FRAME)
    gap, turn = apply(at.first, minus(at.d, vector(y, PLACE))), logarithm(product((p0, -p1, -p2, -p3), at.p))
    for i in range(6):
        row = kept + 6 + 12 * i + SECOND
        for j in range(3):
            w[i] += stress[row + j] * gap[j] + stress[row + 3 + j] * turn[j]
        stress[kept + i] = w[i]
    n = vector(w, 0)
    force, moment = apply(at.first, n), apply(at.first, plus(vector(w, 3), cross(n, at.d)))
    y[FORCE], y[FORCE + 1], y[FORCE + 2] = apply_transposed(at.second, force)
    y[FORCE + 3], y[FORCE + 4], y[FORCE + 5] = apply_transposed(at.second, moment)
