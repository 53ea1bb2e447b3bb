"""A thousand steps of 1 ms with rigid contacts, beside times of MuJoCo that were measured once and are printed here.

MuJoCo is not among the peers that are installed. Its times, on jobs of the same description, are those of issue 20; the
models of that run are not kept, so that the ratios tell an order of magnitude. Collisions of the balls with each other
have no such time. The error is that of the energy balance over the energy at work, the contacts' losses counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import pliant as pl
from pliant.benchmarking import Comparison, Contender, benchmark, race

STEPS, STEP = 1000, 1e-3  # s
RADIUS, MASS = 0.05, 0.5  # m, kg
LAW: dict[str, Any] = {"stiffness": 1e5, "friction": 0.5, "restitution": 0.2}
PEER, SETTINGS = "MuJoCo 4.0", "printed in issue 20, another run"


@benchmark("contact")
def contact() -> Iterator[Comparison]:
    """One ball, 100 balls, 100 balls that collide, a beam: 1,000 steps with rigid contacts."""
    yield _row("a ball on a floor", balls(1, collide=False), 3.3e-3, None)
    yield _row("100 balls on a floor", balls(100, collide=False), 171e-3, 0.5)
    yield _row("100 balls on a floor and on each other", balls(100, collide=True), None, None)
    yield _row("a beam on a floor, 21 contacts", strip(), 15e-3, None)


def balls(count: int, *, collide: bool) -> pl.Model:
    """Solid balls in layers of 25, nearly above each other, that fall on a floor."""
    m, rng = pl.Model("balls", plane=None), np.random.default_rng(1)
    ground = m.add(pl.Ground())
    bodies = []
    for k in range(count):
        x, y = 0.12 * np.array([k % 5, k // 5 % 5]) + 0.003 * rng.standard_normal(2)
        place: dict[str, Any] = {"position": (x, y, 0.06 + 0.11 * (k // 25)), "orientation": (0, 0, 0), "free": True}
        bodies.append(m.add(pl.Body(f"ball {k}", mass=MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3, **place)))
    m.add(pl.Gravity())
    if collide:
        m.add(
            pl.Collisions("all", tuple(body.at() for body in bodies), radius=RADIUS, floors=(ground.at(0, 0),), **LAW)
        )
        return m
    for body in bodies:
        m.add(pl.Contact(f"floor of {body.name}", ground.at(0, 0), body.at(), radius=RADIUS, **LAW))
    return m


def strip() -> pl.Model:
    """A strip of steel that falls flat, nearly, on a floor."""
    m = pl.Model("strip")
    section = pl.Section.rectangle(20e-3, 2e-3, pl.STEEL)
    ground, beam = m.add(
        pl.Ground(), pl.Beam("strip", length=1.0, section=section, position=(0, 0.02), angle=0.02, free=True)
    )
    m.add(pl.Gravity())
    m.add(*(pl.Contact(f"floor {k}", ground.at(0, 0), beam.at(s=k / 20), **LAW) for k in range(21)))
    return m


def _row(name: str, model: pl.Model, peer: float | None, required: float | None) -> Comparison:
    system = pl.compile(model, elements=20)
    runs = []

    def run() -> None:
        runs.append(pl.transient(system, end_time=STEPS * STEP, step=STEP, every=STEPS, contact="complementarity"))

    seconds = race({"pliant": Contender(run)})["pliant"].seconds
    outcome = runs[-1].outcome
    return Comparison(
        f"contact: {name}",
        STEPS,
        seconds,
        PEER if peer else None,
        SETTINGS if peer else None,
        peer,
        pliant_error=outcome.energy_error / outcome.energy_range,
        required_ratio=required,
    )
