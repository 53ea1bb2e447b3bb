"""Derivatives of tensions, small strains times large stiffnesses: short differences lost digits to rounding."""

from __future__ import annotations

import pytest

import pliant as pl


@pytest.mark.parametrize("plane", ["xy", None])
def test_a_stiff_spring_in_series_with_a_weak_one_carries_the_load(plane: str | None) -> None:
    """dT/dF = 1 of both; it was 8e-4 off of the stiff one, beside a stated error of 3e-8."""
    load = pl.Parameter("load", 2.0, unit="N")
    m, home, still = pl.Model("springs in series", plane=plane), (0.0, 0.0), 1e-3
    if plane is None:
        home, still = (0.0, 0.0, 0.0), (1e-3, 1e-3, 1e-3)
    ground = m.add(pl.Ground())
    near, far = m.add(
        *(pl.Body(name, mass=1.0, inertia=still, position=(x, *home[1:])) for name, x in (("near", 1.0), ("far", 2.0)))
    )
    m.add(*(pl.Prismatic(ground.at(*home), end.at(), axis="x") for end in (near, far)))
    m.add(pl.Spring("weak", ground.at(*home), near.at(), stiffness=1.0, rest_length=0.9))
    m.add(pl.Spring("stiff", near.at(), far.at(), stiffness=1e9, rest_length=1.0), pl.Force(far.at(), x=load))
    system = pl.compile(m)
    found = pl.sensitivity(system, pl.statics(system), of=["tension"], to=["load"])
    assert found.derivative.tension.values == pytest.approx(1.0, abs=1e-6)
