"""Small motions about a kink of a law belong to neither side, which is reported."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pliant as pl
from pliant.errors import AtKink
from pliant_gallery import cable_finger


@pytest.mark.parametrize(("tension", "warned"), [(0.0, True), (0.01, False)])
def test_a_tendon_that_begins_to_pull(tension: float, warned: bool) -> None:
    """The linear model of a tendon of no tension has half of its effect, the mean of all and none."""
    system = pl.compile(cable_finger.model()).with_signals({"tendon/tension": tension})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        plant = pl.linearise(system, inputs=["tendon/tension"], outputs=["position:distal/tip:y"])
    linear = float(plant.frequency_response(0.0).values.real[0, 0, 0])
    heights = [
        float(pl.statics(system.with_signals({"tendon/tension": each})).position.sel(marker="distal/tip", axis="y"))
        for each in (tension, tension + 1e-4)
    ]
    slope = np.diff(heights)[0] / 1e-4
    assert linear == pytest.approx(slope * (0.5 if warned else 1.0), rel=1e-2)
    assert [each.category for each in found] == [AtKink] * warned


@pytest.mark.parametrize("shortening", [-1e-3, 0.0, 1e-3])
def test_a_tendon_at_the_edge_of_slack(shortening: float) -> None:
    """A tendon has its stiffness or none; in between the modes are reported to be of neither."""
    m = pl.Model("oscillator")
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.1, position=(1, 0)))
    m.add(pl.Prismatic(ground.at(0, 0), bob.at()))
    m.add(pl.Spring("spring", ground.at(0, 0), bob.at(), stiffness=1000.0, rest_length=1.0))
    m.add(pl.Tendon("rope", ground.at(0, 0), bob.at(), stiffness=1000.0, rest_length=1.0 - shortening))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        square = (2.0 * np.pi * float(pl.modal(pl.compile(m), modes=1).frequency_hz[0])) ** 2
    edge = shortening == 0.0
    assert edge == (AtKink in [each.category for each in found])
    assert edge != any(np.isclose(square, each, rtol=1e-2) for each in (1000.0, 2000.0))
