"""Studies, timed: releases and equilibria of the leg on processes, and runs that do nothing, into stores.

``python -m pliant_evidence.study.bench 0.01`` takes a hundredth of the runs, in a hundredth of the time allowed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pliant as pl
from pliant.results import Result
from pliant_gallery.leg import model
from pliant_gallery.leg.stages import REST_LENGTH, WEIGHT, pretension, release
from pliant_testing.benchmarking import Comparison, benchmark

ELEMENTS = 10
RELEASES, RELEASE_BUDGET = 2_000, 180.0  # runs, s on two processors
EQUILIBRIA, EQUILIBRIUM_BUDGET = 100_000, 240.0
SCALING = 1.85  # times the runs a second with two workers
STUBS = 100_000
FALLING = {WEIGHT: (-10.3, -9.3)}
RESTING = {REST_LENGTH: (0.168, 0.190), **FALLING}


@benchmark("study-throughput")
def study_throughput() -> Iterator[Comparison]:
    """2,000 releases of the leg (3 s, 10 elements), 100,000 of its equilibria, 100,000 runs of a stub; into stores."""
    yield from throughput(1.0)


def throughput(share: float) -> Iterator[Comparison]:
    """Measure throughput with a share of the runs."""
    releases, equilibria, stubs = (max(4, round(share * runs)) for runs in (RELEASES, EQUILIBRIA, STUBS))
    held, free = (pl.compile(model(hold=hold), elements=ELEMENTS) for hold in ("q3", None))
    rest = pretension(held).rest
    falling = partial(_study, free, FALLING, partial(_fall, rest=rest), ["min:angle:upper link"])
    two = falling(releases, workers=2)
    yield _within("study: leg releases, two workers", releases, two, share * RELEASE_BUDGET)
    one = falling(releases // 2, workers=1)
    yield Comparison(
        "study: one release", releases, two / releases, "one worker", "the same study with one worker",
        one / (releases // 2), required_ratio=SCALING,
    )  # fmt: skip
    seconds = _study(held, RESTING, partial(pl.statics, start=rest), ["tension:tendon"], equilibria, workers=2)
    yield _within("study: leg equilibria, two workers", equilibria, seconds, share * EQUILIBRIUM_BUDGET)
    yield Comparison("study: stub, two workers", stubs, _study(_stub, {"x": (0.0, 1.0)}, None, (), stubs, workers=2))


def _fall(system: Any, rest: Result) -> Result:
    return release(system, rest)


def _stub(x: float) -> dict[str, float]:
    return {"y": x}


def _study(subject: Any, over: Any, analysis: Any, keep: Any, runs: int, *, workers: int) -> float:
    """Return seconds of a whole study, from nothing to its store."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        sample = pl.Sobol(over, runs=runs)
        found = pl.study(
            subject, over=sample, analysis=analysis, keep=keep, out=Path(folder) / "a.zarr", workers=workers
        )
        seconds = time.perf_counter() - began
    if found.outcome.failed_runs:
        raise RuntimeError(f"{found.outcome.message}: {next(filter(None, found.data['reason'].values.tolist()))}")
    return seconds


def _within(case: str, runs: int, seconds: float, budget: float) -> Comparison:
    settings = "two processes, with their start, into a store"
    return Comparison(case, runs, seconds, "the time it may take", settings, budget, required_ratio=1.0)


if __name__ == "__main__":
    from pliant_cli.commands.bench import show

    show([*throughput(float(sys.argv[1]))])
