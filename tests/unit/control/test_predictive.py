"""Model predictive control: the LQR itself without limits, the best plan with them, limits kept, honest failure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from scipy.optimize import lsq_linear, minimize

import pliant as pl
from pliant.control.design.observer import direct
from pliant.control.design.predictive import shortest
from pliant.errors import OptionError, PliantWarning, SingularError
from pliant_gallery.examples import driven_pendulum

A, B = np.array([[1.0, 0.1, 0.0], [-0.4, 0.95, 0.1], [0.2, 0.0, 1.02]]), np.array([[0.0, 0.01], [0.1, 0.0], [0.0, 0.1]])
Q, R, N = np.diag([4.0, 1.0, 2.0]), np.diag([0.1, 0.3]), 12
PLANT = pl.LinearModel(A, B, np.eye(3), np.zeros((3, 2)), sample_time=0.1)
GAIN = pl.lqr(PLANT, Q=Q, R=R)
SEEN = direct(PLANT, outputs=["y1", "y2", "y3"], sample_time=0.1)
START = np.array([1.0, -2.0, 1.5])


@pytest.fixture(scope="module")
def pendulum() -> Any:
    return pl.compile(driven_pendulum())


def stacked() -> tuple[np.ndarray, np.ndarray]:
    """Return a horizon's cost as |F u + G x|^2, from its definition: weights, and the rest by scipy's Riccati."""
    P = solve_discrete_are(A, B, Q, R)
    roots = [np.linalg.cholesky(W).T for W in (Q, P, R)]
    rows, start = [], []
    for k in range(N + 1):
        blocks = [np.linalg.matrix_power(A, k - 1 - i) @ B if i < k else np.zeros((3, 2)) for i in range(N)]
        root = roots[1] if k == N else roots[0]
        rows.append(root @ np.hstack(blocks))
        start.append(root @ np.linalg.matrix_power(A, k))
    return np.vstack([*rows, np.kron(np.eye(N), roots[2])]), np.vstack([*start, np.zeros((2 * N, 3))])


def first(controller: Any) -> np.ndarray:
    return np.asarray(controller.decide(0.0, START, np.zeros(0), controller.begin()))


def test_without_an_active_limit_it_is_the_lqr_to_the_last_digit() -> None:
    seen = pl.luenberger(PLANT, speed=5.0, outputs=["y1", "y3"])
    one, two = pl.lqg(GAIN, seen), pl.mpc(GAIN, seen, horizon=N, low=-1e3, high=1e3, keep={"y2": (-1e3, 1e3)})
    runs = [c.simulate(PLANT, end_time=4.0, start=0.1 * START) for c in (one, two)]
    np.testing.assert_array_equal(runs[0].u, runs[1].u)
    np.testing.assert_array_equal(runs[0].y, runs[1].y)


def test_a_plan_within_bounds_is_that_of_another_solver() -> None:
    """Bounded least squares of scipy on the cost as it is defined."""
    F, G = stacked()
    assert np.max(np.abs(GAIN.K @ START)) > 2.0  # the LQR demands more
    for most in (0.8, 1.0, 1.2):  # with the first two one input is free, and weights count
        other = lsq_linear(F, -G @ START, bounds=(-most, most), tol=1e-14).x[:2]
        np.testing.assert_allclose(first(pl.mpc(GAIN, SEEN, horizon=N, low=-most, high=most)), other, atol=1e-7)


def test_a_plan_with_limits_of_rate_and_outputs_is_that_of_another_solver() -> None:
    F, G = stacked()
    ahead = [
        np.hstack([np.linalg.matrix_power(A, k - 1 - i) @ B if i < k else np.zeros((3, 2)) for i in range(N)])
        for k in range(1, N + 1)
    ]
    free = np.array([np.linalg.matrix_power(A, k)[0] for k in range(1, N + 1)])
    steps = np.eye(2 * N) - np.eye(2 * N, k=-2)
    rows = np.vstack([steps, -steps, np.array([row[0] for row in ahead])])
    controller = pl.mpc(GAIN, SEEN, horizon=N, low=-3.0, high=3.0, rate=9.0, keep={"y1": (-0.1, None)})
    run = controller.simulate(PLANT, end_time=1.2, start=START)
    last = np.zeros(2)
    for x, applied in zip(run.y.values[:6], run.u.values[:6], strict=True):
        before = np.concatenate([last, np.zeros(2 * N - 2)])
        least = np.concatenate([before - 0.9, -before - 0.9, -0.1 - free @ x])
        other = minimize(
            lambda u, x=x: np.sum((F @ u + G @ x) ** 2), np.tile(applied, N),
            jac=lambda u, x=x: 2.0 * F.T @ (F @ u + G @ x), bounds=[(-3.0, 3.0)] * (2 * N), method="SLSQP",
            constraints={"type": "ineq", "fun": lambda u, b=least: rows @ u - b, "jac": lambda u: rows},
            options={"ftol": 1e-13, "maxiter": 500},
        )  # fmt: skip
        np.testing.assert_allclose(applied, other.x[:2], atol=1e-5)
        last = applied
    assert run.estimate.sel(controller_state="limits active").max() > 2
    assert float(run.estimate.sel(controller_state="KKT residual").max()) < 1e-10
    assert float(abs(np.diff(run.u, axis=0, prepend=0.0)).max()) <= 0.9 * (1.0 + 1e-12)
    assert float(run.y.sel(output="y1").min()) > -0.1 - 1e-9


def test_random_limits_against_all_active_sets() -> None:
    """Dependent limits, degenerate corners and contradictions among them."""
    from itertools import combinations

    rng, contradictions = np.random.default_rng(3), 0
    for trial in range(60):
        n, m = rng.integers(1, 4), rng.integers(1, 6)
        rows, least = np.round(rng.standard_normal((m, n)), trial % 2), np.round(rng.standard_normal(m), trial % 3)
        sets = [list(s) for k in range(n + 1) for s in combinations(range(m), k)]
        corners = [np.linalg.pinv(rows[s]) @ least[s] if s else np.zeros(n) for s in sets]
        allowed = [x for x in corners if np.all(rows @ x >= least - 1e-9)]
        found = shortest(rows, least)
        contradictions += found is None
        assert (found is None) == (not allowed)
        if found is not None:
            np.testing.assert_allclose(found.x, min(allowed, key=np.linalg.norm), atol=1e-7)
            assert found.residual < 1e-9


def upright(system: Any, **more: Any) -> Any:
    """Return the pendulum held sideways by MPC that reads its angle and rate."""
    seen = ["angle:arm", "angular_velocity:arm"]
    plant = pl.linearise(system, inputs=["motor/torque"], outputs=seen)
    gain = pl.lqr(plant, outputs={seen[0]: 400.0, seen[1]: 1.0}, inputs={"motor/torque": 1.0}, sample_time=0.01)
    observer = direct(plant, outputs=seen, sample_time=0.01)
    return pl.mpc(gain, observer, track=seen[:1], horizon=40, **more)


def test_limits_are_kept_in_the_motion_and_what_cannot_be_kept_is_not_ok(pendulum: Any) -> None:
    controller = upright(pendulum, low=-4.0, high=4.0, rate=60.0, keep={"angular_velocity:arm": (-1.0, 1.0)})
    target = controller.r0[0] + 0.3
    run = pl.transient(pendulum, end_time=1.0, controller=controller.following({"angle:arm": target}))
    assert run.outcome.ok
    names = [check.name for check in run.outcome.checks]
    assert {"MPC: conditions left", "MPC: limits of outputs relaxed", "inputs at a limit to the end"} <= set(names)
    applied = run.applied.values[:, 0]
    assert np.max(np.abs(np.diff(applied, prepend=0.0))) <= 0.6 * (1.0 + 1e-12)
    rate = run.angular_velocity.sel(body="arm")
    assert 0.95 < float(rate.max()) < 1.02  # the limit is met; the model is linear, the motion is not
    with pytest.warns(PliantWarning, match="limits of outputs relaxed"):
        pushed = pl.transient(pendulum, end_time=0.5, step=1e-3, controller=controller, push={"arm": 3.0})
    assert not pushed.outcome.ok


def test_inputs_that_stay_at_a_limit_or_grow_are_not_ok(pendulum: Any) -> None:
    weak = upright(pendulum, low=-0.5, high=0.5).following({"angle:arm": 0.0})
    with pytest.warns(PliantWarning, match="at a limit to the end"):
        run = pl.transient(pendulum, end_time=1.0, step=2e-3, controller=weak)
    assert [check.name for check in run.outcome.failed] == ["inputs at a limit to the end"]
    gains = {"motor/torque": {"angular_velocity:arm": -4.0}}
    growing = pl.Controller.proportional(gains, sample_time=0.01)
    with pytest.warns(PliantWarning):
        run = pl.transient(pendulum, end_time=1.0, step=1e-3, controller=growing, push={"arm": 1e-6})
    assert "growth of the inputs" in [check.name for check in run.outcome.failed]


def test_a_loop_that_stays_at_rest_is_ok(pendulum: Any) -> None:
    run = pl.transient(pendulum, end_time=0.5, step=2e-3, controller=upright(pendulum))
    assert 0.0 < float(np.ptp(run.applied.values)) < 1e-9  # rounding, which differs between two motions
    assert run.outcome.ok


def test_disturbances_are_estimated_and_held_against(pendulum: Any) -> None:
    """A torque that nobody knows: the Riccati equation of scipy, and an angle that comes back all the same."""
    T, seen = 0.01, ["angle:arm", "angular_velocity:arm"]
    plant = pl.linearise(pendulum, inputs=["motor/torque"], outputs=seen)
    observer = pl.kalman(
        plant, process_noise={"motor/torque": 0.1}, measurement_noise={"angle:arm": 1e-3},
        disturbances={"motor/torque": 20.0}, sample_time=T,
    )  # fmt: skip
    whole = observer.extended.discretise(T)
    fine, step = observer.extended.discretise(T / 2000.0), np.eye(3)
    W = np.zeros((3, 3))
    noise = np.zeros((3, 3))
    noise[:2, :2], noise[2, 2] = 0.01 * plant.B @ plant.B.T, 400.0
    for _ in range(2000):  # the noise between two samples, summed
        middle = step @ (np.eye(3) + 0.5 * (fine.A - np.eye(3)))
        W, step = W + middle @ noise @ middle.T * T / 2000.0, fine.A @ step
    P = solve_discrete_are(whole.A.T, whole.C[:1].T, W, np.array([[1e-6]]))
    np.testing.assert_allclose(observer.covariance, P, rtol=1e-5, atol=1e-6 * np.max(np.abs(P)))
    gain = pl.lqr(plant, outputs={seen[0]: 400.0, seen[1]: 1.0}, inputs={"motor/torque": 1.0}, sample_time=T)
    unknown = pendulum.with_signals({"gravity/y": -12.0})  # not what was linearised
    aim = -1.0
    loops = [pl.lqg(gain, observer, track=seen[:1]), pl.mpc(gain, observer, track=seen[:1], horizon=20, high=9.0)]
    for controller in loops:
        run = pl.transient(unknown, end_time=2.0, step=2e-3, controller=controller.following({seen[0]: aim}))
        assert abs(float(run.angle.sel(body="arm")[-1]) - aim) < 1e-4
        assert run.estimate.controller_state.values[2] == "disturbance of motor/torque"
    with pytest.raises(OptionError, match="Leave one of them out"):
        pl.lqg(pl.lqr(plant, Q=1, R=1, integral={seen[0]: 1.0}, sample_time=T), observer)


def test_a_load_that_no_input_can_hold_against_is_refused() -> None:
    observer = pl.kalman(PLANT, process_noise=[1, 1, 1], measurement_noise=[1, 1, 1], disturbances={"u1": 1.0})
    gain = pl.lqr(PLANT, Q=1, R=1, inputs=["u2"])
    with pytest.raises(SingularError, match="whole state at any values wanted against disturbances of u1"):
        pl.lqg(gain, observer)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"horizon": 0}, "one sample ahead"),
        ({"horizon": 5, "keep": {"speed": (0, 1)}}, "there is no 'speed'"),
        ({"horizon": 5, "keep": {"y1": (1.0, 0.0)}}, "must be below"),
        ({"horizon": 5, "keep": {"y1": 1.0}}, "give \\(lowest, highest\\)"),
        ({"horizon": 5, "low": 0.5}, "operating point"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pl.mpc(GAIN, SEEN, **options)
