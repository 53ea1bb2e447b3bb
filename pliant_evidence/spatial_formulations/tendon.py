"""A rod that a tendon bends through guides beside it: between two guides it is an elastica under the pull of a chord.

All pieces between guides are alike: with the chord's direction e and the tension T, a section at r carries the force
-T e and the moment ``T (r - g) x e`` about it, g the guide at the base. One piece is marched, the direction of its
chord found, and the rod put together of copies of it. It bends in the plane of its axis and the guides.
"""

from __future__ import annotations

from math import atan2, cos, sin

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import pliant as pl

LENGTH, OFFSET, TENSION, PIECES = 0.4, 0.01, 100.0, 4
TILT = 0.7  # rad: of the plane of the guides about the rod
SECTION = pl.Section.circle(1.5e-3, pl.STEEL)


def model() -> pl.Model:
    """Build a clamped rod with guides at the ends of its pieces; the tendon begins on the ground."""
    m = pl.Model("tendon-driven rod", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=LENGTH, section=SECTION))
    y, z = OFFSET * cos(TILT), OFFSET * sin(TILT)
    *guides, end = (rod.at(s=k / PIECES, y=y, z=z) for k in range(1, PIECES + 1))
    m.add(pl.Weld(ground.at(0, 0, 0), rod.at(s=0)))
    m.add(pl.Tendon("pull", ground.at(0, y, z), end, guides=tuple(guides), stiffness=0.0, tension=TENSION))
    return m


def exact_tip() -> np.ndarray:
    """Return (3,) where its tip is."""
    piece = LENGTH / PIECES

    def marched(angle: float) -> tuple[float, float, float]:
        """Return the end of a piece whose chord has this direction: x, y, angle."""
        e = cos(angle), sin(angle)

        def slope(s: float, r: np.ndarray) -> tuple[float, float, float]:
            x, y, psi = r
            c, n = cos(psi), sin(psi)
            axial = 1.0 - TENSION * (e[0] * c + e[1] * n) / SECTION.axial_stiffness
            across = -TENSION * (e[1] * c - e[0] * n) / SECTION.shear_stiffness
            moment = TENSION * (x * e[1] - (y - OFFSET) * e[0])
            return axial * c - across * n, axial * n + across * c, moment / SECTION.bending_stiffness

        found = solve_ivp(slope, (0.0, piece), (0.0, 0.0, 0.0), method="DOP853", rtol=1e-12, atol=1e-13)
        x, y, psi = found.y[:, -1]
        return float(x), float(y), float(psi)

    def off(angle: float) -> float:
        x, y, psi = marched(angle)
        return atan2(y + OFFSET * cos(psi) - OFFSET, x - OFFSET * sin(psi)) - angle

    x, y, psi = marched(brentq(off, -0.5, 1.5, xtol=1e-14))
    place, turned = np.zeros(2), 0.0
    for _ in range(PIECES):
        c, s = cos(turned), sin(turned)
        place = place + np.array([c * x - s * y, s * x + c * y])
        turned += psi
    return np.array([place[0], place[1] * cos(TILT), place[1] * sin(TILT)])
