"""Comparison with the linear design, Monte Carlo, and the leg's motor."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.analyses.motion.monte_carlo import monte_carlo
from pliant.control.comparison import deviation, overshoot, predict, settling_time
from pliant.errors import ConvergenceError, OptionError
from pliant.results.plots.closed_loops import plot_comparison
from pliant_gallery.leg import model

ANGLE, RATE = "angle:arm", "angular_velocity:arm"


def hanging(angle: float = -90.0) -> pl.Model:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0, angle=angle * pl.DEG))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    m.add(pl.Motor("motor", ground.at(0, 0), arm.at(s=0), 0.0))
    return m


@pytest.fixture(scope="module")
def plant() -> pl.LinearModel:
    system = pl.compile(hanging())
    return pl.linearise(system, at=pl.statics(system), inputs=["motor/torque"], outputs=[ANGLE, RATE])


def test_deviation_is_read_from_a_state(plant: pl.LinearModel) -> None:
    moved = pl.transient(pl.compile(hanging(-89.9)), end_time=0.1, step=1e-3)
    z = deviation(plant, moved)
    away = float(moved.angle.sel(body="arm")[-1]) + 90.0 * pl.DEG
    found = [away, float(moved.angular_velocity.sel(body="arm")[-1])]
    np.testing.assert_allclose(plant.C @ z, found, rtol=away**2)  # the arm's centre moves along an arc


def test_deviation_of_a_reduced_model_is_that_of_the_plant_projected() -> None:
    m = pl.Model("two masses")
    ground, a, b = m.add(
        pl.Ground(),
        pl.Body("a", mass=1.0, inertia=1.0, position=(1, 0)),
        pl.Body("b", mass=1.0, inertia=1.0, position=(2, 0)),
    )
    m.add(pl.Prismatic(ground.at(0, 0), a.at()), pl.Prismatic(ground.at(0, 0), b.at()), pl.Force(a.at(), name="push"))
    m.add(pl.Spring("left", ground.at(0, 0), a.at(), stiffness=10.0, rest_length=1.0, damping=0.1))
    m.add(pl.Spring("right", a.at(), b.at(), stiffness=1000.0, rest_length=1.0, damping=0.1))
    system = pl.compile(m)
    rest = pl.statics(system)
    whole = pl.linearise(system, at=rest, inputs=["push/x"], outputs=["position:a(0, 0):x"])
    small = pl.reduce(whole, modes=1)
    moved = pl.transient(system, start=rest, push={"a": (0.01, 0.0, 0.0)}, end_time=0.01, step=1e-3)
    assert small.reduction is not None
    np.testing.assert_allclose(deviation(small, moved), small.reduction.projection @ deviation(whole, moved))


def test_prediction_of_a_small_motion_is_the_motion(plant: pl.LinearModel) -> None:
    gains = {"motor/torque": {ANGLE: 2.0, RATE: 0.3}}
    rest = {ANGLE: -90.0 * pl.DEG}
    controller = pl.Controller.proportional(gains, sample_time=0.01, output_values=rest).limited(low=-1.0, high=1.0)
    system = pl.compile(hanging(-89.0))
    start = pl.transient(system, end_time=1e-5, step=1e-5)
    run = pl.transient(system, end_time=1.0, step=1e-3, controller=controller)
    linear = predict(controller, plant, start=start, end_time=1.0)
    motion, expected = run.angle.sel(body="arm").values[::10], linear.y.sel(output=ANGLE).values
    assert np.abs(motion - expected).max() < 2e-3 * 1.0 * pl.DEG  # cubic in the angle, and a step of 1 ms
    axes = plot_comparison(run, linear, outputs=[ANGLE])
    assert [len(ax.get_lines()) for ax in axes] == [2, 2]
    with pytest.raises(OptionError, match="there is no output"):
        plot_comparison(run, linear, outputs="angle:leg")


def test_deviation_needs_a_model_with_an_operating_point_and_a_state() -> None:
    bare = pl.LinearModel([[0.0, 1.0], [-1.0, 0.0]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]])
    with pytest.raises(OptionError, match="operating point"):
        deviation(bare, None)


def test_deviation_of_other_parts_is_refused(plant: pl.LinearModel) -> None:
    with pytest.raises(OptionError, match="no state of the model's parts"):
        deviation(plant, pl.statics(pl.compile(model(), elements=2)))


def test_overshoot_and_settling_time_of_a_damped_swing() -> None:
    t = np.linspace(0.0, 10.0, 100_001)
    ratio = 0.5
    wd = np.sqrt(1.0 - ratio**2)
    swing = np.exp(-ratio * t) * (np.cos(wd * t) + ratio / wd * np.sin(wd * t))
    assert overshoot(0.3 * swing) == pytest.approx(np.exp(-np.pi * ratio / wd), rel=1e-6)
    settled = settling_time(t, swing)
    assert np.abs(swing[t >= settled]).max() <= 0.05
    assert abs(swing[t < settled][-1]) > 0.05
    assert overshoot(np.exp(-t)) == 0.0
    assert settling_time(t, np.exp(-t), band=np.exp(-2.0)) == pytest.approx(2.0, abs=1e-3)
    assert settling_time(t, np.ones_like(t)) == np.inf


def test_monte_carlo_repeats_whatever_the_threads_and_goes_on_with_more_runs() -> None:
    def trial(random: np.random.Generator) -> dict[str, float]:
        return {"x": random.random(), "y": random.normal()}

    one, many = monte_carlo(trial, runs=20, workers=1), monte_carlo(trial, runs=20, workers=4)
    assert one.data.identical(many.data)
    assert one.data.identical(monte_carlo(trial, runs=30).data.isel(run=slice(20)))
    assert not np.array_equal(one.x, monte_carlo(trial, runs=20, seed=1).x)


def test_monte_carlo_tells_which_runs_found_no_solution() -> None:
    def trial(random: np.random.Generator) -> dict[str, float]:
        x = random.random()
        if x > 0.5:
            raise ConvergenceError("no solution")
        return {"x": x, "angle": 2.0 * x}  # names of variables of a motion are free in a study

    found = monte_carlo(trial, runs=40)
    assert 5 < int(found.computed.sum()) < 35
    assert np.array_equal(np.isnan(found.x), ~found.computed)
    assert not found.outcome.ok
    assert found.outcome.computed == int(found.computed.sum())


def test_monte_carlo_passes_on_a_mistake() -> None:
    def trial(random: np.random.Generator) -> dict[str, float]:
        raise KeyError("a mistake in the trial")

    with pytest.raises(KeyError, match="a mistake"):
        monte_carlo(trial, runs=4)


@pytest.mark.parametrize("options", [{"runs": 0}, {"runs": 2.5}, {"runs": 2, "seed": -1}, {"runs": 2, "workers": 0}])
def test_monte_carlo_refuses_nonsense(options: dict[str, float]) -> None:
    with pytest.raises(OptionError, match="give a whole number"):
        monte_carlo(lambda random: {"x": 0.0}, **options)  # type: ignore[arg-type]


def test_the_leg_has_a_motor_only_if_asked_for() -> None:
    assert "motor/torque" in pl.compile(model(hold=None, motor=1.4), elements=2).signal_names
    assert "motor/torque" not in pl.compile(model(hold=None), elements=2).signal_names
