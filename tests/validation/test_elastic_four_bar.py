"""Elastic four-bar: the case's rows, and its theory against itself and against finite elements."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant_evidence import shooting_paper as paper
from pliant_evidence.elastic_four_bar import theory
from pliant_gallery.elastic_four_bar import PUSHED, model
from pliant_testing import validation

SLENDER = 1e-4  # theory's strips do not shear, which makes the coupler stiffer by 12 EI / (GA L^2) = 2e-5


def test_every_row_holds() -> None:
    report = validation.run("shooting-fourbar")
    assert [row for row in report.rows if not row.ok] == []


def test_elastica_begins_as_slope_deflection() -> None:
    small = 1e-5
    assert theory.held(small).force / small == pytest.approx(theory.sway_stiffness(), rel=1e-5)


def test_force_of_the_elastica_is_the_slope_of_its_energy() -> None:
    small = 1e-3
    above, below = (theory.held(PUSHED + step).energy for step in (small, -small))
    assert (above - below) / (2 * small) == pytest.approx(theory.held().force, rel=1e-4)  # third derivative: 5e-5


def test_rayleigh_is_a_little_high_and_modes_agree_with_dynamic_stiffness() -> None:
    exact = theory.sway_frequency()
    assert exact < theory.rayleigh_frequency() < 1.01 * exact
    first = pl.modal(pl.compile(model(), elements=paper.FINE), modes=1).frequency_hz
    assert float(first[0]) == pytest.approx(exact, rel=SLENDER)


def test_finite_elements_meet_the_elastica() -> None:
    exact = theory.held()
    rest = pl.statics(pl.compile(model(held=PUSHED), elements=paper.FINE), load_steps=10)
    np.testing.assert_allclose(rest.position.sel(marker="coupler@0.5"), exact.middle, rtol=SLENDER)
    assert float(rest.energy.sel(energy_kind="potential")) == pytest.approx(exact.energy, rel=SLENDER)


def test_frequency_of_a_known_signal() -> None:
    time = np.arange(0.0, 5.0, 5e-3)
    assert paper.frequency(time, np.cos(2 * np.pi * 4.9 * time)) == pytest.approx(4.9, rel=1e-5)
    # the trapezoidal rule on x'' = -x, one step: x + i x' is turned by 2 atan(h/2)
    h = 0.1
    turned = np.angle((1 + 0.5j * h) / (1 - 0.5j * h)) / h / (2 * np.pi)
    assert paper.of_the_trapezoidal_rule(1 / (2 * np.pi), h) == pytest.approx(turned, rel=1e-14)
