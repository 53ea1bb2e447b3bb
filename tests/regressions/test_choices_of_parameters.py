"""Values of a parameter that were to be chosen from a list were searched between its bounds, too: an optimum of 10 mm,
ok, of the choices 20 and 30 mm.
"""

from __future__ import annotations

import pytest

import pliant as pl
from pliant.errors import ConvergenceError, OptionError

WANTED = ["stiffness:beam/tip:y >= 100"]


def strip(**bounds: float) -> pl.Model:
    height = pl.Parameter("height", 2e-3, unit="m", **bounds)
    width = pl.Parameter("width", 20e-3, low=10e-3, high=50e-3, unit="m")
    m = pl.Model("strip")
    section = pl.Section.rectangle(width, height, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    return m


def test_what_is_chosen_is_not_searched_over() -> None:
    system = pl.compile(strip(low=1e-3, high=5e-3), elements=pl.Exact(2, order=3))
    found = pl.optimise(system, minimise="mass", subject_to=WANTED, choices={"width": [20e-3, "30 mm"]})
    assert found.ok
    assert found.choice == {"width": 20e-3}
    assert list(found.values) == ["height"]
    assert found.model is not None
    assert found.model.parameters["width"].value == 20e-3
    with pytest.raises(OptionError, match="'width' is in over= and in choices="):
        pl.optimise(system, minimise="mass", over=["width", "height"], choices={"width": [20e-3]})
    with pytest.raises(OptionError, match="all parameters are chosen"):
        pl.optimise(system, minimise="mass", choices={"width": [20e-3], "height": [2e-3]})


def test_no_bounds_are_told() -> None:
    """A section of negative height was refused, and nothing said why it was tried."""
    with pytest.raises(ConvergenceError, match="low= and high= of a parameter"):
        pl.optimise(pl.compile(strip(), elements=2), minimise="mass", over=["height"])
