"""Strains of arms of kinked elements: from their own resultants, as in results."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl

RADIUS = 0.01


@pytest.fixture(scope="module")
def arm() -> pl.Model:
    """Build a clamped arm, shaken at its tip."""
    m = pl.Model("arm")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=pl.Section.circle(RADIUS, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Gravity(), pl.Force(beam.at(s=1), y=pl.Sine(20.0, 3.0)))
    return m


def test_largest_strain_is_that_of_the_resultants(arm: pl.Model) -> None:
    """The strain was a hundred times too large in motions: it belonged to elements which are not there."""
    system = pl.compile(arm, formulation="kinked")
    stiffness = arm.beams[0].section.at(0.0).bending_stiffness
    for found in (pl.transient(system, end_time=0.1, accuracy=1e-5), pl.statics(system)):
        bending = float(np.max(np.abs(found.resultant.values[..., 2])))
        assert found.outcome.largest_strain == pytest.approx(RADIUS * bending / stiffness, rel=0.01)
