"""Motions of which neither a step nor an accuracy is given: fast vibrations took 64,000 equal steps, all of them kept,
until the memory was full; and the error stated could be a fiftieth of the true one.
"""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError
from pliant.solvers.stepping import drivers


@pytest.fixture(scope="module")
def pushed_rod():
    """Build a mass on a thin rod of steel, pushed along it: waves of the rod are 2 % of the motion."""
    m = pl.Model("rod")
    section = pl.Section.rectangle(0.01, 0.5e-3, pl.STEEL)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=0.1, section=section, angle=0.0))
    mass = m.add(pl.Body("mass", mass=0.3, inertia=1e-4, position=(0.1, 0)))
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)), pl.Weld(rod.at(s=1), mass.at(), angle=0.0))
    return pl.compile(m)


def test_fast_vibrations_take_few_long_steps_with_a_true_error(pushed_rod):
    options = {"push": {"mass": (0.1, 0, 0)}, "end_time": 0.004}
    run = pl.transient(pushed_rod, **options)
    assert run.outcome.ok
    assert run.provenance.settings["method"] == "Radau5"
    assert run.time.size < 4000
    finer = pl.transient(pushed_rod, accuracy=1e-7, times=run.time.values, **options)
    error = float(np.abs(run.position - finer.position).max()) / 0.1
    assert error < run.outcome.time_error


def test_records_fill_a_part_of_the_memory_only(pushed_rod, monkeypatch):
    monkeypatch.setattr(drivers, "most_bytes", lambda: 1e6)
    with pytest.raises(ConvergenceError, match=r"the memory holds no more instants.*every="):
        pl.transient(pushed_rod, push={"mass": (0.1, 0, 0)}, end_time=0.1, step=1e-5)
    kept = pl.transient(pushed_rod, push={"mass": (0.1, 0, 0)}, end_time=0.1, step=1e-5, every=100)
    assert kept.time.size == 101
