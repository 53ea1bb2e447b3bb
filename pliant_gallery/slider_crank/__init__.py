"""Elastic slider-crank (C.-C. Lan, K.-M. Lee, J.-H. Liou, Mechanism and Machine Theory 44, 2009, example 3).

Crank and connecting rod are beams; a half sine of torque at the crank's pivot, 1.2 s long, sets them going. The slider
has no mass: it is the condition that the rod's end stays on the line. The rod runs from the slider to the crank, as in
eq. 16 of the paper (its table 4 has it the other way round). Nothing dissipates: after 1.2 s the energy stays the same.
"""

from __future__ import annotations

from math import pi

import pliant as pl
from pliant.errors import OptionError

CRANK, ROD = 0.2, 0.4  # m
AREA, SECOND_MOMENT = 7.225e-5, 4.350e-10  # m^2, m^4
TORQUE = pl.Expression("where(t < 1.2, 0.01*sin(pi*t/1.2), 0)")
"""At the crank's pivot, N m."""

MATERIALS = {
    "aluminium": pl.Material("aluminium", youngs_modulus=70e9, poisson_ratio=0.3, density=2710.0),
    "rubber": pl.Material("rubber", youngs_modulus=3e6, poisson_ratio=0.3, density=2550.0),
}
"""The paper has no shear and gives no Poisson ratio: 0.3 is ours."""


def section(material: str) -> pl.Section:
    """Return both beams' section: 8.5 mm square, within the paper's rounding; shear factor 5/6."""
    if material not in MATERIALS:
        raise OptionError(f"material={material!r}: choose {' or '.join(map(repr, MATERIALS))}.")
    given = MATERIALS[material]
    return pl.Section(
        axial_stiffness=given.youngs_modulus * AREA,
        shear_stiffness=5 / 6 * given.shear_modulus * AREA,
        bending_stiffness=given.youngs_modulus * SECOND_MOMENT,
        mass_per_length=given.density * AREA,
        rotary_inertia=given.density * SECOND_MOMENT,
    )


def model(*, material: str = "aluminium") -> pl.Model:
    """Make the mechanism stretched out along x, at rest; no gravity.

    material  "aluminium" or "rubber"

    >>> model()
    <Model "aluminium slider-crank": 0 rigid bodies, 2 beams, 3 joints, 1 force>
    """
    m = pl.Model(f"{material} slider-crank", plane="xy")
    ground, crank, rod = m.add(
        pl.Ground(),
        pl.Beam("crank", length=CRANK, section=section(material), angle=0.0),
        pl.Beam("rod", length=ROD, section=section(material), position=(CRANK + ROD, 0.0), angle=pi),
    )
    m.add(
        pl.Revolute(ground.at(0.0, 0.0), crank.at(s=0)),
        pl.Revolute(crank.at(s=1), rod.at(s=1)),
        pl.Slider(ground.at(0.0, 0.0), rod.at(s=0)),
        pl.Moment(crank.at(s=0), TORQUE),
    )
    return m
