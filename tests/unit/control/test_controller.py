"""Sampled controllers: what they are made of, limits, delay, noise, references, and spill-over to neglected modes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.control.controllers.loop import Loop
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.open_loop import closed_loop
from pliant.errors import ConvergenceError, DroppedMode, PliantWarning

T = 0.02
MASS = LinearModel(
    [[0, 1], [0, 0]], [[0], [1]], np.eye(2), np.zeros((2, 1)), ("x", "v"), ("force",), ("place", "speed")
)
# Upright pendulum at 3 rad held by 2 N m; the second reading holds some of the torque itself.
PENDULUM = LinearModel(
    *([[0, 1], [4, -0.1]], [[0], [2]], [[1, 0], [0.3, 1]], [[0], [0.2]]),
    *(("x", "v"), ("torque",), ("angle", "mixed"), [2.0], [3.0, -1.0]),
)


def lqg(model: LinearModel, *, integral: tuple[str, ...] = (), track: tuple[str, ...] = ()) -> pl.Controller:
    name = model.output_names[0]
    weights = {"outputs": {name: 10.0}, "inputs": {model.input_names[0]: 0.1}}
    gain = pl.lqr(model, **weights, sample_time=T, integral=integral)
    noise = dict.fromkeys(model.output_names if np.any(model.D) else [name], 0.01)
    seen = pl.kalman(model, process_noise={model.input_names[0]: 1.0}, measurement_noise=noise, sample_time=T)
    return pl.lqg(gain, seen, track=track)


# structure


def test_arrays_that_are_not_given_are_zero_and_limits_infinite() -> None:
    bare = pl.Controller(inputs=("u",), outputs=("a", "b"), sample_time=T)
    assert bare.A.shape == (0, 0)
    assert bare.By.shape == (0, 2)
    assert bare.Dy.shape == (1, 2)
    assert not np.any(bare.Dy)
    assert bare.low[0] == -np.inf
    assert bare.rate[0] == np.inf
    assert bare.references == ()
    assert all(getattr(bare, key).flags.c_contiguous for key in ("A", "Bu", "C", "Dy", "u0"))


def test_variations_are_copies() -> None:
    plain = lqg(PENDULUM)
    made = (
        plain.limited(low=-5, high={"torque": 5.0}, rate=100)
        .delayed(2)
        .with_noise({"angle": 0.1}, seed=7)
        .quantised(0.01)
    )
    assert (made.low[0], made.high[0], made.rate[0], made.delay, made.seed) == (-5.0, 5.0, 100.0, 2, 7)
    np.testing.assert_array_equal(made.noise, [0.1, 0.0])
    np.testing.assert_array_equal(made.quantum, [0.01, 0.01])
    assert (plain.low[0], plain.delay, plain.noise[0], plain.quantum[0]) == (-np.inf, 0, 0.0, 0.0)
    assert made.A is not plain.A or np.array_equal(made.A, plain.A)


def test_noise_is_repeatable_and_a_longer_run_starts_the_same() -> None:
    noisy = lqg(PENDULUM).with_noise({"angle": 0.5, "mixed": 2.0}, seed=3)
    table = noisy.noise_table(20_000)
    np.testing.assert_array_equal(noisy.noise_table(100), table[:100])
    np.testing.assert_allclose(np.std(table, axis=0), [0.5, 2.0], rtol=0.03)
    assert not np.array_equal(replace(noisy, seed=4).noise_table(100), table[:100])


def test_references_are_signals_less_the_operating_point() -> None:
    tracking = lqg(PENDULUM, integral=("angle",)).following({"angle": pl.Ramp(3.0, 4.0, t0=0.0, t1=1.0, smooth=False)})
    np.testing.assert_allclose(tracking.reference_table(np.array([0.0, 0.5, 2.0]))[:, 0], [0.0, 0.5, 1.0])
    still = lqg(PENDULUM, integral=("angle",))
    np.testing.assert_array_equal(still.reference_table(np.zeros(3)), np.zeros((3, 1)))


def test_proportional_controller() -> None:
    hold = pl.Controller.proportional(
        {"m/torque": {"angle:a": 5.0, "rate:a": 0.5}},
        sample_time=T,
        input_values={"m/torque": 2.0},
        output_values={"angle:a": 0.3},
    )
    loop = Loop(hold, samples=2)
    assert loop.sample(np.array([0.4, 1.0]))[0] == pytest.approx(2.0 - 5.0 * 0.1 - 0.5)
    moved = Loop(hold.following({"angle:a": 0.5}), samples=1)
    assert moved.sample(np.array([0.5, 0.0]))[0] == pytest.approx(2.0)


# on the model it was designed for


@pytest.mark.parametrize("model", [MASS, PENDULUM], ids=["mass", "pendulum with torque in the reading"])
@pytest.mark.parametrize("delay", [0, 3])
def test_simulation_is_the_power_of_the_closed_loop_matrix(model: LinearModel, delay: int) -> None:
    """Two routes to the same motion: sample by sample, and the matrix whose poles are shown."""
    controller = lqg(model, integral=(model.output_names[0],)).delayed(delay)
    run = controller.simulate(model, end_time=1.0, start={"x": 0.1, "v": -0.2})
    step = closed_loop(controller, model)
    state = np.zeros(len(step))
    state[:2] = 0.1, -0.2
    np.testing.assert_allclose(run.x[50], (np.linalg.matrix_power(step, 50) @ state)[:2], atol=1e-10)
    assert run.y.dims == ("time", "output")
    assert float(run.time[-1]) == pytest.approx(1.0)
    np.testing.assert_allclose(run.y[0], model.output_values + model.C @ [0.1, -0.2])


@pytest.mark.parametrize("model", [MASS, PENDULUM], ids=["mass", "pendulum with torque in the reading"])
def test_poles_are_those_of_gain_and_observer(model: LinearModel) -> None:
    name, force = model.output_names[0], model.input_names[0]
    gain = pl.lqr(model, outputs={name: 10.0}, inputs={force: 0.1}, sample_time=T, integral=[name])
    seen = pl.luenberger(model, speed=20.0, sample_time=T)
    found = np.linalg.eigvals(closed_loop(pl.lqg(gain, seen), model))
    parts = np.exp(T * np.concatenate([gain.poles, seen.poles]))
    for pole in parts:
        assert np.min(np.abs(found - pole)) < 1e-8
    assert np.sum(np.abs(found) > 1e-8) == parts.size


def test_at_the_operating_point_nothing_happens() -> None:
    run = lqg(PENDULUM, integral=("angle",)).simulate(PENDULUM, end_time=0.5)
    np.testing.assert_allclose(run.u, 2.0, rtol=1e-14)
    np.testing.assert_allclose(run.y - PENDULUM.output_values, 0.0, atol=1e-14)


def test_estimates_converge_to_the_states_whatever_the_limits_and_the_delay() -> None:
    """The observer is driven by what is applied: its error goes the same way with and without saturation."""
    controller, start = lqg(PENDULUM), {"x": 0.2, "v": 0.3}
    errors = []
    for each in (controller, controller.limited(low=1.5, high=2.5, rate=5.0), controller.delayed(2)):
        run = each.simulate(PENDULUM, end_time=0.6, start=start)
        errors.append(run.x.values - run.estimate.values[:, :2])
    np.testing.assert_allclose(errors[1], errors[0], atol=1e-12)
    np.testing.assert_allclose(errors[2], errors[0], atol=1e-12)
    assert np.max(np.abs(errors[0][-1])) < 0.05 * np.max(np.abs(errors[0][0]))


def test_state_feedback_from_outputs_is_the_gain_itself() -> None:
    gain = pl.lqr(MASS, Q=1.0, R=1.0, sample_time=T)
    controller = pl.state_feedback(gain, outputs=["speed", "place"])
    np.testing.assert_allclose(controller.Dy, -gain.K[:, ::-1], rtol=1e-12)
    assert np.max(np.abs(controller.C)) < 1e-12
    run = controller.simulate(MASS, end_time=4.0, start=[1.0, 0.0])
    x = np.array([1.0, 0.0])
    sampled = MASS.discretise(T)
    for reading in run.x.values:
        np.testing.assert_allclose(reading, x, atol=1e-12)
        x = (sampled.A - sampled.B @ gain.K) @ x


@pytest.mark.parametrize("integral", [(), ("place",)])
def test_a_reference_is_reached(integral: tuple[str, ...]) -> None:
    controller = lqg(MASS, integral=integral, track=("place",)).following({"place": 0.7})
    run = controller.simulate(MASS, end_time=12.0)
    place = run.y.sel(output="place")
    assert float(place[-1]) == pytest.approx(0.7, abs=1e-5)
    assert float(place.max()) < 0.7 * 1.2


def test_a_constant_load_is_rejected_by_the_integral_only() -> None:
    """The plant's own input is off by 1.5: without the integral the angle stays away, with it the angle comes back."""
    pushed = replace(PENDULUM, input_values=np.array([3.5]))
    away = lqg(PENDULUM).simulate(pushed, end_time=15.0).y.sel(output="angle")[-1]
    back = lqg(PENDULUM, integral=("angle",)).simulate(pushed, end_time=15.0).y.sel(output="angle")[-1]
    assert abs(float(away) - 3.0) > 0.01
    assert float(back) == pytest.approx(3.0, abs=1e-6)


# limits


@settings(max_examples=20, deadline=None)
@given(
    limit=st.floats(0.05, 5.0),
    rate=st.floats(1.0, 200.0),
    delay=st.integers(0, 3),
    noise=st.floats(0.0, 0.1),
    seed=st.integers(0, 99),
)
def test_limits_hold_at_every_sample(limit: float, rate: float, delay: int, noise: float, seed: int) -> None:
    free = lqg(MASS, integral=("place",)).following({"place": 1.0}).with_noise(noise, seed=seed)
    controller = free.limited(low=-limit, high=0.5 * limit, rate=rate).delayed(delay)
    run = controller.simulate(MASS, end_time=2.0)
    u = run.u.values[:, 0]
    assert np.all((u >= -limit) & (u <= 0.5 * limit))
    assert np.max(np.abs(np.diff(np.concatenate([[0.0], u])))) <= rate * T * (1.0 + 1e-12)
    assert np.all(u[:delay] == 0.0)


def test_a_delay_shifts_what_is_applied() -> None:
    hold = pl.Controller.proportional({"force": {"place": 2.0}}, sample_time=T)
    loops = [Loop(each, samples=6) for each in (hold, hold.delayed(2))]
    readings = np.arange(6.0)[:, None]
    now, later = ([float(loop.sample(reading)[0]) for reading in readings] for loop in loops)
    assert later == [0.0, 0.0, *now[:4]]


def test_readings_are_rounded_to_whole_steps() -> None:
    hold = pl.Controller.proportional({"force": {"place": 1.0, "speed": 1.0}}, sample_time=T).quantised({"place": 0.25})
    loop = Loop(hold, samples=1)
    assert loop.sample(np.array([0.4, 0.4]))[0] == pytest.approx(-0.5 - 0.4)


def test_the_integral_does_not_wind_up() -> None:
    """A small limit and a long way: without the correction the mass overshoots far more."""
    controller = lqg(MASS, integral=("place",)).following({"place": 5.0}).limited(low=-1.0, high=1.0)
    wound = replace(controller, Bw=np.zeros_like(controller.Bw))
    over = [float(c.simulate(MASS, end_time=40.0).y.sel(output="place").max()) - 5.0 for c in (controller, wound)]
    assert over[0] < 0.5 * over[1]
    end = controller.simulate(MASS, end_time=60.0).y.sel(output="place")[-1]
    assert float(end) == pytest.approx(5.0, abs=1e-4)


def test_an_unstable_simulation_is_told_not_returned() -> None:
    wrong = pl.Controller.proportional({"torque": {"angle": -1e3}}, sample_time=T)
    with pytest.raises(ConvergenceError, match=r"closed loop is unstable: at t = .* s a state passed"):
        wrong.simulate(PENDULUM, end_time=200.0, start={"x": 1.0})


# spill-over


def bar(modes: int, ratio: float = 0.002) -> LinearModel:
    """Return a free bar pushed at one end and seen at the other: modes i at 10 i rad/s, unit modal masses."""
    w = 10.0 * np.arange(modes)
    A = np.block([[np.zeros((modes, modes)), np.eye(modes)], [-np.diag(w**2), -np.diag(2.0 * ratio * w)]])
    shape = np.where(np.arange(modes) > 0, np.sqrt(2.0), 1.0)
    B = np.concatenate([np.zeros(modes), shape])[:, None]
    C = np.concatenate([shape * (-1.0) ** np.arange(modes), np.zeros(modes)])[None]
    return LinearModel(A, B, C, [[0.0]], input_names=("force",), output_names=("tip",))


def rigid_controller(weight: float) -> tuple[pl.Controller, LinearModel]:
    small = bar(1)
    gain = pl.lqr(small, outputs={"tip": weight}, inputs={"force": 1.0}, sample_time=0.01)
    seen = pl.luenberger(small, speed=5.0 * weight**0.25, sample_time=0.01)
    return pl.lqg(gain, seen), small


def test_a_gentle_controller_spills_nothing(recwarn: pytest.WarningsRecorder) -> None:
    controller, small = rigid_controller(weight=1e-3)
    found = pl.spillover(controller, full=bar(5), reduced=small)
    assert found.ok
    assert not [w for w in recwarn if issubclass(w.category, PliantWarning)]
    assert found.bandwidth < 2.0
    np.testing.assert_allclose(np.abs(found.neglected), np.repeat([10.0, 20.0, 30.0, 40.0], 2), rtol=1e-6)
    assert np.max(found.poles.real) < 0.0


def test_a_hard_controller_is_warned_of_the_modes_it_reaches_and_upsets() -> None:
    controller, small = rigid_controller(weight=1e4)
    with pytest.warns(PliantWarning) as told:
        found = pl.spillover(controller, full=bar(5), reduced=small)
    texts = [str(w.message) for w in told]
    assert any("reaches the neglected mode at 1.592 Hz" in text for text in texts)
    assert any("unstable: a pole at" in text and "mostly of the open-loop mode at" in text for text in texts)
    assert not found.ok
    assert found.bandwidth > 10.0
    assert np.max(found.poles.real) > 0.0
    with pytest.raises(ConvergenceError):
        controller.simulate(bar(5), end_time=1000.0, start={"x1": 1.0})


def test_a_model_that_keeps_the_modes_needs_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    full = bar(3)
    gain = pl.lqr(full, outputs={"tip": 1e3}, inputs={"force": 1.0}, sample_time=0.01)
    seen = pl.kalman(full, process_noise={"force": 1.0}, measurement_noise={"tip": 0.01}, sample_time=0.01)
    found = pl.spillover(pl.lqg(gain, seen), full=full, reduced=full)
    assert found.ok
    assert found.neglected.size == 0
    assert not [w for w in recwarn if issubclass(w.category, PliantWarning)]


# in the nonlinear simulation


@pytest.fixture(scope="module")
def upright() -> tuple[object, LinearModel]:
    """Return a link above its pin, balanced by a motor; angle and rate are read."""
    m = pl.Model("upright")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0, angle=90 * pl.DEG))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity(), pl.Motor("motor", ground.at(0, 0), arm.at(s=0), 0.0))
    system = pl.compile(m)
    with pytest.warns(PliantWarning, match="unstable"):
        rest = pl.statics(system)
    return system, pl.linearise(system, at=rest, inputs=["motor/torque"], outputs=["angle:arm", "angular_velocity:arm"])


def balancing(model: LinearModel) -> pl.Controller:
    gain = pl.lqr(
        model, outputs={"angle:arm": 400.0}, inputs={"motor/torque": 0.1}, sample_time=T, integral={"angle:arm": 100.0}
    )
    seen = pl.luenberger(model, speed=30.0, outputs=["angle:arm"], sample_time=T)
    return pl.lqg(gain, seen)


def test_the_compiled_loop_is_this_loop(upright: tuple[object, LinearModel]) -> None:
    """The motion applies what `Loop` answers to its readings: limits, delay, noise, steps and reference."""
    system, model = upright
    controller = balancing(model).limited(low=-0.8, high=0.8, rate=60.0).delayed(1).quantised(1e-3)
    controller = controller.with_noise(2e-3, seed=5).following({"angle:arm": pl.Ramp(np.pi / 2, 1.7, t0=0.1, t1=0.5)})
    run = pl.transient(system, end_time=1.0, step=2e-3, controller=controller, push={"arm": 0.2})
    readings = run.data["measured"].values
    loop = Loop(controller.with_noise(0.0).quantised(0.0), samples=len(readings))  # what was read holds both
    answers = np.array([loop.sample(reading) for reading in readings])
    np.testing.assert_allclose(run.data["applied"], answers, atol=1e-12)
    assert np.max(np.abs(answers)) == pytest.approx(0.8)


def test_small_motion_goes_as_the_linear_model_says(upright: tuple[object, LinearModel]) -> None:
    """Pushed a little: 0.4 degrees at most, where sin x - x is 1e-5 of x; the rest is of the time step."""
    system, model = upright
    controller = balancing(model)
    run = pl.transient(system, end_time=1.0, step=T / 40, controller=controller, push={"arm": 0.2})
    linear = controller.simulate(model, end_time=1.0, start=np.linalg.solve(model.C, [0.0, 0.2]))
    expected = linear.y.sel(output="angle:arm")
    moved = run.angle.sel(body="arm").values[::40]
    assert np.max(np.abs(expected - np.pi / 2)) < 0.01
    np.testing.assert_allclose(moved, expected, atol=0.01 * float(abs(expected - np.pi / 2).max()))


def test_a_mode_beyond_the_bandwidth_is_reached_through_its_own_resonance() -> None:
    """The reduced model does not know how high the loop gain is at the mode it lacks: 1 / (2 zeta)."""
    controller, small = rigid_controller(weight=1e-1)
    with pytest.warns(DroppedMode, match="reaches the neglected mode at 1.592 Hz"):
        found = pl.spillover(controller, full=bar(5, ratio=1e-4), reduced=small)
    assert found.bandwidth < 10.0
    assert found.reached
