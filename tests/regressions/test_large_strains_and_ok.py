"""Meaning of ok for rubber: large strains are right, sections that are pressed to nothing are not."""

from __future__ import annotations

import warnings
from math import pi

import pytest
from scipy.optimize import brentq

import pliant as pl
from pliant.errors import StrainBeyondRange
from pliant.results.drawing.colouring import quantities

RUBBER = pl.Hyperelastic("rubber", youngs_modulus=0.3e6, density=1000.0)


def bar(**load):
    """Build a clamped bar, with a force at its tip."""
    model = pl.Model("bar")
    ground = model.add(pl.Ground())
    beam = model.add(pl.Beam("bar", length=0.2, section=pl.Section.circle(0.01, RUBBER)))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), **load))
    return pl.compile(model, elements=pl.Exact(2, order=2))


@pytest.mark.parametrize("force", [100.0, 3000.0])
def test_a_bar_may_be_pulled_to_many_times_its_length(force):
    """The bar failed by "largest strain: more than 1", and beyond 20 reported a strain of 0 and a pressed fibre."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pl.statics(bar(x=force))
    exact = brentq(lambda g: 0.3e6 * pi * 1e-4 / 3.0 * (g - g**-2) - force, 1.0, 200.0, xtol=1e-13)
    assert found.outcome.ok
    assert float(found.position.sel(marker="bar/tip")[0]) == pytest.approx(0.2 * exact)
    assert found.outcome.largest_strain == pytest.approx(exact - 1.0)


def test_a_block_that_is_pressed_to_nothing_is_not_ok():
    """Guided, so that it cannot bend: its law ends at a tenth of its length."""
    model = pl.Model("press")
    ground = model.add(pl.Ground())
    block = model.add(pl.Beam("block", length=0.02, section=pl.Section.circle(0.01, RUBBER)))
    plate = model.add(pl.Body("plate", mass=1.0, inertia=0.01, position=(0.02, 0.0)))
    model.add(pl.Weld(ground.at(0, 0), block.at(s=0)), pl.Weld(block.at(s=1), plate.at(0, 0)))
    model.add(pl.Prismatic(ground.at(0, 0), plate.at(0, 0)), pl.Force(plate.at(0, 0), x=-4000.0))
    with pytest.warns(StrainBeyondRange, match="pressed to nothing"):
        found = pl.statics(pl.compile(model, elements=pl.Exact(1, order=1)))
    assert not found.outcome.ok


def test_resultants_of_rubber_are_drawn():
    """Colours were gone with the strain, which is no multiple of the resultants."""
    assert {"bending moment", "shear force"} <= set(quantities(pl.statics(bar(y=0.1))))
