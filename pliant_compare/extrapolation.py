"""From a few meshes or steps, each twice as fine as the one before, to the limit and how uncertain it is.

With changes d1, d2 from mesh to mesh the observed order is ``p = log2(d1 / d2)``, and the limit of a course f is
``f + (f3 - f2) / (2^p - 1)`` (L. F. Richardson 1911). That is believed where p is near the order that the elements are
known to have, and then what it adds is its uncertainty: the finest course is within it. Elsewhere nothing is added, and
the uncertainty is three times what the order would add: P. J. Roache's grid convergence index for two meshes (J. Fluids
Eng. 116, 1994).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np

NEAR = 0.3  # of the known order: observed orders as near as this are believed
CAUTION = 3.0
LEAST_ORDER = 0.5
RATIO = 2.0


class Limit(NamedTuple):
    """What is to be added to the finest course, how uncertain the sum is, and what was seen.

    changes    largest, from each course to the next
    order      observed; None where there are too few courses, or changes within what the solver leaves
    believed   whether changes fall as they should, or are that small
    """

    added: np.ndarray
    uncertainty: float
    order: float | None
    changes: tuple[float, ...]
    believed: bool


def limit(found: Sequence[np.ndarray], known: float | None, noise: float) -> Limit:
    """Of courses at the same places, coarse to fine. ``known``: the order to expect; ``noise``: what solvers leave. One
    course alone has no limit: its uncertainty is infinite.

    >>> courses = [np.array([1.16]), np.array([1.04]), np.array([1.01])]
    >>> left, off, order, *_ = limit(courses, 2.0, 1e-9)
    >>> left.round(9), round(off, 9), round(order, 9)
    (array([-0.01]), 0.01, 2.0)
    """
    finest = found[-1]
    changes = tuple(float(np.max(np.abs(b - a))) for a, b in zip(found, found[1:], strict=False))
    nothing = np.zeros_like(finest)
    if not changes:
        return Limit(nothing, np.inf, None, changes, False)
    last = changes[-1]
    if last <= noise:
        return Limit(nothing, noise, None, changes, True)
    order = _observed(changes, noise)
    if order is not None and known is not None and abs(order - known) <= NEAR * known:
        added = (finest - found[-2]) / (RATIO**order - 1.0)
        return Limit(added, max(float(np.max(np.abs(added))), noise), order, changes, True)
    expected = min(known or 1.0, known or 1.0 if order is None else max(order, LEAST_ORDER))
    falls = len(changes) < 2 or last < changes[-2]
    uncertainty = CAUTION * (last / (RATIO**expected - 1.0) if falls else max(changes[-2:]))
    return Limit(nothing, max(uncertainty, noise), order, changes, falls)


def _observed(changes: Sequence[float], noise: float) -> float | None:
    if len(changes) < 2 or min(changes[-2:]) <= noise:
        return None
    return log(changes[-2] / changes[-1]) / log(RATIO)
