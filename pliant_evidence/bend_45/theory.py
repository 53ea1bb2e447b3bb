"""The tip of the 45-degree bend by shooting along the rod."""

from __future__ import annotations

import numpy as np

from pliant_evidence import cosserat
from pliant_gallery.bend_45 import LENGTH, RADIUS, section


def exact_tip(*, load: float, torsion_constant: float, shear_factor: float) -> np.ndarray:
    """Return (3,) the tip by shooting."""
    given = section(torsion_constant=torsion_constant, shear_factor=shear_factor)
    return cosserat.clamped_tip((0.0, 0.0, load), LENGTH, given, curvature=(0.0, 0.0, 1.0 / RADIUS)).point
