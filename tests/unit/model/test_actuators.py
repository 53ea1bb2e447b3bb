"""Motors, brakes, play, linkages and ropes: what they refuse, and that a brake holds. Their numbers are in `pliant
validate actuators`; contracts of all parts in tests/contract.
"""

from __future__ import annotations

from typing import Any

import pytest

import pliant as pl
from pliant.errors import ModelError

GROUND, WHEEL, LOAD = pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.02), pl.Body("load", mass=1.0, inertia=0.1)
SHAFT = GROUND.at(0, 0), WHEEL.at()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ratio": 0.0}, r"ratio = 0\.0 is not allowed; it must be not zero.*ratio=1"),
        ({"efficiency": 1.2}, r"efficiency = 1\.2 .*above 0 and at most 1"),
        ({"efficiency": 0.0}, "efficiency = 0.* above 0"),
        ({"torque_constant": -1.0}, "torque_constant"),
        ({"stall_current": 3.0}, "no_load_speed = None.*two ends. Give both, or none"),
        ({"largest_current": -1.0}, "largest_current"),
    ],
)
def test_motors_that_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        pl.GearedMotor("motor", *SHAFT, 1.0, **{"torque_constant": 0.1} | options)


def test_other_actuators_that_cannot_be() -> None:
    with pytest.raises(ModelError, match=r"Brake.*torque"):
        pl.Brake("brake", *SHAFT, -1.0)
    with pytest.raises(ModelError, match="gap"):
        pl.Backlash("play", *SHAFT, gap=-0.1, stiffness=1.0)
    with pytest.raises(ModelError, match="radius = 0"):
        pl.Winch(WHEEL.at(), LOAD.at(), exit=GROUND.at(0, 0), radius=0.0)
    with pytest.raises(ModelError, match=r"exit = .*carries the drum"):
        pl.Winch(WHEEL.at(), LOAD.at(), exit=WHEEL.at(0.1, 0), radius=0.1)
    with pytest.raises(ModelError, match=r"over = .*neither end of the rope"):
        pl.Pulley(WHEEL.at(), LOAD.at(), over=LOAD.at(0.1, 0))
    with pytest.raises(ModelError, match=r"both shafts turn alike.*Gear"):
        pl.Parallelogram(WHEEL.at(), LOAD.at(), carrier=GROUND.at(0, 0), teeth_b=2)


def test_a_brake_holds_what_is_below_its_torque_and_lets_go() -> None:
    m = pl.Model("held", plane="xy")
    ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.02))
    m.add(pl.Revolute(ground.at(0, 0), wheel.at()), pl.Motor("load", ground.at(0, 0), wheel.at(), 0.5))
    m.add(pl.Brake("brake", ground.at(0, 0), wheel.at(), pl.Expression("where(t < 0.2, 1.0, 0.0)"), speed=1e-3))
    run = pl.transient(pl.compile(m), end_time=0.4, step=1e-3)
    turned = run.angle.sel(body="wheel").values
    assert 0.0 < turned[200] < 0.2e-3
    assert turned[-1] == pytest.approx(turned[200] + 0.5 * 0.5 / 0.02 * 0.2**2, rel=1e-2)


def test_currents_have_a_unit() -> None:
    motor = pl.GearedMotor(
        "motor", *SHAFT, "500 mA", torque_constant="50 mN m/A", no_load_speed="3000 rpm", stall_current=4.0
    )
    assert float(motor.current) == pytest.approx(0.5)
    assert motor.torque_constant == pytest.approx(0.05)
