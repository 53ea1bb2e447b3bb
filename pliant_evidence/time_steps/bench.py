"""Steps that adapt to an accuracy beside equal steps of the same error, and methods beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant_gallery.four_bar import model as four_bar
from pliant_gallery.slider_crank import model as slider_crank
from pliant_gallery.spinning_beam import model as spinning_beam
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

ACCURACY = 1e-4  # of the model's size
MOST = 1.3  # times what the best equal steps take
FINE, FASTER = 1e-6, 5.0  # of the model's size; times as fast as the method of order 2
INSTANTS = 41


class Trial(NamedTuple):
    """A motion, and a step that is fine for it."""

    name: str
    system: Any
    marker: str
    size: float  # m
    end_time: float  # s
    step: float  # s

    def run(self, **options: Any) -> pl.Result:
        """Compute the motion at equal instants."""
        times = np.linspace(0.0, self.end_time, INSTANTS)
        return pl.transient(self.system, end_time=self.end_time, times=times, **options)

    def fixed(self, step: float) -> pl.Result:
        """Compute the motion in equal steps, whose error is not estimated."""
        return self.run(step=step, estimate=False)

    def error(self, run: pl.Result, exact: pl.Result) -> float:
        """Return the largest distance of two motions of the marker, as a part of the size."""
        apart = (run.position - exact.position).sel(marker=self.marker).values
        return float(np.max(np.linalg.norm(apart, axis=1)) / self.size)


@benchmark("adaptive-against-fixed")
def adaptive_against_fixed() -> Iterator[Comparison]:
    """Compare an accuracy of 1e-4 with the equal steps that have the error it came to."""
    for trial in trials():
        exact = trial.fixed(trial.step / 8.0)
        probe = trial.error(trial.fixed(trial.step), exact)
        found = trial.error(trial.run(accuracy=ACCURACY), exact)
        step = trial.step * np.sqrt(found / probe)  # of second order
        ways = {"adaptive": partial(trial.run, accuracy=ACCURACY), "fixed": partial(trial.fixed, step)}
        laps = race({name: Contender(way) for name, way in ways.items()}, rounds=5, by=process_time)
        yield Comparison(
            f"adaptive-against-fixed: {trial.name}", "-", laps["adaptive"].seconds, "equal steps of the same error",
            f"{trial.end_time / step:.0f} steps", laps["fixed"].seconds, found,
            trial.error(laps["fixed"].value, exact), required_ratio=1.0 / MOST,
        )  # fmt: skip


@benchmark("order-five")
def order_five() -> Iterator[Comparison]:
    """An accuracy of 1e-6 by the method of order 5 and by generalized-alpha, five times slower is wanted."""
    for trial in (*trials(), *smooth_trials()):
        ways = {"five": pl.Radau5(), "two": pl.GeneralizedAlpha()}
        exact = trial.run(accuracy=1e-9, method=ways["five"], estimate=False)
        jobs = {name: Contender(partial(trial.run, accuracy=FINE, method=way)) for name, way in ways.items()}
        laps = race(jobs, rounds=2, by=process_time)
        yield Comparison(
            f"order-five: {trial.name}", "-", laps["five"].seconds, "generalized-alpha", f"accuracy {FINE:g}",
            laps["two"].seconds, trial.error(laps["five"].value, exact), trial.error(laps["two"].value, exact),
            required_ratio=FASTER,
        )  # fmt: skip


def smooth_trials() -> Iterator[Trial]:
    """Yield a rigid loop, twenty of them, and an elastic slider-crank."""
    yield Trial("four-bar", pl.compile(four_bar()), "rocker/tip", 1.0, 2.0, 1e-3)
    yield Trial("20 rigid loops", pl.compile(loops(20)), "post 20/tip", 1.0, 2.0, 1e-3)
    crank = pl.compile(slider_crank(), elements={"crank": 10, "rod": 10})
    yield Trial("slider-crank", crank, "rod/base", 0.4, 2.0, 1e-3)


def loops(count: int, lean: float = 1.3) -> pl.Model:
    """Build the parallelograms side by side that share their posts and fall over, or hang (rad)."""
    m = pl.Model("loops")
    ground = m.add(pl.Ground())
    posts = [
        m.add(pl.Link(f"post {i}", length=1.0, mass=1.0, position=(float(i), 0.0), angle=lean))
        for i in range(count + 1)
    ]
    m.add(*(pl.Revolute(ground.at(float(i), 0.0), post.at(s=0)) for i, post in enumerate(posts)), pl.Gravity())
    for i, (left, right) in enumerate(pairwise(posts)):
        place = i + float(np.cos(lean)), float(np.sin(lean))
        bar = m.add(pl.Link(f"bar {i}", length=1.0, mass=1.0, position=place, angle=0.0))
        m.add(pl.Revolute(left.at(s=1), bar.at(s=0)), pl.Revolute(bar.at(s=1), right.at(s=1)))
    return m


def trials() -> Iterator[Trial]:
    """Yield a smooth motion, and one whose fast parts are short."""
    arm = pl.compile(spinning_beam(case=1), elements={"arm": 10})
    yield Trial("spinning beam", arm, "arm/tip", 10.0, 20.0, 0.01)
    yield Trial("double pendulum", pl.compile(double_pendulum()), "lower/tip", 1.0, 2.0, 1e-3)


def double_pendulum() -> pl.Model:
    """Build two links that fall from the horizontal."""
    m = pl.Model("double pendulum")
    ground = m.add(pl.Ground())
    upper, lower = (m.add(pl.Link(name, length=0.5, mass=1.0, angle=0.0)) for name in ("upper", "lower"))
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=0)), pl.Gravity())
    return m
