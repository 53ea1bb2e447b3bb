"""The next change of an acceleration, learnt from the last ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.solvers.stepping.alpha_stepping import AlphaStepping
from pliant.solvers.stepping.methods import GeneralizedAlpha
from pliant.solvers.stepping.motion import Plan
from pliant.solvers.stepping.prediction import extrapolate, reset, update


def run_of(count: int) -> Any:
    """Return a run of so many links, whose accelerations a test sets."""
    m = pl.Model("links")
    ground = m.add(pl.Ground())
    for k in range(count):
        link = m.add(pl.Link(f"link {k}", length=0.5 + k, mass=1.0, position=(k, 0.0), angle=0.0))
        m.add(pl.Revolute(ground.at(k, 0), link.at(s=0)))
    system = pl.compile(m)
    plan = Plan(end_time=1.0, method=GeneralizedAlpha(), step=0.1)
    return AlphaStepping(system, system.start(), plan, 0.1).run


def surprises(run: Any, accelerations: np.ndarray) -> np.ndarray:
    """Return differences between changes and their predictions, as a part of their size, step by step."""
    n, off = run.equations.freedoms, []
    for before, after in zip(accelerations[:-1], accelerations[1:], strict=True):
        extrapolate(run)
        off.append(np.max(np.abs(run.scratch.move[:n] - (after - before))) / np.max(np.abs(after - before)))
        run.old.a[:n], run.state.a[:n] = before, after
        update(run)
    return np.array(off)


def sums(terms: np.ndarray, steps: int, size: int) -> np.ndarray:
    """Return accelerations that are sums of powers, one random shape each: (steps, size)."""
    shapes = np.random.default_rng(3).normal(size=(terms.size, size)) + 0j
    return np.real(terms[None] ** np.arange(steps)[:, None] @ shapes)


TURN = np.exp(1j * np.array([2.0, -2.0]))  # a vibration of three steps a period
CASES = {
    "vibration that steps do not resolve, dying away": 0.9 * TURN,
    "two that change their signs": np.array([-0.95, -0.5, 0.3]),
    "smooth": np.array([0.999, 0.98, 0.97]),
}


@pytest.mark.parametrize("terms", CASES.values(), ids=CASES.keys())
def test_what_three_factors_can_tell_is_foretold(terms: np.ndarray) -> None:
    """Sums of at most three powers follow a recursion of order three, which is learnt within a few steps."""
    run = run_of(4)
    off = surprises(run, sums(terms, 30, run.equations.freedoms))
    assert off[0] == 1.0  # nothing is known
    assert np.all(off[8:] < 1e-3)


def test_largest_change_is_told_and_size_does_not_count() -> None:
    """A jump a million times as large as the motion is forgotten soon: each step counts half as much as the next."""
    run = run_of(4)
    n, weight = run.equations.freedoms, run.equations.weight
    a = sums(CASES["two that change their signs"], 40, n)
    a[20:] += 1e6
    off = surprises(run, a)
    assert np.all(off[8:19] < 1e-3)
    assert np.all(off[32:] < 1e-3)
    run.state.abar[:n], run.old.abar[:n] = 0.0, 0.0
    run.state.abar[5] = -3.0
    assert update(run) == pytest.approx(3.0 * weight[5], rel=1e-15)


def test_what_dies_away_to_nothing_has_factors_all_the_same() -> None:
    """Products of changes of 1e-160 and less have lost their digits: factors made of them were not numbers."""
    run = run_of(4)
    a = sums(CASES["vibration that steps do not resolve, dying away"] ** 40, 300, run.equations.freedoms)
    for before, after in zip(a[:-1], a[1:], strict=True):
        run.old.a[: before.size], run.state.a[: after.size] = before, after
        update(run)
        assert np.isfinite(run.scratch.habits).all()


def test_forgotten_is_nothing_expected() -> None:
    """After a jump, and where nothing changes."""
    run = run_of(2)
    surprises(run, sums(CASES["smooth"], 20, run.equations.freedoms))
    reset(run)
    extrapolate(run)
    assert not run.scratch.move.any()
    still = np.ones((5, run.equations.freedoms))
    for _ in range(4):
        run.old.a[: len(still[0])] = run.state.a[: len(still[0])] = still[0]
        update(run)
    extrapolate(run)
    assert not run.scratch.move.any()
