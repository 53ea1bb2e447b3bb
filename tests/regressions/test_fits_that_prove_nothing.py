"""Estimates that were ok, and wrong: of too few rows to assess the residuals, at a bound that shuts the best value out,
of a vibration with one row in several periods, and intervals of models that are not linear.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.stats import t as student

import pliant as pl

PLACE = "position:block(0, 0):x"
FORCES = np.linspace(2.0, 10.0, 5)


def spring(high: float = 1e4, mass: float | pl.Parameter = 2.0) -> pl.System:
    m = pl.Model("spring")
    k = pl.Parameter("k", 40.0, low=1.0, high=high, unit="N/m")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=mass, inertia=0.1, position=(1.0, 0.0)))
    m.add(
        pl.Prismatic(ground.at(0, 0), block.at()),
        pl.Spring("spring", ground.at(0, 0), block.at(), k, rest_length=1.0, damping=0.05),
        pl.Force(block.at(), x=0.0, name="push"),
    )
    return pl.compile(m)


def fitted(places: np.ndarray, *, high: float = 1e4, **more: object) -> pl.Identification:
    seen = {"F [N]": FORCES, "x [m]": places}
    measured = pl.Measurement(seen, {PLACE: "x"}, signals={"push/x": "F"}, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pl.identify(spring(high), parameters=["k"], measurements=[measured])


def test_too_few_rows_and_a_wrong_model() -> None:
    """A spring that hardens: a straight line leaves a third of the range, which looks like noise in five rows."""
    found = fitted(1.0 + np.cbrt(FORCES) / 20.0)
    assert not found.ok
    assert "too few to tell noise from a wrong model" in found.outcome.message
    noise = 1e-4 * np.array([1.0, -2.0, 0.0, 1.5, -1.0])
    assert fitted(1.0 + FORCES / 80.0 + noise).ok


def test_a_bound_that_shuts_the_value_out() -> None:
    """Truth 80 N/m, bound 50: not noise. Truth 50.01, bound 50: noise."""
    noise = 1e-4 * np.array([1.0, -2.0, 0.0, 1.5, -1.0])
    for error in ({}, {"error": 1e-4}):
        shut = fitted(1.0 + FORCES / 80.0 + noise, high=50.0, **error)
        assert not shut.ok
        assert "beyond a bound" in shut.outcome.message
        assert fitted(1.0 + FORCES / 50.01 + noise, high=50.0, **error).ok


def test_a_motion_seen_too_seldom() -> None:
    """Rows 0.8 s apart of a swing with a period of 1 s: 0.91 kg have the same rows as 2 kg."""
    mass = pl.Parameter("M", 0.92, low=0.01, high=100.0, unit="kg")
    t = np.arange(0.0, 12.0, 0.8)
    x = 1.0 + 0.2 * np.exp(-0.05 / 4.0 * t) * np.cos(np.sqrt(20.0) * t)
    seen = pl.Measurement(
        {"t [s]": t, "x [m]": x}, {PLACE: "x"}, time="t", begin={"push/x": 8.0}, step=1e-2, error=0.05
    )
    found = pl.identify(spring(mass=mass).with_parameters(k=40.0), parameters=["M"], measurements=[seen])
    assert not found.ok
    assert "what happens between rows" in found.outcome.message


def test_the_interval_of_a_curved_model() -> None:
    """x = F/k is linear in 1/k, whose interval is known: the interval of k is not symmetrical."""
    noise, error = 0.01 * np.array([1.0, -2.0, 0.0, 1.5, -1.0]), 0.02
    found = fitted(1.0 + FORCES / 80.0 + noise, error=error)
    soft = float(FORCES @ (FORCES / 80.0 + noise) / (FORCES @ FORCES))
    half = float(student.ppf(0.975, 4)) * error / float(np.linalg.norm(FORCES))
    told = found.estimate("k")
    assert found.ok, found.outcome.message
    assert told.low == pytest.approx(1.0 / (soft + half), rel=0.02)
    assert told.high == pytest.approx(1.0 / (soft - half), rel=0.02)
    assert "(-" in repr(told)
