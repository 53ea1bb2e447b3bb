"""Derivatives of motions by parameters: against closed forms and whole motions, at the requested instants, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence.sensitivities import models, motions

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # of steps that are large

SWINGS = {swing.name: swing for swing in motions.swings()}


def slide(load: Any = 0.0) -> pl.Model:
    """Build a slide on a spring, drawn out by 0.1 m: m, k."""
    mass, k = pl.Parameter("m", 2.0), pl.Parameter("k", 50.0)
    m = pl.Model("slide")
    ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=mass, inertia=1.0, position=(1.1, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), slide.at()), pl.Spring("s", ground.at(0, 0), slide.at(), k, 1.0))
    m.add(pl.Force(slide.at(), x=load, name="load"))
    return m


def test_an_oscillator_as_the_trapezoidal_rule_in_closed_form() -> None:
    """Every step turns the phase by 2 atan(w h / 2)."""
    system, h, w = pl.compile(slide()), 0.02, 5.0
    with motions.to_rounding():
        run = pl.transient(system, end_time=1.0, step=h, method=pl.Newmark(), estimate=False)
        found = pl.sensitivity(system, run, of=["position"]).derivative.position
    steps = np.arange(run.time.size)
    by_w = -0.1 * steps * np.sin(2.0 * steps * np.arctan(0.5 * w * h)) * h / (1.0 + (0.5 * w * h) ** 2)
    for name, slope in (("k", w / 100.0), ("m", -w / 4.0)):
        seen = found.sel(parameter=name, marker="slide(0, 0)", axis="x").values
        np.testing.assert_allclose(seen, by_w * slope, atol=1e-9 * np.max(np.abs(by_w * slope)))


@pytest.mark.parametrize("name", ["walker, driven", "Furuta's pendulum"])
def test_motions_as_whole_ones(name: str) -> None:
    swing = SWINGS[name]
    system, held = motions.compiled(swing)
    with motions.to_rounding():
        run, how = motions.moved(swing, system, held)
        found = pl.sensitivity(system, run, of=["position"], **how)
    assert not found.notes
    for parameter in swing.model.parameters:
        whole, _ = motions.differences(swing, parameter)
        mine = found.derivative.position.sel(parameter=parameter).values
        np.testing.assert_allclose(mine, whole, atol=1e-7 * np.max(np.abs(whole)))


def whole(system: Any, name: str, of: str, **options: Any) -> np.ndarray:
    """Return a variable of a motion by a parameter, from four motions."""
    parameter = system.model.parameters[name]
    step, found = 1e-3 * parameter.size, 0.0
    for place, weight in zip(motions.PLACES, motions.WEIGHTS, strict=True):
        beside = system.with_parameters(**{name: parameter.value + place * step})
        found = found + weight / step * getattr(pl.transient(beside, estimate=False, **options), of).values
    return np.asarray(found)


@pytest.mark.parametrize(("of", "within"), [("reaction", 1e-6), ("acceleration", 1e-6), ("resultant", 1e-4)])
def test_accelerations_and_reactions_of_a_projected_motion(of: str, within: float) -> None:
    """Both are corrected after every step. Resultants by a length are differences of large forces along a beam."""
    system, _ = motions.compiled(SWINGS["walker, driven"])
    options: Any = {"end_time": 0.05, "step": 5e-3}
    with motions.to_rounding():
        run = pl.transient(system, estimate=False, **options)
        found = pl.sensitivity(system, run, of=[of]).derivative[of].values[0]
        exact = whole(system, "coupler_length", of, **options)
    assert run.provenance.settings["constraints"] == "projection"
    np.testing.assert_allclose(found, exact, atol=within * np.max(np.abs(exact)))


def test_a_tumbling_body() -> None:
    """Far turned in a step, about axes that change."""
    m = pl.Model("tumbling", plane=None)
    inertia = (0.02, pl.Parameter("J", 0.03), 0.04)
    body = m.add(pl.Body("body", mass=1.0, inertia=inertia, position=(0.0, 0.0, 0.0), free=True))
    m.add(body.at(0.3, 0.1, 0.2))
    system, options = pl.compile(m), {"end_time": 0.3, "step": 0.02, "push": {"body": (8.0, 3.0, -5.0)}}
    with motions.to_rounding():
        run = pl.transient(system, estimate=False, **options)  # type: ignore[arg-type]
        found = pl.sensitivity(system, run, of=["position"], push=options["push"]).derivative.position.values[0]  # type: ignore[arg-type]
        exact = whole(system, "J", "position", **options)
    np.testing.assert_allclose(found, exact, atol=1e-8 * np.max(np.abs(exact)))


def test_functions_and_instants() -> None:
    system = pl.compile(models.cantilever("xy", load=-2.0), elements=2)
    with motions.to_rounding():  # as derivatives have it
        fine = pl.transient(system, end_time=0.02, step=1e-3)
    some = pl.transient(system, end_time=0.02, step=1e-3, every=5)
    between = pl.transient(system, end_time=0.02, step=1e-3, times=[0.0, 0.0055, 0.02])
    height: Any = lambda _, run: run.position.sel(marker="beam/tip", axis="y")  # noqa: E731
    of = {"tip": height, "mean": lambda system, run: float((height(system, run) ** 2).mean()), "energy": "energy"}
    found = pl.sensitivity(system, fine, of=of, to=["F"])
    tip = found.derivative.tip.values[0]
    mean = 2.0 * float(np.mean(tip * height(None, fine).values))
    assert found.derivative["mean"].values[0] == pytest.approx(mean, rel=1e-8)
    kinds = found.derivative.energy.sel(parameter="F").isel(time=-1)
    assert np.isfinite(kinds.sel(energy_kind=["kinetic", "potential"])).all()
    assert np.isnan(kinds.sel(energy_kind="supplied"))  # a sum over steps
    np.testing.assert_allclose(
        pl.sensitivity(system, some, of=of, to=["F"]).derivative.tip.values[0], tip[::5], rtol=1e-9
    )
    ends = pl.sensitivity(system, between, of=of, to=["F"]).derivative.tip.values[0]
    np.testing.assert_allclose(ends[[0, 2]], tip[[0, -1]], rtol=1e-9)
    assert tip[5] > ends[1] > tip[6] or tip[5] < ends[1] < tip[6]


def test_what_has_no_derivatives_is_refused_by_name() -> None:
    system = pl.compile(slide())
    run = pl.transient(system, end_time=0.1, step=1e-2)
    with pytest.raises(OptionError, match="not what this system does from there"):
        pl.sensitivity(system.with_signals({"load/x": 5.0}), run, of=["position"])
    with pytest.raises(OptionError, match="'speed' is no variable of that motion"):
        pl.sensitivity(system, run, of=["speed"])
    with pytest.raises(OptionError, match="continues another"):
        pl.sensitivity(system, pl.transient(system, start=run, end_time=0.2, step=1e-2), of=["position"], start=run)
    for options in ({"scheme": "momentum"}, {"constraints": "baumgarte"}, {"method": "Moreau"}):
        other = pl.transient(system, end_time=0.1, step=1e-2, **options)  # type: ignore[arg-type]
        with pytest.raises(OptionError, match=r"have no derivatives here. Take method=pl.GeneralizedAlpha\(\)"):
            pl.sensitivity(system, other, of=["position"])
    jumping = pl.compile(slide(pl.Expression("where(t < 0.05, 0, 1)")))
    with pytest.raises(OptionError, match=r"jumps at t = 0.05 s"):
        pl.sensitivity(jumping, pl.transient(jumping, end_time=0.1, step=1e-2), of=["position"])
    rest = pl.statics(system)
    with pytest.raises(OptionError, match="these are for motions"):
        pl.sensitivity(system, rest, of=["position"], start=rest)


def test_a_kink_is_told() -> None:
    """A ball that lies on a floor without pressing on it: pulled up or pressed down it behaves otherwise."""
    m = pl.Model("ball")
    lift = pl.Parameter("lift", 0.0, scale=1.0)
    ground, ball = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.01, position=(0.0, 0.05), angle=0.0))
    m.add(pl.Contact("floor", ground.at(0, 0), ball.at(), radius=0.05, stiffness=1e5, exponent=1.0))
    m.add(pl.Force(ball.at(), y=lift, name="load"))
    system = pl.compile(m)
    found = pl.sensitivity(system, pl.transient(system, end_time=0.01, step=1e-3), of=["position"])
    assert "forces have a kink at t = 0.001" in found.notes[0]


@pytest.mark.parametrize(("method", "exact"), [("radau", 1e-4), ("GeneralizedAlpha", 3e-3)])
def test_steps_that_adapt_are_those_of_the_motion_beside_it(method: str, exact: float) -> None:
    """An oscillator in closed form, 0.1 cos(w t), by steps that end where they did."""
    system, w = pl.compile(slide()), 5.0
    run = pl.transient(system, end_time=1.0, accuracy=1e-5, method=method, estimate=False)
    found = pl.sensitivity(system, run, of=["position", "velocity"])
    assert np.ptp(np.diff(run.time.values)) > 0.01 * run.time.values[1]
    t = run.time.values
    by_w = {"position": -0.1 * t * np.sin(w * t), "velocity": -0.1 * np.sin(w * t) - 0.1 * w * t * np.cos(w * t)}
    for of, expected in by_w.items():
        for name, slope in (("k", w / 100.0), ("m", -w / 4.0)):
            seen = found.derivative[of].sel(parameter=name, marker="slide(0, 0)", axis="x").values
            np.testing.assert_allclose(seen, expected * slope, atol=exact * np.max(np.abs(expected * slope)))


def test_radau_by_equal_steps_in_space_from_an_equilibrium() -> None:
    """A strip that is let go: as whole motions, each from its own equilibrium."""
    held = pl.compile(models.cantilever(None, load=-2.0), elements=2)
    free = held.with_signals(dict.fromkeys(held.signal_names, 0.0))
    rest = pl.statics(held)
    how: dict[str, Any] = {"method": "radau", "step": 2e-3, "end_time": 0.02, "estimate": False}
    run = pl.transient(free, start=rest, **how)
    found = pl.sensitivity(free, run, of=["position"], to=["L", "h"], start=(held, rest)).derivative.position
    for name, h in (("L", 5e-4), ("h", 2e-6)):
        seen, value = [], held.model.parameters[name].value
        for k in motions.PLACES:
            start = pl.statics(held.with_parameters(**{name: value + k * h}), start=rest)
            seen.append(pl.transient(free.with_parameters(**{name: value + k * h}), start=start, **how).position.values)
        whole = sum(weight * each for weight, each in zip(motions.WEIGHTS, seen, strict=True)) / h
        np.testing.assert_allclose(found.sel(parameter=name).values, whole, atol=1e-6 * np.max(np.abs(whole)))


def test_steps_that_were_not_kept_are_asked_for() -> None:
    system = pl.compile(slide())
    run = pl.transient(system, end_time=0.5, method="radau", accuracy=1e-5, times=[0.25, 0.5])
    with pytest.raises(OptionError, match="does not keep all of its steps"):
        pl.sensitivity(system, run, of=["position"])
    run = pl.transient(system, end_time=0.5, method="radau", accuracy=1e-5)
    with pytest.raises(OptionError, match="there is no adjoint"):
        pl.sensitivity(system, run, of={"end": pl.Goal("position:slide(0, 0):x", over="end")}, adjoint=True)
