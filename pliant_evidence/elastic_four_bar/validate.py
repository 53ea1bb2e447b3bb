"""Elastic four-bar released from 11 cm: against the elastica, linear theory and finite elements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

import pliant as pl
from pliant_evidence import shooting_paper as paper
from pliant_evidence.conservation import energy_kept
from pliant_evidence.elastic_four_bar import theory
from pliant_gallery.elastic_four_bar import COLUMN, COUPLER, MIDDLE, PUSHED, model
from pliant_testing.validation import Row, at_most, case, relative

END = 2.0  # s; ten periods
SMALL = 1e-3  # m
ELASTICA = {"extensible": False, "shear": False}
"""The paper's rods of examples 3 and 4."""
RADIUS, FINE_STEP = 0.8, 1e-3
"""From 11 cm the paper's trapezoidal rule breaks down (see docs): generalized-alpha damps what is too fast for it."""


@case("shooting-fourbar", source="shooting paper, example 4: figures 16 and 17; dimensions of ERRATA 5")
def shooting_fourbar() -> Iterator[Row]:
    """Held at 11 cm and released: force, shape and energy, frequency, the small y displacement of B."""
    yield from statics(held(), theory.held())
    yield from frequencies()
    run, fine, solid = released(), released(FINE_STEP), by_elements()
    for name, motion, limit in (("5 ms", run, 2e-2), ("1 ms", fine, 2e-3)):
        energy = motion.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind").values
        yield energy_kept(f"released from 11 cm, {name}: energy, range", energy, limit=limit)
    name = "released from 11 cm, 1 ms, shooting against finite elements: B"
    first = fine.time.values <= 1.0
    worst = np.abs(sway(fine)[1] - sway(solid)[1])[first].max()
    yield at_most(f"{name}, x in the first second", "of 11 cm", worst / PUSHED, limit=0.01, kind="other formulation")
    # y, which follows x by 27 mm, vibrates along the columns as well: only its lowest value is compared
    yield relative(
        f"{name}, lowest y", "m", lowering(solid).min(), lowering(fine).min(), tolerance=0.01, kind="other formulation"
    )


def frequencies() -> Iterator[Row]:
    """Compare the frequency of the sway, from 1 mm by the trapezoidal rule and from 11 cm, with exact linear theory."""
    linear = theory.sway_frequency()
    small = paper.motion(paper.shooting(model(), **ELASTICA), start=held(SMALL), end_time=END)
    yield relative(
        "released from 1 mm, paper's settings: frequency, linear theory with its steps", "Hz",
        paper.of_the_trapezoidal_rule(linear), paper.frequency(*sway(small)), tolerance=1e-3, kind="exact"
    )  # fmt: skip
    for step, tolerance in ((paper.STEP, 5e-3), (FINE_STEP, 1e-3)):  # generalized-alpha's own shift is 3e-3 at 5 ms
        large, name = paper.frequency(*sway(released(step))), f"released from 11 cm, {1e3 * step:g} ms"
        yield relative(f"{name}: frequency, linear theory", "Hz", linear, large, tolerance=tolerance, kind="exact")


def statics(rest: pl.Result, exact: theory.Held) -> Iterator[Row]:
    """Check the frame held at 11 cm against the elastica by collocation."""
    x, y = rest.position.sel(marker=MIDDLE).values
    name, force = "held at 11 cm", rest.reaction.isel(joint=-1).sel(wrench="Fx")
    yield relative(f"{name}, force", "N", exact.force, float(force), tolerance=1e-6, kind="independent code")
    yield relative(
        f"{name}, B moved along x",
        "m",
        exact.middle[0] - COUPLER / 2,
        x - COUPLER / 2,
        tolerance=1e-6,
        kind="independent code",
    )
    yield relative(
        f"{name}, B lowered", "m", COLUMN - exact.middle[1], COLUMN - y, tolerance=1e-6, kind="independent code"
    )
    energy = float(rest.energy.sel(energy_kind="potential"))
    yield relative(f"{name}, energy", "J", exact.energy, energy, tolerance=1e-6, kind="independent code")


def held(pushed: float = PUSHED) -> pl.Result:
    """Return the rest with J3 displaced, by shooting."""
    return pl.statics(paper.shooting(model(held=pushed), **ELASTICA), load_steps=10)


@lru_cache(maxsize=2)
def released(step: float = paper.STEP) -> pl.Result:
    """Return the motion after J3 is let go at 11 cm, by shooting."""
    system = paper.shooting(model(), **ELASTICA)
    return pl.transient(system, start=held(), end_time=END, step=step, spectral_radius=RADIUS, estimate=False)


def by_elements() -> pl.Result:
    """Compute the motion by finite elements with a quarter of the fine step, at the same instants."""
    rest = pl.statics(pl.compile(model(held=PUSHED), elements=paper.FINE), load_steps=10)
    system = pl.compile(model(), elements=paper.FINE)
    return pl.transient(system, start=rest, end_time=END, step=FINE_STEP / 4, every=4, estimate=False)


def sway(run: pl.Result) -> tuple[np.ndarray, np.ndarray]:
    """Return times, and how far B is from its place along x (m)."""
    return run.time.values, run.position.sel(marker=MIDDLE, axis="x").values - COUPLER / 2


def lowering(run: pl.Result) -> np.ndarray:
    """Return how far B is from its place along y (m)."""
    return np.asarray(run.position.sel(marker=MIDDLE, axis="y").values - COLUMN)
