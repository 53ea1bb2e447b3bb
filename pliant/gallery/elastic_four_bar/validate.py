"""Elastic four-bar released from 11 cm: statics against the elastica, frequency against linear theory, finite elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import pliant as pl
from pliant.gallery import shooting_paper as paper
from pliant.gallery.elastic_four_bar import COLUMN, COUPLER, MIDDLE, PUSHED, model, theory
from pliant.validation import Row, at_most, case, relative

END = 2.0  # s; ten periods
SMALL = 1e-3  # m
# the strips of the theory neither stretch nor shear; shear makes the coupler softer by 12 EI / (GA L^2) = 2e-5
SLENDER = 1e-4


@case("shooting-fourbar", source="shooting paper, example 4: figures 16 and 17; dimensions of ERRATA 5")
def shooting_fourbar() -> Iterator[Row]:
    """Held at 11 cm, released: shape, force, frequency, the small y displacement of B, energy."""
    exact, rest = theory.held(), held()
    yield from statics(rest, exact)
    linear = paper.of_the_trapezoidal_rule(theory.sway_frequency())
    for name, pushed, tolerance in ((f"released from {1e3 * SMALL:g} mm", SMALL, 1e-3), ("released from 11 cm", PUSHED, 1e-2)):
        found = paper.frequency(*sway(released(pushed)))
        yield relative(f"{name}, frequency against linear theory", "Hz", linear, found, tolerance=tolerance)
    run, solid = released(), by_elements()
    time, sideways = sway(run)
    drop = -lowering(run)
    yield relative(
        "released from 11 cm, frequency against finite elements", "Hz",
        paper.of_the_trapezoidal_rule(paper.frequency(*sway(solid))), paper.frequency(time, sideways), tolerance=2e-3,
    )  # fmt: skip
    yield relative("released from 11 cm, B's lowest y", "m", -lowering(solid).min(), drop.max(), tolerance=0.02)
    energy = run.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind").values
    yield at_most("released from 11 cm, energy: range", "of itself", np.ptp(energy) / exact.energy, limit=1e-2)


def statics(rest: pl.Result, exact: theory.Held) -> Iterator[Row]:
    """The frame held at 11 cm against the elastica by collocation."""
    x, y = rest.position.sel(marker=MIDDLE).values
    name, force = "held at 11 cm", rest.reaction.isel(joint=-1).sel(wrench="Fx")
    yield relative(f"{name}, force", "N", exact.force, float(force), tolerance=SLENDER)
    yield relative(f"{name}, B moved along x", "m", exact.middle[0] - COUPLER / 2, x - COUPLER / 2, tolerance=SLENDER)
    yield relative(f"{name}, B lowered", "m", COLUMN - exact.middle[1], COLUMN - y, tolerance=SLENDER)
    energy = float(rest.energy.sel(energy_kind="potential"))
    yield relative(f"{name}, energy", "J", exact.energy, energy, tolerance=SLENDER)


def held(pushed: float = PUSHED, **changes: Any) -> pl.Result:
    """At rest with J3 displaced, by shooting."""
    return pl.statics(paper.shooting(model(held=pushed), **changes), load_steps=10)


def released(pushed: float = PUSHED, *, end_time: float = END, **changes: Any) -> pl.Result:
    """Motion after J3 is let go, by shooting with the paper's settings unless told otherwise."""
    return paper.motion(paper.shooting(model(), **changes), start=held(pushed, **changes), end_time=end_time)


def by_elements(pushed: float = PUSHED, *, end_time: float = END, step: float = 2.5e-4) -> pl.Result:
    """The same by finite elements, reported at the paper's steps."""
    rest = pl.statics(pl.compile(model(held=pushed), elements=paper.FINE), load_steps=10)
    every = round(paper.STEP / step)
    return pl.transient(pl.compile(model(), elements=paper.FINE), start=rest, end_time=end_time, step=step, every=every)


def sway(run: pl.Result) -> tuple[np.ndarray, np.ndarray]:
    """Times, and how far B is from its place along x (m)."""
    return run.time.values, run.position.sel(marker=MIDDLE, axis="x").values - COUPLER / 2


def lowering(run: pl.Result) -> np.ndarray:
    """How far B is from its place along y (m)."""
    return run.position.sel(marker=MIDDLE, axis="y").values - COLUMN
