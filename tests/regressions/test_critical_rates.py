"""Only the first of two critical rates between two rates of a Campbell diagram was reported."""

from __future__ import annotations

from math import sqrt

import pytest

import pliant as pl


def test_all_critical_rates_between_two_rates_are_found() -> None:
    """A mass on springs along x and y in turning axes: k / m - W^2 passes zero at W = sqrt(k / m) of each."""
    m = pl.Model("whirl")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=2.0, inertia=0.1))
    springs = {"stiffness": (200.0, 300.0, 0.0), "turning_stiffness": 5.0}
    m.add(pl.Bushing("springs", ground.at(0, 0), body.at(), **springs))
    found = pl.campbell(pl.compile(m), rates=[0.0, 20.0], modes=2)
    assert found.outcome.figures["critical_rates"] == pytest.approx([10.0, sqrt(150.0)], rel=1e-6)
