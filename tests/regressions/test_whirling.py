"""A part in space that turns by more than half a turn in a step was read the other way round, and the run said ok."""

from __future__ import annotations

import pytest

import pliant as pl


@pytest.mark.parametrize("threaded", [False, True], ids=["pin", "screw"])
def test_fast_turns_at_a_coarse_step_are_cut_back(threaded: bool) -> None:
    m = pl.Model("spin-up", plane=None)
    ground, nut = m.add(pl.Ground(), pl.Body("nut", mass=1.0, inertia=(1e-3, 1e-3, 1e-3)))
    axle = ground.at(0, 0, 0), nut.at()
    m.add(pl.Screw(*axle, pitch=2e-3) if threaded else pl.Revolute(*axle), pl.Moment(nut.at(), z=0.1))
    run = pl.transient(pl.compile(m), end_time=2.0, step=0.05)
    inertia = 1e-3 + (2e-3 / (2.0 * 3.141592653589793)) ** 2 * threaded
    assert run.outcome.ok
    assert run.outcome.cut_backs > 0
    speed = float(run.angular_velocity.isel(time=-1).sel(body="nut", axis="z"))
    assert speed == pytest.approx(0.1 * 2.0 / inertia, rel=1e-9)
