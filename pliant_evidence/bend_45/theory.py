"""The tip of the 45-degree bend by shooting along the rod."""

from __future__ import annotations

import numpy as np
from scipy.optimize import fsolve

from pliant.gallery.bend_45 import LENGTH, RADIUS, section
from pliant_evidence import cosserat


def exact_tip(*, load: float, torsion_constant: float, shear_factor: float) -> np.ndarray:
    """(3,) the tip by shooting: the moment at the clamp for which none is left at the tip, the load raised in steps."""
    given = section(torsion_constant=torsion_constant, shear_factor=shear_factor)

    def tip(moment: np.ndarray, force: float) -> cosserat.End:
        base = cosserat.End(np.zeros(3), np.eye(3), np.array([0.0, 0.0, force]), moment)
        return cosserat.march(base, LENGTH, given, np.array([0.0, 0.0, 1.0 / RADIUS]), (0.0, 0.0, 0.0))

    moment = np.zeros(3)
    for force in np.linspace(0.0, load, 9)[1:]:
        moment = fsolve(lambda m, f=force: tip(m, f).moment, moment, xtol=1e-13)
    return tip(moment, load).point
