"""Sections and materials against hand formulas."""

from __future__ import annotations

from math import pi

import pytest

from pliant.model import ALUMINIUM, STEEL, TITANIUM, Material, Section


def test_rectangle() -> None:
    section = Section.rectangle(0.04, 0.02, STEEL)
    area, second_moment = 8e-4, 0.04 * 0.02**3 / 12
    assert section.axial_stiffness == pytest.approx(210e9 * area)
    assert section.bending_stiffness == pytest.approx(210e9 * second_moment)
    assert section.shear_stiffness == pytest.approx(5 / 6 * 210e9 / 2.6 * area)
    assert section.mass_per_length == pytest.approx(7850 * area)
    assert section.rotary_inertia == pytest.approx(7850 * second_moment)
    assert section.height == 0.02


def test_circle_and_tube_without_bore_agree() -> None:
    assert Section.circle(0.01, STEEL) == Section.tube(0.01, 0.0, STEEL)
    assert Section.circle(0.01, STEEL).bending_stiffness == pytest.approx(210e9 * pi * 0.01**4 / 4)
    same = Section.circle(0.01, STEEL, shear_factor="cowper").shear_stiffness
    assert Section.tube(0.01, 0.0, STEEL, shear_factor="cowper").shear_stiffness == pytest.approx(same)


@pytest.mark.parametrize(
    ("section", "factor"),
    [  # nu = 0.3; Cowper 1966, table 1: rectangle 0.850, circle 0.886, thin round tube 0.531
        (Section.rectangle(0.04, 0.02, STEEL, shear_factor="cowper"), 0.850),
        (Section.circle(0.01, STEEL, shear_factor="cowper"), 0.886),
        (Section.tube(0.01, 0.00999, STEEL, shear_factor="cowper"), 0.531),
        (Section.circle(0.01, STEEL), 5 / 6),
        (Section.circle(0.01, STEEL, shear_factor=1), 1.0),
    ],
)
def test_shear_factors(section, factor) -> None:
    area = section.axial_stiffness / STEEL.youngs_modulus
    assert section.shear_stiffness / (STEEL.shear_modulus * area) == pytest.approx(factor, abs=6e-4)


def test_material_from_either_modulus() -> None:
    assert Material("a", youngs_modulus=210e9, density=1.0).poisson_ratio == 0.3
    given = Material("a", youngs_modulus=200e9, shear_modulus=80e9, density=1.0)
    assert (given.poisson_ratio, given.shear_modulus) == (pytest.approx(0.25), 80e9)
    both = Material("a", youngs_modulus=200e9, shear_modulus=80e9, poisson_ratio=0.25, density=1.0)
    assert both == given


def test_materials_are_plausible() -> None:
    for material in (STEEL, ALUMINIUM, TITANIUM):
        assert 4000 < (material.youngs_modulus / material.density) ** 0.5 < 6000  # speed of sound in the bar, m/s
