"""Derivatives by a length of rods that are marched in space: 0.68 instead of 3 times the deflection, with ok.

Between nodes that stay, a rod that is longer by 1e-3 buckles, so that the residual beside an equilibrium hides it.
"""

import pytest

import pliant as pl
from pliant_evidence.sensitivities import models


def test_deflection_grows_as_the_cube_of_the_length() -> None:
    system = pl.compile(models.cantilever(None), formulation="shooting")
    found = pl.sensitivity(system, pl.statics(system), of=["position"], to=["L", "h"])
    tip = found.relative.position.sel(marker="beam/tip", axis="y")
    h, length, modulus = 2e-3, 0.5, 210e9
    bend = length**3 / (3.0 * modulus * 0.02 * h**3 / 12.0)
    shear = length / (5.0 / 6.0 * modulus / 2.6 * 0.02 * h)
    cube = (3.0 * bend + shear) / (bend + shear)
    assert tip.values.tolist() == pytest.approx([cube, -cube], rel=1e-7)
