"""Regulators that know of a delay, and commands that leave no vibration behind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lsim

import pliant as pl
from pliant.control.models.open_loop import closed_loop
from pliant.errors import ModelError, OptionError

T = 0.02
PENDULUM = pl.LinearModel(
    [[0, 1], [4, -0.1]], [[0], [2]], [[1, 0], [0.3, 1]], [[0], [0.2]], input_names=("torque",), output_names=("a", "b")
)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("outputs", [{"a": 0.01}, {"a": 0.01, "b": 0.01}], ids=["plain", "with torque in the reading"])
def test_a_delay_that_is_known_moves_no_pole(samples: int, outputs: dict[str, float]) -> None:
    gain = pl.lqr(PENDULUM, Q=[1000, 1], R=0.1, sample_time=T)
    seen = pl.kalman(PENDULUM, process_noise={"torque": 1.0}, measurement_noise=outputs, sample_time=T)
    knowing = pl.lqg(gain, seen, delay=samples)
    found = np.linalg.eigvals(closed_loop(knowing, PENDULUM))
    wanted = np.concatenate([gain.sampled_poles, np.exp(seen.poles * T)])
    for pole in wanted:
        assert np.min(np.abs(found - pole)) < 1e-6
    assert knowing.delay == samples
    assert np.max(np.abs(found)) < 1.0
    blind = pl.lqg(gain, seen).delayed(samples)
    growing = np.max(np.abs(np.linalg.eigvals(closed_loop(blind, PENDULUM)))) > 1.0
    assert growing == (samples == 4)


def test_limits_do_not_mislead_what_is_under_way() -> None:
    gain = pl.lqr(PENDULUM, Q=[10, 1], R=1, sample_time=T)
    seen = pl.luenberger(PENDULUM, speed=10.0, outputs=["a"], sample_time=T)
    law = pl.lqg(gain, seen, delay=3, track=["a"]).limited(low=-0.3, high=0.3).following({"a": 0.1})
    run = law.simulate(PENDULUM, end_time=8.0)
    assert float(abs(run.u).max()) == pytest.approx(0.3)
    assert float(abs(run.wanted).max()) > 0.3
    assert float(run.y.sel(output="a")[-1]) == pytest.approx(0.1, abs=1e-4)
    np.testing.assert_allclose(run.estimate.values[3:, 2], run.u.values[3:, 0], atol=1e-12)  # the oldest is applied
    with pytest.raises(OptionError, match="delay=1 with an integral of 'a'"):
        pl.lqg(pl.lqr(PENDULUM, Q=1.0, R=1.0, integral={"a": 1.0}, sample_time=T), seen, delay=1)


def residual(kind: str, omega: float, *, damping: float = 0.05) -> float:
    """Return the amplitude that an oscillator of 10 rad/s has after a step that was shaped for another frequency."""
    t = np.linspace(0.0, 4.0, 40_001)
    command = pl.Shaped(pl.Ramp(0.0, 1.0, 0.0, 1e-9, smooth=False), omega=omega, damping=damping, kind=kind)
    _, y, _ = lsim(([100.0], [1.0, 2.0 * damping * 10.0, 100.0]), command(t), t, interp=False)
    return float(np.max(np.abs(y[t > 1.0] - 1.0)))


def test_nothing_vibrates_after_a_shaped_step() -> None:
    """ZV is off by the first order of an error in frequency, ZVD by the second: pi^2/4 e^2 against pi/2 e."""
    for kind in ("ZV", "ZVD"):
        assert residual(kind, 10.0) < 2e-3  # of the steps in time
        assert sum(a for _, a in pl.Shaped(0.0, omega=10.0, damping=0.05, kind=kind).pulses) == pytest.approx(1.0)
    assert residual("ZV", 10.5) > 0.04
    assert residual("ZVD", 10.5) < 0.01
    with pytest.raises(ModelError, match="damping"):
        pl.Shaped(0.0, omega=1.0, damping=1.0)
