"""Signals at any instant of a motion: as exact as they are themselves, corners and jumps included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.solvers.stepping.signal_course import course, evaluate_all, pieces_of

SIGNALS: dict[str, Any] = {
    "vibration": pl.Sine(1.0, frequency_hz=3.0, offset=0.2),
    "ramp": pl.Ramp(0.0, 1.0, 0.3, 1.1),
    "formula with a corner": pl.Expression("where(t < 1.2, 0.01*sin(pi*t/1.2), 0)"),
    "jump": pl.Expression("0.1*step(t - 0.7)"),
}


def driven(signal: Any) -> Any:
    """Build a link that turns its pin, pushed likewise."""
    m = pl.Model("driven")
    ground, link = m.add(pl.Ground(), pl.Link("link", length=1.0, mass=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), link.at(s=0)), pl.Motion(ground.at(0, 0), link.at(s=0), angle=signal))
    m.add(pl.Force(link.at(s=1), x=signal))
    return pl.compile(m)


@pytest.mark.parametrize("signal", SIGNALS.values(), ids=SIGNALS.keys())
def test_between_instants_signals_are_what_they_are(signal: Any) -> None:
    """Values and, of the drive, rates; at instants that pieces were not made from."""
    system, times = driven(signal), np.random.default_rng(2).uniform(0.1, 2.0, 2000)
    found = course(system, 0.1, 2.0)
    assert found is not None
    values, table = np.empty((times.size, 3, found.columns.size)), system.signal_table(times)
    evaluate_all(found, times, values)
    for kind, exact in enumerate(table):
        exact = exact[:, found.columns]
        np.testing.assert_allclose(values[:, kind], exact, rtol=0.0, atol=2e-12 * max(1e-3, np.max(np.abs(exact))))


def test_what_is_too_narrow_to_be_seen_or_asks_the_user_has_none() -> None:
    pulse = pl.Expression("exp(-((t - 0.4123)/2e-5)**2)")
    assert pieces_of(pulse, False, 0.0, 1.0) is None
    saw = pl.Table(tuple(0.01 * k for k in range(400)), tuple(float(k % 2) for k in range(400)))
    assert pieces_of(saw, False, 0.0, 3.99) is None
    assert course(driven(lambda t: 0.1 * t), 0.0, 1.0) is None


def test_steps_have_the_size_that_each_needs() -> None:
    """Steps are long, short and long under a drive that rests, moves and rests."""
    m = pl.Model("crane")
    ground, arm, load = m.add(
        pl.Ground(),
        pl.Link("arm", length=1.0, mass=1.0, angle=0.0),
        pl.Link("load", length=1.0, mass=1.0, position=(1.0, 0.0), angle=-np.pi / 2),
    )
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Revolute(arm.at(s=1), load.at(s=0)))
    m.add(pl.Motion(ground.at(0, 0), arm.at(s=0), angle=pl.Ramp(0.0, 1.0, 2.0, 2.5)))
    system = pl.compile(m)
    run = pl.transient(system, end_time=5.0, accuracy=1e-6, method=pl.Radau5())
    exact = pl.transient(system, end_time=5.0, step=1e-3, every=5000, method=pl.Radau5(), estimate=False)
    sizes = np.diff(run.time.values)
    assert run.outcome.ok
    assert sizes.max() > 10.0 * sizes.min()
    assert len(np.unique(np.round(np.log2(sizes), 6))) > 10
    turned = [each.angle.sel(body="load").values[-1] for each in (run, exact)]
    assert abs(turned[0] - turned[1]) < 1e-6
