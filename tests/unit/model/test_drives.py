"""Prescribed angles in space: a joint is where it is asked to be, never half a turn away."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl


@pytest.mark.parametrize("angle", [1.5, 1.7, 2.5, 3.1, -2.0])
def test_statics_turns_a_joint_to_a_far_angle(angle: float) -> None:
    m = pl.Model("arm", plane=None)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, inertia=(0.01, 0.1, 0.1)))
    pins = ground.at(0, 0, 0), arm.at(s=0)
    m.add(pl.Revolute(*pins, axis="z"), pl.Motion(*pins, axis="z", angle=0.0, name="drive"), pl.Gravity())
    turned = pl.statics(pl.compile(m).with_signals({"drive/angle": angle}))
    np.testing.assert_allclose(turned.rotation.sel(body="arm").values, [0.0, 0.0, angle], atol=1e-12)
