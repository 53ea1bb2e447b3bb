"""Angles of joints that turn far between the instants kept lost whole turns: 1.15 instead of 20 rad from three
instants, in the plane too, and in space 7.43 rad in the long steps of "relative", beside a gear whose other wheel was
right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl

RATE, END = 10.0, 2.0  # rad/s, s


def gears(spatial: bool) -> pl.Model:
    m = pl.Model("gears", **({"plane": None} if spatial else {}))
    inertia: Any = (0.1, 0.1, 0.1) if spatial else 0.1
    ground, one, other = m.add(pl.Ground(), *(pl.Body(name, mass=1.0, inertia=inertia) for name in ("one", "other")))
    m.add(pl.Revolute(ground.at(0, 0), one.at(), name="a"), pl.Revolute(ground.at(1, 0), other.at(), name="b"))
    m.add(pl.Gear(one.at(), other.at(), carrier=ground.at(0, 0), teeth_a=10, teeth_b=30))
    return m


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("formulation", ["dae", "relative", "udwadia_kalaba"])
@pytest.mark.parametrize("kept", [{}, {"every": 300}, {"times": [0.0, 0.9, 2.0]}, {"times": [0.5, 2.0]}])
def test_whole_turns_are_counted(kept: dict[str, Any], formulation: str, spatial: bool) -> None:
    steps = {"step": 1e-3} if formulation == "dae" else {"accuracy": 1e-8}
    push = {"one": (0, 0, 0, 0, 0, RATE) if spatial else RATE}
    run = pl.transient(pl.compile(gears(spatial), formulation=formulation), end_time=END, push=push, **steps, **kept)
    turned = run.joint_angle.sel(joint=["a", "b"]).values
    np.testing.assert_allclose(turned, np.outer(RATE * run.time.values, (1.0, -1.0 / 3.0)), atol=1e-5)
