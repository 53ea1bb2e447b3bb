"""Newton's quadratic constant, first estimated from rounding, stayed far too large: two iterations a step."""

from __future__ import annotations

import pliant as pl
from pliant_gallery.spinning_beam import model


def test_a_smooth_motion_takes_about_one_iteration_a_step() -> None:
    """A beam that spins up: one increment a step, another now and then to measure the constant."""
    system = pl.compile(model(case=1), elements={"arm": 4})
    run = pl.transient(system, end_time=5.0, step=5e-3, estimate=False, constraints="position", every=100)
    assert run.outcome.iterations < 1.3 * run.outcome.steps
