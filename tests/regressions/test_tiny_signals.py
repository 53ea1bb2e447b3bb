"""A signal that is zero but for rounding has a derivative all the same."""

from __future__ import annotations

import pytest

import pliant as pl


@pytest.mark.parametrize("torque", [0.0, 1e-15, -3e-17, 1e-9, 2.0])
def test_what_a_torque_does_does_not_depend_on_its_value(torque: float) -> None:
    """Steps were a part of the torque itself: with 1e-15 N m, as statics leaves it, an input did nothing."""
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=3.0, angle=0.0))
    pin = ground.at(0, 0), arm.at(s=0)
    m.add(pl.Revolute(*pin), pl.Spring("spring", ground.at(1, 1), arm.at(s=1), 5e4, rest_length=0.98))
    m.add(pl.TorsionSpring("coil", *pin, 100.0, rest_angle=0.5), pl.Motor("motor", *pin, torque), pl.Gravity())
    system = pl.compile(m)
    plant = pl.linearise(system, at=pl.statics(system), inputs=["motor/torque"], outputs=["angle:arm"])
    assert (plant.C @ plant.A @ plant.B).item() == pytest.approx(1.0, rel=1e-9)  # 1 / (m l^2 / 3)
