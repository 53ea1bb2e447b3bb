"""Units did not fit their use: stops of a hinge took "20 mm" for 0.02 rad and refused "20 deg",
contacts with an exponent of 1.5 took "1 N/mm" for 1000 N/m^1.5, and signals took parameters of any unit.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import pliant as pl
from pliant.errors import ModelError

ground, link = pl.Ground(), pl.Link("link", length=1.0, mass=1.0)
base, tip = ground.at(0, 0), link.at(s=1)
hinge = pl.Revolute(base, link.at(s=0), name="hinge")
metres, newtons = pl.Parameter("L", 0.1, unit="m"), pl.Parameter("F", 2.0, unit="N")


def test_end_stops_of_an_angle() -> None:
    stop = pl.Stop(
        hinge, lower="-20 deg", upper=pl.Parameter("a", 0.3, unit="rad"), stiffness="3 N m/rad", damping="1 s"
    )
    assert (stop.lower, stop.upper, stop.stiffness) == (-20 * pl.DEG, 0.3, 3.0)
    slide = pl.Prismatic(base, link.at(s=0))
    assert pl.Stop(slide, lower="-20 mm", stiffness="1 N/mm").stiffness == 1000.0


def test_stiffness_of_an_exponent() -> None:
    law = pl.Contact("floor", base, tip, stiffness="1 N/mm^1.5", exponent=pl.Parameter("p", 1.5))
    assert law.stiffness == pytest.approx(1000.0**1.5, rel=1e-15)


@pytest.mark.parametrize(
    "make",
    [
        lambda: pl.Stop(hinge, lower="-20 mm", stiffness=3.0),
        lambda: pl.Stop(hinge, lower=-metres, stiffness=3.0),
        lambda: pl.Contact("floor", base, tip, stiffness="1 N/mm", exponent=1.5),
        lambda: pl.Force(tip, y=pl.Sine(metres, 1.0)),
        lambda: pl.Force(tip, y=pl.Ramp(0.0, 1.0, 0.0, newtons)),
        lambda: pl.Force(tip, y=pl.Limited(pl.Sine(metres, 1.0), high=1.0)),
        lambda: pl.Force(tip, y=pl.Limited(pl.Sine(newtons, 1.0), largest_rate=newtons)),
        lambda: pl.Motion(base, tip, x=pl.Table((0.0, 1.0), (0.0, newtons))),
    ],
)
def test_other_units_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ModelError, match="not allowed"):
        make()


def test_signals_of_parameters_of_their_units() -> None:
    rate = pl.Parameter("rate", 3.0, unit="N/s")
    pull = pl.Limited(pl.Ramp(0.0, newtons, 0.0, pl.Parameter("T", 0.1, unit="s")), high=2 * newtons, largest_rate=rate)
    assert float(pl.Force(tip, y=pull).y(10.0)) == 2.0  # type: ignore[operator]
