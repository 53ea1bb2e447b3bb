"""The flexible four-bar in the studio: its crank can be turned, its coupler pushed, its hold released."""

from __future__ import annotations

from typing import Any

import pliant as pl
from pliant.results import Result
from pliant_gallery.four_bar import CRANK_BASE, model
from pliant_studio.session.mechanism import Mechanism, Reading, Release, Slider, Values, compiled


def held(values: Values) -> pl.Model:
    """Make the four-bar with its crank held at an angle, and a force on the coupler's middle."""
    bar = free(values)
    pivot, crank = bar.part("ground").at(*CRANK_BASE), bar.part("crank").at(s=0)
    bar.add(pl.Motion(pivot, crank, angle=values["crank_angle"], name="hold"))
    return bar


def free(values: Values) -> pl.Model:
    """Make the four-bar with a coupler of titanium."""
    options = {name: values[name] for name in ("damping", "thickness", "mass", "gravity")}
    bar = model(coupler="flexible", **options)
    bar.add(pl.Force(bar.part("coupler").at(s=0.5), x=values["push"], name="push"))
    return bar


def at_rest(system: Any, values: Values) -> Result:
    """Find the equilibrium of the coupler under its weight."""
    return pl.statics(system)


def let_go(system: Any, rest: Result, values: Values, choice: str) -> Release:
    """Release the hold; the force stays."""
    return Release(compiled(free(values), values), rest)


MECHANISMS = (
    Mechanism(
        name="four-bar",
        about="Two links of 1 kg and a leaf of titanium between them; the crank is held.",
        sliders=(
            Slider("crank_angle", "angle of the crank", "deg", -60.0, 60.0, 0.0, 0.1, 1 / pl.DEG, {"hold/angle": 1.0}),
            Slider("push", "force on the coupler's middle", "N", -40.0, 40.0, 0.0, 0.1, 1.0, {"push/x": 1.0}),
            Slider("gravity", "weight, g", "m/s²", 0.0, 20.0, 9.81, 0.01, 1.0, {"gravity/y": -1.0}),
            Slider("thickness", "thickness of the coupler", "mm", 0.6, 3.0, 1.2, 0.01, 1e3),
            Slider("mass", "mass of crank and rocker", "kg", 0.1, 3.0, 1.0, 0.01),
            Slider("damping", "damping of the coupler", "%", 0.0, 10.0, 1.0, 0.1, 100.0),
            Slider("elements", "elements of the coupler", "", 2.0, 40.0, 8.0, 1.0, anew=True),
        ),
        readings=(
            Reading("crank", "deg", "angle:crank", 1.0 / pl.DEG),
            Reading("rocker", "deg", "angle:rocker", 1.0 / pl.DEG),
            Reading("middle of the coupler, x", "mm", "position:coupler@0.5:x", 1e3),
            Reading("middle of the coupler, y", "mm", "position:coupler@0.5:y", 1e3),
        ),
        model=held,
        rest=at_rest,
        release=let_go,
        end_time=3.0,
        releases={"let go": "lets the crank go; the force on the coupler stays"},
    ),
)
