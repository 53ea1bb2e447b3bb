"""The tip of the Princeton beam by shooting along the rod."""

from __future__ import annotations

from math import atan2

import numpy as np
from scipy.optimize import fsolve

import pliant as pl
from pliant.gallery.princeton import LENGTH, SECTION, weight
from pliant_evidence import cosserat


def exact_tip(*, load: float, angle: float, section: pl.Section = SECTION) -> tuple[float, float, float]:
    """As `pliant.gallery.princeton.tip`, by shooting."""

    def end(moment: np.ndarray, force: float) -> cosserat.End:
        base = cosserat.End(np.zeros(3), np.eye(3), weight(force, angle), moment)
        return cosserat.march(base, LENGTH, section, np.zeros(3), (0.0, 0.0, 0.0))

    moment = np.zeros(3)
    for force in np.linspace(0.0, load, 5)[1:]:
        moment = fsolve(lambda m, f=force: end(m, f).moment, moment, xtol=1e-10)
    found = end(moment, load)
    return -float(found.point[1]), float(found.point[2]), atan2(found.axes[2, 1], found.axes[1, 1])
