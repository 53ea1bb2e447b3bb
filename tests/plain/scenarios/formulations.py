"""Equilibria and motions by the other formulations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import pi
from typing import Any

import numpy as np

import pliant as pl

Numbers = dict[str, Any]
STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
RODS: list[dict[str, Any]] = [
    {"subintervals": 2, "step": 0.25},
    {"subintervals": 2, "order": "4/5", "tolerance": 1e-3},
    {"subintervals": 2, "order": "2/3", "step": 0.25},
    {"subintervals": 1, "step": 0.5, "extensible": False, "shear": False},
    {"subintervals": 1, "step": 0.5, "linear": True},
]


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Names, and what computes the numbers."""
    for method in ("DOP853", "RK45", "RK23", "SDIRK4", "BDF"):
        yield f"udwadia_kalaba {method}", lambda method=method: crank_slider(method)
    for frames, modes, strain, method in (
        ("element", "component", "linear", "SDIRK4"),
        ("link", "component", "nonlinear", "DOP853"),
        ("element", "system", "mean", "RK45"),
        ("link", "component", "third", "RK23"),
        ("element", "component", "fourth", "SDIRK4"),
    ):
        given = (method, {"frames": frames, "modes": modes, "strain": strain})
        yield f"kinked {frames} {modes} {strain} {method}", lambda given=given: kinked(*given)
    for options in RODS:
        yield f"shooting {options}", lambda options=options: rod(options)
    yield "geometric", geometric


def last(run: pl.Result) -> Numbers:
    """What a motion ends with."""
    return {
        name: run.data[name].isel(time=-1).values
        for name in ("position", "velocity", "reaction", "energy")
        if name in run.data
    }


def crank_slider(method: str) -> Numbers:
    """A crank, flexible as a chain, a rod on a slider, a spring and weight."""
    m, length = pl.Model("crank-slider"), 2.0 * np.sqrt(2.0)
    ground = m.add(pl.Ground())
    crank = m.add(pl.Beam("crank", length=length, section=pl.Section.rectangle(0.05, 0.0026, pl.ALUMINIUM), angle=pi / 4))
    rod = m.add(pl.Link("rod", length=length, mass=1.0, angle=0.75 * pi, position=(4.0, 0.0)))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=1)))
    m.add(pl.Slider(ground.at(0, 0), rod.at(s=0)), pl.Gravity())
    m.add(pl.Spring("spring", crank.at(s=0.5), rod.at(s=0.5), stiffness=50.0, rest_length=2.0, damping=5.0))
    system = pl.compile(m, formulation="udwadia_kalaba")
    return last(pl.transient(system, end_time=1e-4, method=method, accuracy=1e-6))


def kinked(method: str, options: dict[str, str]) -> Numbers:
    """Two beams, pinned to each other and to the ground, driven by a motor."""
    m, section = pl.Model("arm"), pl.Section(2.3e4, 2.3e4, 250.0, 0.1)
    ground = m.add(pl.Ground())
    one, two = m.add(
        pl.Beam("one", length=1.0, section=section, angle=0.0), pl.Beam("two", length=0.7, section=section, angle=0.3)
    )
    m.add(pl.Revolute(ground.at(0, 0), one.at(s=0), name="shoulder"))
    m.add(pl.Revolute(one.at(s=1), two.at(s=0), name="elbow"))
    m.add(pl.Motor("drive", ground.at(0, 0), one.at(s=0), 1.0))
    system = pl.compile(m, formulation="kinked", elements=1, **options)
    return last(pl.transient(system, end_time=1e-3, method=method, accuracy=1e-6, push={"one": 1.0}))


def rod(options: dict[str, Any]) -> Numbers:
    """A clamped rod under a force and its weight: at rest and in motion."""
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1.0, name="tip"), pl.Gravity())
    m.add(pl.DistributedLoad(beam, x=2.0, y=3.0, follower="linear" not in options))
    system = pl.compile(m, formulation="shooting", **options)
    rest = pl.statics(system)
    run = pl.transient(system, end_time=2e-3, step=1e-3)
    return {"rest": rest.position.values, "reaction": rest.reaction.values} | last(run)


def geometric() -> Numbers:
    """A slider-crank, by its angle."""
    m = pl.Model("slider-crank")
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.1, mass=0.2, angle=0.7))
    rod = m.add(pl.Link("rod", length=0.3, mass=0.3, angle=-0.2))
    slider = m.add(pl.Body("slider", mass=0.5, inertia=1e-4, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=0)))
    m.add(pl.Revolute(rod.at(s=1), slider.at(0, 0)), pl.Prismatic(ground.at(0, 0), slider.at(0, 0)), pl.Gravity())
    return last(pl.transient(pl.compile(m, formulation="geometric", coordinate="crank"), end_time=0.02))
