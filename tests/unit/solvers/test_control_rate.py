"""Robots and systems in loops: one pose after the other, and motions against the clock."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.solvers.nonlinear.inverse import Inverse
from pliant_gallery.six_rus.kinetostatics import MOTORS, kinetostatics
from tests.unit.analyses.test_kinetostatics import two_links


@pytest.fixture(scope="module")
def robot() -> pl.Kinetostatics:
    """Return the 6-RUS, two elements a rod."""
    return kinetostatics(elements=pl.Exact(2, order=3))


def test_a_loop_of_poses_is_that_of_single_ones(robot: pl.Kinetostatics) -> None:
    loop = robot.stepper(start=robot.inverse((0.0, 0.0, 0.5)))
    for k in range(1, 12):
        point, turn = (0.002 * k, 0.001 * k, 0.5 - 0.001 * k), pl.rotation(z=0.01 * k)
        motors = loop.inverse(point, turn, load={"load/z": -0.3 * k})
    single = robot.inverse(point, turn, load={"load/z": -3.3})
    np.testing.assert_allclose(motors, single.motors, atol=1e-11)
    np.testing.assert_allclose(loop.torques, single.torques, atol=1e-8)
    np.testing.assert_allclose(loop.compliance, single.compliance, rtol=1e-6)
    assert loop.stable
    assert not loop.careful
    there = robot.forward(motors + 1e-3, load={"load/z": -3.3}, start=single).position
    np.testing.assert_allclose(loop.forward(motors + 1e-3), there, atol=1e-10)
    np.testing.assert_allclose(loop.forward(motors), point, atol=1e-9)


def test_a_loop_goes_the_careful_way_where_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = two_links()
    loop = arm.stepper(start=arm.inverse((0.3, 0.4)))
    with monkeypatch.context() as patch:
        patch.setattr(Inverse, "follower", lambda *_: None)
        slow = arm.stepper(start=arm.inverse((0.3, 0.4)))
        expected = slow.inverse((0.35, 0.4))
    np.testing.assert_allclose(loop.inverse((0.35, 0.4)), expected, atol=1e-12)
    assert (loop.careful, slow.careful) == (0, 1)
    with pytest.raises(pl.errors.UnreachableError, match="cannot be reached"):
        loop.inverse((3.0, 0.4))
    np.testing.assert_allclose(loop.position, (0.35, 0.4))
    np.testing.assert_allclose(loop.inverse((0.35, 0.4)), expected, atol=1e-12)


def test_bad_input_of_a_loop(robot: pl.Kinetostatics) -> None:
    loop = robot.stepper(start=robot.inverse((0.0, 0.0, 0.5)))
    with pytest.raises(pl.errors.OptionError, match="'load/q' is no load"):
        loop.inverse((0.0, 0.0, 0.5), load={"load/q": 1.0})
    with pytest.raises(pl.errors.OptionError, match="give 6"):
        loop.forward([0.1, 0.2])
    with pytest.raises(pl.errors.OptionError, match="3 finite numbers"):
        loop.inverse((0.0, np.nan, 0.5))
    narrow = pl.Kinetostatics(robot.system, platform="platform", motors=MOTORS, limits=(-1.0, 0.62))
    held = narrow.stepper(start=narrow.inverse((0.0, 0.0, 0.5)))
    with pytest.raises(pl.errors.LimitError, match=r"its limits are -1 and 0\.62"):
        held.inverse((0.0, 0.0, 0.56))
    np.testing.assert_allclose(held.position, (0.0, 0.0, 0.5), atol=1e-9)


def test_a_loop_warns_where_poses_become_unstable() -> None:
    m = pl.Model("column")
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=1.0, section=pl.Section.rectangle(0.02, 0.002, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, y=0.0, name="push"))
    robot = pl.Kinetostatics(pl.compile(m, elements=4), platform="beam/tip", motors=["push/x", "push/y"])
    euler, loop = np.pi**2 * beam.section.bending_stiffness / 4.0, robot.stepper()
    loop.forward((-0.9 * euler, 0.0))
    assert loop.stable
    with pytest.warns(pl.errors.UnstableEquilibrium, match=r"From here on poses of 'column' are unstable in 1"):
        loop.forward((-1.1 * euler, 0.0))


def wheel() -> pl.System:
    """Return a wheel on a motor."""
    m = pl.Model("wheel")
    ground, disc = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.5))
    m.add(pl.Revolute(ground.at(0, 0), disc.at()), pl.Motor("motor", ground.at(0, 0), disc.at(), 0.0))
    return pl.compile(m)


IO: Any = {"inputs": ["motor/torque"], "outputs": ["angular_velocity:wheel"]}


def test_a_motion_with_the_clock() -> None:
    written: list[float] = []

    def hold(now: float, measured: Mapping[str, float]) -> dict[str, float]:
        return {"motor/torque": 1.0 - measured["angular_velocity:wheel"]}

    def encoder(now: float, said: Mapping[str, float]) -> dict[str, float]:
        return {name: round(value, 4) for name, value in said.items()}

    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pl.errors.DeadlineMissed)
        run = pl.realtime(
            wheel(), hold, rate=100, end_time=0.2, sensors=encoder,
            actuators=lambda _, inputs: written.append(inputs["motor/torque"]), **IO,
        )  # fmt: skip
    assert time.perf_counter() - began >= 0.19
    speed = 0.0
    for k in range(20):  # the recurrence of a held torque
        assert run.outputs["angular_velocity:wheel"][k] == pytest.approx(round(speed, 4), abs=2e-4)
        speed += 0.01 * (1.0 - round(speed, 4)) / 0.5
    assert written == run.inputs["motor/torque"].tolist()
    assert run.histogram(5)[0].sum() == 20
    assert "20 ticks of 10 ms" in repr(run)


def test_deadlines_that_are_missed_are_counted() -> None:
    def slow(now: float, measured: Mapping[str, float]) -> dict[str, float]:
        if 0.0095 < now < 0.0105:
            time.sleep(0.03)
        return {}

    with pytest.warns(pl.errors.DeadlineMissed, match=r"of 20 ticks of 5 ms were not done in time"):
        run = pl.realtime(wheel(), slow, rate=200, end_time=0.1, **IO)
    assert not run.ok
    assert 2 in run.missed
    assert run.late[3] > 0.02
    assert run.time[-1] == pytest.approx(0.095)


def test_bad_input_of_realtime() -> None:
    with pytest.raises(pl.errors.OptionError, match="positive numbers"):
        pl.realtime(wheel(), lambda *_: {}, rate=0.0, end_time=1.0, **IO)
    with pytest.raises(pl.errors.OptionError, match="it set 'brake'; inputs are motor/torque"):
        pl.realtime(wheel(), lambda *_: {"brake": 1.0}, rate=100.0, end_time=0.1, **IO)
    with pytest.raises(pl.errors.OptionError, match=r"'motor/torque' is nan at t = 0 s"):
        pl.realtime(wheel(), lambda *_: {"motor/torque": np.nan}, rate=100.0, end_time=0.1, **IO)


@pytest.mark.filterwarnings("ignore::pliant.errors.DeadlineMissed")
def test_ctrl_c_keeps_what_was_done() -> None:
    def law(time: float, measured: Any) -> dict[str, float]:
        if time > 0.0245:
            raise KeyboardInterrupt
        return {"motor/torque": 0.5}

    run = pl.realtime(wheel(), law, rate=200, end_time=1.0, **IO)
    assert run.interrupted
    assert not run.ok
    assert run.time.tolist() == pytest.approx([0.0, 0.005, 0.01, 0.015, 0.02])
    assert all(values.size == 5 for values in (*run.inputs.values(), *run.outputs.values(), run.took, run.late))
    assert "5 ticks of 5 ms, interrupted" in repr(run)
    assert run.histogram()[0].sum() == 5


@pytest.mark.parametrize(("read", "words"), [({}, "return no 'angle"), ({"angle:wheel": np.nan}, "is nan at t = 0")])
def test_sensors_that_do_not_measure_are_named(read: dict[str, float], words: str) -> None:
    with pytest.raises(pl.errors.OptionError, match=words):
        pl.realtime(
            wheel(), lambda *_: {}, rate=100.0, end_time=0.1, inputs=["motor/torque"], outputs=["angle:wheel"],
            sensors=lambda *_: read,
        )  # fmt: skip
