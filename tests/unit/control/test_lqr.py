"""Regulators: closed forms, optimality, weights by name, sampling, integral action."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm, solve_continuous_lyapunov, solve_discrete_lyapunov

import pliant as pl
from pliant.control.design.riccati import Problem, solve
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.poles import describe, eigenvalues, unobserved_mode, unreached_mode
from pliant.control.models.sampling import integrate_weight
from pliant.errors import PliantWarning

MASS = LinearModel(
    [[0, 1], [0, 0]], [[0], [1]], np.eye(2), np.zeros((2, 1)), ("x", "v"), ("force",), ("place", "speed")
)


def random_model(seed: int, states: int = 4, inputs: int = 2, outputs: int = 3, direct: float = 1.0) -> LinearModel:
    draw = np.random.default_rng(seed).standard_normal
    A, B, C, D = (draw(shape) for shape in ((states, states), (states, inputs), (outputs, states), (outputs, inputs)))
    return LinearModel(A, B, C, direct * D)


def cost_of(model: LinearModel, K: np.ndarray, W: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Return P of x'Px, the integral of y'Wy + u'Ru under u = -K x."""
    C = model.C - model.D @ K
    return solve_continuous_lyapunov((model.A - model.B @ K).T, -(C.T @ W @ C + K.T @ R @ K))


def test_double_integrator() -> None:
    gain = pl.lqr(MASS, Q=1.0, R=1.0)
    np.testing.assert_allclose(gain.K, [[1.0, np.sqrt(3.0)]], rtol=1e-13)
    np.testing.assert_allclose(gain.poles, [-np.sqrt(0.75) + 0.5j, -np.sqrt(0.75) - 0.5j], rtol=1e-13)
    assert gain.residual < 1e-14
    assert gain.state_names == ("x", "v")
    assert gain.sample_time is None


@pytest.mark.parametrize(("q", "r"), [(1.0, 1.0), (100.0, 1.0), (1.0, 1e-4), (1e8, 1e-3)])
def test_position_weight_alone_gives_a_butterworth_pair(q: float, r: float) -> None:
    """K = (w^2, sqrt 2 w) with w^4 = q / r: damping ratio 1 / sqrt 2, whatever the weights."""
    gain = pl.lqr(MASS, outputs={"place": q}, inputs={"force": r})
    w = (q / r) ** 0.25
    np.testing.assert_allclose(gain.K, [[w * w, np.sqrt(2.0) * w]], rtol=1e-10)


def test_an_unstable_pole_without_weight_is_mirrored() -> None:
    gain = pl.lqr(LinearModel([[3.0]], [[2.0]], [[1.0]], [[0.0]]), Q=0.0, R=5.0)
    np.testing.assert_allclose(gain.poles, [-3.0], rtol=1e-12)
    np.testing.assert_allclose(gain.K, [[3.0]], rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.floats(0.01, 100.0))
def test_no_other_feedback_is_cheaper(seed: int, size: float) -> None:
    """Outputs with direct feed-through included: P is the cost of K, and any other K costs more in every direction."""
    model = random_model(seed)
    weights = {"y1": 1.0, "y2": size, "y3": 0.3}
    gain = pl.lqr(model, outputs=weights, inputs={"u1": 1.0, "u2": size})
    W, R = np.diag(list(weights.values())), np.diag([1.0, size])
    cost = cost_of(model, gain.K, W, R)
    np.testing.assert_allclose(cost, gain.riccati, rtol=1e-6, atol=1e-8 * np.max(np.abs(cost)))
    nudge = np.random.default_rng(seed).standard_normal(gain.K.shape)
    decay = -np.max(gain.poles.real)
    for sign in (1.0, -1.0):
        other = gain.K + sign * 0.1 * decay * nudge / np.linalg.norm(model.B @ nudge)
        if np.max(np.linalg.eigvals(model.A - model.B @ other).real) < 0.0:
            more = np.linalg.eigvalsh(cost_of(model, other, W, R) - gain.riccati)
            assert np.min(more) > -1e-7 * np.max(np.abs(cost))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), factor=st.floats(1e-3, 1e3))
def test_the_feedback_does_not_depend_on_coordinates_or_on_the_unit_of_cost(seed: int, factor: float) -> None:
    model = random_model(seed, direct=0.0)
    turn = np.random.default_rng(seed + 1).standard_normal((4, 4)) + 3.0 * np.eye(4)
    back = np.linalg.inv(turn)
    other = LinearModel(turn @ model.A @ back, turn @ model.B, model.C @ back, model.D)
    outputs, inputs = {"y1": 1.0, "y2": 2.0}, {"u1": 1.0, "u2": 0.5}
    gain = pl.lqr(model, outputs=outputs, inputs=inputs)
    scaled = [{k: factor * v for k, v in each.items()} for each in (outputs, inputs)]
    same = pl.lqr(other, outputs=scaled[0], inputs=scaled[1])
    np.testing.assert_allclose(same.K @ turn, gain.K, rtol=1e-5, atol=1e-6 * np.max(np.abs(gain.K)))


def test_inputs_that_are_not_named_are_left_alone() -> None:
    model = random_model(3)
    gain = pl.lqr(model, outputs={"y1": 1.0}, inputs={"u2": 1.0})
    alone = LinearModel(model.A, model.B[:, [1]], model.C, model.D[:, [1]])
    np.testing.assert_allclose(gain.K, pl.lqr(alone, outputs={"y1": 1.0}, inputs={"u1": 1.0}).K, rtol=1e-10)
    assert gain.inputs == ("u2",)
    both = pl.lqr(model, Q=1.0, R=[[2.0, 0.5], [0.5, 1.0]], inputs=["u2", "u1"])
    turned = pl.lqr(model, Q=1.0, R=[[1.0, 0.5], [0.5, 2.0]])
    np.testing.assert_allclose(both.K, turned.K[::-1], rtol=1e-10)


def test_weights_are_numbers_diagonals_or_matrices() -> None:
    by_number = pl.lqr(MASS, Q=2.0, R=1.0).K
    np.testing.assert_array_equal(pl.lqr(MASS, Q=[2.0, 2.0], R=[1.0]).K, by_number)
    np.testing.assert_array_equal(pl.lqr(MASS, Q=2.0 * np.eye(2), R=[[1]]).K, by_number)


# sampled


def test_sampled_design_counts_the_cost_between_samples() -> None:
    """Integrator x' = u held for T: closed-form weights q T, q T^2 / 2, r T + q T^3 / 3."""
    T, q, r = 0.7, 2.0, 0.5
    gain = pl.lqr(LinearModel([[0.0]], [[1.0]], [[1.0]], [[0.0]]), Q=q, R=r, sample_time=T)
    one = np.ones((1, 1))
    exact = solve("test", Problem(one, T * one, q * T * one, (r * T + q * T**3 / 3) * one, q * T**2 / 2 * one, T))
    np.testing.assert_allclose(gain.K, exact.K, rtol=1e-12)
    np.testing.assert_allclose(gain.riccati, exact.P, rtol=1e-12)
    assert gain.sample_time == T
    np.testing.assert_allclose(gain.sampled_poles, 1.0 - T * gain.K[0], rtol=1e-12)


def test_a_sampled_model_takes_the_cost_summed() -> None:
    model = MASS.discretise(0.1)
    gain = pl.lqr(model, Q=1.0, R=1.0)
    closed = model.A - model.B @ gain.K
    cost = solve_discrete_lyapunov(closed.T, np.eye(2) + gain.K.T @ gain.K)
    np.testing.assert_allclose(cost, gain.riccati, rtol=1e-10)
    assert pl.lqr(model, Q=1.0, R=1.0, sample_time=0.1).sample_time == 0.1


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_sampled_designs_tend_to_the_continuous_one(seed: int) -> None:
    """K of the sampled design is K (I + (A - B K) T / 2) but for T^2."""
    model = random_model(seed)
    design = {"outputs": {"y1": 1.0, "y2": 1.0, "y3": 1.0}, "inputs": {"u1": 1.0, "u2": 1.0}}
    exact = pl.lqr(model, **design)
    closed = model.A - model.B @ exact.K
    scale = np.max(np.abs(np.linalg.eigvals(closed)))
    errors = []
    for T in (2e-3 / scale, 1e-3 / scale):
        K = pl.lqr(model, sample_time=T, **design).K
        errors.append(np.max(np.abs(K - exact.K @ (np.eye(4) + 0.5 * T * closed))))
    assert errors[1] < 0.3 * errors[0] + 1e-9 * np.max(np.abs(exact.K))


@pytest.mark.parametrize("rate", [-1e6, -3.0, 0.0, 2.0])
def test_integrated_weights_of_stiff_systems(rate: float) -> None:
    """The integral of exp(2 a s): Van Loan's formula alone overflows at a T = -1e4."""
    exact = 0.01 if rate == 0.0 else np.expm1(2.0 * rate * 0.01) / (2.0 * rate)
    np.testing.assert_allclose(integrate_weight(np.array([[rate]]), np.eye(1), 0.01), exact, rtol=1e-13)


def test_integrated_weights_against_quadrature() -> None:
    model = random_model(5)
    W = np.diag([1.0, 2.0, 0.0, 0.5])
    points, weights = np.polynomial.legendre.leggauss(20)
    sums = [
        0.5 * w * expm(model.A.T * 0.5 * (1 + p)) @ W @ expm(model.A * 0.5 * (1 + p))
        for p, w in zip(points, weights, strict=True)
    ]
    np.testing.assert_allclose(integrate_weight(model.A, W, 1.0), np.sum(sums, axis=0), rtol=1e-12, atol=1e-13)


# integral action


def test_integral_of_the_double_integrator() -> None:
    """Symmetric root locus: 1 + 3 / s^4 - 2 / s^6 = 0, the roots that decay."""
    gain = pl.lqr(MASS, outputs={"place": 3.0}, inputs={"force": 1.0}, integral={"place": 2.0})
    roots = np.roots([1.0, 0.0, 0.0, 0.0, 3.0, 0.0, -2.0])
    stable = roots[roots.real < 0.0]
    np.testing.assert_allclose(np.sort_complex(gain.poles), np.sort_complex(stable), rtol=1e-9)
    assert gain.state_names == ("x", "v", "integral of place")


def test_integral_by_name_takes_the_weight_of_its_output() -> None:
    by_name = pl.lqr(MASS, outputs={"place": 3.0}, inputs={"force": 1.0}, integral=["place"])
    by_weight = pl.lqr(MASS, outputs={"place": 3.0}, inputs={"force": 1.0}, integral={"place": 3.0})
    np.testing.assert_array_equal(by_name.K, by_weight.K)


def test_sampled_integral_tends_to_the_continuous_one() -> None:
    design = {"outputs": {"place": 3.0}, "inputs": {"force": 1.0}, "integral": ["place"]}
    exact = pl.lqr(MASS, **design)
    errors = [np.max(np.abs(pl.lqr(MASS, sample_time=T, **design).K - exact.K)) for T in (2e-3, 1e-3)]
    assert errors[1] == pytest.approx(0.5 * errors[0], rel=0.02)


# modes that cannot be reached


def oscillators(*frequencies: float, reach: tuple[float, ...], ratio: float = 0.0) -> LinearModel:
    """Return uncoupled oscillators, pushed by one force with these shares and seen by one output likewise."""
    n = len(frequencies)
    w = np.array(frequencies)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(w**2), -np.diag(2.0 * ratio * w)]])
    names = tuple(f"mode {i + 1}" for i in range(n))
    B = np.concatenate([np.zeros(n), reach])[:, None]
    return LinearModel(A, B, np.roll(B.T, n), [[0.0]], (*names, *(f"{name} rate" for name in names)))


def test_hautus_finds_the_mode_that_is_not_reached() -> None:
    model = oscillators(1.0, 20.0, 3e5, reach=(1.0, 0.0, 1.0))
    found = unreached_mode(model.A, model.B, model.state_names)
    assert found.startswith("mode at 3.183 Hz (pole 0 ± 20i 1/s), mostly in state 'mode 2")
    assert unobserved_mode(model.A, model.C, model.state_names).startswith("mode at 3.183 Hz")
    assert unreached_mode(model.A, model.B + 1e-6, model.state_names) is None
    damped = oscillators(1.0, 20.0, 3e5, reach=(1.0, 0.0, 1.0), ratio=1e-4)
    assert unreached_mode(damped.A, damped.B, damped.state_names) is None
    assert "3.183 Hz" in unreached_mode(damped.A, damped.B, damped.state_names, decay=1.0)


def test_two_equal_modes_are_not_reached_by_one_input() -> None:
    """Each of them alone is; left vectors alone would not show it."""
    model = oscillators(5.0, 5.0, reach=(1.0, 2.0))
    assert unreached_mode(model.A, model.B, model.state_names).startswith("mode at 0.7958 Hz")


def test_an_undamped_mode_of_hardly_any_weight_is_told() -> None:
    model = oscillators(1.0, 2e4, reach=(1.0, 1.0))
    with pytest.warns(PliantWarning, match=r"hardly see the undamped mode at 3183 Hz .*: it is left as it is"):
        gain = pl.lqr(model, outputs={"y1": 1.0}, inputs={"u1": 1.0})
    assert gain.poles[0].real < -0.1


def test_poles_are_listed_slow_first_with_their_names() -> None:
    poles = eigenvalues(np.diag([-5.0, -1.0, -3.0]))
    np.testing.assert_array_equal(poles, [-1.0, -3.0, -5.0])
    assert describe(poles[0]) == "real pole -1 1/s"


def test_stiff_models_are_solved() -> None:
    """Frequencies over five orders, light damping: residual at rounding after balancing and refinement."""
    frequencies = np.logspace(0.0, 5.0, 12)
    model = oscillators(*frequencies, reach=(1.0,) * 12, ratio=0.01)
    gain = pl.lqr(model, outputs={"y1": 1e4}, inputs={"u1": 1.0}, sample_time=1e-3)
    assert gain.residual < 1e-10
    assert np.max(gain.poles.real) < 2.0 * np.max(model.poles().real)


def test_validation_case() -> None:
    from pliant_evidence.control.validate import lqr_theory

    rows = list(lqr_theory())
    assert len(rows) > 30
    assert [row.quantity for row in rows if not row.ok] == []
