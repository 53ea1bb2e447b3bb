"""Any controller in the time loop: functions, classes of strangers, python-control, several at once, on drives too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.control.design.blocks import sampled_block
from pliant.control.models.loop_response import LoopResponse
from pliant.control.models.open_loop import compensator
from pliant.errors import OptionError, SignalError
from pliant_gallery.examples import driven_pendulum, two_links
from pliant_io.linear_models import load_linear

ANGLE, RATE, TORQUE = "angle:arm", "angular_velocity:arm", "motor/torque"
PD = {TORQUE: {ANGLE: 20.0, RATE: 4.0}}


@pytest.fixture(scope="module")
def pendulum() -> Any:
    return pl.compile(driven_pendulum())


def pd(t: float, readings: dict[str, float]) -> float:
    return 1.0 - 20.0 * (readings[ANGLE] + 1.0) - 4.0 * readings[RATE]


def function(law: Any = pd, **more: Any) -> pl.FunctionController:
    common: dict[str, Any] = {"inputs": (TORQUE,), "outputs": (ANGLE, RATE), "sample_time": 0.01, "u0": np.ones(1)}
    return pl.FunctionController(**{**common, "function": law, **more})


def linear(**more: float) -> pl.Controller:
    return pl.Controller.proportional(
        PD, sample_time=0.01, input_values={TORQUE: 1.0}, output_values={ANGLE: -1.0}, **more
    )


def test_a_function_is_as_the_same_law_compiled(pendulum: Any) -> None:
    """A function and a compiled law agree to rounding, with limits, delay, quantisation and the same noise."""
    made = [
        law.limited(low=-3.0, high=4.0, rate=200.0).delayed(1).quantised({ANGLE: 1e-3}).with_noise(1e-3, seed=2)
        for law in (function(), linear())
    ]
    one, two = (pl.transient(pendulum, end_time=0.5, step=5e-3, controller=law) for law in made)
    for name in ("applied", "measured", "wanted"):
        np.testing.assert_allclose(one.data[name], two.data[name], atol=1e-11)
    assert float(abs(one.applied).max()) == pytest.approx(4.0)
    assert float(one.wanted.max()) > 4.0


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Integrating(pl.SampledController):
    """Somebody's own class: an integrator with memory."""

    gain: float

    def begin(self) -> dict[str, float]:
        return {"sum": 0.0}

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: dict[str, float]) -> list[float]:
        memory["sum"] += (r[0] - y[0]) * self.sample_time
        return [self.gain * memory["sum"]]

    def states(self, memory: dict[str, float]) -> np.ndarray:
        return np.array([memory["sum"]])


def test_a_class_of_a_stranger_begins_anew_in_every_motion(pendulum: Any) -> None:
    """A second motion gives the error of the first: memory must not leak between them."""
    own = Integrating(inputs=(TORQUE,), outputs=(ANGLE,), tracked=(ANGLE,), sample_time=0.01, gain=5.0)
    own = own.following({ANGLE: -1.0})
    one = pl.transient(pendulum, end_time=0.3, step=5e-3, controller=own, estimate=True)
    two = pl.transient(pendulum, end_time=0.3, step=5e-3, controller=own, estimate=False)
    np.testing.assert_array_equal(one.applied, two.applied)
    np.testing.assert_allclose(5.0 * one.estimate[1:, 0], one.applied[:-1, 0], rtol=1e-12)  # states when it was asked
    assert "Integrating(angle:arm -> motor/torque every 0.01 s, 1 states; tracks angle:arm)" in repr(own)


def test_a_function_may_have_a_memory(pendulum: Any) -> None:
    def count(t: float, readings: dict[str, float], memory: list[float]) -> float:
        memory.append(t)
        return float(len(memory))

    run = pl.transient(pendulum, end_time=0.1, step=5e-3, controller=function(count, memory=list))
    np.testing.assert_array_equal(run.applied[:, 0], np.arange(1.0, 11.0))


def test_estimate_of_the_compiled_loop_is_that_of_the_linear_prediction() -> None:
    system = pl.compile(driven_pendulum())
    rest = pl.statics(system)
    plant = pl.linearise(system, at=rest, inputs=[TORQUE], outputs=[ANGLE, RATE])
    gain = pl.lqr(plant, outputs={ANGLE: 100.0}, inputs={TORQUE: 1.0}, sample_time=0.01)
    controller = pl.lqg(gain, pl.luenberger(plant, speed=30.0, outputs=[ANGLE], sample_time=0.01))
    run = pl.transient(system, start=rest, end_time=0.3, step=1e-3, controller=controller, push={"arm": 1e-3})
    linear = controller.simulate(plant, end_time=0.3, start=np.linalg.solve(plant.C, [0.0, 1e-3]))
    np.testing.assert_allclose(run.estimate, linear.estimate[:-1], atol=1e-3 * float(abs(linear.estimate).max()))
    np.testing.assert_allclose(run.wanted, linear.wanted[:-1], atol=1e-3 * float(abs(linear.wanted).max()))
    assert run.controller_state.values.tolist() == list(controller.state_names)


# several


def test_a_cascade_of_two_rates_is_the_law_it_stands_for(pendulum: Any) -> None:
    """Outer: rate wanted = 6 (r - angle), every 20 ms. Inner: torque = 3 (rate wanted - rate), every 10 ms."""
    outer = pl.Controller.proportional({f"reference of {RATE}": {ANGLE: 6.0}}, sample_time=0.02).following(
        {ANGLE: -1.0}
    )
    inner = pl.Controller.proportional({TORQUE: {RATE: 3.0}}, sample_time=0.01).limited(high=2.5)

    def both(t: float, readings: dict[str, float], memory: dict[str, float]) -> float:
        if round(t / 0.01) % 2 == 0:
            memory["rate"] = 6.0 * (-1.0 - readings[ANGLE])
        return min(2.5, 3.0 * (memory["rate"] - readings[RATE]))

    one = pl.transient(pendulum, end_time=0.4, step=5e-3, controller=[inner, outer])
    two = pl.transient(pendulum, end_time=0.4, step=5e-3, controller=function(both, memory=dict, u0=np.zeros(1)))
    np.testing.assert_allclose(one.applied, two.applied, atol=1e-11)
    assert one.output.values.tolist() == [ANGLE, RATE]
    assert set(one.input.values) == {TORQUE}


def test_who_sets_what_is_checked(pendulum: Any) -> None:
    def refused(controllers: Any, match: str) -> None:
        with pytest.raises(OptionError, match=match):
            pl.transient(pendulum, end_time=0.1, step=5e-3, controller=controllers)

    refused([linear(), function()], "'motor/torque' is set by two controllers")
    slow = pl.Controller.proportional({f"reference of {ANGLE}": {RATE: 1.0}}, sample_time=0.015)
    refused([linear(), slow], "sample time of 0.015 s is not a whole multiple of the shortest, 0.01 s")
    refused(slow, "'reference of angle:arm': no controller tracks it")
    one = pl.Controller.proportional({TORQUE: {ANGLE: 1.0}, f"reference of {RATE}": {ANGLE: 1.0}}, sample_time=0.01)
    two = pl.Controller.proportional({f"reference of {ANGLE}": {RATE: 1.0}}, sample_time=0.01)
    refused([one, two], "they set each other's references in a circle")
    refused([], "give at least one")
    refused(pd, r"A function goes into pl.FunctionController")
    refused([linear(), 3.0], "give a Controller")
    refused(function(inputs=("motor/torqe",)), "there is no signal 'motor/torqe' to set")
    refused(function(outputs=("angle:arn",)), "there is no body 'arn'")


@pytest.mark.parametrize(
    "law, match",
    [
        (lambda t, readings: [1.0, 2.0], r"at t = 0 s: it returned array\(\[1., 2.\]\) .*must return 1 finite numbers"),
        (lambda t, readings: float("nan") if t > 0.04 else 0.0, "at t = 0.05 s: it returned .*nan"),
        (lambda t, readings: {"motor": 1.0}, "its function returned 'motor'; it must return motor/torque"),
        (lambda t, readings: 1.0 / 0.0, "at t = 0 s: ZeroDivisionError"),
        (lambda t, readings: readings["angle:elbow"], "KeyError: 'angle:elbow'"),
    ],
)
def test_what_a_function_does_wrong_is_said_with_its_time(pendulum: Any, law: Any, match: str) -> None:
    with pytest.raises(SignalError, match=match):
        pl.transient(pendulum, end_time=0.1, step=5e-3, controller=function(law))


def test_in_the_other_formulation_too() -> None:
    model = driven_pendulum()
    one = pl.transient(pl.compile(model), end_time=0.3, step=2.5e-4, controller=function())
    two = pl.transient(pl.compile(model, formulation="udwadia_kalaba"), end_time=0.3, controller=function())
    np.testing.assert_allclose(one.applied, two.applied, atol=2e-4)


# drives


def test_a_drive_goes_from_set_point_to_set_point() -> None:
    """A drive moves as if its course had been prescribed: positions, torques and energies; it arrives a sample late."""
    system = pl.compile(two_links())
    law = pl.FunctionController(
        function=lambda t, readings: 0.5 + 0.3 * np.sin(5.0 * t),
        inputs=("shoulder/angle",),
        outputs=("angle:upper",),
        sample_time=0.02,
    )
    run = pl.transient(system, end_time=0.4, step=1e-3, controller=law, constraints="projection")
    aims = np.concatenate([[0.5, 0.5], 0.5 + 0.3 * np.sin(5.0 * 0.02 * np.arange(20))])

    def prescribed(t: float) -> float:
        k = min(int(t / 0.02 + 1e-9), 19)
        s, (before, begin, end) = t / 0.02 - k, aims[k : k + 3]
        return begin + (begin - before) * s + (end - 2.0 * begin + before) * s**3 * (6.0 - 8.0 * s + 3.0 * s**2)

    known = system.with_signals({"shoulder/angle": pl.Function(prescribed)})
    held = pl.transient(known, end_time=0.4, step=1e-3, constraints="projection")
    assert run.outcome.ok
    np.testing.assert_allclose(run.angle, held.angle, atol=1e-9)
    moments = run.reaction.sel(joint="shoulder", wrench="M")
    size = float(abs(moments).max())  # derivatives of a function are differences
    np.testing.assert_allclose(moments, held.reaction.sel(joint="shoulder", wrench="M"), atol=3e-3 * size)
    np.testing.assert_allclose(run.angle.sel(body="upper")[20::20], aims[2:], atol=1e-12)


def test_drives_are_of_one_formulation_only() -> None:
    law = pl.Controller.proportional({"shoulder/angle": {"angle:upper": 0.1}}, sample_time=0.01)
    system = pl.compile(two_links(), formulation="udwadia_kalaba")
    with pytest.raises(OptionError, match="'shoulder/angle' drives a joint"):
        pl.transient(system, end_time=0.1, controller=law)


# linear blocks


def test_pid_in_the_limit_of_fast_samples_is_its_transfer_function() -> None:
    found = compensator(
        pl.pid("y", "u", proportional=5.0, integral=20.0, derivative=0.5, filter_time=0.02, sample_time=(T := 1e-5))
    )
    w = np.array([1.0, 10.0, 100.0])
    s = 1j * w
    response = LoopResponse(found)(w)[:, 0]
    np.testing.assert_allclose(response[:, 0], -(5.0 + 20.0 / s + 0.5 * s / (1.0 + 0.02 * s)), rtol=10.0 * T * 100.0)
    np.testing.assert_allclose(response[:, 1], 5.0 + 20.0 / s, rtol=1e-4)


def test_pid_does_not_wind_up() -> None:
    """A mass of 1 kg moved by 5 m with at most 1 N overshoots less than without limits; without tracking by 88 %."""
    mass = pl.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]], input_names=("force",), output_names=("x",))
    common: dict[str, Any] = {"proportional": 4.0, "integral": 1.0, "derivative": 4.0, "sample_time": 0.01}
    free = pl.pid("x", "force", **common).following({"x": 5.0})
    good = free.limited(low=-1.0, high=1.0)
    bad = replace(good, Bw=np.zeros((2, 1)))
    unlimited, tracked, wound = (law.simulate(mass, end_time=30.0).y[:, 0] for law in (free, good, bad))
    assert float(tracked.max()) < float(unlimited.max()) < 6.0
    assert float(wound.max()) > 9.0
    assert float(tracked[-1]) == pytest.approx(5.0, abs=1e-3)


def test_blocks_multiply() -> None:
    hold = pl.Controller.proportional({"u": {"y": 5.0}}, sample_time=1e-3)
    chain = hold.through(pl.notch(200.0, sample_time=1e-3)).through(pl.lead(50.0, phase=0.6, sample_time=1e-3))
    w = np.array([20.0, 200.0, 500.0])
    parts = [
        block.frequency_response(w).values[0, 0]
        for block in (pl.notch(200.0, sample_time=1e-3), pl.lead(50.0, phase=0.6, sample_time=1e-3))
    ]
    np.testing.assert_allclose(LoopResponse(compensator(chain))(w)[:, 0, 0], -5.0 * parts[0] * parts[1], rtol=1e-9)
    assert abs(parts[0][1]) == pytest.approx(0.05)
    with pytest.raises(OptionError, match="not below half the sampling rate"):
        pl.notch(4000.0, sample_time=1e-3)
    with pytest.raises(OptionError, match=r"sampled every 0.002 s, not every 0.001 s"):
        hold.through(pl.notch(200.0, sample_time=2e-3))


def test_systems_of_python_control_go_in_and_out() -> None:
    control = pytest.importorskip("control")
    lead = control.tf([50.0, 500.0], [1.0, 50.0])
    names: dict[str, Any] = {"inputs": [TORQUE], "outputs": [ANGLE]}
    found = pl.Controller.of(lead, **names, sample_time=1e-2, output_values={ANGLE: -1.0})
    there = control.sample_system(control.ss(lead), 1e-2, method="bilinear")
    w = np.array([1.0, 10.0, 100.0])
    for column, sign in ((0, -1.0), (1, 1.0)):
        mine = found.to_control()(np.exp(1j * w * 1e-2))[0, column]
        np.testing.assert_allclose(mine, sign * there(np.exp(1j * w * 1e-2)), rtol=1e-12)
    again = pl.Controller.of(found.to_control(), inputs=[TORQUE], outputs=[ANGLE, "r"], acts_on="outputs")
    np.testing.assert_allclose(again.Dy, np.hstack([found.Dy, found.Dr]))
    run = pl.transient(pl.compile(driven_pendulum()), end_time=0.2, step=5e-3, controller=found)
    _, answer = control.forced_response(there, inputs=(-1.0 - run.measured[:, 0]).values)
    np.testing.assert_allclose(run.applied[:, 0], answer, rtol=1e-9)


def test_a_controller_is_written_and_read(tmp_path: Path) -> None:
    law = pl.pid("y", "u", proportional=5.0, integral=2.0, sample_time=0.01, input_value=3.0, output_value=1.0).delayed(
        1
    )
    found = load_linear(pl.export(law, tmp_path / "law.nc"))
    np.testing.assert_array_equal(found.A, compensator(law).A)
    assert (found.sample_time, found.input_values.tolist(), found.output_values.tolist()) == (0.01, [1.0, 1.0], [3.0])


def test_systems_that_do_not_fit_are_refused() -> None:
    control = pytest.importorskip("control")
    names: dict[str, Any] = {"inputs": [TORQUE], "outputs": [ANGLE]}
    for system, match in (
        (control.tf([1.0, 0.0, 0.0], [1.0, 1.0]), "has no state space"),
        (control.ss([], [], [], [[1.0, 2.0]]), "has 2 inputs and 1 outputs; it reads 1"),
        (control.ss(-1.0, 1.0, 1.0, 0.0, True), "does not say how often"),
        (control.ss(-1.0, 1.0, 1.0, 0.0, 0.5), "sampled every 0.5 s, not every 0.01 s"),
        (pd, "is no linear system"),
    ):
        with pytest.raises(OptionError, match=match):
            pl.Controller.of(system, **names, sample_time=0.01)
    with pytest.raises(OptionError, match="the system is continuous"):
        sampled_block("of", control.tf([1.0], [1.0, 1.0]), None)
    with pytest.raises(OptionError, match="choose 'error' or 'outputs'"):
        pl.Controller.of(control.tf([1.0], [1.0, 1.0]), **names, sample_time=0.01, acts_on="both")
