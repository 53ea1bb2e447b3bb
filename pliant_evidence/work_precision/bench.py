"""Work and precision beside peers, timed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

from pliant.errors import PliantWarning
from pliant_evidence.precision import Setting, compared, tried
from pliant_evidence.work_precision.jobs import JOBS, Job
from pliant_testing.benchmarking import Comparison, Peer, benchmark

LEVELS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


class Measured(NamedTuple):
    """All settings of both programs."""

    here: list[Setting]
    there: list[Setting]
    peer: Peer | None


@benchmark("work-precision")
def work_precision() -> Iterator[Comparison]:
    """Six motions beside Exudyn and MuJoCo: the quickest setting of each for errors of 1e-2 to 1e-6, mesh too."""
    for job in JOBS:
        found = measured(job)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            yield from compared(f"work-precision: {job.name}", LEVELS, *found)


def measured(job: Job) -> Measured:
    """Return both programs, from coarse to fine."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", PliantWarning
        )  # steps that are too long, motions that are not ok: errors show it
        exact, peer = job.exact(), job.peer()
        here = list(tried(job.ours(), exact, job.size))
        return Measured(here, list(tried(job.theirs(peer.module), exact, job.size)) if peer else [], peer)
