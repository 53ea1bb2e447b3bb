"""Friction of a preload in pins and slides: stopping times, sticking, stick-slip, in every formulation."""

from __future__ import annotations

from math import atan, atanh, log, pi, sqrt
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError

FORMULATIONS = ("dae", "udwadia_kalaba", "relative")
INERTIA, TORQUE, VISCOUS, FAST = 0.5, 2.0, 0.3, 8.0


def wheel(space: bool, **friction: Any) -> tuple[pl.Model, dict[str, Any]]:
    """Return a wheel that turns about the z axis of its pin, or in space about another one."""
    if not space:
        m = pl.Model("wheel")
        ground, body = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=INERTIA, position=(0, 0), angle=0.0))
        m.add(pl.Revolute(ground.at(0, 0), body.at()), pl.PinFriction("seal", ground.at(0, 0), body.at(), **friction))
        return m, {"wheel": FAST}
    m, axis = pl.Model("wheel", plane=None), (2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0)
    ground = m.add(pl.Ground())
    body = m.add(pl.Body("wheel", mass=1.0, inertia=INERTIA, position=(0, 0, 0)))
    m.add(pl.Revolute(ground.at(0, 0, 0), body.at(), axis=axis))
    m.add(pl.PinFriction("seal", ground.at(0, 0, 0), body.at(), axis=axis, **friction))
    return m, {"wheel": (0.0, 0.0, 0.0, *(FAST * np.array(axis)))}


def turning(run: Any) -> np.ndarray:
    speed = run.angular_velocity.sel(body="wheel").values
    return np.linalg.norm(speed, axis=-1) if speed.ndim == 2 else speed


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_wheel_stops_when_it_should(formulation: str, space: bool) -> None:
    """J w' = -T - c w: it stops after (J/c) ln(1 + c w0 / T), and all of its energy is dissipated."""
    m, push = wheel(space, torque=TORQUE, viscous=VISCOUS, speed=1e-3)
    stop = INERTIA / VISCOUS * log(1.0 + VISCOUS * FAST / TORQUE)
    times = np.array([0.0, 0.5 * stop, 0.98 * stop, 1.02 * stop])
    how = {"step": stop / 2000.0} if formulation == "dae" else {"accuracy": 1e-8}
    run = pl.transient(pl.compile(m, formulation=formulation), end_time=times[-1], times=times, push=push, **how)
    exact = (FAST + TORQUE / VISCOUS) * np.exp(-VISCOUS / INERTIA * times[:3]) - TORQUE / VISCOUS
    np.testing.assert_allclose(turning(run)[:3], exact, atol=2e-3 if formulation == "dae" else 1e-5)
    assert abs(turning(run)[3]) < 1e-3
    lost = float(run.energy.sel(energy_kind="dissipated")[-1])
    assert lost == pytest.approx(0.5 * INERTIA * FAST**2, rel=1e-3)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_pendulum_sticks_where_friction_holds_it(formulation: str) -> None:
    """The load at 60 degrees is m g l sin = 8.5 N m; 9 N m hold it, but for a creep of speed atanh(load / torque)."""
    m, speed = pl.Model("stuck"), 1e-4
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=2.0, mass=1.0, angle=-30 * pl.DEG))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    m.add(pl.PinFriction("pin", ground.at(0, 0), arm.at(s=0), 9.0, speed=speed))
    how: dict[str, Any] = {"step": 1e-3} if formulation == "dae" else {"accuracy": 1e-6, "method": "SDIRK4"}
    run = pl.transient(pl.compile(m, formulation=formulation), end_time=0.2, **how)
    creep = -speed * atanh(9.81 * np.cos(30 * pl.DEG) / 9.0)
    assert float(run.angular_velocity.sel(body="arm")[-1]) == pytest.approx(creep, rel=1e-3)


def belt(force: float, breakaway: float, **speeds: float) -> pl.Model:
    """Build a block on a spring, on a belt that runs at 0.1 m/s."""
    m = pl.Model("belt")
    ground = m.add(pl.Ground())
    band = m.add(pl.Body("band", mass=1.0, inertia=0.1, position=(0, 0), angle=0.0))
    block = m.add(pl.Body("block", mass=1.0, inertia=0.1, position=(0, 0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), band.at()), pl.Prismatic(ground.at(0, 0), block.at()))
    m.add(pl.Motion(ground.at(0, 0), band.at(), x=pl.Ramp(0.0, 10.0, 0.0, 100.0, smooth=False)))
    m.add(pl.SlideFriction("rubbing", band.at(), block.at(), force, breakaway=breakaway, **speeds))
    m.add(pl.Bushing("spring", ground.at(0, 0), block.at(), stiffness=(25.0, 0.0, 0.0)))
    return m


@pytest.mark.parametrize("formulation", ["dae", "relative"])
def test_stick_slip_has_its_period(formulation: str) -> None:
    """Friction that falls at once from F_s to F_c: it sticks for 2 d / (k V) and slips for 2 (pi - atan(d / (V sqrt(k
    m)))) / omega, with d = F_s - F_c. A Stribeck speed of 1 % of the belt's changes the period by as much.
    """
    run = pl.transient(
        pl.compile(belt(1.0, 2.0, stribeck_speed=1e-3, speed=5e-5), formulation=formulation),
        end_time=5.5,
        times=np.linspace(0.0, 5.5, 5501),
        **({"accuracy": 1e-4} if formulation == "dae" else {"accuracy": 1e-6, "method": "SDIRK4"}),
    )
    speed, time = run.velocity.sel(marker="block(0, 0)", axis="x").values, run.time.values
    back = np.flatnonzero((speed[:-1] > 0.0) & (speed[1:] <= 0.0))
    crossings = time[back] + speed[back] / (speed[back] - speed[back + 1]) * 1e-3
    period = 2.0 * 1.0 / (25.0 * 0.1) + 2.0 / 5.0 * (pi - atan(1.0 / (0.1 * sqrt(25.0))))
    assert crossings.size >= 3
    np.testing.assert_allclose(np.diff(crossings)[1:], period, rtol=0.02)


def test_long_steps_that_could_miss_sticking_are_refused() -> None:
    """Radau's steps left the belt at F_c instead of F_s, with a period of 1.26 s, and were ok."""
    system = pl.compile(belt(1.0, 2.0, stribeck_speed=1e-3, speed=5e-5))
    with pytest.raises(OptionError, match='SlideFriction "rubbing" rubs'):
        pl.transient(system, end_time=5.5, method="Radau5")


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_geared_rotor_with_a_rubbing_output(formulation: str) -> None:
    """A rotor J, geared down by n to a wheel I with friction T_f: w' = (T - T_f / n) / (J + I / n^2)."""
    m, rotor, load, n, torque, rubbing = pl.Model("drive"), 1e-3, 0.5, 17.0, 0.2, 1.0
    ground = m.add(pl.Ground())
    pinion = m.add(pl.Body("pinion", mass=0.1, inertia=rotor, position=(0, 0), angle=0.0))
    wheel_body = m.add(pl.Body("wheel", mass=1.0, inertia=load, position=(0.2, 0), angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), pinion.at()), pl.Revolute(ground.at(0.2, 0), wheel_body.at()))
    m.add(pl.Gear(pinion.at(), wheel_body.at(), carrier=ground.at(0, 0), teeth_a=10, teeth_b=170))
    m.add(pl.Motor("motor", ground.at(0, 0), pinion.at(), torque))
    m.add(pl.PinFriction("bearing", ground.at(0.2, 0), wheel_body.at(), rubbing, speed=1e-5))
    how = {"step": 1e-3} if formulation == "dae" else {"accuracy": 1e-7, "method": "SDIRK4"}
    run = pl.transient(pl.compile(m, formulation=formulation), end_time=0.5, **how)
    expected = (torque - rubbing / n) / (rotor + load / n**2) * 0.5
    assert float(run.angular_velocity.sel(body="pinion")[-1]) == pytest.approx(expected, rel=2e-3)


def test_a_linear_model_has_the_pin_all_but_locked() -> None:
    m, _ = wheel(False, torque=TORQUE, breakaway=3.0, speed=1e-3, viscous=VISCOUS)
    matrices = pl.compile(m).matrices(pl.compile(m).start())
    assert matrices.damping.toarray()[2, 2] == pytest.approx(3.0 / 1e-3 + VISCOUS)


def test_bad_numbers_are_refused_by_name() -> None:
    ground, arm = pl.Ground(), pl.Link("arm", length=1.0, mass=1.0)
    with pytest.raises(ModelError, match=r'PinFriction "pin": breakaway = 1 is not allowed.*at least.*torque = 2'):
        pl.PinFriction("pin", ground.at(0, 0), arm.at(s=0), 2.0, breakaway=1.0)
    with pytest.raises(ModelError, match="speed"):
        pl.SlideFriction("slide", ground.at(0, 0), arm.at(s=0), 2.0, speed=0.0)
