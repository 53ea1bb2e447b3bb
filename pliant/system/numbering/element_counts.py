"""Number of pieces per beam, as small as the accuracy of the modes in the assembled pose allows.

Meshes of n and 2 n pieces have frequencies with the difference d. As errors decrease at least with the square of the
length of a piece, the first mesh has errors up to 4/3 d (L. F. Richardson 1911): n is raised until this is allowed. The
extrapolated limit then yields the smallest sufficient number.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.linalg import eigen

AUTO = "auto"
MOST = 400  # largest number of pieces
OTHERS = 20  # additional modes, some of which may be rigid
RIGID = 1e-6  # of the highest of these frequencies: rigid motion below


def fewest(
    compiled: Callable[[int, int], Any], *, modes: int, accuracy: float, least: int, first: int, what: str
) -> int:
    """Return the smallest number of pieces that gives the first modes within a relative error.

    compiled  (number of pieces, refinement) -> System with refinement times as many pieces everywhere
    least     smallest number of a mesh; ``first``: initial number; ``what``: the pieces, in words
    """

    def found(count: int, refinement: int = 1) -> np.ndarray:
        return frequencies(compiled(count, refinement), modes)

    def off(count: int, limit: np.ndarray) -> float:
        here = found(count)
        return float(np.max(np.abs(here / limit - 1.0))) if here.size == limit.size == modes else np.inf

    count = first
    while True:
        here, finer = found(count), found(count, 2)
        error = 4.0 / 3.0 * np.max(np.abs(here / finer - 1.0)) if here.size == finer.size == modes else np.inf
        if error <= accuracy:
            break
        if 2 * count >= MOST:
            raise OptionError(
                f'"auto": {MOST} {what} do not give the first {modes} modes within {accuracy:g}. Ask for a larger '
                "accuracy= or fewer modes=, or give numbers."
            )
        count = min(2 * count, MOST // 2, max(count + 1, ceil(count * min((error / accuracy) ** 0.5, 2.0))))
    limit, low = finer + (finer - here) / 3.0, least - 1
    while count - low > 1:
        middle = (low + count) // 2
        low, count = (low, middle) if off(middle, limit) <= accuracy else (middle, count)
    return count


def frequencies(system: Any, modes: int) -> np.ndarray:
    """Return the lowest frequencies (rad/s) of a system as assembled and without loads, except rigid motions.

    Coordinates are in lengths of the model and radians, against rounding.
    """
    matrices = system.matrices(system.start()).in_units(1.0 / system.observed.weight)
    squares, _ = eigen.undamped(matrices.stiffness, matrices.mass, matrices.ties, modes + OTHERS, symmetric=True)
    return np.asarray(np.sqrt(squares[squares > RIGID**2 * np.max(squares, initial=0.0)])[:modes])
