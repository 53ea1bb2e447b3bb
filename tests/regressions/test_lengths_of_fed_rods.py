"""Reactions of fed rods by their length were differences of stiff strains: the motor's was off by 40 %."""

from __future__ import annotations

import numpy as np

import pliant as pl
from pliant_evidence.sensitivities import models
from pliant_gallery import fed_rod


def test_force_of_the_motor_by_length() -> None:
    """The sleeve pushes with M^2 / 2 EI (D. Bigoni et al., Mech. Mater. 80, 2015), which changes by M M' / EI."""
    system = pl.compile(models.named(fed_rod.model(), "rod.length"))
    rest = pl.statics(system)
    found = pl.sensitivity(system, rest, of=["reaction"]).derivative.reaction.values[0]
    moment, by_length = rest.reaction.values[0, 2], found[0, 2]
    np.testing.assert_allclose(found[2, 0], -moment * by_length / fed_rod.SECTION.bending_stiffness, rtol=1e-6)
