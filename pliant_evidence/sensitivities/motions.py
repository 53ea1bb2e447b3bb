"""Motions whose derivatives by parameters are compared with differences of whole motions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.solvers.stepping.alpha_stepping import to_rounding
from pliant_evidence.sensitivities import models
from pliant_gallery import crank_slider, four_bar, furuta, leg, spatial_dynamics, walker

PLACES, WEIGHTS = (-2, -1, 1, 2), (1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0)
PARTS = (3e-3, 1e-3, 3e-4)  # of a parameter


class Swing(NamedTuple):
    """A motion: of a system, from an equilibrium of another if it is given, with options of transient."""

    name: str
    model: pl.Model
    options: dict[str, Any]
    held: pl.Model | None = None
    elements: int = 4
    limit: float = 1e-6


def swings() -> Iterator[Swing]:
    """Yield swings in plane and space, driven and free, with beams, contact and slack."""
    bar = models.named(four_bar.model(), "coupler.mass", "gravity.y")
    yield Swing("four-bar", bar, {"end_time": 0.3, "step": 2e-3})
    soft = four_bar.model(coupler="flexible", damping=0.02)
    yield Swing(
        "four-bar with a leaf", models.named(soft, "coupler.length", "gravity.y"), {"end_time": 0.1, "step": 1e-3}
    )
    slide = models.named(crank_slider.model(), "spring.stiffness", "crank.mass")
    yield Swing("crank-slider by Newmark", slide, {"end_time": 0.3, "step": 3e-3, "method": pl.Newmark()})
    yield Swing("crank-slider by Radau", slide, {"end_time": 0.3, "step": 3e-3, "method": "radau"})
    for damping, limit in ((0.0, 1e-6), (20.0, 1e-5)):
        legs = (leg.model(replace(leg.LEG, tendon_damping=damping), hold=hold) for hold in (None, "q3"))
        free, held = (models.named(each, "tendon.stiffness", "leaf.length") for each in legs)
        name = "leg, released" if not damping else "leg, damped, its first step in 64 parts"
        yield Swing(name, free, {"end_time": 0.04, "step": 1e-3}, held, limit=limit)
    driven = models.named(walker.model(angle=pl.Expression("6 * t")), "coupler.length")
    yield Swing("walker, driven", driven, {"end_time": 0.1, "step": 1e-3})
    pole = models.named(furuta.model(), "pole.mass", "gravity.z")
    yield Swing("Furuta's pendulum", pole, {"end_time": 0.3, "step": 2e-3, "push": {"arm": (0.0, 0.0, 3.0)}})
    chain = models.named(spatial_dynamics.model(case="bricard"), "gravity.y")
    yield Swing("Bricard's mechanism", chain, {"end_time": 0.2, "step": 2e-3})
    yield Swing("strip in space", models.cantilever(None, load=-2.0), {"end_time": 0.05, "step": 1e-3})
    yield Swing("ball on a floor", ball(), {"end_time": 0.5, "step": 1e-3})
    yield Swing("bob on a slack tendon", bob(), {"end_time": 0.6, "step": 2e-3})


def ball() -> pl.Model:
    """Build a ball that falls on a floor and comes off: H, k."""
    m = pl.Model("ball")
    ground, ball = m.add(
        pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.01, position=(0.0, pl.Parameter("H", 0.5)), angle=0.0)
    )
    k = pl.Parameter("k", 1e5)
    m.add(pl.Contact("floor", ground.at(0, 0), ball.at(), radius=0.05, stiffness=k, damping=0.3), pl.Gravity())
    return m


def bob() -> pl.Model:
    """Build a bob that falls until its tendon is taut: k, l."""
    m = pl.Model("bob")
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.01, position=(0.2, 0.3), angle=0.0))
    k, length = pl.Parameter("k", 1e3), pl.Parameter("l", 0.5)
    m.add(pl.Tendon("tendon", ground.at(0, 0), bob.at(), stiffness=k, rest_length=length), pl.Gravity())
    return m


def compiled(swing: Swing) -> tuple[Any, Any]:
    """Return the system, and that which holds it at first, if there is one."""
    held = None if swing.held is None else pl.compile(swing.held, elements=swing.elements)
    return pl.compile(swing.model, elements=swing.elements), held


def moved(swing: Swing, system: Any, held: Any) -> tuple[pl.Result, dict[str, Any]]:
    """Return the motion, and how it began, as `sensitivity` receives it."""
    options = {"estimate": False, **swing.options}
    if held is None:
        return pl.transient(system, **options), {name: swing.options[name] for name in ("push",) if name in options}
    rest = pl.statics(held)
    return pl.transient(system, start=rest, **options), {"start": (held, rest)}


def differences(swing: Swing, name: str) -> tuple[np.ndarray, float]:
    """Return places of all instants by a parameter, from four whole motions each for several steps: of two successive
    steps that agree best the shorter, and how far they differ, relative.
    """
    system, held = compiled(swing)
    with to_rounding():
        found = [four(swing, system, held, name, part) for part in PARTS]
    apart = [float(np.max(np.abs(a - b)) / np.max(np.abs(b))) for a, b in pairwise(found)]
    best = int(np.argmin(apart))
    return found[best + 1], apart[best]


def four(swing: Swing, system: Any, held: Any, name: str, part: float) -> np.ndarray:
    """Return places of all instants by a parameter, from four whole motions at some part of it."""
    parameter = swing.model.parameters[name]
    step, found = part * parameter.size, 0.0
    for place, weight in zip(PLACES, WEIGHTS, strict=True):
        value = {name: parameter.value + place * step}
        beside = None if held is None else held.with_parameters(**value)
        found = found + weight / step * moved(swing, system.with_parameters(**value), beside)[0].position.values
    return np.asarray(found)
