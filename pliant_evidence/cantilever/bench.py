"""Cantilever of many elements, timed: against a peer, and how the time of a Newton iteration grows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from math import pi
from typing import Any

import pliant as pl
from pliant_evidence.exudyn_beams import ANGLE, Beams, Plan, X, Y, compare
from pliant_gallery.cantilever import ALLOY, model
from pliant_testing.benchmarking import Comparison, Scaling, benchmark

LENGTH, WIDTH, HEIGHT = 1.0, 20e-3, 2e-3  # m
FORCE = pl.Sine(-2.0, frequency_hz=1.0)  # N; it bends the tip by about a third of the length
STEP = 2e-3  # s
STEPS = {10: 2500, 100: 500, 1000: 100, 5000: 50}


@benchmark("cantilever-scaling")
def cantilever_scaling() -> Iterator[Comparison | Scaling]:
    """Cantilever of 10 to 5,000 elements swinging under a tip force; time per Newton iteration up to 10,000."""
    for elements, steps in STEPS.items():
        plan = Plan(steps * STEP, steps, report=10 * STEP, marker="beam/tip", size=LENGTH)
        build = partial(beam, elements=elements)
        rounds = 5 if elements < 1000 else 3
        yield compare(
            "cantilever-scaling", elements, swinging(elements), build, plan, required_ratio=4.0, rounds=rounds
        )
    sizes = (10, 100, 1000, 10000)
    yield Scaling("cantilever-scaling", sizes, [seconds_per_iteration(elements) for elements in sizes], limit=1.1)


def swinging(elements: int) -> Any:
    """Return the beam at rest, ready to move."""
    strip = model(length=LENGTH, width=WIDTH, height=HEIGHT, material=ALLOY, tip_force=FORCE)
    return pl.compile(strip, elements={"beam": elements})


def seconds_per_iteration(elements: int, *, rounds: int = 3) -> float:
    """Return the best time of a Newton iteration within a whole ``transient`` call that keeps its end only."""
    system = swinging(elements)
    steps = 40 + 100000 // elements
    best = float("inf")
    for _ in range(rounds + 1):  # the first may have to compile
        start = time.perf_counter()
        run = pl.transient(system, end_time=steps * STEP, step=STEP, every=steps, estimate=False)
        best = min(best, (time.perf_counter() - start) / run.outcome.iterations)
    return best


def beam(exudyn: Any, *, elements: int) -> Beams:
    """Return the beam in Exudyn."""
    beams = Beams(exudyn)
    section = pl.Section.rectangle(WIDTH, HEIGHT, ALLOY)
    nodes = beams.beam((0.0, 0.0), (LENGTH, 0.0), section, elements)
    for coordinate in (X, Y, ANGLE):
        beams.prescribe(nodes[0], coordinate)
    beams.push(
        nodes[-1], Y, lambda t, mathematics: FORCE.amplitude * mathematics.sin(2.0 * pi * FORCE.frequency_hz * t)
    )
    beams.watch(nodes[-1])
    return beams
