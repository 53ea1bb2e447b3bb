"""Work and precision of all formulations on six small models."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.formulations.models import JOBS, Job, Level
from pliant_testing.benchmarking import Comparison, benchmark

ROUNDS = 3


class Point(NamedTuple):
    """An answer: processor time of analysis and result (s), without compiling; largest error, of its scale."""

    job: str
    way: str
    words: str
    seconds: float
    error: float


@benchmark("formulations")
def formulations() -> Iterator[Comparison]:
    """Processor time and error of all formulations that apply, on six small models in plane and space."""
    for job in JOBS:
        for point in measured(job):
            size = f"{point.job}: {point.way}, {point.words}"
            yield Comparison("formulations", size, point.seconds, pliant_error=point.error)


def measured(job: Job, *, rounds: int = ROUNDS, finest: bool = True) -> Iterator[Point]:
    """Yield every way at every setting; ``finest`` False: at the coarsest only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # coarse answers that are not ok; poses that are unstable
        exact, _ = run_level(job, job.reference, 1)
        for way, levels in job.ways.items():
            for level in levels if finest else levels[:1]:
                found, seconds = run_level(job, level, rounds)
                scale = np.abs(exact) if job.scale is None else job.scale
                yield Point(job.name, way, level.words, seconds, float(np.max(np.abs(found - exact) / scale)))


def run_level(job: Job, level: Level, rounds: int) -> tuple[np.ndarray, float]:
    """Return answer, and the least processor time of several; the first run may compile kernels and does not count."""
    system: Any = pl.compile(job.model(), **level.compiled)
    best = np.inf
    found = job.ask(system, **level.asked)
    for _ in range(rounds):
        begin = time.process_time()
        found = job.ask(system, **level.asked)
        best = min(best, time.process_time() - begin)
    return found, best
