"""Derivatives of a ball that bounces were off by ten times at steps whose places are known to 2 mm: with an error of
1e-16 reported. Twice the step shows their error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.analyses.derivatives import motion_derivatives as _motion_slopes
from pliant.solvers.stepping.alpha_stepping import to_rounding
from pliant_evidence.sensitivities import motions


@pytest.mark.parametrize("how", [{"step": 5e-4}, {"step": 1e-3, "method": "radau"}])
def test_few_steps_in_contact_are_told(how: dict[str, float | str]) -> None:
    system = pl.compile(motions.ball())
    run = pl.transient(system, end_time=0.5, estimate=False, **how)  # type: ignore[arg-type]
    found = pl.sensitivity(system, run, of=["position"], to=["H"])
    exact = 0.23  # to a tenth, by steps of 1e-5 s
    mine = float(found.derivative.position.isel(time=-1).sel(axis="y").item())
    assert abs(mine - exact) > 0.5
    assert found.error["H"] > 0.3
    assert "with twice the step derivatives differ" in found.notes[0]


def test_before_it_touches_nothing_is_told() -> None:
    system = pl.compile(motions.ball())
    found = pl.sensitivity(system, pl.transient(system, end_time=0.2, step=1e-3), of=["position"], to=["H"])
    assert not found.notes
    assert found.error["H"] < 1e-9


@pytest.mark.parametrize("space", [False, True])
def test_short_steps_in_contact_are_differentiated_as_they_are(space: bool) -> None:
    """The mass of short steps hid the kink of a contact that opens or closes within a step of their ends: 2e-3 of the
    largest derivative.
    """
    m = pl.Model("ball", plane=None if space else "xy")
    height = pl.Parameter("H", 0.5)
    up = (0.0, 0.0, height) if space else (0.0, height)
    ground, ball = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.01, position=up))
    m.add(pl.Contact("floor", ground.at(0, 0), ball.at(), radius=0.05, stiffness=1e5, damping=0.3), pl.Gravity())
    system = pl.compile(m)
    options: dict[str, Any] = {"end_time": 0.4, "step": 4e-5, "estimate": False}
    found = pl.sensitivity(system, pl.transient(system, **options), of=["position"], to=["H"])
    with to_rounding():
        beside = [pl.transient(system.with_parameters(H=0.5 + k * 1e-8), **options).position for k in (-1, 1)]
    whole = (beside[1] - beside[0]).values / 2e-8
    np.testing.assert_allclose(found.derivative.position.values[0], whole, atol=3e-6 * np.max(np.abs(whole)))


def rubbing() -> tuple[Any, pl.Result, dict[str, Any]]:
    """Return a ball that falls on a floor with friction, whose steps fail there and are taken in parts."""
    m, height = pl.Model("ball"), pl.Parameter("H", 0.5)
    ground, ball = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.01, position=(0.0, height), angle=0.0))
    floor: dict[str, Any] = {"radius": 0.05, "stiffness": 1e5, "damping": 0.3, "friction": 0.3}
    m.add(pl.Contact("floor", ground.at(0, 0), ball.at(), **floor), pl.Gravity())
    system, push = pl.compile(m), {"ball": (1.0, 0.0, 0.0)}
    run = pl.transient(system, end_time=0.45, step=2e-5, push=push, estimate=False)
    return system, run, {"of": ["position"], "to": ["H"], "push": push}


def test_steps_that_failed_are_repeated_as_they_were() -> None:
    """Failed steps could not be repeated, so that the error was not known; before that 1e-11 was reported."""
    system, run, how = rubbing()
    assert run.outcome.figures["cut_backs"] > 0
    found = pl.sensitivity(system, run, **how)
    shorter = -0.00113  # of the height at the end, by steps of 5e-6 s
    apart = float(found.derivative.position.isel(time=-1).sel(axis="y").item()) - shorter
    assert abs(apart) < found.error["H"] * float(np.max(np.abs(found.derivative.position)))
    assert "with twice the step derivatives differ" in found.notes[0]


def test_where_twice_the_step_fails_the_error_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    system, run, how = rubbing()
    monkeypatch.setattr(_motion_slopes, "_coarser", lambda *_: None)
    found = pl.sensitivity(system, run, **how)
    assert "steps twice as long fail" in found.notes[0]
    assert np.isnan(found.error["H"])
