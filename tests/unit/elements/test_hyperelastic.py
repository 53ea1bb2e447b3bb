"""Hyperelastic materials: the law of a section, what reads it, and what refuses it."""

from __future__ import annotations

import warnings
from math import pi

import numpy as np
import pytest

import pliant as pl
from pliant.elements._fibres import constants, fibres, strains, stretches
from pliant.errors import ModelError, StrainBeyondRange
from pliant.kernels.fibres import respond
from pliant.model.files import io

RUBBER = pl.Hyperelastic("rubber", youngs_modulus=0.3e6, density=1000.0, mooney=0.3)
SECTIONS = [
    pl.Section.circle(0.01, RUBBER),
    pl.Section.rectangle(0.03, 0.012, RUBBER),
    pl.Section.tube(0.01, 0.006, RUBBER),
]


def law_of(section, strain, spatial=True):
    """Return energy, resultants and their derivative."""
    H = np.zeros((6, 6))
    energy, N, M = respond(
        constants(section), fibres(section, spatial), tuple(strain[:3].tolist()), tuple(strain[3:].tolist()), H
    )
    return energy, np.array([*N, *M]), H


@pytest.mark.parametrize("section", SECTIONS, ids=["circle", "rectangle", "tube"])
@pytest.mark.parametrize("strain", [[1.4, 0.1, -0.07, 8.0, -30.0, 20.0], [0.7, -0.2, 0.1, 5.0, 10.0, -20.0],
                                    [-0.2, 0.3, 0.1, 2.0, 1.0, 3.0]])  # fmt: skip
def test_resultants_are_derivatives_of_the_energy_and_the_tangent_theirs(section, strain):
    strain, step = np.array(strain), np.diag([1e-6] * 3 + [1e-4] * 3)
    _, found, H = law_of(section, strain)
    for k, row in enumerate(step):
        (above, more, _), (below, less, _) = law_of(section, strain + row), law_of(section, strain - row)
        assert found[k] == pytest.approx((above - below) / (2.0 * row[k]), rel=2e-6)
        size = np.sqrt(np.abs(np.diag(H) * H[k, k]))
        assert np.all(np.abs((more - less) / (2.0 * row[k]) - H[k]) < 1e-6 * size)


@pytest.mark.parametrize("section", SECTIONS, ids=["circle", "rectangle", "tube"])
def test_small_strains_are_those_of_the_section(section):
    energy, found, H = law_of(section, np.eye(6)[0])
    assert energy == pytest.approx(0.0, abs=1e-12)
    assert np.allclose(found, 0.0, atol=1e-12)
    assert np.allclose(H, section.stiffness, rtol=1e-12, atol=1e-12 * section.axial_stiffness)


def test_a_bar_that_is_stretched_stays_straight_at_any_stretch():
    """Shear factors on the whole of the shear would let sections turn by themselves from 1.8 on."""
    for stretch in (0.8, 1.8, 3.0, 6.0):
        _, found, H = law_of(SECTIONS[0], stretch * np.eye(6)[0])
        assert H[1, 1] * stretch**2 > found[0] * stretch  # energy of a section that turns under the force N


def test_strains_of_resultants_are_found_again():
    strain = np.array([1.3, 0.05, -0.02, 10.0, -15.0, 25.0])
    _, found, _ = law_of(SECTIONS[1], strain)
    assert np.allclose(strains(SECTIONS[1], found), strain, rtol=1e-9, atol=1e-9)
    flat = np.array([1.3, 0.05, 0.0, 0.0, 0.0, 25.0])
    _, found, _ = law_of(SECTIONS[0], flat, spatial=False)
    assert np.allclose(strains(SECTIONS[0], found[[0, 1, 5]]), flat[[0, 1, 5]])
    told = stretches(SECTIONS[0], found[[0, 1, 5]])
    assert told.high == pytest.approx(told.axis + 25.0 * 0.01 / np.sqrt(told.axis))


def bar(section, plane="xy", **load):
    model = pl.Model("bar", plane=plane)
    ground = model.add(pl.Ground())
    beam = model.add(pl.Beam("bar", length=0.2, section=section))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), **load))
    return model


def test_large_strains_of_rubber_are_told_and_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pl.statics(pl.compile(bar(SECTIONS[0], x=50.0), elements=pl.Exact(2, order=2)))
    stretch = float(found.position.sel(marker="bar/tip")[0]) / 0.2
    assert found.outcome.largest_strain == pytest.approx(stretch - 1.0)
    assert stretch > 1.9
    assert np.all(np.isnan(found.strain_per_resultant.sel(station=found.part == "bar")))


def test_a_section_that_is_crushed_is_warned_of():
    model = bar(SECTIONS[0], x=0.0)
    model.add(pl.Moment(model.part("bar").at(s=1), 0.22))
    with pytest.warns(StrainBeyondRange, match="pressed to"):
        pl.statics(pl.compile(model, elements=pl.Exact(8, order=2)))


def test_a_swinging_bar_keeps_its_energy():
    model = bar(SECTIONS[0], x=0.0, y=0.0)
    model.add(pl.Gravity())
    motion = pl.transient(
        pl.compile(model, elements=pl.Exact(2, order=2)), end_time=0.2, step=1e-3, method="GeneralizedAlpha"
    )
    total = motion.energy.sum("energy_kind").values
    size = np.max(motion.energy.sel(energy_kind="kinetic").values)
    assert np.ptp(total) < 1e-3 * size


def test_files_hold_it():
    model = bar(pl.Circle(radius=(0.01, 0.006), material=RUBBER), x=1.0)
    again = io.loads(io.dumps(model))
    assert again.part("bar").section == model.part("bar").section
    model = bar(SECTIONS[2], x=1.0)
    assert io.loads(io.dumps(model)).part("bar").section.law == pl.FibreLaw("circle", inner=0.6, mooney=0.3)


def test_what_does_not_know_large_strains_says_so():
    model = bar(SECTIONS[0], x=1.0)
    for options in (
        {"formulation": "shooting"},
        {"formulation": "udwadia_kalaba"},
        {"formulation": "kinked"},
        {"elements": pl.Corotational(4)},
        {"elements": pl.Linear(4)},
        {"elements": pl.Ancf(4)},
    ):
        with pytest.raises(ModelError, match=r"'bar'.*Hyperelastic.*pl\.Exact|\"bar\".*Hyperelastic.*pl\.Exact"):
            pl.compile(model, **options)
    rod = pl.Beam("rod", length=0.2, section=pl.Section.circle(0.001, pl.STEEL))
    with pytest.raises(ModelError, match="a sleeve"):
        pl.Sleeve("tube", rod, outer_radius=0.003, inner_radius=0.002, material=RUBBER)
    stiff, soft = pl.Section.circle(0.01, pl.STEEL), SECTIONS[0]
    with pytest.raises(ModelError, match="of one law"):
        pl.LinearStiffness((stiff, soft))
    mixed = pl.Beam("mixed", length=1.0, section=lambda s: soft if s > 0.5 else stiff)
    model = pl.Model("mixed")
    model.add(pl.Ground())
    with pytest.raises(ModelError, match="Weld two beams"):
        model.add(mixed)
    for value in (0.3, 0.45):
        with pytest.raises(ModelError, match=r"poisson_ratio = .*0\.5"):
            pl.Hyperelastic("foam", youngs_modulus=1e5, density=100.0, poisson_ratio=value)
    with pytest.raises(ModelError, match="mooney"):
        pl.Hyperelastic("foam", youngs_modulus=1e5, density=100.0, mooney=1.5)


def test_relative_coordinates_read_the_same_law():
    model = bar(SECTIONS[1], x=0.3, y=0.2)
    tips = [
        pl.statics(pl.compile(model, formulation=name, elements=pl.Exact(4, order=2))).position.sel(marker="bar/tip")
        for name in ("dae", "relative")
    ]
    assert np.allclose(*tips, atol=1e-9)


def test_the_area_that_its_fibres_share_is_that_of_the_shape():
    """Moments of order 4 of a circle: pi R^6 / 8 of y^4 over the area, and of a rectangle h^4 / 80."""
    share, y, _ = fibres(SECTIONS[0], True).T
    assert share @ y**4 == pytest.approx(pi * 0.01**6 / 8.0 / (pi * 0.01**2))
    share, y, _ = fibres(SECTIONS[1], False).T
    assert share @ y**4 == pytest.approx(0.012**4 / 80.0)
