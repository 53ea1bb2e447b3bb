"""Optima against closed forms and other programs; designs against other formulations, and against where they began."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.optimise import designs, examples, theory
from pliant_testing.validation import Row, absolute, at_most, case, relative

SHAPE = 2e-3  # of a ratio of masses or loads: shear, and elements of a beam whose section tapers by four
SAME = 1e-2  # elements that are straight against those that are curved
ROOM = 1e-4  # of a volume: where rays end, by a cubic between poses
PEAK = 1e-4  # of a force: what steps of time leave


@case("optimise", source="closed forms; Keller (1960); Crandall and Mark (1963); Den Hartog (1956); other formulations")
def optimise() -> Iterator[Row]:
    """Check best designs against closed forms and other formulations."""
    yield from dampers()
    yield from bumper()
    yield from shapes()
    yield from mechanisms()
    yield from motors()


def check_optimum(optimum: pl.Optimum, what: str, best: float) -> Iterator[Row]:
    """Check that a search ends ok, and how much better it is than its start."""
    yield at_most(f"{what}: checks that did not pass", "1", len(optimum.outcome.failed), limit=0.0, kind="itself")
    before, after = optimum.before[optimum.goal], optimum.result[optimum.goal]
    text = f"{what}: {optimum.goal} over that of the start, at most {best:g}"
    yield at_most(text, "1", max(after / before - best, 0.0), limit=0.0, kind="itself")


def _ratios(values: Any, mass: float) -> tuple[float, float]:
    """Return the frequency over 10 rad/s and damping ratio of a spring, a damper and a mass."""
    rate = sqrt(values["k"] / mass)
    return rate / 10.0, values["c"] / (2.0 * mass * rate)


def dampers() -> Iterator[Row]:
    """Check tuned dampers."""
    mass = 10.0 * examples.RATIO
    quiet = examples.quietest()
    for name, mine, exact in zip(
        ("frequency", "damping"), _ratios(quiet.values, mass), theory.quietest(examples.RATIO), strict=True
    ):
        yield relative(f"tuned damper under white noise: {name}", "1", exact, mine, tolerance=1e-3, kind="exact")
    yield from check_optimum(quiet, "tuned damper under white noise", 0.85)
    level = examples.equal_peaks()
    tuned = _ratios(level.values, mass)
    *free, largest = theory.least_resonance(examples.RATIO)
    for name, one, other in zip(("frequency", "damping"), tuned, free, strict=True):
        text = f"tuned damper of the least resonance: {name}"
        yield relative(text, "1", other, one, tolerance=2e-3, kind="independent code")
    peak = 1000.0 * level.result["first peak"]
    yield relative("tuned damper: largest response", "1", largest, peak, tolerance=1e-4, kind="independent code")
    text = "tuned damper: frequency by Den Hartog, 1/(1 + mass ratio)"
    yield relative(text, "1", theory.den_hartog(examples.RATIO)[0], tuned[0], tolerance=2e-3, kind="exact")
    yield from check_optimum(level, "tuned damper of the least resonance", 0.45)


def bumper() -> Iterator[Row]:
    """Check the damper of a docking."""
    best = examples.bumper()
    damping, peak = theory.softest_bumper()
    mass, stiffness = 20.0, 2000.0
    mine = best.values["c"] / (2.0 * sqrt(mass * stiffness))
    yield absolute("docking damper: damping ratio of the least peak", "1", damping, mine, tolerance=2e-3, kind="exact")
    force = peak * examples.SPEED * sqrt(mass * stiffness)
    text = "docking damper: least peak force"
    yield relative(text, "N", force, best.result["peak force"], tolerance=PEAK, kind="exact")
    other = pl.compile(best.model, formulation="udwadia_kalaba")  # type: ignore[arg-type]
    run = pl.transient(
        other, end_time=0.25, times=np.linspace(0.0, 0.25, 1001), push={"satellite": (-examples.SPEED, 0.0, 0.0)}
    )
    yield relative(
        f"{text}, by udwadia_kalaba",
        "N",
        examples.peak(run),
        best.result["peak force"],
        tolerance=PEAK,
        kind="other formulation",
    )
    yield from check_optimum(best, "docking damper", 0.52)


def shapes() -> Iterator[Row]:
    """Check beams whose dimensions along their length are free."""
    strip = examples.cantilever()
    heights, mass = theory.lightest(examples.STATIONS, 0.02)
    ratio = strip.result["mass"] / strip.before["mass"]
    text = "lightest cantilever of a stiffness, heights at 4 places: mass over uniform"
    yield relative(text, "1", mass, ratio, tolerance=SHAPE, kind="independent code")
    for k, height in enumerate(heights[:-1]):
        mine = strip.values[f"h_{k}"] / 4e-3
        yield relative(f"its height {k} over uniform", "1", height, mine, tolerance=1e-2, kind="independent code")
    text = "its mass over the lightest of any shape, 2^(4/3)/3 of uniform, is above 1 by"
    yield at_most(text, "1", ratio / theory.SHAPED - 1.0, limit=5e-3, kind="exact")
    yield from check_optimum(strip, "lightest cantilever", 0.85)
    column = examples.column()
    load = column.result["critical_load"] / column.before["critical_load"]
    text = "strongest column of a mass, radii at 4 places: load over uniform"
    yield relative(text, "1", theory.strongest(examples.STATIONS, 0.1), load, tolerance=SHAPE, kind="independent code")
    yield at_most("its load below Keller's 4/3 by", "1", 1.0 - load / theory.STRONGEST, limit=2e-2, kind="exact")
    price = 0.01 * column.active[0].price * strip_mass(column) / (0.01 * column.result["critical_load"])
    yield relative("price of its mass: load goes with its square", "1", 2.0, price, tolerance=2e-3, kind="exact")
    yield at_most(
        "strongest column: checks that did not pass", "1", len(column.outcome.failed), limit=0.0, kind="itself"
    )


def strip_mass(optimum: pl.Optimum) -> float:
    """Return the mass of a design (kg)."""
    return optimum.result["mass"]


def mechanisms() -> Iterator[Row]:
    """Check designs that no closed form knows, by another element or formulation."""
    leaf = examples.leaf_and_tendon()
    other = pl.compile(leaf.model, elements=pl.Corotational(40))  # type: ignore[arg-type]
    rest = pl.statics(other)
    stiffness = 1.0 / float(pl.stiffness(other, marker="platform", at=rest).compliance[0, 0])
    frequency = float(pl.modal(other, at=rest, modes=1).frequency_hz[0])
    for name, value in (("stiffness:platform:x", stiffness), ("frequency_hz:1", frequency)):
        text = f"leaf and tendon: {name}, by co-rotational elements"
        yield relative(text, "SI", value, leaf.result[name], tolerance=SAME, kind="other formulation")
    yield from check_optimum(leaf, "leaf and tendon", 0.88)
    beam = examples.bistable()
    other = pl.compile(beam.model, elements=pl.Corotational(60))  # type: ignore[arg-type]
    rest = pl.statics(other)
    for name, path in (("snap", examples.pushed_through), ("snap back", examples.pushed_back)):
        load = float(path(other, rest).event_parameter.values[0])
        text = f"bistable beam: {name}, by co-rotational elements"
        yield relative(text, "N", load, beam.result[name], tolerance=SAME, kind="other formulation")
    yield from check_optimum(beam, "bistable beam", 0.65)
    stage = examples.stage()
    other = pl.compile(stage.model, elements=pl.Corotational(40))  # type: ignore[arg-type]
    rest = pl.statics(other)
    compliance = pl.stiffness(other, marker="stage/tool", at=rest).compliance
    for name, k in (("x", 0), ("y", 1)):
        text = f"decoupled stage: stiffness along {name}, by co-rotational elements"
        mine = stage.result[f"stiffness:stage/tool:{name}"]
        yield relative(text, "N/m", 1.0 / compliance[k, k], mine, tolerance=SAME, kind="other formulation")
    text = "decoupled stage: coupling, by co-rotational elements"
    yield at_most(text, "1", examples.coupling(other, rest), limit=1e-2, kind="other formulation")
    begun = examples.coupling(pl.compile(designs.stage(), elements=2), None)  # type: ignore[arg-type]
    yield at_most(
        "decoupled stage: coupling over that of the start",
        "1",
        stage.result["coupling"] / begun,
        limit=1e-6,
        kind="itself",
    )
    yield at_most("decoupled stage: checks that did not pass", "1", len(stage.outcome.failed), limit=0.0, kind="itself")


def motors() -> Iterator[Row]:
    """Check the robot whose motors were placed, by rods that are marched instead of elements."""
    best, mine = examples.motors()
    begun, placed = (
        examples.workspace(pl.compile(model, formulation="shooting"), None) for model in (designs.six_rus_robot(), best)
    )
    text = "6-RUS, motors placed: stable workspace, by shooting"
    yield relative(text, "m^3", placed, mine, tolerance=ROOM, kind="other formulation")
    text = "6-RUS: workspace of the start over that of the motors placed, by shooting, at most 0.92"
    yield at_most(text, "1", begun / placed, limit=0.92, kind="other formulation")
