"""Observers: closed forms, duality, placed poles, speed, and the variance they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_lyapunov

import pliant as pl
from pliant.control.models.linear_model import LinearModel

MASS = LinearModel(
    [[0, 1], [0, 0]], [[0], [1]], np.eye(2), np.zeros((2, 1)), ("x", "v"), ("force",), ("place", "speed")
)
T = 0.05


def random_model(seed: int, states: int = 4) -> LinearModel:
    draw = np.random.default_rng(seed).standard_normal
    return LinearModel(draw((states, states)), draw((states, 2)), draw((3, states)), draw((3, 2)))


def errors_of(seen: object, model: LinearModel) -> np.ndarray:
    """Return the matrix from one error of the estimate to the next."""
    rows = [model.output_names.index(name) for name in seen.outputs]
    A = model.discretise(seen.sample_time).A
    return A @ (np.eye(len(A)) - seen.L @ model.C[rows])


# Kalman


def test_mass_seen_through_its_place() -> None:
    """Force of density w, place read with density v: L = (sqrt(2 w / v), w / v), a Butterworth pair."""
    seen = pl.kalman(MASS, process_noise={"force": 8.0}, measurement_noise={"place": 2.0})
    np.testing.assert_allclose(seen.L[:, 0], [np.sqrt(8.0), 4.0], rtol=1e-12)
    np.testing.assert_allclose(seen.poles, np.sqrt(2.0) * np.array([-1 + 1j, -1 - 1j]), rtol=1e-12)
    assert seen.outputs == ("place",)
    assert seen.residual < 1e-13


def test_the_promised_variance_is_what_a_run_shows() -> None:
    """Readings and pushes drawn here, at random: mean square of the estimate's error over 40 000 samples."""
    model = LinearModel([[0, 1], [-4, -0.4]], [[0], [1]], [[1, 0]], [[0]])
    seen = pl.kalman(model, process_noise={"u1": 0.5}, measurement_noise={"y1": 0.1}, sample_time=T)
    sampled = model.discretise(T)
    random = np.random.default_rng(1)
    fine = model.discretise(T / 50)  # white noise as pushes held for a fiftieth of a sample
    x, guess, errors = np.zeros(2), np.zeros(2), []
    pushes = 0.5 / np.sqrt(T / 50) * random.standard_normal((40_000, 50))
    moved = np.array([np.linalg.matrix_power(fine.A, 49 - i) @ fine.B[:, 0] for i in range(50)])
    for push, noise in zip(pushes @ moved, 0.1 * random.standard_normal(40_000), strict=True):
        errors.append(x - guess)
        guess = guess + seen.L[:, 0] * (x[0] + noise - guess[0])
        x, guess = sampled.A @ x + push, sampled.A @ guess
    found = np.cov(np.array(errors[200:]).T)
    # About 40 000 / 20 independent samples: 3 % standard deviation of a variance; the pushes' width adds 1 %.
    np.testing.assert_allclose(np.diag(found), np.diag(seen.covariance), rtol=0.1)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), noise=st.floats(0.01, 10.0))
def test_no_other_gain_has_less_variance(seed: int, noise: float) -> None:
    model = random_model(seed)
    sampled = model.discretise(T)
    n = len(model.A)
    seen = pl.kalman(sampled, process_noise=np.eye(n), measurement_noise=noise**2, outputs=["y1", "y3"])
    C = model.C[[0, 2]]

    def variance(L: np.ndarray) -> np.ndarray:
        """Return the variance before a reading: P = A ((I - LC) P (I - LC)' + L V L') A' + I."""
        closed = sampled.A @ (np.eye(n) - L @ C)
        return solve_discrete_lyapunov(closed, noise**2 * sampled.A @ L @ L.T @ sampled.A.T + np.eye(n))

    best = variance(seen.L)
    np.testing.assert_allclose(best, seen.covariance, rtol=1e-6, atol=1e-8 * np.max(best))
    nudge = np.random.default_rng(seed).standard_normal(seen.L.shape)
    other = seen.L + 0.01 * nudge / np.linalg.norm(sampled.A @ nudge @ C)
    if np.max(np.abs(np.linalg.eigvals(sampled.A @ (np.eye(n) - other @ C)))) < 1.0:
        assert np.min(np.linalg.eigvalsh(variance(other) - best)) > -1e-8 * np.max(best)


def test_sampled_observer_tends_to_the_continuous_one() -> None:
    """A density d read every T has the standard deviation d / sqrt T; the gain per time tends to L."""
    exact = pl.kalman(MASS, process_noise={"force": 1.0}, measurement_noise={"place": 0.1}).L
    errors = []
    for step in (2e-3, 1e-3):
        noise = {"place": 0.1 / np.sqrt(step)}
        seen = pl.kalman(MASS, process_noise={"force": 1.0}, measurement_noise=noise, sample_time=step)
        errors.append(np.max(np.abs(seen.L / step - exact)))
    assert errors[1] == pytest.approx(0.5 * errors[0], rel=0.05)


def test_only_the_ratio_of_the_noises_counts() -> None:
    one = pl.kalman(MASS, process_noise={"force": 1.0}, measurement_noise={"place": 0.1}, sample_time=T)
    two = pl.kalman(MASS, process_noise={"force": 5.0}, measurement_noise={"place": 0.5}, sample_time=T)
    np.testing.assert_allclose(two.L, one.L, rtol=1e-10)
    np.testing.assert_allclose(two.covariance, 25.0 * one.covariance, rtol=1e-10)


def test_noise_by_name_is_noise_by_matrix() -> None:
    named = pl.kalman(MASS, process_noise={"force": 3.0}, measurement_noise={"speed": 0.2, "place": 0.1}, sample_time=T)
    matrix = pl.kalman(
        MASS,
        process_noise=np.diag([0.0, 9.0]),
        measurement_noise=[0.01, 0.04],
        outputs=["place", "speed"],
        sample_time=T,
    )
    np.testing.assert_allclose(named.L[:, ::-1], matrix.L, rtol=1e-12)


# Luenberger


@pytest.mark.parametrize("sample_time", [None, T])
@pytest.mark.parametrize("outputs", [["place"], None])
def test_poles_are_where_they_were_asked_for(sample_time: float | None, outputs: list[str] | None) -> None:
    wanted = [-6 + 2j, -6 - 2j]
    seen = pl.luenberger(MASS, poles=wanted, outputs=outputs, sample_time=sample_time)
    np.testing.assert_allclose(seen.poles, wanted, rtol=1e-9)
    assert seen.covariance is None


def test_gain_of_placed_poles_in_closed_form() -> None:
    """(s + 3)(s + 4) = s^2 + 7 s + 12."""
    seen = pl.luenberger(MASS, poles=[-3, -4], outputs=["place"])
    np.testing.assert_allclose(seen.L[:, 0], [7.0, 12.0], rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), speed=st.floats(0.1, 20.0), sampled=st.booleans())
def test_speed_bounds_every_pole(seed: int, speed: float, sampled: bool) -> None:
    model = random_model(seed)
    seen = pl.luenberger(model, speed=speed, outputs=["y1", "y2"], sample_time=0.01 if sampled else None)
    assert np.max(seen.poles.real) <= -speed * (1.0 - 1e-6)
    if sampled:
        np.testing.assert_allclose(
            np.sort(np.abs(np.linalg.eigvals(errors_of(seen, model)))),
            np.sort(np.abs(np.exp(0.01 * seen.poles))),
            rtol=1e-6,
        )


def test_speed_mirrors_a_vibration_and_keeps_its_frequency() -> None:
    """Undamped at 30 rad/s: it decays with twice the required speed, at nearly the same frequency."""
    model = LinearModel([[0, 1], [-900, 0]], [[0], [1]], [[1, 0]], [[0]])
    seen = pl.luenberger(model, speed=2.0)
    assert seen.poles[0].real == pytest.approx(-4.0, rel=0.01)
    assert seen.poles[0].imag == pytest.approx(30.0, rel=0.01)


def test_poles_that_are_fast_enough_stay() -> None:
    model = LinearModel(np.diag([-50.0, -1.0]), [[1.0], [1.0]], [[1.0, 1.0]], [[0.0]])
    seen = pl.luenberger(model, speed=5.0)
    assert seen.poles[1].real == pytest.approx(-50.0, rel=0.01)
    assert seen.poles[0].real == pytest.approx(-9.0, rel=0.01)
