"""Work and precision of formulations: every way at its coarsest answers what it is asked."""

from __future__ import annotations

import pytest

from pliant_evidence.formulations.bench import measured
from pliant_evidence.formulations.models import JOBS, Job


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_every_way_answers(job: Job) -> None:
    found = list(measured(job, rounds=1, finest=False))
    assert [point.way for point in found] == list(job.ways)
    assert all(point.error < 0.5 for point in found)
    assert sum(point.error < 0.02 for point in found) >= 2
