"""Signals between steps: seen by steps that adapt, in every formulation, or the motion is not ok.

A push of 1 ms within 10 s was stepped over, and the cart stood still, ok.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.analyses.motion.between_steps import sampled_integral
from pliant.errors import PliantWarning

MASS, BEGIN, LONG, IMPULSE = 2.0, 5.0005, 0.001, 1.0
PULSES = {
    "formula": pl.Expression(f"where(t > {BEGIN}, where(t < {BEGIN + LONG}, {IMPULSE / LONG}, 0), 0)"),
    "function": lambda t: IMPULSE / LONG if BEGIN < t < BEGIN + LONG else 0.0,
    "table": pl.Table((0.0, BEGIN, BEGIN + LONG / 2, BEGIN + LONG, 10.0), (0.0, 0.0, 2.0 * IMPULSE / LONG, 0.0, 0.0)),
}


def cart(force: Any, *, space: bool = False) -> pl.Model:
    m = pl.Model("cart", **({"plane": None} if space else {}))
    zero = (0.0, 0.0, 0.0) if space else (0.0, 0.0)
    kind: dict[str, Any] = {"inertia": (1.0, 1.0, 1.0)} if space else {"inertia": 1.0, "angle": 0.0}
    ground, body = m.add(pl.Ground(), pl.Body("cart", mass=MASS, position=zero, **kind))
    m.add(pl.Prismatic(ground.at(*zero), body.at()), pl.Force(body.at(), x=force, name="push"))
    return m


@pytest.mark.parametrize(
    "pulse, options",
    [("formula", {}), ("table", {}), ("function", {"every": 10}), ("formula", {"times": [0.0, 4.0, 10.0]})],
    ids=["formula", "table", "function", "times"],
)
@pytest.mark.parametrize("formulation", ["dae", "udwadia_kalaba", "relative"])
def test_a_push_of_a_millisecond_in_ten_seconds_is_seen(formulation: str, pulse: str, options: Any) -> None:
    """The mass ends at P / m (t - t0 - d / 2) for a push of impulse P that is as long as d and symmetric."""
    run = pl.transient(pl.compile(cart(PULSES[pulse]), formulation=formulation), end_time=10.0, **options)
    exact = IMPULSE / MASS * (10.0 - BEGIN - 0.5 * LONG)
    assert run.outcome.ok
    assert float(run.position.sel(marker="cart(0, 0)", axis="x")[-1]) == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("method", ["RK23", "RK45", "SDIRK4", "TRBDF2", "Radau", "BDF", "LSODA"])
def test_every_method_sees_it(method: str) -> None:
    system = pl.compile(cart(PULSES["formula"]), formulation="udwadia_kalaba")
    run = pl.transient(system, end_time=10.0, method=method, accuracy=1e-5)
    exact = IMPULSE / MASS * (10.0 - BEGIN - 0.5 * LONG)
    assert run.outcome.ok
    assert float(run.position.sel(marker="cart(0, 0)", axis="x")[-1]) == pytest.approx(exact, rel=1e-2)


@pytest.mark.parametrize("formulation", ["dae", "udwadia_kalaba", "relative"])
def test_in_space_too(formulation: str) -> None:
    run = pl.transient(pl.compile(cart(PULSES["formula"], space=True), formulation=formulation), end_time=10.0)
    exact = IMPULSE / MASS * (10.0 - BEGIN - 0.5 * LONG)
    assert run.outcome.ok
    assert float(run.position.sel(marker="cart(0, 0)", axis="x")[-1]) == pytest.approx(exact, rel=1e-3)


def leaf(force: Any) -> pl.Model:
    """Build an arm that hangs on a pin, a soft leaf, and is pushed at its end."""
    m = pl.Model("leaf")
    rubber = pl.Material("rubber", youngs_modulus=1e8, poisson_ratio=0.3, density=1000.0)
    beam = pl.Beam("arm", length=0.2, section=pl.Section.rectangle(0.02, 0.01, rubber), angle=-np.pi / 2)
    ground, arm = m.add(pl.Ground(), beam)
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity(), pl.Force(arm.at(s=1), x=force, name="push"))
    return m


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_an_arm_of_kinked_elements_feels_it() -> None:
    """The impulse P at the end of a rod on a pin makes it swing to 1 - cos = (3 P / m)^2 / (3 g L)."""
    pulse = pl.Expression(f"where(t > 0.50005, where(t < 0.50055, {0.01 / 0.0005}, 0), 0)")
    system = pl.compile(leaf(pulse), formulation="kinked", elements=2)
    run = pl.transient(system, end_time=0.8, method="DOP853", accuracy=1e-6)
    mass = 1000.0 * 0.2 * 0.02 * 0.01
    height = (3.0 * 0.01 / mass) ** 2 / (3.0 * 9.81 * 0.2)
    assert run.outcome.ok
    swing = float(np.max(np.abs(run.position.sel(marker="arm/tip", axis="x"))))
    assert swing == pytest.approx(0.2 * np.sin(np.arccos(1.0 - height)), rel=0.05)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_equal_steps_of_shooting_that_miss_it_are_not_ok() -> None:
    pulse = pl.Expression("where(t > 0.1003, where(t < 0.1007, 20, 0), 0)")
    system = pl.compile(leaf(pulse), formulation="shooting")
    run = pl.transient(system, end_time=0.2, step=0.005)
    assert "signals between steps" in [check.name for check in run.outcome.failed]


@pytest.mark.parametrize("options", [{}, {"estimate": True}, {"every": 100}], ids=["plain", "estimate", "every"])
@pytest.mark.parametrize("force", [PULSES["formula"], pl.Sine(1000.0, frequency_hz=100.0)], ids=["pulse", "alias"])
def test_equal_steps_that_miss_it_are_not_ok(force: Any, options: Any) -> None:
    with pytest.warns(PliantWarning, match="'push/x' has pulses or vibrations that steps do not see"):
        run = pl.transient(pl.compile(cart(force)), end_time=10.0, step=0.01, **options)
    assert not run.outcome.ok


def test_a_vibration_between_steps_is_seen_by_steps_that_adapt() -> None:
    """x'' = F / m sin(w t), from rest: the cart drifts at F / (m w)."""
    system = pl.compile(cart(pl.Sine(1000.0, frequency_hz=100.0)))
    run = pl.transient(system, end_time=1.0)
    assert run.outcome.ok
    drift = 1000.0 / (MASS * 200.0 * np.pi)
    assert float(run.position.sel(marker="cart(0, 0)", axis="x")[-1]) == pytest.approx(drift, rel=1e-2)


@pytest.mark.parametrize("begin", [0.0, 1e3, 1e5])
def test_a_table_is_seen_as_well_late_as_early(begin: float) -> None:
    """The state just after the start of short steps is the start itself where time is large: it was the end."""
    table = pl.Table([begin - 1.0, begin + 2e-4, begin + 6e-4, begin + 1.0], [0.0, 0.0, 1.0, 1.0])
    assert sampled_integral(table, begin + 1e-6 * np.arange(1001)).share < 1e-5
