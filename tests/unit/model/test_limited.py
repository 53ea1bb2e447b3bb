"""Limited signals: against step-by-step limiting, their derivatives, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, SignalError
from pliant.model.files import io

T = np.linspace(0.0, 3.0, 601)
CASES = {
    "sine": (pl.Sine(1.0, frequency_hz=1.0), {"largest_rate": 2.0}),
    "sine, clipped": (pl.Sine(1.0, frequency_hz=1.0, offset=0.2), {"low": -0.5, "high": 0.7, "largest_rate": 3.0}),
    "jumps": (pl.Expression("step(t - 0.50037) - 2*step(t - 1.2)"), {"largest_rate": 4.0}),
    "smooth ramp": (pl.Ramp(0.0, 1.0, t0=0.2, t1=0.4), {"largest_rate": 3.0}),
    "hardly too fast": (pl.Ramp(0.0, 1.0, t0=0.2, t1=0.4, smooth=False), {"largest_rate": 4.999}),
    "two waves": (pl.Expression("sin(7*t) + 0.5*sin(31*t)"), {"largest_rate": 5.0}),
    "table": (pl.Table([0.0, 0.3, 0.6, 0.9, 2.0], [0.0, 1.0, -1.0, 0.4, 0.5]), {"largest_rate": 3.3}),
    "function": (lambda t: 2.0 * t if t < 1.0 else 2.0, {"largest_rate": 1.0}),
}
every = pytest.mark.parametrize("name", CASES)


def step_by_step(signal: pl.Signal, limits: dict[str, float], fine: int = 100) -> np.ndarray:
    """Return the limiter as hardware does it: never more than a rate times a short time."""
    t = np.linspace(T[0], T[-1], (T.size - 1) * fine + 1)
    wanted = np.clip(signal(t), limits.get("low", -np.inf), limits.get("high", np.inf))
    most = limits["largest_rate"] * (t[1] - t[0])
    values = [wanted[0]]
    for value in wanted[1:]:
        values.append(values[-1] + min(max(value - values[-1], -most), most))
    return np.array(values[::fine])


@every
def test_against_step_by_step_limiting(name: str) -> None:
    signal, limits = CASES[name]
    limited = pl.Limited(signal, **limits)
    reference = step_by_step(pl.model.as_signal(signal), limits)
    np.testing.assert_allclose(limited(T), reference, atol=limits["largest_rate"] * 1.1 * T[1] / 100)


@every
def test_derivatives(name: str) -> None:
    """Rates never exceed the largest; they and accelerations are derivatives of the values, but for the kinks."""
    signal, limits = CASES[name]
    limited, h = pl.Limited(signal, **limits), 1e-5
    times = T[5:-5] + 0.0012345
    rate = limited.rate(times)
    assert np.max(np.abs(rate)) <= limits["largest_rate"] * (1.0 + 1e-9)
    by_values = (limited(times + h) - limited(times - h)) / (2 * h)
    assert np.mean(np.abs(by_values - rate) < 1e-4) > 0.98
    by_rates = (limited.rate(times + h) - limited.rate(times - h)) / (2 * h)
    if name != "function":  # whose own accelerations are differences
        assert np.mean(np.abs(by_rates - limited.acceleration(times)) < 1e-2) > 0.97


@every
def test_the_order_of_asking_does_not_matter(name: str) -> None:
    signal, limits = CASES[name]
    values = pl.Limited(signal, **limits)(T)
    backwards = pl.Limited(signal, **limits)
    assert [float(backwards(t)) for t in T[::-60]] == values[::-60].tolist()


def test_shapes_and_the_past() -> None:
    limited = pl.Limited(pl.Expression("t"), high=0.4, largest_rate=0.5)
    assert limited(0.3).shape == ()
    assert limited(np.full((2, 3), 0.2)).shape == (2, 3)
    assert limited(np.empty(0)).shape == (0,)
    assert float(limited(-2.0)) == -2.0  # limited from t = 0 on
    assert float(limited(1.0)) == pytest.approx(0.4, abs=1e-12)


def test_only_clipped() -> None:
    limited = pl.Limited(pl.Sine(1.0, frequency_hz=1.0), low=-0.25, high=0.5)
    np.testing.assert_array_equal(limited(T), np.clip(np.sin(2 * np.pi * T), -0.25, 0.5))
    assert float(limited.rate(0.25)) == float(limited.acceleration(0.25)) == 0.0


def test_it_is_saved_with_its_model() -> None:
    model = pl.Model("m")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    wind = pl.Limited(pl.Ramp(0.3, 0.1, t0=0.0, t1=0.1), low=0.15, largest_rate=0.5)
    model.add(pl.Tendon("rope", ground.at(0, 1), arm.at(s=1), stiffness=10.0, rest_length=wind))
    again = io.loads(io.dumps(model)).part("rope").rest_length
    assert again == wind
    np.testing.assert_array_equal(again(T), wind(T))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "it has no limit. Give low=, high= or largest_rate="),
        ({"low": 1.0, "high": 0.5}, r"low = 1.0 is not allowed; it must be below high = 0.5"),
        ({"largest_rate": 0.0}, "largest_rate = 0.0 is not allowed; it must be positive"),
        ({"low": "a"}, "low = 'a' is not allowed"),
        ({"high": 1.0, "resolution": 0.0}, "resolution = 0.0 is not allowed"),
    ],
)
def test_bad_limits(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=f"Limited: {words}"):
        pl.Limited(1.0, **options)


def test_a_signal_that_fails_says_so() -> None:
    with pytest.raises(SignalError, match="Expression"):
        pl.Limited(pl.Expression("1/(t - 0.5)"), largest_rate=1.0)(1.0)
