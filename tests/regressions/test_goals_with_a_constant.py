"""A goal most of which no parameter changes: its search stopped at once, and the start was "a local optimum", as slopes
were small beside the constant.
"""

from __future__ import annotations

import pytest

import pliant as pl
from pliant.errors import OptionError


@pytest.mark.parametrize("constant", [0.0, 1e4])
def test_a_constant_does_not_move_the_optimum(constant: float) -> None:
    """Deflection P L^3 / 3 EI and a price of 2 for every metre of thickness: least where 3 w = 2 h."""
    m = pl.Model("strip")
    h = pl.Parameter("h", 2e-3, low=1e-3, high=6e-3, unit="m")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, h, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    system = pl.compile(m, elements=2)

    def cost(system: pl.System, _: object) -> float:
        thickness = system.model.parameters["h"].value
        return constant + 0.5**3 / (3.0 * 210e9 * 0.02 * thickness**3 / 12.0) + 2.0 * thickness

    found = pl.optimise(system, minimise=cost)
    best = (3.0 * 0.5**3 / (3.0 * 210e9 * 0.02 / 12.0) / 2.0) ** 0.25
    assert found.ok, found.outcome.message
    assert found.values["h"] == pytest.approx(best, rel=1e-4)
    assert not pl.optimise(system, minimise=cost, most_iterations=1).ok


@pytest.mark.parametrize(("wrong", "right"), [("masss", "mass"), ("frequency:1", "frequency_hz:1")])
def test_a_misspelt_goal(wrong: str, right: str) -> None:
    """All variables of the equilibrium were listed, and the one that was meant was not among them."""
    m = pl.Model("arm")
    mass = pl.Parameter("mass", 1.0, low=0.5, high=2.0, unit="kg")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=mass, angle=0.0))
    m.add(pl.Weld(ground.at(0, 0), arm.at(s=0)))
    with pytest.raises(OptionError, match=f"Did you mean {right}"):
        pl.optimise(m, minimise=wrong)
