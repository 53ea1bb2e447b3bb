"""Equilibria, modes, paths and inverse statics of small models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import pi
from typing import Any

import numpy as np

import pliant as pl

Numbers = dict[str, Any]
STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)


def scenarios() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Names, and what computes the numbers."""
    for plane in ("xy", None):
        yield f"cantilever {plane}", lambda plane=plane: cantilever(plane)
    yield "truss", truss
    yield "column", column


def cantilever(plane: str | None) -> Numbers:
    """Its equilibrium under a force and its modes about it."""
    m = pl.Model("cantilever", plane=plane)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-0.3, y=0.3, name="load"))
    system = pl.compile(m, elements=2)
    rest = pl.statics(system)
    modes = pl.modal(system, at=rest, modes=2)
    return {"position": rest.position.values, "reaction": rest.reaction.values, "frequency": modes.frequency_hz.values}


def truss() -> Numbers:
    """Two springs that meet at a low apex, pushed down through it (von Mises)."""
    m = pl.Model("truss")
    ground, apex = m.add(pl.Ground(), pl.Body("apex", mass=1.0, inertia=0.0, position=(0.0, 0.3)))
    for name, x in (("left", -1), ("right", 1)):
        m.add(pl.Spring(name, ground.at(x, 0), apex.at(0, 0), stiffness=100.0, rest_length=np.hypot(1.0, 0.3)))
    m.add(pl.Slider(ground.at(0, 0, angle=pi / 2), apex.at(0, 0)), pl.Force(apex.at(0, 0), y=-1.0, name="load"))
    found = pl.path(pl.compile(m), "load/y", to=-3.0)
    return {"parameter": found.parameter.values[-1], "position": found.position.values[-1]}


def column() -> Numbers:
    """A cantilever pushed along its axis, along the path to its branch."""
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-1.0, name="load", follower=True))
    found = pl.path(pl.compile(m, elements=1), "load/x", to=-6.0)
    return {"parameter": found.parameter.values[-1], "position": found.position.values[-1]}
