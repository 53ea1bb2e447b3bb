"""The 45-degree bend: a cantilever that is an eighth of a circle, with a dead force across its plane at its tip.

K.-J. Bathe, S. Bolourchi, Int. J. Numer. Meth. Eng. 14, 1979, 961-986. Bending and torsion are coupled.
"""

from __future__ import annotations

from math import pi

import numpy as np

import pliant as pl

RADIUS, MODULUS = 100.0, 1e7
LENGTH = 0.25 * pi * RADIUS
SIMPLE = 1 / 6
"""Torsion constant J = Iy + Iz of the unit square, as many authors take it."""
ST_VENANT = 0.1406
"""Torsion constant of the unit square."""


def section(*, torsion_constant: float = SIMPLE, shear_factor: float = 1.0) -> pl.Section:
    """Return the unit square with nu = 0."""
    shear = shear_factor * MODULUS / 2.0
    bending = MODULUS / 12.0
    return pl.Section.general(
        np.diag([MODULUS, shear, shear, MODULUS / 2.0 * torsion_constant, bending, bending]),
        mass_per_length=1.0,
        rotary_inertia=1.0 / 12.0,
    )


def model(*, load: float = 600.0, torsion_constant: float = SIMPLE, shear_factor: float = 1.0) -> pl.Model:
    """Make the bend with its dead force (any consistent units).

    >>> model()
    <Model "45-degree bend": 0 rigid bodies, 1 beam, 1 joint, 1 force>
    """
    m = pl.Model("45-degree bend", plane=None)
    given = section(torsion_constant=torsion_constant, shear_factor=shear_factor)
    ground, bend = m.add(pl.Ground(), pl.Beam("bend", length=LENGTH, section=given, curvature=(0.0, 0.0, 1.0 / RADIUS)))
    m.add(pl.Weld(ground.at(0, 0), bend.at(s=0)), pl.Force(bend.at(s=1), z=load, name="load"))
    return m
