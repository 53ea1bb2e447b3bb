"""Radau IIA where the mass matrix has no inverse: accelerations and reactions were left as the memory had them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import pliant as pl
from pliant_gallery.manipulator import FIGURES, model


def test_accelerations_and_reactions_of_beams_without_rotary_inertia_are_known() -> None:
    """Accelerations are the slopes of velocities, and what the hinge carries is the change of momentum."""
    system = pl.compile(model(replace(FIGURES[12], kink=60 * pl.DEG)), elements=pl.Exact(2, order=2))
    run = pl.transient(system, end_time=0.004, step=1e-5, method="radau", estimate=False)
    assert run.outcome.ok
    time, inner = run.time.values, slice(1, -1)
    slope = np.gradient(run.velocity.values, time, axis=0)
    assert np.allclose(run.acceleration.values[inner], slope[inner], rtol=0.0, atol=0.01 * np.max(np.abs(slope)))
    change = np.gradient(run.momentum.values, time, axis=0)[:, :2]
    carried = run.reaction.values[:, 0, :2]
    assert np.allclose(carried[inner], change[inner], rtol=0.0, atol=0.01 * np.max(np.abs(change)))
