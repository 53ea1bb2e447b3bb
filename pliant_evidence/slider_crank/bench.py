"""Elastic slider-crank, timed: finite elements beside Exudyn, and shooting beside finite elements."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from math import pi
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence import shooting_paper as paper
from pliant_evidence.exudyn_beams import ANGLE, Beams, Plan, X, Y, compare
from pliant_gallery.slider_crank import CRANK, ROD, model, section
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

LONG_END, END = 3.0, 2.0  # s; beside Exudyn, and of the shooting paper's 400 steps
BUDGET = 3.0  # s, warm: aluminium, the paper's settings
PAPER_ELEMENTS = pl.Exact(200)
"""Table 5: n = 200 elements beside d = 0.005."""
INSTANTS = np.linspace(0.0, END, 81)  # s; errors are measured there
LEVELS = (1e-3, 1e-4, 1e-5)  # of the stroke
RODS: tuple[tuple[int, int | str, float], ...] = (
    (5, 4, 0.2), (10, 4, 0.1), (10, 4, 0.05), (20, 4, 0.025), (20, 4, 0.01), (20, 4, 0.005),
    (20, "4/5", 0.05), (20, "4/5", 0.025), (20, "4/5", 0.01),
)  # fmt: skip
"""Subintervals, order and step d of space marching. More subintervals than needed cost time and change nothing."""
MESHES = tuple(
    pl.Exact(elements, order=rank)
    for rank, counts in {1: (10, 20, 50, 200), 2: (5, 10, 20), 4: (2, 4, 8)}.items()
    for elements in counts
)
STEPS = (1.25e-2, 5e-3, 2.5e-3, 1e-3, 5e-4)  # s; INSTANTS are among their instants


@benchmark("slider-crank")
def slider_crank() -> Iterator[Comparison]:
    """Elastic slider-crank, 2 x 20 and 2 x 100 elements, aluminium and rubber."""
    for material in ("aluminium", "rubber"):
        for elements, step in ((20, 5e-3), (20, 1e-3), (100, 1e-3)):
            system = pl.compile(model(material=material), elements={"crank": elements, "rod": elements})
            plan = Plan(LONG_END, round(LONG_END / step), report=0.025, marker="rod/base", size=2 * CRANK)
            build = partial(mechanism, material=material, elements=elements)
            required = 8.0 if (material, elements) == ("aluminium", 20) else 4.0
            size = f"{material}, 2 x {elements}, step {1e3 * step:g} ms"
            yield compare("slider-crank", size, system, build, plan, required_ratio=required)


class Point(NamedTuple):
    """One setting of a method: its error (of the stroke) and its time (s)."""

    method: str  # "shooting" or "elements"
    settings: str
    error: float
    seconds: float


@benchmark("shooting")
def shooting() -> Iterator[Comparison]:
    """Elastic slider-crank by shooting and by finite elements: the paper's settings, and equal errors, both ways."""
    for material in ("aluminium", "rubber"):
        yield from by_the_paper(material)
    for material in ("aluminium", "rubber"):
        found = points(material)
        for level in LEVELS:
            yield from equal_error(material, level, found)


def by_the_paper(material: str) -> Iterator[Comparison]:
    """Measure table 5: 200 elements and 200 steps of Runge-Kutta a beam, steps of 5 ms; and the time it may take."""
    contenders = {
        "shooting": Contender(partial(run, by_shooting(material), paper.STEP)),
        "elements": Contender(partial(run, by_elements(material, PAPER_ELEMENTS), paper.STEP)),
    }
    laps, sharp = race(contenders, rounds=3), reference(material)
    yield Comparison(
        "shooting: settings of table 5", material, laps["shooting"].seconds,
        "pliant's finite elements", f"{PAPER_ELEMENTS.elements} two-node elements a beam, same time steps",
        laps["elements"].seconds, error(laps["shooting"].value, sharp), error(laps["elements"].value, sharp),
    )  # fmt: skip
    if material == "aluminium":
        yield Comparison(
            "shooting: 400 steps", "N = 20", laps["shooting"].seconds, "the time it may take", "warm", BUDGET,
            required_ratio=1.0,
        )  # fmt: skip


def equal_error(material: str, level: float, found: Sequence[Point]) -> Iterator[Comparison]:
    """Measure the cheapest setting of either method with at most that error."""
    good = [point for point in found if point.error <= level]
    ours, theirs = (
        min((point for point in good if point.method == method), key=lambda point: point.seconds, default=None)
        for method in ("shooting", "elements")
    )
    if ours and theirs:
        yield Comparison(
            f"shooting: error at most {level:g}, {material}", ours.settings, ours.seconds,
            "pliant's finite elements", theirs.settings, theirs.seconds, ours.error, theirs.error,
        )  # fmt: skip


def points(material: str) -> list[Point]:
    """Return errors and times of both methods over meshes, orders and time steps."""
    sharp = reference(material)
    systems = {
        ("shooting", f"N = {count}, order {rank}, d = {step:g}"): by_shooting(
            material, subintervals=count, order=rank, step=step
        )
        for count, rank, step in RODS
    }
    systems |= {("elements", f"{mesh.elements} of order {mesh.order}"): by_elements(material, mesh) for mesh in MESHES}
    found = []
    for (method, mesh), system in systems.items():
        for step in STEPS:
            lap = race({"pliant": Contender(partial(run, system, step))}, rounds=1)["pliant"]
            found.append(Point(method, f"{mesh}, {1e3 * step:g} ms", error(lap.value, sharp), lap.seconds))
    return found


def by_shooting(material: str, **settings: Any) -> Any:
    """March both beams by Runge-Kutta, with the paper's settings unless `settings` replace them."""
    return paper.shooting(model(material=material), **settings)


def by_elements(material: str, mesh: pl.Exact) -> Any:
    """Return both beams as finite elements."""
    return pl.compile(model(material=material), elements=mesh)


def run(system: Any, step: float) -> pl.Result:
    """Return 2 s of motion by the trapezoidal rule, reported at INSTANTS; as far as it gets."""
    every = round(INSTANTS[1] / step)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # of steps that are too long: their error is reported
        return pl.transient(
            system, end_time=END, step=step, newmark=paper.NEWMARK, every=every, estimate=False, partial=True
        )


def reference(material: str) -> np.ndarray:
    """Return displacement of the slider at INSTANTS (m), to 5e-7 of the stroke (half the step changes it by less)."""
    return slider(run(by_elements(material, pl.Exact(12, order=4)), 5e-5))


def slider(result: pl.Result) -> np.ndarray:
    """Return the x of the slider at INSTANTS (m)."""
    place = result.position.sel(marker="rod/base", axis="x")
    return np.asarray(place.sel(time=INSTANTS, method="nearest").values)


def error(result: pl.Result, sharp: np.ndarray) -> float:
    """Return largest error of the slider, as a part of the stroke; infinite for a motion that did not reach the end."""
    if not result.outcome.ok:
        return float("inf")
    return float(np.abs(slider(result) - sharp).max() / (2 * CRANK))


def mechanism(exudyn: Any, *, material: str, elements: int) -> Beams:
    """Return crank and rod in Exudyn."""
    beams = Beams(exudyn)
    crank = beams.beam((0.0, 0.0), (CRANK, 0.0), section(material), elements)
    rod = beams.beam((CRANK + ROD, 0.0), (CRANK, 0.0), section(material), elements)
    for coordinate in (X, Y):
        beams.prescribe(crank[0], coordinate)
        beams.prescribe(crank[-1], coordinate, to=rod[-1])
    beams.prescribe(rod[0], Y)
    beams.push(crank[0], ANGLE, torque)
    beams.watch(rod[0])
    return beams


def torque(t: Any, mathematics: Any) -> Any:
    """Return the drive of the model, in Exudyn's symbols."""
    return mathematics.IfThenElse(t < 1.2, 0.01 * mathematics.sin(pi / 1.2 * t), 0.0 * t)
