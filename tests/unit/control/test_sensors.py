"""Readings of instruments: against closed forms of a swinging rod, the observer's results, and rotations in space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.control.models.outputs import output_unit
from pliant.errors import ModelError, OptionError

G, LENGTH = 9.80665, 1.0


def reading(system: Any, outputs: tuple[str, ...], *, signal: str, end_time: float = 0.5, step: float = 1e-3) -> Any:
    """Return a motion with a controller that reads and does nothing, every step."""
    law = pl.FunctionController(function=lambda t, y: 0.0, inputs=(signal,), outputs=outputs, sample_time=step)
    return pl.transient(system, end_time=end_time, step=step, controller=law, estimate=False)


def swinging() -> pl.Model:
    m = pl.Model("rod")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=LENGTH, mass=1.0, angle=0.3))
    pin = pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin")
    m.add(pin, pl.Gravity(y=-G), pl.Motor("motor", ground.at(0, 0), arm.at(s=0), 0.0))
    return m


def test_instruments_on_a_swinging_rod() -> None:
    """The tip reads along the rod -L w^2 + g sin, across L w' + g cos = -g cos / 2, for w' = -3 g cos / (2 L)."""
    names = ("accelerometer:arm/tip:x", "accelerometer:arm/tip:y", "gyro:arm/tip", "joint_angle:pin", "joint_rate:pin")
    more = ("acceleration:arm/tip:y", "angle:arm", "angular_velocity:arm", "reaction:pin:Fy")
    run = reading(pl.compile(swinging()), (*names, *more), signal="motor/torque")
    x, y, gyro, angle, rate, up, theta, omega, force = run.measured.values.T
    g = G
    np.testing.assert_allclose(x, -LENGTH * omega**2 + g * np.sin(theta), atol=1e-4 * g)
    np.testing.assert_allclose(y, -0.5 * g * np.cos(theta), atol=1e-3 * g)
    np.testing.assert_allclose(up, run.acceleration.sel(marker="arm/tip", axis="y")[:-1], atol=1e-12)
    np.testing.assert_allclose((gyro, rate), (omega, omega), atol=1e-12)
    np.testing.assert_allclose(angle, theta, atol=1e-12)
    np.testing.assert_allclose(force, run.reaction.sel(joint="pin", wrench="Fy")[:-1], atol=1e-9)
    assert np.ptp(theta) > 1.0


def test_an_encoder_reads_the_turn_between_links() -> None:
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    upper, lower = m.add(
        *(pl.Link(name, length=1.0, mass=1.0, angle=a) for name, a in (("upper", 0.2), ("lower", 1.0)))
    )
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=0), name="elbow"))
    m.add(pl.Gravity(), pl.Motor("motor", upper.at(s=1), lower.at(s=0), 0.0))
    system, count = pl.compile(m), 2.0 * np.pi / 4096
    law = pl.Controller.proportional({"motor/torque": {"joint_angle:elbow": 0.0}}, sample_time=1e-3)
    run = pl.transient(system, end_time=0.2, step=1e-3, controller=law.quantised(count), estimate=False)
    turn = (run.angle.sel(body="lower") - run.angle.sel(body="upper"))[:-1].values
    np.testing.assert_allclose(run.measured[:, 0], count * np.round(turn / count), atol=1e-12)
    outputs = ["joint_angle:elbow", "joint_rate:elbow", "angle:lower", "angle:upper"]
    plant = pl.linearise(system, inputs=["motor/torque"], outputs=outputs)
    np.testing.assert_allclose(plant.C[0], plant.C[2] - plant.C[3], atol=1e-9)
    np.testing.assert_allclose(plant.C[1], plant.C[0] @ plant.A, atol=1e-8 * np.max(np.abs(plant.C[1])))


def test_a_pin_in_space_with_any_axis() -> None:
    """Two bodies that tumble: the rate of the pin is the derivative of its angle; gyro and accelerometer turn along."""
    m = pl.Model("tumbling", plane=None)
    ground = m.add(pl.Ground())
    inertia = (0.02, 0.03, 0.04)
    one, two = m.add(
        pl.Body("one", mass=1.0, inertia=inertia, position=(0, 0, 0)),
        pl.Body("two", mass=1.0, inertia=inertia, position=(0.5, 0, 0)),
    )
    m.add(pl.Spherical(ground.at(0, 0, 0), one.at(-0.2, 0.1, 0)), pl.Gravity(z=-G))
    m.add(pl.Revolute(one.at(0.3, 0, 0), two.at(-0.2, 0, 0), axis=(1.0, 2.0, -1.0), name="hinge"))
    m.add(pl.Motor("motor", one.at(0.3, 0, 0), two.at(-0.2, 0, 0), 0.3, axis=(1.0, 2.0, -1.0)))
    body = "two(-0.2, 0)"
    outputs = ["joint_angle:hinge", "joint_rate:hinge"]
    outputs += [f"{word}:{body}:{axis}" for word in ("gyro", "accelerometer", "acceleration") for axis in "xyz"]
    outputs += [f"{word}:two:{axis}" for word in ("angular_velocity", "rotation") for axis in "xyz"]
    run = reading(pl.compile(m), tuple(outputs), signal="motor/torque", end_time=0.3)
    angle, rate = run.measured.values[:, :2].T
    gyro, felt, acceleration, omega, vector = np.split(run.measured.values[:, 2:], 5, axis=1)
    np.testing.assert_allclose(np.gradient(angle, 1e-3)[1:-1], rate[1:-1], atol=1e-3 * np.max(np.abs(rate)))
    assert np.ptp(angle) > 0.2
    from pliant.model import rotations

    turn = rotations.conjugate(rotations.exponential(vector))
    np.testing.assert_allclose(gyro, rotations.rotate(turn, omega), atol=1e-9)
    np.testing.assert_allclose(felt, rotations.rotate(turn, acceleration + np.array([0.0, 0.0, G])), atol=1e-8)


def test_refused_by_name() -> None:
    system = pl.compile(swinging())
    with pytest.raises(OptionError, match="'accelerometer:arm/tip:x' holds accelerations"):
        pl.linearise(system, at=pl.statics(system), inputs=["motor/torque"], outputs=["accelerometer:arm/tip:x"])
    with pytest.raises(OptionError, match=r"there is no pin 'elbow'. .*pin"):
        reading(system, ("joint_angle:elbow",), signal="motor/torque")
    with pytest.raises(OptionError, match="needs one of the components x, y"):
        reading(system, ("accelerometer:arm/tip",), signal="motor/torque")
    assert output_unit("accelerometer:arm/tip:x") == "m/s²"


def test_white_noise_has_its_density_and_moves_a_mass_accordingly() -> None:
    """v of a mass of 2 kg is a random walk: after n intervals its variance is density^2 n hold / m^2."""
    m = pl.Model("mass")
    ground, mass = m.add(pl.Ground(), pl.Body("mass", mass=2.0, inertia=1.0))
    m.add(pl.Prismatic(ground.at(0, 0), mass.at(0, 0)))
    m.add(pl.Force(mass.at(0, 0), x=pl.WhiteNoise(3.0, hold=2e-3, seed=5), name="gust"))
    run = pl.transient(pl.compile(m), end_time=4.0, step=2e-3, estimate=False)
    speed = run.velocity.sel(marker="mass(0, 0)", axis="x").values
    gain = np.diff(speed)
    assert np.std(gain) == pytest.approx(3.0 * np.sqrt(2e-3) / 2.0, rel=0.07)  # 2000 numbers: 3 sigma are 4.7 %
    pushed = pl.WhiteNoise(3.0, hold=2e-3, seed=5)(run.time[:-1] + 1e-3) * 1e-3
    np.testing.assert_allclose(gain, pushed, atol=1e-3 * np.ptp(pushed))  # smaller jumps are not begun anew
    noise = pl.WhiteNoise(1.0, hold=1.0)(np.arange(-2000, 2000) + 0.5)
    assert abs(np.mean(noise[1:] * noise[:-1])) < 0.05
    with pytest.raises(ModelError, match="seed"):
        pl.WhiteNoise(1.0, hold=0.1, seed=-1)
