"""Outputs of a co-simulation before its first step: reactions and accelerations were 0 there."""

from __future__ import annotations

import pytest

import pliant as pl
from pliant_io.fmu.stepper import Stepper


def test_reactions_and_accelerations_at_the_start() -> None:
    """An arm of 1 kg let go level: m g / 4 at its pin, 3 g / 2 at its tip; a torque T adds 3 T / 2 l and 3 T / m l."""
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    pin = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"))
    m.add(pl.Gravity(), pl.Motor("motor", pin.a, pin.b, 0.0))
    force, tip = "reaction:pin:Fy", "acceleration:arm/tip:y"
    stepper = Stepper(pl.compile(m), ["motor/torque"], [force, tip], step=1e-3)
    assert dict(stepper.values()) == pytest.approx({force: 9.81 / 4, tip: -1.5 * 9.81})
    stepper.inputs["motor/torque"] = 2.0  # as a simulator sets it while it initialises
    assert dict(stepper.values()) == pytest.approx({force: 9.81 / 4 + 3.0, tip: -1.5 * 9.81 + 6.0})
    assert stepper.time == 0.0
