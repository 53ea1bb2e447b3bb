"""The nonlinear plant, filters and plans on it, against equations of motion and inverse dynamics written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.control.models.plant import sample_step
from pliant.errors import ConvergenceError, OptionError, PliantWarning
from pliant_evidence.control_suite import equations
from pliant_gallery import flexible_joint as joint
from pliant_gallery import furuta

PINS = ["joint_angle:base", "joint_angle:hinge", "joint_rate:base", "joint_rate:hinge"]
ANGLES, TORQUE = ["angle:rotor", "angle:link"], "motor/torque"


class Arm:
    """The elastic joint by hand, as somebody's own plant: x = angles and rates from hanging down."""

    state_names = ("rotor", "link", "rotor rate", "link rate")
    input_names, output_names = (TORQUE,), ("angle:rotor", "angle:link")
    input_values = np.zeros(1)

    def rates(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.concatenate([x[2:], equations.elastic(x[:2] - 0.5 * np.pi, x[2:], u[0])])

    def output(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return x[:2] - 0.5 * np.pi

    def slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        steps = 1e-6 * np.eye(4)
        A = [(self.rates(x + s, u) - self.rates(x - s, u)) / 2e-6 for s in steps]
        return np.array(A).T, np.array([[0.0], [0.0], [1.0 / joint.ROTOR], [0.0]])

    def output_slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.eye(2, 4), np.zeros((2, 1))


@pytest.fixture(scope="module")
def elastic() -> Any:
    return pl.compile(joint.model())


@pytest.fixture(scope="module")
def rotary() -> Any:
    with pytest.warns(PliantWarning):  # the arm may stand anywhere
        return pl.nonlinear(pl.compile(furuta.model()), inputs=[TORQUE], outputs=PINS)


def test_accelerations_are_those_of_the_lagrangian(rotary: Any) -> None:
    """Furuta's pendulum in space: the coordinates chosen are other ones, the motion is the same."""
    rng = np.random.default_rng(1)
    for _ in range(4):
        x = rotary.state_at(dict(zip(PINS[:2], rng.uniform(-1.2, 1.2, 2), strict=True)))
        x[2:], u = 0.1 * rng.standard_normal(2), rng.standard_normal(1)
        f, step = rotary.rates(x, u), 1e-6
        y = rotary.output(x, u)
        moving = (rotary.output(x + step * f, u) - rotary.output(x - step * f, u)) / (2.0 * step)
        expected = equations.furuta(y[:2], y[2:], float(u[0]))
        np.testing.assert_allclose(moving[:2], y[2:], atol=1e-8)
        np.testing.assert_allclose(moving[2:], expected, rtol=1e-8, atol=1e-8 * np.max(np.abs(expected)))


def test_small_motion_is_the_linear_model(rotary: Any) -> None:
    A, B = rotary.slopes(np.zeros(4), rotary.input_values)
    C, _ = rotary.output_slopes(np.zeros(4), rotary.input_values)
    for found, linear in ((A, rotary.linear.A), (B, rotary.linear.B), (C, rotary.linear.C)):
        np.testing.assert_allclose(found, linear, atol=1e-7 * np.max(np.abs(linear)))


def loop() -> pl.Model:
    """Build bars of 0.4, 0.5 and 0.4 m between pins 0.6 m apart: none turns all the way round."""
    m = pl.Model("loop")
    ground, crank, rod, rocker = m.add(
        pl.Ground(),
        pl.Link("crank", length=0.4, mass=0.3, angle=60 * pl.DEG),
        pl.Link("rod", length=0.5, mass=0.5),
        pl.Link("rocker", length=0.4, mass=0.4),
    )
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=0)))
    m.add(pl.Revolute(rod.at(s=1), rocker.at(s=1)), pl.Revolute(ground.at(0.6, 0), rocker.at(s=0)))
    m.add(pl.Motor("motor", ground.at(0, 0), crank.at(s=0), 0.0), pl.Gravity())
    m.add(pl.TorsionSpring("spring", ground.at(0, 0), crank.at(s=0), 20.0, rest_angle=60 * pl.DEG))
    return m


def test_a_loop_is_closed_and_a_state_out_of_reach_is_told() -> None:
    system = pl.compile(loop())
    plant = pl.nonlinear(system, inputs=[TORQUE], outputs=["angle:crank", "angular_velocity:rocker"])
    assert len(plant.state_names) == 2
    run = pl.transient(system, end_time=0.1, step=1e-3, push={"crank": 3.0})
    y = plant.output(plant.state(run), plant.input_values)
    assert y[0] == pytest.approx(float(run.angle.sel(body="crank")[-1]), abs=1e-9)
    assert y[1] == pytest.approx(float(run.angular_velocity.sel(body="rocker")[-1]), rel=1e-4)
    with pytest.raises(ConvergenceError, match="cannot be closed"):
        plant.rates(100.0 * np.ones(2), plant.input_values)


def test_python_control_simulates_it(elastic: Any) -> None:
    control = pytest.importorskip("control")
    plant = pl.nonlinear(elastic, inputs=[TORQUE], outputs=ANGLES)
    times = np.linspace(0.0, 0.2, 3)
    options = {"rtol": 1e-7, "atol": 1e-9}
    found = control.input_output_response(
        plant.to_control(), times, np.full((1, 3), 3.0), 0.0, solve_ivp_kwargs=options
    )
    start = np.full(2, -0.5 * np.pi)
    places, _ = equations.played(equations.elastic, lambda t, q, v: 3.0, start, np.zeros(2), sample_time=0.1, samples=2)
    np.testing.assert_allclose(found.outputs.T, places, atol=1e-6)
    assert list(found.output_labels) == ANGLES


def test_one_sample_is_that_of_another_integrator() -> None:
    x, u, arm = np.array([0.8, 0.7, 5.0, 6.0]), np.array([2.0]), Arm()
    exact = solve_ivp(lambda t, z: arm.rates(z, u), (0.0, 0.02), x, rtol=1e-12, atol=1e-14).y[:, -1]
    errors = [np.max(np.abs(sample_step(arm, x, u, 0.02, steps).x - exact)) for steps in (1, 4)]
    assert errors[0] / errors[1] > 12.0  # order 2: 16
    nudge = 1e-5 * np.eye(4)
    differences = [
        (sample_step(arm, x + s, u, 0.02, 4).x - sample_step(arm, x - s, u, 0.02, 4).x) / 2e-5 for s in nudge
    ]
    np.testing.assert_allclose(sample_step(arm, x, u, 0.02, 4).by_state, np.array(differences).T, rtol=2e-3, atol=2e-3)


def test_a_filter_of_a_linear_plant_is_the_kalman_filter() -> None:
    class Cart(Arm):
        state_names, output_names = ("x", "v"), ("x",)

        def rates(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
            return np.array([x[1], u[0] - 0.5 * x[0]])

        def output(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
            return x[:1]

        def slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.array([[0.0, 1.0], [-0.5, 0.0]]), np.array([[0.0], [1.0]])

        def output_slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.eye(1, 2), np.zeros((1, 1))

    linear = pl.LinearModel(
        [[0, 1], [-0.5, 0]], [[0], [1]], [[1, 0]], [[0]], input_names=(TORQUE,), output_names=("x",)
    )
    noise: dict[str, Any] = {"process_noise": {TORQUE: 0.3}, "measurement_noise": {"x": 0.1}, "sample_time": 0.1}
    best, seen = pl.kalman(linear, **noise), pl.ekf(Cart(), **noise)
    estimate = seen.begin()
    for _ in range(400):
        seen.correct(estimate, np.zeros(1))
        seen.predict(estimate, np.zeros(1))
    np.testing.assert_allclose(estimate.P, best.covariance, rtol=1e-6)


def test_a_filter_of_a_random_walk_in_closed_form() -> None:
    """x' = white noise of density d, readings with deviation s: before a reading P^2 = d^2 T (P + s^2), and with
    L = P / (P + s^2) readings of 1 bring the estimate to 1 - (1 - L)^n.
    """

    class Walk(Arm):
        state_names, output_names = ("x",), ("x",)

        def rates(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
            return np.array([u[0]])

        def output(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
            return x

        def slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.zeros((1, 1)), np.eye(1)

        def output_slopes(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.eye(1), np.zeros((1, 1))

    d, s, T = 0.3, 0.1, 0.1
    added = d**2 * T
    P = 0.5 * (added + np.sqrt(added**2 + 4.0 * added * s**2))
    seen = pl.ekf(Walk(), process_noise={TORQUE: d}, measurement_noise={"x": s}, sample_time=T, doubt=P)
    estimate = seen.begin()
    for n in range(1, 6):
        seen.correct(estimate, np.ones(1))
        assert estimate.x[0] == pytest.approx(1.0 - (s**2 / (P + s**2)) ** n, rel=1e-12)
        seen.predict(estimate, np.zeros(1))
        assert estimate.P[0, 0] == pytest.approx(P, rel=1e-12)


def planned(plant: Any, T: float = 0.01) -> pl.Trajectory:
    up = pl.Ramp(-0.5 * np.pi, 0.0, t0=0.15, t1=0.85)
    return pl.follow(
        plant, {"angle:link": up}, weights={"angle:link": 1e6}, inputs={TORQUE: 1e-3}, sample_time=T, end_time=1.0
    )


@pytest.fixture(scope="module")
def plan() -> pl.Trajectory:
    return planned(Arm())


def test_a_plan_is_the_inverse_dynamics_by_hand(plan: pl.Trajectory) -> None:
    """The link's angle gives the torque in the gear, that the rotor's angle by its damper, that the motor's torque."""
    t = np.linspace(0.0, 1.0, 4001)
    s = np.clip((t - 0.15) / 0.7, 0.0, 1.0)
    angle = -0.5 * np.pi + 0.5 * np.pi * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    second = np.gradient(np.gradient(angle, t), t)
    gear = joint.MASS * joint.LENGTH**2 / 3.0 * second
    gear += 0.5 * joint.MASS * joint.GRAVITY * joint.LENGTH * np.cos(angle)
    twist = solve_ivp(
        lambda now, w: (np.interp(now, t, gear) - joint.STIFFNESS * w) / joint.DAMPING, (0.0, 1.0), [0.0], t_eval=t,
        method="BDF", rtol=1e-8, atol=1e-10,
    ).y[0]  # fmt: skip
    rotor = np.gradient(np.gradient(angle + twist, t), t)
    torque = joint.ROTOR * rotor + gear
    middle = np.interp(0.01 * (np.arange(100) + 0.5), t, torque)  # held: as in the middle of a sample
    inner = slice(20, 80)  # where the ramp begins and ends its third derivative jumps, and the torque with it
    assert np.max(np.abs(plan.inputs[inner, 0] - middle[inner])) < 0.02 * np.ptp(torque)
    assert plan.miss["angle:link"] < 1e-3
    rotor = np.interp(0.01 * np.arange(95), t, angle + twist)  # at the end nothing comes after, and it is let go
    np.testing.assert_allclose(plan.states[:95, 0] - 0.5 * np.pi, rotor, atol=5e-3)


def test_feed_forward_follows_and_feedback_corrects(elastic: Any) -> None:
    """The plan of the hand-written plant moves pliant's mechanism; gains and a filter bring back one that is pushed."""
    plan = planned(Arm())
    seen = pl.ekf(
        Arm(), process_noise={TORQUE: 1.0}, measurement_noise={"angle:rotor": 1e-3, "angle:link": 1e-3},
        sample_time=0.01, doubt=0.1,
    )  # fmt: skip
    options: dict[str, Any] = {"end_time": 1.0, "step": 5e-4, "estimate": False}
    ahead = pl.transient(elastic, controller=pl.track(plan, seen, feedback=False), **options)
    link = ahead.measured.sel(output="angle:link").values
    assert np.max(np.abs(link - plan.wanted["angle:link"][:100])) < 2e-3
    assert ahead.outcome.ok
    pushed = {"link": 1.0}
    loose, held = (
        pl.transient(elastic, controller=pl.track(plan, seen, feedback=on), push=pushed, **options)
        for on in (False, True)
    )
    off = [abs(float(run.angle.sel(body="link")[-1])) for run in (loose, held)]
    assert off[1] < 2e-3 < 0.05 < off[0]
    assert held.outcome.ok
    np.testing.assert_allclose(held.estimate.values[50:, 1] - 0.5 * np.pi, held.measured.values[50:, 1], atol=5e-3)


def test_a_filter_that_is_lost_says_so(elastic: Any) -> None:
    lost = pl.ekf(Arm(), process_noise={TORQUE: 1e-3}, measurement_noise={"angle:link": 1e-4}, sample_time=0.01)
    gain = planned(Arm(), 0.01)
    with pytest.warns(PliantWarning, match="innovations"):
        run = pl.transient(elastic, end_time=0.3, step=1e-3, controller=pl.track(gain, lost), push={"link": 3.0})
    assert "EKF: innovations" in [check.name for check in run.outcome.failed]


def test_refusals(elastic: Any) -> None:
    arm: Any = Arm()
    with pytest.raises(OptionError, match="has no weight"):
        pl.follow(arm, {"angle:link": 0.0}, weights={}, inputs={TORQUE: 1.0}, sample_time=0.1, end_time=1.0)
    with pytest.raises(OptionError, match="whole number of samples"):
        pl.follow(arm, {}, weights={}, inputs={TORQUE: 1.0}, sample_time=0.1, end_time=0.25)
    with pytest.raises(OptionError, match="there is no"):
        pl.ekf(arm, process_noise={"torque": 1.0}, measurement_noise={"angle:link": 1.0}, sample_time=0.1)
    held = pl.Model("held")
    ground, bar = held.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0))
    held.add(
        pl.Revolute(ground.at(0, 0), bar.at(s=0)), pl.Motion(ground.at(0, 0), bar.at(s=0), angle=0.0, name="drive")
    )
    with pytest.raises(OptionError, match="drives a joint"):
        pl.nonlinear(pl.compile(held), inputs=["drive/angle"], outputs=["angle:bar"])
