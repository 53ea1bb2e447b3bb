"""Loads along rods, at the stations of their marches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def factors(loads: Sequence[Any], owner: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return (loads, stations) the factors of loads (system/numbering/loads_along.py) on their signals at stations s of
    rods; zero on other rods.
    """
    found = np.zeros((len(loads), s.size))
    for row, load in zip(found, loads, strict=True):
        mine = owner == load.beam
        row[mine] = [load.factor(place) for place in np.clip(s[mine], 0.0, 1.0).tolist()]
    return found
