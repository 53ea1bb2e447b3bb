"""Elastic four-bar released from 11 cm: against the elastica, linear theory and finite elements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

import pliant as pl
from pliant.gallery import shooting_paper as paper
from pliant.gallery.elastic_four_bar import COLUMN, COUPLER, MIDDLE, PUSHED, model, theory
from pliant.validation import Row, absolute, at_most, case, relative

END = 2.0  # s; ten periods
SMALL = 1e-3  # m
STEP, GAMMA = 1e-3, 0.51
"""From 11 cm the trapezoidal rule with steps of 5 ms breaks down (see docs): smaller steps, and a little damping."""
SLENDER = 1e-4  # the theory's strips do not shear, which makes the coupler stiffer by 12 EI / (GA L^2) = 2e-5


@case("shooting-fourbar", source="shooting paper, example 4: figures 16 and 17; dimensions of ERRATA 5")
def shooting_fourbar() -> Iterator[Row]:
    """Held at 11 cm and released: force, shape and energy, frequency, the small y displacement of B."""
    yield from statics(held(), theory.held())
    yield from frequencies()
    run, solid = released(), by_elements()
    name = "released from 11 cm, shooting against finite elements: B"
    first = run.time.values <= 1.0
    for axis, one, other in (("x", sway(run)[1], sway(solid)[1]), ("y", lowering(run), lowering(solid))):
        worst = np.abs(one - other)[first].max()
        yield at_most(f"{name}, {axis} in the first second", "of 11 cm", worst / PUSHED, limit=0.02)
    yield relative(f"{name}, lowest y", "m", lowering(solid).min(), lowering(run).min(), tolerance=0.01)
    energy = run.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind").values
    damping = (GAMMA - 0.5) * (2.0 * np.pi * theory.sway_frequency()) ** 2 * STEP * END
    yield absolute(
        "released from 11 cm, energy that Newmark's a1 takes in 2 s: theory of the first mode, found", "of itself",
        1.0 - np.exp(-damping), 1.0 - energy[-1] / energy[0], tolerance=0.02,
    )  # fmt: skip


def frequencies() -> Iterator[Row]:
    """Of the sway, from 1 mm with the paper's settings and from 11 cm, against exact linear theory."""
    linear = theory.sway_frequency()
    small = paper.motion(paper.shooting(model()), start=held(SMALL), end_time=END)
    yield relative(
        "released from 1 mm, paper's settings: frequency, linear theory with its steps", "Hz",
        paper.of_the_trapezoidal_rule(linear), paper.frequency(*sway(small)), tolerance=1e-3,
    )  # fmt: skip
    large = paper.frequency(*sway(released()))
    yield relative("released from 11 cm: frequency, linear theory", "Hz", linear, large, tolerance=1e-2)


def statics(rest: pl.Result, exact: theory.Held) -> Iterator[Row]:
    """The frame held at 11 cm against the elastica by collocation."""
    x, y = rest.position.sel(marker=MIDDLE).values
    name, force = "held at 11 cm", rest.reaction.isel(joint=-1).sel(wrench="Fx")
    yield relative(f"{name}, force", "N", exact.force, float(force), tolerance=SLENDER)
    yield relative(f"{name}, B moved along x", "m", exact.middle[0] - COUPLER / 2, x - COUPLER / 2, tolerance=SLENDER)
    yield relative(f"{name}, B lowered", "m", COLUMN - exact.middle[1], COLUMN - y, tolerance=SLENDER)
    energy = float(rest.energy.sel(energy_kind="potential"))
    yield relative(f"{name}, energy", "J", exact.energy, energy, tolerance=SLENDER)


def held(pushed: float = PUSHED) -> pl.Result:
    """At rest with J3 displaced, by shooting."""
    return pl.statics(paper.shooting(model(held=pushed)), load_steps=10)


@lru_cache(maxsize=1)
def released() -> pl.Result:
    """Motion after J3 is let go at 11 cm, by shooting."""
    newmark = (0.25 * (GAMMA + 0.5) ** 2, GAMMA)
    return pl.transient(paper.shooting(model()), start=held(), end_time=END, step=STEP, newmark=newmark)


def by_elements() -> pl.Result:
    """The same by finite elements with a quarter of the step, reported at the same instants."""
    rest = pl.statics(pl.compile(model(held=PUSHED), elements=paper.FINE), load_steps=10)
    return pl.transient(pl.compile(model(), elements=paper.FINE), start=rest, end_time=END, step=STEP / 4, every=4)


def sway(run: pl.Result) -> tuple[np.ndarray, np.ndarray]:
    """Times, and how far B is from its place along x (m)."""
    return run.time.values, run.position.sel(marker=MIDDLE, axis="x").values - COUPLER / 2


def lowering(run: pl.Result) -> np.ndarray:
    """How far B is from its place along y (m)."""
    return np.asarray(run.position.sel(marker=MIDDLE, axis="y").values - COLUMN)
