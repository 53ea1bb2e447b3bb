"""Checks of a motion are computed without its variables: they equal what the variables show when they are read."""

import numpy as np
import pytest

import pliant as pl
from pliant.system.samples import Samples


@pytest.fixture(scope="module")
def arm():
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=1.0, section=pl.Section.rectangle(10e-3, 2e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Gravity())
    return pl.compile(m, elements=4)


@pytest.fixture(scope="module")
def motion(arm):
    return pl.transient(arm, end_time=0.02, step=1e-3)


def test_energy_range_is_that_of_the_energies(motion):
    stored = motion.energy.values[:, :2]
    assert motion.outcome.energy_range == pytest.approx(np.max(np.ptp(stored, axis=0)), rel=1e-14)


def test_largest_resultants_are_those_of_all_instants(arm):
    count, size, observer = 3, arm.size, arm.observer()
    q = np.tile(arm.start().q, (count, 1))
    q += 1e-4 * np.sin(np.arange(q.size)).reshape(q.shape)
    still = np.zeros((count, size))
    samples = Samples(np.arange(float(count)), q, still, still, np.zeros((count, arm.constraints)))
    whole = np.max(np.abs(observer.values("resultant", samples, arm.signals(samples.time))), axis=0)
    np.testing.assert_array_equal(observer.largest_resultants(samples), whole)
    q[1] = np.nan
    assert np.isnan(observer.largest_resultants(samples)).all()
