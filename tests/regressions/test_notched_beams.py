"""Exact elements took the stiffness at their Gauss points: a notch between these was not seen, and all was ok.

A strip of eight elements with a notch in its middle bent by 28 % of what it does, one of three without a marker there
by 560 %.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import pliant as pl

LENGTH, WIDTH, THICKNESS, LEAST = 0.3, 20e-3, 4e-3, 0.2e-3
EXACT = pl.Exact(4), pl.Exact(8), pl.Exact(2, order=2), pl.Exact(2, order=3)
E, G = pl.STEEL.youngs_modulus, pl.STEEL.shear_modulus


def thickness(s: float) -> float:
    return LEAST + (THICKNESS - LEAST) * abs(2.0 * s - 1.0)


def compliance(lever: float) -> float:
    """Return the rotation of the tip by a moment there (lever 0), or its displacement by a force across (lever 1)."""

    def bent(s: float) -> float:
        return (LENGTH * (1.0 - s)) ** (2.0 * lever) * 12.0 / (E * WIDTH * thickness(s) ** 3)

    def sheared(s: float) -> float:
        return lever * 6.0 / (5.0 * G * WIDTH * thickness(s))

    return LENGTH * sum(quad(lambda s: bent(s) + sheared(s), *part, limit=200)[0] for part in ((0.0, 0.5), (0.5, 1.0)))


def strip(plane: str | None, marked: bool) -> tuple[pl.Model, pl.Marker]:
    model = pl.Model("notched strip", plane=plane)
    shape = pl.Rectangle(width=WIDTH, height=(THICKNESS, LEAST, THICKNESS), material=pl.STEEL)
    ground, beam = model.add(pl.Ground(), pl.Beam("strip", length=LENGTH, section=shape))
    model.add(pl.Weld(ground.at(0, 0) if plane else ground.at(0, 0, 0), beam.at(s=0)))
    if marked:
        model.add(beam.at(s=0.5))
    return model, beam.at(s=1)


@pytest.mark.parametrize(
    ("plane", "elements"),
    [(plane, each) for plane in ("xy", None) for each in EXACT] + [("xy", pl.Linear(4)), ("xy", pl.Ancf(4))],
)
def test_a_notched_strip_turns_by_the_mean_of_its_flexibility(plane, elements):
    model, tip = strip(plane, marked=True)
    moment = 1e-3 / compliance(0.0)
    model.add(pl.Moment(tip, moment) if plane else pl.Moment(tip, z=moment))
    rest = pl.statics(pl.compile(model, elements=elements))
    if plane:
        turned = float(rest.marker_angle.sel(marker=tip.label))
    else:
        w, _, _, z = rest.marker_orientation.sel(marker=tip.label).values
        turned = 2.0 * np.arctan2(z, w)
    assert turned == pytest.approx(1e-3, rel=1e-3)


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize(
    ("elements", "within"), [(8, 0.02), (pl.Exact(4, order=3), 0.01), (pl.Exact(16, order=3), 1e-3)]
)
def test_a_force_at_the_tip_of_a_notched_strip(plane, elements, within):
    model, tip = strip(plane, marked=True)
    model.add(pl.Force(tip, y=-1e-4 / compliance(1.0)))
    rest = pl.statics(pl.compile(model, elements=elements))
    assert float(rest.position.sel(marker=tip.label, axis="y")) == pytest.approx(-1e-4, rel=within)


def test_a_mild_taper_is_as_exact_as_loads_at_nodes_allow():
    """Three points integrate 1, s and s^2 over EI exactly, and so the deflection by a force."""
    model = pl.Model("taper")
    shape = pl.Rectangle(width=WIDTH, height=(2e-3, 0.5e-3), material=pl.STEEL)
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=shape))
    tip = beam.at(s=1)
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(tip, y=-1e-5))
    rest = pl.statics(pl.compile(model, elements=pl.Exact(2, order=3)))

    def flexible(s: float) -> float:
        h = 2e-3 - 1.5e-3 * s
        return (LENGTH * (1.0 - s)) ** 2 * 12.0 / (E * WIDTH * h**3) + 6.0 / (5.0 * G * WIDTH * h)

    expected = -1e-5 * LENGTH * quad(flexible, 0.0, 1.0)[0]
    assert float(rest.position.sel(marker=tip.label, axis="y")) == pytest.approx(expected, rel=1e-6)
