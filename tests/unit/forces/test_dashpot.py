"""Dashpots to the ground: force, tangent, power."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.system.state import State


def flyer(**coefficients: float) -> pl.Model:
    m = pl.Model("flyer")
    body = m.add(pl.Body("body", mass=2.0, inertia=0.3, angle=0.4, free=True))
    m.add(pl.Dashpot("air", body.at(0.3, -0.2), **coefficients))
    return m


def residual(system: pl.Result, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return forces of the dashpot on the left-hand side."""
    return system.unbalanced(q, v, np.zeros_like(q), system.signals(np.zeros(1))[0])


def test_tangents_are_derivatives(rng: np.random.Generator) -> None:
    system = pl.compile(flyer(x=0.7, y=1.9, turn=0.4))
    q, v = (np.append(rng.standard_normal(3), np.zeros(3)) for _ in range(2))
    matrices = system.matrices(State(q, v, np.zeros(6), np.zeros(0)))
    e = 1e-6
    for i in range(3):
        step = e * np.eye(6)[i]
        by_q = (residual(system, q + step, v) - residual(system, q - step, v)) / (2.0 * e)
        by_v = (residual(system, q, v + step) - residual(system, q, v - step)) / (2.0 * e)
        np.testing.assert_allclose(matrices.stiffness.toarray()[:, i], by_q, atol=1e-8)
        np.testing.assert_allclose(matrices.damping.toarray()[:, i], by_v, atol=1e-8)


def test_power_is_force_times_speed(rng: np.random.Generator) -> None:
    from pliant.system.packing import fused

    system = pl.compile(flyer(x=0.7, y=1.9, turn=0.4))
    q, v = (np.append(rng.standard_normal(3), np.zeros(3)) for _ in range(2))
    supplied, dissipated = fused.power(system.equations.parts, q, v, system.signals(np.zeros(1))[0])
    assert supplied == 0.0
    assert dissipated == pytest.approx(float(residual(system, q, v) @ v[:3]))


def test_body_slows_down_exponentially() -> None:
    m = pl.Model("glider")
    body = m.add(pl.Body("body", mass=2.0, inertia=0.3, free=True))
    m.add(pl.Dashpot("air", body.at(), x=0.5, turn=0.6))
    run = pl.transient(pl.compile(m), end_time=1.0, step=1e-3, push={"body": (3.0, 1.0, 2.0)})
    np.testing.assert_allclose(run.velocity[-1, 0], [3.0 * np.exp(-0.25), 1.0], rtol=1e-6)
    assert float(run.angular_velocity[-1, 0]) == pytest.approx(2.0 * np.exp(-2.0), rel=1e-5)
    assert run.outcome.energy_error < 1e-5 * run.outcome.energy_range


def test_bad_coefficients_are_refused() -> None:
    body = pl.Body("body", mass=1.0, inertia=1.0)
    for name in ("x", "y", "turn"):
        with pytest.raises(ModelError, match=rf'Dashpot "air": {name} = -1.0'):
            pl.Dashpot("air", body.at(), **{name: -1.0})
    with pytest.raises(ModelError, match="marker"):
        pl.Dashpot("air", body, x=1.0)  # type: ignore[arg-type]
