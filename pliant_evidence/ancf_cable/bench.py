"""Work and precision of ANCF cables and geometrically exact elements on a swinging cable."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant.benchmarking import Comparison, benchmark
from pliant.errors import PliantWarning
from pliant_evidence.ancf_cable.cables import Cable

CABLE = Cable(1e3, 0.05, gravity=9.81)
END_TIME, STEPS, ROUNDS = 0.5, 1000, 5
ELEMENTS = (
    *(pl.Exact(n) for n in (8, 32, 128)),
    *(pl.Exact(n, order=2) for n in (4, 8, 16, 32)),
    *(pl.Exact(n, order=3) for n in (2, 4, 8, 16)),
    *(pl.Ancf(n) for n in (4, 8, 16, 32)),
)


@benchmark("ancf-cable")
def ancf_cable() -> Iterator[Comparison]:
    """A swinging cable, 1,000 steps: processor time and error of its tip by Exact of orders 1 to 3 and by Ancf."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # steps that are too long: they are the same for all
        exact = CABLE.motion(pl.Exact(32, order=4), end_time=END_TIME, steps=STEPS)
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
