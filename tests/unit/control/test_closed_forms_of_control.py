"""Closed forms of loops, models and exports, of what seeded faults showed no other reference from outside sees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.control.models.linear_model import LinearModel


def wheel() -> pl.Model:
    """Build a wheel of 0.5 kg m^2 with a motor."""
    m = pl.Model("wheel")
    ground, body = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.5))
    m.add(pl.Revolute(ground.at(0, 0), body.at()), pl.Motor("motor", ground.at(0, 0), body.at(), 0.0))
    return m


def test_a_follower_force_turns_an_arm() -> None:
    """The force stays across the arm: F L = k phi, however far that is."""
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.4, mass=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.TorsionSpring("hold", ground.at(0, 0), arm.at(s=0), 10.0))
    m.add(pl.Force(arm.at(s=1), x=0.0, y=15.0, follower=True))
    assert float(pl.statics(pl.compile(m)).angle.sel(body="arm")) == pytest.approx(15.0 * 0.4 / 10.0, rel=1e-9)


def test_a_sampled_loop_moves_by_its_recurrence() -> None:
    """u = -K round(y), limited and delayed, held for T: angle + T rate + T^2 u / 2 J, rate + T u / J, step by step."""
    T, J, delay, quantum, limit = 0.02, 0.5, 2, (0.013, 0.011), 3.0
    gains = np.array([20.0, 2.0])
    outputs = ("angle:wheel", "angular_velocity:wheel")
    controller = pl.Controller.proportional({"motor/torque": dict(zip(outputs, gains, strict=True))}, sample_time=T)
    controller = (
        controller.limited(low=-limit, high=limit).delayed(delay).quantised(dict(zip(outputs, quantum, strict=True)))
    )
    run = pl.transient(
        pl.compile(wheel()), end_time=1.0, step=T / 2, controller=controller, push={"wheel": 1.0}, every=2
    )
    x, waiting, places = np.array([0.0, 1.0]), [0.0] * delay, []
    for _ in range(51):
        places.append(x[0])
        read = np.array(quantum) * np.rint(x / quantum)
        waiting.append(float(np.clip(-gains @ read, -limit, limit)))
        push = waiting.pop(0) / J
        x = np.array([x[0] + T * x[1] + 0.5 * T**2 * push, x[1] + T * push])
    assert max(map(abs, places)) > 0.05
    np.testing.assert_allclose(run.angle.sel(body="wheel"), places, atol=1e-6)


def test_response_of_a_lead() -> None:
    """(s + 3) / (s + 1) = 1 + 2 / (s + 1)."""
    lead = LinearModel([[-1.0]], [[1.0]], [[2.0]], [[1.0]])
    found = lead.frequency_response([0.0, 2.0]).values[0, 0]
    np.testing.assert_allclose(found, [3.0, (2j + 3.0) / (2j + 1.0)], rtol=1e-12)


@pytest.mark.parametrize("options", [{"method": "modal", "static": True}, {"method": "craig-bampton"}])
def test_reduced_models_keep_their_static_gain(options: dict[str, object]) -> None:
    """A cantilever with two modes gives way by L^3 / 3 EI + L / GA all the same."""
    section, length = pl.Section.rectangle(0.02, 0.002, pl.STEEL), 0.4
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=section, damping=pl.Rayleigh(0.1, 1e-5)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, y=0.0, name="push"))
    plant = pl.linearise(
        pl.compile(m, elements=pl.Exact(6, order=2)), inputs=["push/y"], outputs=["position:beam/tip:y"]
    )
    small = pl.reduce(plant, modes=2, **options)  # type: ignore[arg-type]
    expected = length**3 / (3.0 * section.bending_stiffness) + length / section.shear_stiffness
    assert float(small.frequency_response([0.0]).values[0, 0, 0].real) == pytest.approx(expected, rel=1e-5)


def test_fmu_of_a_wheel_is_exact(tmp_path: Path) -> None:
    """A torque of 2 N m from t = 0.1 s on, -1 N m from 0.2 s on: the speed is torque times time over inertia."""
    fmpy = pytest.importorskip("fmpy")
    pytest.importorskip("pythonfmu")
    path = pl.export(
        wheel(), tmp_path / "wheel.fmu", inputs=["motor/torque"], outputs=["angular_velocity:wheel"], step=1e-2
    )
    kinds = [("time", float), ("motor_torque", float)]
    torque = np.array([(0.0, 0.0), (0.1, 0.0), (0.1, 2.0), (0.2, 2.0), (0.2, -1.0), (0.3, -1.0)], kinds)
    found = fmpy.simulate_fmu(
        str(path), stop_time=0.3, output_interval=0.02, input=torque, output=["angular_velocity_wheel"]
    )
    time = found["time"]
    expected = (2.0 * np.clip(time - 0.1, 0.0, 0.1) - np.clip(time - 0.2, 0.0, None)) / 0.5
    np.testing.assert_allclose(found["angular_velocity_wheel"], expected, atol=1e-9)
