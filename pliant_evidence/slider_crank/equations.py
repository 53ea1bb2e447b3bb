"""The slider-crank by Lagrange's equations (`linkage.py`): beams of Legendre modes that keep their length."""

from __future__ import annotations

from math import pi, sin

import numpy as np

from pliant_evidence.linkage import Linkage, Member
from pliant_gallery.slider_crank import CRANK, ROD, section


def slider(material: str, times: np.ndarray, *, modes: int) -> np.ndarray:
    """Return the x of the slider (m) from rest; one mode: rigid beams."""
    given = section(material)
    crank, rod = (
        Member(length, given.mass_per_length, base, modes, given.bending_stiffness, given.rotary_inertia)
        for length, base in ((CRANK, (0.0, 0.0)), (ROD, 0))
    )
    mechanism = Linkage((crank, rod), sliding=(1,), torque=lambda t: 0.01 * sin(pi * t / 1.2) if t < 1.2 else 0.0)
    found = mechanism.motion(np.zeros(mechanism.size), times, accuracy=1e-8)
    return np.array([mechanism.tip(1, q)[0] for q in found.T])
