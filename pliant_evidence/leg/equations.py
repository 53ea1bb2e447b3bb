"""The released leg by Lagrange's equations (`linkage.py`): lower link, leaf of Legendre modes, upper link."""

from __future__ import annotations

from functools import cache
from math import pi, sqrt

import numpy as np

from pliant_evidence.linkage import Linkage, Member, Tendon
from pliant_gallery.leg import LegParameters

LOWER, LEAF, UPPER = 0, 1, 2
BOWED = 0.0, 1.77, 1.07  # rad; angle of the lower link, and of the leaf its mean and slope: the outward rest, roughly


def linkage(given: LegParameters, modes: int) -> Linkage:
    """Build the leg without its hold. The leaf's first two pinned modes have the required damping ratio."""
    section, length = given.section, given.leaf_length
    first = (pi / length) ** 2 * sqrt(section.bending_stiffness / section.mass_per_length)
    damping = 2.0 * given.damping_ratio * first * 4.0 / 5.0, 2.0 * given.damping_ratio / (5.0 * first)
    leaf = Member(
        length, section.mass_per_length, LOWER, modes, section.bending_stiffness, section.rotary_inertia, damping
    )
    members = (
        Member(given.lower_length, given.lower_mass / given.lower_length, given.lower_pivot),
        leaf,
        Member(given.upper_length, given.upper_mass / given.upper_length, given.upper_pivot),
    )
    tendon = Tendon((LOWER, UPPER), given.tendon_stiffness, given.tendon_rest_length, given.tendon_damping)
    return Linkage(members, joined=((LEAF, UPPER),), gravity=given.gravity, tendon=tendon)


@cache
def fall(given: LegParameters, end_time: float, modes: int) -> np.ndarray:
    """Return (2, instants) angles of lower and upper link (rad), let go from the outward rest, upper link level.

    Every hundredth of a second.
    """
    leg = linkage(given, modes)
    guess = np.zeros(leg.size)
    guess[: len(BOWED)] = BOWED
    rest = leg.rest(guess, held=(leg.size - 1,))
    times = np.linspace(0.0, end_time, round(100.0 * end_time) + 1)
    return leg.motion(rest, times, accuracy=1e-8, method="LSODA")[[0, -1]]  # 1e-9 rad from DOP853; the leaf is stiff
