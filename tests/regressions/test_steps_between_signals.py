"""Motions under signals that change, by methods that bound their own errors: steps were as large as the first ones of a
run of equal ones, twice as many each time, so that they were far too short, and as many at any accuracy. Their error
was the distance of two equal motions: 0. Where steps have to end at landmarks of a pulse, these were the same, too."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.analyses.motion.between_steps import sampled_integral
from pliant.solvers.stepping.motion import ENDS

END, LIFTED = 5.0, 0.3
SIGNALS = {
    "vibration": (pl.Sine(1.0, 0.2), lambda t: np.sin(0.4 * np.pi * t)),
    "pulse": (pl.Expression("20*exp(-((t - 2.0)/0.01)**2)"), lambda t: 20.0 * np.exp(-(((t - 2.0) / 0.01) ** 2))),
}


@pytest.mark.parametrize("formulation", ["relative", "udwadia_kalaba"])
@pytest.mark.parametrize("name", SIGNALS)
def test_error_told_is_that_of_the_motion(name: str, formulation: str) -> None:
    signal, torque = SIGNALS[name]
    m = pl.Model("pendulum")
    ground, bob = m.add(
        pl.Ground(), pl.Link("bob", length=1.0, mass=1.0, inertia=0.0, centre=1.0, angle=LIFTED - np.pi / 2)
    )
    m.add(
        pl.Revolute(ground.at(0, 0), bob.at(s=0)), pl.Gravity(), pl.Motor("motor", ground.at(0, 0), bob.at(s=0), signal)
    )
    run = pl.transient(pl.compile(m, formulation=formulation), end_time=END, method="SDIRK4", accuracy=1e-3)

    def motion(t: float, y: np.ndarray) -> tuple[float, float]:
        return y[1], torque(t) - 9.81 * np.sin(y[0])

    kept = {"rtol": 1e-11, "atol": 1e-11, "max_step": 5e-3, "t_eval": run.time.values}
    exact = solve_ivp(motion, (0.0, END), (LIFTED, 0.0), method="DOP853", **kept)
    error = np.max(np.abs(run.angle.sel(body="bob").values + np.pi / 2 - exact.y[0]))
    assert 0.2 * error < run.outcome.time_error < 20.0 * error
    assert run.outcome.steps < (45 if name == "vibration" else 110)


@pytest.mark.parametrize("rule", [ENDS, np.array([[0.0, 0.8, 0.5, 1.0], [1 / 6, 0.0, 2 / 3, 1 / 6]])])
def test_a_ramp_is_seen_by_long_steps(rule: np.ndarray) -> None:
    """Signals were treated as straight within steps, so that long steps along a ramp were not ok."""
    times = np.array([0.0, 0.1, 0.4, 1.0])
    assert sampled_integral(pl.Expression("3*t"), times, rule).share < 1e-6
    assert sampled_integral(pl.Expression("3*t + sin(90*t)"), times, rule).share > 0.01
    assert sampled_integral(pl.Expression("exp(-((t - 0.85)/0.01)**2)"), times, rule).share > 0.9
