"""Rotors of motors as a property, against equations by hand and a rotor that is a body on a gear."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError

FORMULATIONS = ("dae", "udwadia_kalaba", "relative")
RATIO, ROTOR, CONSTANT, CURRENT = 6.0, 5e-4, 0.1, 2.0
ARM, WHEEL = 0.05, 0.02


def moved(model: pl.Model, formulation: str, end: float, **options: Any) -> pl.Result:
    way = {"step": 1e-3} if formulation == "dae" else {"accuracy": 1e-10}
    return pl.transient(pl.compile(model, formulation=formulation), end_time=end, **way, **options)


def shafts(plane: str | None) -> pl.Model:
    """Build an arm that turns freely, and a wheel on it that a motor on the arm turns; centres in the axis."""
    m = pl.Model("shafts", plane=plane)
    ground, arm, wheel = m.add(
        pl.Ground(), pl.Body("arm", mass=1.0, inertia=ARM), pl.Body("wheel", mass=1.0, inertia=WHEEL)
    )
    m.add(pl.Revolute(ground.at(0, 0), arm.at(), name="hub"), pl.Revolute(arm.at(), wheel.at(), name="bearing"))
    motor: dict[str, Any] = {"torque_constant": CONSTANT, "ratio": RATIO, "rotor_inertia": ROTOR}
    m.add(pl.GearedMotor("motor", arm.at(), wheel.at(), CURRENT, **motor))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("plane", ["xy", None])
def test_two_shafts_and_a_rotor_obey_lagrange(plane: str | None, formulation: str) -> None:
    """2 T = J_1 w_1^2 + J_2 w_2^2 + J ((1 - n) w_1 + n w_2)^2 under -T, T: constant accelerations."""
    share = np.array([1.0 - RATIO, RATIO])
    mass = np.diag([ARM, WHEEL]) + ROTOR * np.outer(share, share)
    torque = RATIO * CONSTANT * CURRENT
    speeds = 0.1 * np.linalg.solve(mass, [-torque, torque])
    run = moved(shafts(plane), formulation, 0.1)
    found = run.angular_velocity.sel(body=["arm", "wheel"]).values[-1]
    found = found if plane else found[:, 2]
    np.testing.assert_allclose(found, speeds, rtol=1e-8)
    kinetic = float(run.energy.sel(energy_kind="kinetic")[-1])
    assert kinetic == pytest.approx(0.5 * speeds @ mass @ speeds, rel=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_rotor_that_is_carried_around_has_a_gyroscopic_moment(formulation: str) -> None:
    """A yoke turns at W about z, a wheel at w on it about x: the hub holds W (J_wheel + n J) w across both."""
    turn, spin = 3.0, 40.0
    m = pl.Model("yoke", plane=None)
    ground, yoke = m.add(pl.Ground(), pl.Body("yoke", mass=1.0, inertia=(0.01, 0.01, 0.02)))
    wheel = m.add(pl.Body("wheel", mass=0.5, inertia=(1e-3, 2e-3, 2e-3)))
    m.add(pl.Revolute(ground.at(0, 0, 0), yoke.at(0, 0, 0), axis="z", name="hub"))
    m.add(pl.Motion(ground.at(0, 0, 0), yoke.at(0, 0, 0), angle=pl.Expression(f"{turn}*t"), axis="z", name="drive"))
    m.add(pl.Revolute(yoke.at(0, 0, 0), wheel.at(0, 0, 0), axis="x", name="bearing"))
    motor: dict[str, Any] = {"torque_constant": CONSTANT, "ratio": RATIO, "rotor_inertia": ROTOR, "axis": "x"}
    m.add(pl.GearedMotor("motor", yoke.at(0, 0, 0), wheel.at(0, 0, 0), 0.0, **motor))
    run = moved(m, formulation, 0.2, push={"yoke": (0, 0, 0, 0, 0, turn), "wheel": (0, 0, 0, spin, 0, turn)})
    moment = run.reaction.sel(joint="hub").values[-1, 3:]
    assert abs(moment[2]) < 1e-6
    expected = turn * spin * (1e-3 + RATIO * ROTOR)
    within = (spin * 1e-3) ** 2 / 10.0 if formulation == "dae" else 1e-8  # equal steps err by a twelfth of that
    assert np.linalg.norm(moment[:2]) == pytest.approx(expected, rel=within)
    assert run.outcome.ok


def test_a_rotor_as_a_property_swings_an_arm_as_a_body_on_a_gear_does() -> None:
    def model(body: bool) -> pl.Model:
        m = pl.Model("crank")
        ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.2, mass=0.5, angle=0.3))
        m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0), name="bearing"), pl.Gravity())
        if body:
            rotor = m.add(pl.Body("rotor", mass=0.1, inertia=ROTOR, position=(0.0, 0.1)))
            m.add(pl.Revolute(ground.at(0, 0.1), rotor.at(), name="rotor bearing"))
            m.add(pl.Gear(rotor.at(), crank.at(s=0), carrier=ground.at(0, 0.1), teeth_a=1, teeth_b=6))
        given = 0.0 if body else ROTOR
        motor = {"torque_constant": CONSTANT, "ratio": -RATIO, "rotor_inertia": given}
        m.add(pl.GearedMotor("motor", ground.at(0, 0), crank.at(s=0), 0.5, **motor))
        return m

    one, other = (moved(model(body), "dae", 0.5) for body in (False, True))
    np.testing.assert_allclose(one.angle.sel(body="crank").values, other.angle.sel(body="crank").values, atol=1e-9)
    modes = [
        pl.modal(system, at=pl.statics(system), modes=1).frequency_hz.values
        for system in (pl.compile(model(body)) for body in (False, True))
    ]
    np.testing.assert_allclose(*modes, rtol=1e-9)


def test_a_negative_inertia_is_refused() -> None:
    ground, crank = pl.Ground(), pl.Link("crank", length=0.2, mass=0.5)
    with pytest.raises(ModelError, match="rotor_inertia"):
        pl.GearedMotor("motor", ground.at(0, 0), crank.at(s=0), 1.0, torque_constant=0.1, rotor_inertia=-1.0)
