"""The rigid four-bar by Lagrange's equations (`linkage.py`)."""

from __future__ import annotations

from functools import cache

import numpy as np

from pliant_evidence.linkage import Linkage, Member
from pliant_gallery.four_bar import CRANK_BASE, LENGTHS, ROCKER_BASE

MASS, GRAVITY = 1.0, 9.81  # kg of each bar, m/s^2
UNSTRETCHED = 0.0, 1.6, 0.5  # rad, roughly: crank, coupler, rocker at the start


def linkage() -> Linkage:
    """Return crank, coupler on its tip, rocker."""
    first, second, third = LENGTHS
    crank, rocker = Member(first, MASS / first, CRANK_BASE), Member(third, MASS / third, ROCKER_BASE)
    coupler = Member(second, MASS / second, 0)
    return Linkage((crank, coupler, rocker), joined=((1, 2),), gravity=GRAVITY)


@cache
def angles(end_time: float, instants: int) -> np.ndarray:
    """Return (3, instants) of crank, coupler and rocker (rad), let go at q1 = 0."""
    bars, times = linkage(), np.linspace(0.0, end_time, instants)
    return bars.motion(bars.closed(np.array(UNSTRETCHED), held=(0,)), times, accuracy=1e-11)
