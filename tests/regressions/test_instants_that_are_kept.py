"""`every=` chose what the error of a motion was checked at, not only what it stored: an oscillator of which quarters
of its periods were kept was ok, 3.4 % of its range off, as motions with one and two steps shared no instant but those
at which it turns round. Motions whose steps adapt were compared at their ends alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError

PERIODS, STEPS, RATE = 8, 48, 10.0  # how many, in a period, rad/s


def oscillator(**options: Any) -> pl.Result:
    m = pl.Model("oscillator")
    ground, mass = m.add(pl.Ground(), pl.Body("mass", mass=1.0, inertia=1.0, angle=0.0, position=(0.5, 0.0)))
    m.add(pl.Prismatic(ground.at(0, 0), mass.at()))
    m.add(pl.Spring("spring", ground.at(-1, 0), mass.at(), stiffness=RATE**2, rest_length=1.4))
    return pl.transient(pl.compile(m, **options.pop("compiled", {})), end_time=PERIODS * 2.0 * np.pi / RATE, **options)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize("every", [STEPS, STEPS // 2, STEPS // 4])
def test_equal_steps_are_compared_at_more_instants_than_are_kept(every: int) -> None:
    step = 2.0 * np.pi / RATE / STEPS
    kept, all_of_them = (oscillator(step=step, spectral_radius=1.0, every=n) for n in (every, 1))
    off = np.max(
        np.abs(all_of_them.position.sel(marker="mass", axis="x") - 0.4 - 0.1 * np.cos(RATE * all_of_them.time))
    )
    assert off > 0.03 * 0.2  # of the range of the motion
    assert kept.outcome.time_error == pytest.approx(float(off), rel=0.05)
    assert not kept.outcome.ok


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize("compiled", [{"formulation": "relative"}, {"formulation": "dae"}])
def test_steps_that_adapt_are_compared_between_the_ends(compiled: dict[str, str]) -> None:
    kept, all_of_them = (oscillator(accuracy=1e-5, every=n, compiled=compiled).outcome for n in (40, 1))
    assert kept.time_error == pytest.approx(all_of_them.time_error, rel=0.2)


def test_work_is_told_from_enough_instants_only() -> None:
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.3, mass=1.0, angle=0.2))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    m.add(pl.Motor("motor", ground.at(0, 0), arm.at(s=0), pl.Sine(2.0, 3.0)))
    system = pl.compile(m)
    whole = pl.transient(system, end_time=1.0, step=1e-3)
    work = whole.energy.sel(energy_kind="supplied").values[-1]
    for run in (whole, pl.transient(system, end_time=1.0, step=1e-3, every=20)):
        assert float(pl.work_of(run, "motor")[-1]) == pytest.approx(work, abs=2e-3)
    for times, told in (([0.0, 0.3, 0.7, 1.0], "4 instants"), (np.linspace(0.0, 1.0, 10), "10 instants")):
        with pytest.raises(OptionError, match=told):
            pl.work_of(pl.transient(system, end_time=1.0, step=1e-3, times=times), "motor")
    with pytest.raises(OptionError, match="does not keep its start"):
        pl.work_of(pl.transient(system, end_time=1.0, step=1e-3, times=np.linspace(0.5, 1.0, 100)), "motor")
