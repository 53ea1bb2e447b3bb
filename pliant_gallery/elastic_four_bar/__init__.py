"""Elastic four-bar (C.-C. Lan, K.-M. Lee, J.-H. Liou, Mechanism and Machine Theory 44, 2009, example 4).

Three strips of spring steel, joined at right angles by two brackets without mass, both feet clamped:

      J2 ---- B ---- J3      the coupler's end J3 is pushed 11 cm to the right, held, and let go
      |              |
      J1             J4

The paper has its dimensions in a figure only; the dimensions here are the choice of ERRATA (shooting paper, 5). There
is no gravity, as in eq. 8 of the paper, and nothing dissipates.
"""

from __future__ import annotations

from math import pi

import pliant as pl

COLUMN, COUPLER = 0.30, 0.20  # m; L1 = L3 and L2
PUSHED = 0.11  # m
SPRING_STEEL = pl.Material("spring steel", youngs_modulus=207e9, poisson_ratio=0.3, density=7850.0)
STRIP = pl.Section.rectangle(25.4e-3, 0.508e-3, SPRING_STEEL)
MIDDLE = "coupler@0.5"
"""Marker B, whose motion the paper measures."""


def model(*, held: float | None = None, section: pl.Section = STRIP) -> pl.Model:
    """Make the frame, undeformed.

    held     displacement of J3 along x that is held (m); None: nothing is held
    section  of all three strips

    >>> model(held=PUSHED)
    <Model "elastic four-bar": 0 rigid bodies, 3 beams, 5 joints, 0 forces>
    """
    m = pl.Model("elastic four-bar", plane="xy")
    ground, left, coupler, right = m.add(
        pl.Ground(),
        pl.Beam("left", length=COLUMN, section=section, position=(0.0, 0.0), angle=pi / 2),
        pl.Beam("coupler", length=COUPLER, section=section, position=(0.0, COLUMN), angle=0.0),
        pl.Beam("right", length=COLUMN, section=section, position=(COUPLER, COLUMN), angle=-pi / 2),
    )
    m.add(
        pl.Weld(ground.at(0.0, 0.0), left.at(s=0), angle=pi / 2),
        pl.Weld(left.at(s=1), coupler.at(s=0), angle=-pi / 2),
        pl.Weld(coupler.at(s=1), right.at(s=0), angle=-pi / 2),
        pl.Weld(ground.at(COUPLER, 0.0), right.at(s=1), angle=-pi / 2),
        coupler.at(s=0.5),
    )
    if held is not None:
        m.add(pl.Motion(ground.at(COUPLER, COLUMN), coupler.at(s=1), x=held))
    return m
