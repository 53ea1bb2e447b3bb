"""The tip of the Princeton beam by shooting along the rod."""

from __future__ import annotations

from math import atan2

import pliant as pl
from pliant_evidence import cosserat
from pliant_gallery.princeton import LENGTH, SECTION, weight


def exact_tip(*, load: float, angle: float, section: pl.Section = SECTION) -> tuple[float, float, float]:
    """Return the tip as `pliant_gallery.princeton.tip` does, by shooting."""
    found = cosserat.clamped_tip(weight(load, angle), LENGTH, section)
    return -float(found.point[1]), float(found.point[2]), atan2(found.axes[2, 1], found.axes[1, 1])
