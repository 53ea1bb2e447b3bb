"""Motion: its start, its order, its variants, its output, going on from a file, and being interrupted."""

from __future__ import annotations

import _thread
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.errors import OptionError, PliantWarning, SignalError
from pliant.results.live_view import watching

STRIP = pl.Section(2e4, 8e3, 0.5, 0.6, 1e-5)


def pendulum(*more: object, angle: float = 0.3) -> pl.Model:
    """Build a uniform bar, 1 m and 1 kg, on a pin."""
    model = pl.Model("pendulum")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=angle))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    for part in more:
        model.add(part)
    return model


def swinging_beam(**options: object) -> pl.Model:
    """Build a flexible pendulum."""
    model = pl.Model("flexible pendulum")
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP, angle=-0.5, **options))
    model.add(pl.Revolute(ground.at(0, 0), beam.at(s=0), name="pin"), pl.Gravity())
    return model


def angle_at(time: float, start: float = 0.3, speed: float = 0.0) -> float:
    """Return the pendulum's angle by an independent integrator: theta'' = -(3 g / 2 l) cos theta."""
    way = solve_ivp(
        lambda t, z: [z[1], -14.715 * math.cos(z[0])],
        (0, time),
        [start, speed],
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
    )
    return float(way.y[0, -1])


def last_angle(run: pl.Result) -> float:
    return float(run.angle.values[-1, 0])


@pytest.fixture(scope="module")
def system() -> object:
    return pl.compile(pendulum())


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
def test_initial_acceleration_and_reaction_of_a_falling_bar(angle: float) -> None:
    run = pl.transient(pl.compile(pendulum(angle=angle)), end_time=1e-3, step=1e-3)
    spin = -1.5 * 9.81 * math.cos(angle)
    c, s = math.cos(angle), math.sin(angle)
    np.testing.assert_allclose(run.acceleration.sel(marker="arm/tip").values[0], [-s * spin, c * spin], atol=1e-12)
    np.testing.assert_allclose(run.reaction.values[0, 0], [-0.5 * s * spin, 0.5 * c * spin + 9.81, 0.0], atol=1e-12)


def test_initial_reaction_of_a_spinning_bar_holds_it(system: object) -> None:
    run = pl.transient(system, end_time=1e-3, step=1e-3, push={"arm": 3.0})
    assert float(run.angular_velocity[0, 0]) == pytest.approx(3.0, rel=1e-12)
    np.testing.assert_allclose(
        run.velocity.sel(marker="arm/tip").values[0], [-3.0 * math.sin(0.3), 3.0 * math.cos(0.3)], atol=1e-12
    )
    c, s, spin = math.cos(0.3), math.sin(0.3), -1.5 * 9.81 * math.cos(0.3)
    expected = [-0.5 * s * spin - 4.5 * c, 0.5 * c * spin - 4.5 * s + 9.81, 0.0]
    np.testing.assert_allclose(run.reaction.values[0, 0], expected, atol=1e-11)


def test_push_of_a_centre_reaches_the_whole_linkage() -> None:
    """The velocity of one body sets all others in a linkage of one freedom."""
    model = pl.Model("parallelogram")
    ground = model.add(pl.Ground())
    left, right = (model.add(pl.Link(name, length=0.5, mass=1.0, angle=1.2)) for name in ("left", "right"))
    bar = model.add(pl.Link("bar", length=1.0, mass=2.0, angle=0.0))
    model.add(pl.Revolute(ground.at(0, 0), left.at(s=0)), pl.Revolute(left.at(s=1), bar.at(s=0)))
    model.add(pl.Revolute(ground.at(1, 0), right.at(s=0)), pl.Revolute(right.at(s=1), bar.at(s=1)))
    run = pl.transient(pl.compile(model), end_time=1e-3, step=1e-3, push={"left": 2.0})
    np.testing.assert_allclose(run.angular_velocity.values[0], [2.0, 2.0, 0.0], atol=1e-10)
    expected = [-2.0 * 0.5 * math.sin(1.2), 2.0 * 0.5 * math.cos(1.2)]
    np.testing.assert_allclose(run.velocity.sel(marker="bar/tip").values[0], expected, atol=1e-10)


def test_push_of_a_flexible_arm_is_a_rigid_spin() -> None:
    run = pl.transient(pl.compile(swinging_beam(), elements=6), end_time=1e-4, step=1e-4, push={"beam": 2.0})
    np.testing.assert_allclose(np.hypot(*run.velocity.sel(marker="beam/tip").values[0]), 2.0, rtol=1e-4)


SCHEMES = {
    "undamped": {"spectral_radius": 1.0},
    "default": {},
    "most damped": {"spectral_radius": 0.0},
    "trapezoidal": {"newmark": (0.25, 0.5)},
    "projection": {"constraints": "projection"},
    "baumgarte": {"constraints": "baumgarte"},
    "baumgarte, chosen": {"constraints": "baumgarte", "baumgarte": (200.0, 1.0)},
}


STEPS = (5e-3, 2.5e-3, 1.25e-3)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_second_order_and_closed_joints(scheme: str, system: object) -> None:
    exact, errors = angle_at(2.0), []
    for step in STEPS:
        run = pl.transient(system, end_time=2.0, step=step, **SCHEMES[scheme])
        errors.append(abs(last_angle(run) - exact))
        assert run.outcome.ok
        assert run.outcome.constraint_error < (1e-5 if "baumgarte" in scheme else 1e-9)
    assert errors[-1] < 2e-4
    assert np.polyfit(np.log(STEPS), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.15)


@pytest.mark.filterwarnings("ignore:constraints='position' with")
def test_trapezoidal_rule_is_the_undamped_member(system: object) -> None:
    undamped = pl.transient(system, end_time=1.0, step=0.01, spectral_radius=1.0, constraints="position")
    trapezoidal = pl.transient(system, end_time=1.0, step=0.01, newmark=(0.25, 0.5), constraints="position")
    np.testing.assert_allclose(trapezoidal.angle, undamped.angle, atol=1e-9)


def test_newmark_with_gamma_above_a_half_is_of_first_order(system: object) -> None:
    exact = angle_at(1.0)
    errors = [
        abs(last_angle(pl.transient(system, end_time=1.0, step=h, newmark=(0.3025, 0.6))) - exact)
        for h in (0.01, 0.005)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("options", [pl.Exact(4), pl.Corotational(4)], ids=repr)
def test_second_order_of_a_flexible_arm(options: object) -> None:
    """A much finer step is the reference; every wave the mesh carries is damped, so that steps resolve the rest."""
    system = pl.compile(swinging_beam(damping=pl.Rayleigh(stiffness=2e-3)), elements=options)
    times = np.linspace(0.0, 0.4, 5)
    fine, *coarse = (
        pl.transient(system, end_time=0.4, step=h, times=times).position.sel(marker="beam/tip").values
        for h in (1.25e-4, 4e-3, 2e-3, 1e-3)
    )
    errors = [np.abs(one - fine).max() for one in coarse]
    assert np.polyfit(np.log([4e-3, 2e-3, 1e-3]), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.2)


def test_velocity_constraint_is_kept_by_projection(system: object) -> None:
    run = pl.transient(system, end_time=2.0, step=0.02, constraints="projection")
    base = run.velocity.sel(marker="arm/base").values
    assert np.abs(base).max() < 1e-12


def test_error_falls_with_the_accuracy_asked_for(system: object) -> None:
    exact = angle_at(2.0)
    second = pl.GeneralizedAlpha()
    runs = [pl.transient(system, end_time=2.0, accuracy=accuracy, method=second) for accuracy in (1e-4, 1e-6, 1e-8)]
    errors = [abs(last_angle(run) - exact) for run in runs]
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2]
    for run, accuracy in zip(runs, (1e-4, 1e-6, 1e-8), strict=True):
        assert run.outcome.local_error <= 1.2 * accuracy
        assert float(run.time[-1]) == pytest.approx(2.0)
    np.testing.assert_allclose(np.diff(runs[1].time.values), 2.0 / runs[1].outcome.steps, rtol=1e-6)


def test_steps_adapt_where_a_short_part_of_the_motion_needs_shorter_ones() -> None:
    m = pl.Model("pulse")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    m.add(
        pl.Revolute(ground.at(0, 0), arm.at(s=0)),
        pl.Spring("soft", arm.at(s=1), ground.at(1, 1), stiffness=1.0, rest_length=0.5),
    )
    m.add(pl.Force(arm.at(s=1), y=pl.Expression("40*exp(-((t - 1.2345)/0.004)**2)")))
    system = pl.compile(m)
    fine = pl.transient(system, end_time=2.0, step=2e-5, every=100, estimate=False)
    run = pl.transient(system, end_time=2.0, accuracy=1e-5, times=fine.time.values)
    assert run.outcome.ok
    assert run.outcome.cut_backs
    assert np.abs(run.angle.values - fine.angle.values).max() < 1e-5


def test_an_accuracy_in_equal_steps_is_met_and_the_error_is_told() -> None:
    m = pl.Model("double pendulum")
    ground = m.add(pl.Ground())
    upper, lower = (m.add(pl.Link(name, length=0.5, mass=1.0, angle=0.0)) for name in ("upper", "lower"))
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=0)), pl.Gravity())
    system, times = pl.compile(m), np.linspace(0.0, 2.0, 41)
    fine = pl.transient(system, end_time=2.0, step=2e-5, times=times, estimate=False)
    run = pl.transient(system, end_time=2.0, accuracy=1e-4, times=times, method=pl.GeneralizedAlpha())
    off = np.abs(run.angle.values - fine.angle.values).max()
    assert run.outcome.ok
    assert not run.outcome.cut_backs
    assert "step" not in run.provenance.settings
    assert 0.2 * run.outcome.time_error < off < 1e-4


def test_without_step_and_accuracy_the_step_adapts(system: object) -> None:
    run = pl.transient(system, end_time=1.0)
    assert last_angle(run) == pytest.approx(angle_at(1.0), abs=1e-3)


def test_kept_steps(system: object) -> None:
    every, some = (pl.transient(system, end_time=1.0, step=0.01, every=n) for n in (1, 7))
    assert every.time.size == 101
    np.testing.assert_allclose(every.time, np.linspace(0.0, 1.0, 101), atol=1e-12)
    kept = [*range(0, 101, 7), 100]  # the end always
    np.testing.assert_array_equal(some.time, every.time[kept])
    np.testing.assert_array_equal(some.angle, every.angle[kept])
    np.testing.assert_array_equal(some.state["q"], every.state["q"])


def test_the_step_is_the_largest_that_divides_the_time(system: object) -> None:
    with pytest.warns(PliantWarning, match="step is too large"):
        run = pl.transient(system, end_time=1.0, step=0.3)
    np.testing.assert_allclose(run.time, [0.0, 0.25, 0.5, 0.75, 1.0], atol=1e-12)


def test_output_between_the_steps_joins_smoothly(system: object) -> None:
    coarse = pl.transient(system, end_time=1.0, step=0.02)
    wanted = np.array([0.0, 0.111, 0.2, 0.517, 1.0])
    between = pl.transient(system, end_time=1.0, step=0.02, times=wanted)
    np.testing.assert_allclose(between.time, wanted)
    np.testing.assert_allclose(between.angle.values[[0, 2, 4]], coarse.angle.values[[0, 10, 50]], atol=1e-12)
    fine = pl.transient(system, end_time=1.0, step=0.02, times=np.linspace(0, 1, 2001))
    speed = np.gradient(fine.angle.values[:, 0], fine.time.values, edge_order=2)
    np.testing.assert_allclose(speed, fine.angular_velocity.values[:, 0], atol=2e-3)
    exact = [0.3, *(angle_at(t) for t in wanted[1:])]
    np.testing.assert_allclose(between.angle.values[:, 0], exact, atol=5e-3)


@pytest.mark.parametrize("model", [pendulum, swinging_beam])
def test_a_run_goes_on_from_a_file_as_if_never_stopped(model: object, tmp_path: Path) -> None:
    system = pl.compile(model())
    whole = pl.transient(system, end_time=0.4, step=1e-3)
    path = pl.transient(system, end_time=0.2, step=1e-3).save(tmp_path / "half.nc")
    rest = pl.transient(pl.compile(model()), start=pl.load_result(path), end_time=0.4, step=1e-3)
    assert float(rest.time[0]) == pytest.approx(0.2, abs=1e-12)
    np.testing.assert_allclose(rest.time, whole.time[200:], atol=1e-12)
    np.testing.assert_allclose(rest.position, whole.position[200:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(rest.velocity, whole.velocity[200:], rtol=0, atol=1e-11)
    np.testing.assert_allclose(rest.reaction, whole.reaction[200:], rtol=0, atol=1e-8)


@pytest.mark.filterwarnings("error::pliant.errors.UnresolvedFrequency")  # rounding is no vibration
def test_motion_starts_from_an_equilibrium_and_stays_there() -> None:
    system = pl.compile(swinging_beam(), elements=6)
    rest = pl.statics(system)
    run = pl.transient(system, start=rest, end_time=0.5, step=0.01)
    np.testing.assert_allclose(
        run.position.sel(marker="beam/tip"), np.broadcast_to(rest.position.sel(marker="beam/tip"), (51, 2)), atol=1e-7
    )


def test_rayleigh_damped_arm_comes_to_rest_and_pays_the_energy() -> None:
    damping = pl.Rayleigh(mass=8.0, stiffness=1e-4, relative_to="ground")
    system = pl.compile(swinging_beam(damping=damping), elements=4)
    run = pl.transient(system, end_time=4.0, step=2e-3)
    np.testing.assert_allclose(run.position.sel(marker="beam/tip").values[-1], [0.0, -1.0], atol=2e-3)
    lost = float(run.energy.sel(energy_kind="dissipated")[-1])
    assert lost == pytest.approx(0.6 * 9.81 * 0.5 * (1 - math.sin(0.5)), rel=2e-3)
    assert run.outcome.energy_error < 2e-3 * lost


def test_undamped_index_three_is_told_to_damp_or_project(system: object) -> None:
    """Without damping the method is weakly unstable on index-3 equations (Cardona, Geradin 1989): it must say so."""
    with pytest.warns(PliantWarning) as told:
        run = pl.transient(system, end_time=20.0, step=0.01, spectral_radius=1.0, constraints="position", partial=True)
    assert any("constraints='position' with" in str(each.message) for each in told)
    assert "energy" in run.outcome.message


def test_undamped_energy_error_is_bounded_and_falls_as_the_step_squared(system: object) -> None:
    undamped = {"spectral_radius": 1.0, "constraints": "projection"}  # without it, reactions oscillate ever more
    errors = [pl.transient(system, end_time=10.0, step=h, **undamped).outcome.energy_error for h in (1.25e-3, 6.25e-4)]
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.2)
    assert errors[0] < 2.5e-4


# what the user's own functions do


def test_exceptions_in_functions_are_named() -> None:
    def late(t: float) -> float:
        return 1.0 / (0.0 if t > 0.2 else 1.0)

    model = pendulum()
    model.add(pl.Force(model.part("arm").at(s=1), x=late, name="push"))
    with pytest.raises(SignalError, match=r"push/x: .*late.* failed at t = 0\.2\d* s: ZeroDivisionError"):
        pl.transient(pl.compile(model), end_time=0.5, step=0.01)


STATE_FAILURES = {
    "raises": (lambda t, pose, velocity: 1 / 0, "raised ZeroDivisionError"),
    "is not finite": (lambda t, pose, velocity: (math.nan, 0.0, 0.0), "returned .*nan"),
    "has another shape": (lambda t, pose, velocity: (0.0, 1.0), "three finite numbers"),
    "is nothing": (lambda t, pose, velocity: None, "three finite numbers"),
}


@pytest.mark.parametrize("analysis", ["statics", "transient", "modal"])
@pytest.mark.parametrize("failure", STATE_FAILURES)
def test_failures_of_state_forces_are_named_and_do_not_linger(failure: str, analysis: str, system: object) -> None:
    function, message = STATE_FAILURES[failure]
    model = pendulum()
    model.add(pl.StateForce("mine", model.part("arm").at(s=1), function))
    broken = pl.compile(model)
    with pytest.raises(SignalError, match=f"State force 'mine': .*{message}"):
        {"statics": pl.statics, "modal": pl.modal, "transient": lambda s: pl.transient(s, end_time=0.1, step=0.01)}[
            analysis
        ](broken)
    assert pl.transient(system, end_time=0.1, step=0.01).outcome.ok


def test_a_state_force_is_only_asked_about_the_motion() -> None:
    asked = []

    def watch(t: float, pose: np.ndarray, velocity: np.ndarray) -> tuple[float, float, float]:
        asked.append((t, *pose))
        return 0.0, 0.0, 0.0

    model = pendulum()
    model.add(pl.StateForce("watch", model.part("arm").at(s=1), watch))
    pl.transient(pl.compile(model), end_time=0.3, step=0.01)
    times, x, y = np.array(asked).T[:3]
    assert times.min() >= 0.0
    assert times.max() <= 0.3 + 1e-12
    assert np.abs(np.hypot(x, y) - 1.0).max() < 1e-2  # the pin is closed but for Newton's first guesses


# interruption


def interrupting(after: float) -> object:
    def function(t: float) -> float:
        if t > after:
            raise KeyboardInterrupt
        return 0.0

    return function


@pytest.mark.parametrize("kind", ["signal", "state force"])
def test_interrupted_run_keeps_what_is_computed(kind: str) -> None:
    model = pendulum()
    tip, stop = model.part("arm").at(s=1), interrupting(0.5)
    if kind == "signal":
        model.add(pl.Force(tip, x=stop))
    else:
        model.add(pl.StateForce("own", tip, lambda t, pose, velocity: (stop(t), 0.0, 0.0)))
    run = pl.transient(pl.compile(model), end_time=1.0, step=1e-3, partial=True)
    assert not run.outcome.ok
    assert "interrupted at t = 0.4" in run.outcome.message or "interrupted at t = 0.5" in run.outcome.message
    assert 0.2 < float(run.time[-1]) <= 0.5
    assert last_angle(run) == pytest.approx(angle_at(float(run.time[-1])), abs=1e-4)
    assert float(run.state["time"][0]) == pytest.approx(float(run.time[-1]))


def test_without_partial_an_interruption_goes_on_and_tells_how_to_keep_the_run() -> None:
    model = pendulum()
    model.add(pl.Force(model.part("arm").at(s=1), x=interrupting(0.5)))
    with pytest.raises(KeyboardInterrupt, match=r"interrupted at t = 0\.\d+ s.*\.result") as interruption:
        pl.transient(pl.compile(model), end_time=1.0, step=1e-3)
    kept = interruption.value.result
    assert not kept.outcome.ok
    assert kept.time.size > 100


def test_interrupted_run_reports_the_wanted_times_it_reached() -> None:
    model = pendulum()
    model.add(pl.Force(model.part("arm").at(s=1), x=interrupting(0.5)))
    run = pl.transient(pl.compile(model), end_time=1.0, step=1e-3, partial=True, times=np.linspace(0.0, 1.0, 11))
    np.testing.assert_allclose(run.time, np.linspace(0.0, 0.4, 5), atol=1e-12)


@pytest.mark.parametrize("options", [{"step": 1e-3, "every": 400}, {"step": 4.0}, {"accuracy": 1e-6, "every": 50}])
def test_interrupted_run_keeps_its_last_instant(system: object, options: dict[str, Any]) -> None:
    """Also between two instants to keep, and where the first step is taken in parts."""

    def stop(label: str, share: float) -> None:
        if share > 0.0:
            raise KeyboardInterrupt

    with watching(stop):
        run = pl.transient(system, end_time=40.0, partial=True, **options)
    assert f"interrupted at t = {float(run.time[-1]):.6g} s" in run.outcome.message
    assert 0.0 < float(run.time[-1]) < 40.0
    assert float(run.state["time"][0]) == float(run.time[-1])


def test_run_interrupted_within_compiled_steps_can_go_on(system: object) -> None:
    """Ctrl-C arrives while compiled steps run: stored data are whole, and the last state fits its time."""
    pl.transient(system, end_time=0.1, step=1e-3)
    timer = threading.Timer(0.4, _thread.interrupt_main)
    timer.start()
    run = pl.transient(system, end_time=1e5, step=1e-3, every=1000, partial=True)
    timer.join()
    reached = float(run.state["time"][0])
    assert not run.outcome.ok
    assert 0.0 < reached < 1e5
    again = pl.transient(system, end_time=reached, step=1e-3, every=1000)
    np.testing.assert_allclose(run.state["q"], again.state["q"], atol=1e-6)
    np.testing.assert_array_equal(run.time, again.time[: run.time.size])


def test_interruption_takes_a_controller_back_with_the_motion() -> None:
    """Samples of steps that are undone are undone, too."""

    def run(stop: float) -> pl.Result:
        model, hold = pendulum(), interrupting(stop)
        ground, arm = model.ground.at(0, 0), model.part("arm")
        model.add(pl.Motor("motor", ground, arm.at(s=0), 0.0))
        model.add(pl.StateForce("own", arm.at(s=1), lambda t, pose, velocity: (hold(t), 0.0, 0.0)))
        loop = pl.Controller.proportional({"motor/torque": {"angle:arm": -1.0}}, sample_time=0.01)
        return pl.transient(pl.compile(model), end_time=0.4, step=1e-3, controller=loop, partial=True)

    stopped, whole = run(0.2), run(1.0)
    assert not stopped.outcome.ok
    count = stopped.sample.size
    assert count == math.ceil(stopped.outcome.steps / 10)
    np.testing.assert_array_equal(stopped.measured, whole.measured[:count])
    np.testing.assert_array_equal(stopped.applied, whole.applied[:count])


def test_unknown_options_are_refused(system: object) -> None:
    with pytest.raises(OptionError, match="step and accuracy"):
        pl.transient(system, end_time=1.0, step=0.01, accuracy=1e-6)
    with pytest.raises(OptionError, match="later than the start"):
        pl.transient(system, end_time=0.0, step=0.01)


def test_a_result_that_is_written_to_leaves_the_next_as_it_is() -> None:
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    system = pl.compile(m)
    first = pl.transient(system, end_time=0.02, step=0.01)
    first.data["s"].values[0] = 99.0
    assert pl.transient(system, end_time=0.02, step=0.01).data["s"].values.tolist() == [0.0, 1.0]
