"""Work and precision on a swinging cable: ANCF cables and geometrically exact elements, and Exudyn's cables."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.ancf_cable.cables import Cable, swing
from pliant_evidence.ancf_cable.twin import Twin
from pliant_evidence.exudyn_beams import peer
from pliant_evidence.precision import Way, compared, tried
from pliant_testing.benchmarking import Comparison, benchmark

CABLE = Cable(1e3, 0.05, gravity=9.81)
END_TIME, STEPS, ROUNDS = 0.5, 1000, 5
ELEMENTS = (
    *(pl.Exact(n) for n in (8, 32, 128)),
    *(pl.Exact(n, order=2) for n in (4, 8, 16, 32)),
    *(pl.Exact(n, order=3) for n in (2, 4, 8, 16)),
    *(pl.Ancf(n) for n in (4, 8, 16, 32)),
)
SWINGS = {0.5: (1e-3, 1e-4), 1.0: (1e-3,), 2.0: (1e-2, 1e-3)}  # s: errors of the tip, as parts of the length
LOOKS = 20  # instants a second at which the tip is looked at
SHARP = 80000  # steps a second that leave no error,
COUNTS = (200, 400, 800, 1600, 3200)  # and those that are tried
FEW = tuple(pl.Exact(n, order=p) for p, n in ((8, 1), (6, 2), (8, 2), (4, 3), (4, 4), (4, 6), (3, 5), (3, 6), (3, 8)))
CABLES, LOOSEST = (5, 6, 8, 10, 12, 16, 20, 24), (1e-3, 1e-4)  # of the peer: elements, tolerances of modified Newton


@benchmark("ancf-cable")
def ancf_cable() -> Iterator[Comparison]:
    """A swinging cable, 1,000 steps: processor time and error of its tip by Exact of orders 1 to 3 and by Ancf."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # steps that are too long: they are the same for all
        exact = CABLE.motion(pl.Exact(32, order=4), end_time=END_TIME, steps=STEPS)[-1]
        for elements in ELEMENTS:
            system, best = pl.compile(CABLE.model(), elements=elements), np.inf
            for _ in range(ROUNDS):
                begin = time.process_time()
                run = pl.transient(
                    system, end_time=END_TIME, step=END_TIME / STEPS, spectral_radius=0.9, estimate=False, every=STEPS
                )
                place = run.position.sel(marker="cable/tip").values[-1]
                best = min(best, time.process_time() - begin)
            size = f"{elements!r}, {system.freedoms} freedoms"
            yield Comparison("ancf-cable", size, best, pliant_error=float(np.linalg.norm(place - exact)))


@benchmark("swinging-cable")
def swinging_cable() -> Iterator[Comparison]:
    """A swinging cable beside Exudyn's ANCF cable, 0.5 to 2 s: the quickest settings of either at an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # steps that are too long
        found = peer()
        for duration, levels in SWINGS.items():
            exact = sharp(duration)
            here = list(tried(ours(duration), exact))
            there = [] if found is None else list(tried(theirs(found.module, duration), exact))
            yield from compared(f"swinging-cable, {duration:g} s", levels, here, there, found)


def sharp(duration: float = END_TIME) -> np.ndarray:
    """Return the tip at the start and at the compared instants, to 1e-7 of the length after half a second."""
    steps, looks = round(SHARP * duration), round(LOOKS * duration)
    return CABLE.motion(pl.Exact(16, order=4), end_time=duration, steps=steps, looks=looks)


def ours(duration: float = END_TIME) -> Iterator[Way]:
    """Yield the motion by pliant, from coarse to fine."""
    for elements, count in product(FEW, COUNTS):
        system, steps = pl.compile(CABLE.model(), elements=elements), round(count * duration)
        name = f"{elements.elements} of order {elements.order}, {steps} steps"
        yield name, partial(swing, system, end_time=duration, steps=steps, looks=round(LOOKS * duration))


def theirs(exudyn: Any, duration: float = END_TIME) -> Iterator[Way]:
    """Yield the motion by Exudyn, from coarse to fine."""
    looks = round(LOOKS * duration)
    for elements in CABLES:
        twin = Twin(exudyn, CABLE, elements)
        for count, tolerance in product(COUNTS, LOOSEST):
            steps = round(count * duration)
            settings = twin.swinging(duration, steps, looks=looks, tolerance=tolerance, modified=True)
            yield f"{elements} elements, {steps} steps, tolerance {tolerance:g}", partial(trace, twin, settings, looks)


def trace(twin: Twin, settings: Any, looks: int) -> np.ndarray:
    """Return the tip's path as pliant records it: the peer may record the start twice."""
    return np.vstack(([1.0, 0.0], twin.move(settings)[-looks:]))
