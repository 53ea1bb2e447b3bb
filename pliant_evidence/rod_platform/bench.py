"""Six rods and a platform, timed beside a peer and beside the clock; the 6-RUS robot; how time grows with legs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import pi
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.exudyn_beams import Plan, X, compare
from pliant_evidence.exudyn_rods import Rods
from pliant_gallery import six_rus
from pliant_gallery.rod_platform import PUSH, STAND, UPRIGHT, model
from pliant_testing.benchmarking import Comparison, Contender, Scaling, benchmark, race

ELEMENTS, LEGS = 10, 6
SIZE = f"{LEGS} x {ELEMENTS}"
PLAN = Plan(end_time=1.0, steps=1000, report=0.025, marker="platform(0, 0)", size=STAND.length)
MANY = (3, 6, 12, 24)
REAL_TIME = 5.0  # times faster than the clock, on one core


@benchmark("six-leg")
def six_leg() -> Iterator[Comparison | Scaling]:
    """Six clamped rods and a platform, 1 s at 1 kHz; the 6-RUS robot with its motors driven; 3 to 24 legs."""
    system = pl.compile(model(), elements=ELEMENTS)
    beside = compare("six-leg", SIZE, system, stand, PLAN, required_ratio=16.0)
    yield beside
    yield _beside_clock("six-leg", SIZE, beside.pliant_s)
    moving, rest = robot()
    seconds = race({"pliant": Contender(lambda: drive(moving, rest))}, by=time.process_time)["pliant"].seconds
    yield _beside_clock("six-leg: 6-RUS, motors driven", SIZE, seconds)
    yield Scaling("six-leg: legs", MANY, [seconds_per_iteration(legs) for legs in MANY], limit=1.1)


def _beside_clock(case: str, size: str, seconds: float) -> Comparison:
    settings = "warm, one core, 1 s at 1 kHz, 40 instants kept"
    return Comparison(case, size, seconds, "real time", settings, PLAN.end_time, required_ratio=REAL_TIME)


def stand(exudyn: Any, elements: int = ELEMENTS) -> Rods:
    """Return the stand in Exudyn."""
    rods, axes = Rods(exudyn), np.array(UPRIGHT)
    node, platform = rods.body(STAND.length * axes[:, 0], STAND.platform_mass, STAND.platform_inertia)
    for leg in range(LEGS):
        foot = np.array(STAND.foot(leg, LEGS))
        nodes = rods.rod(foot, axes, STAND.length, STAND.section, elements)
        rods.clamp(rods.earth, foot, nodes[0], axes)
        rods.clamp(platform, foot, nodes[-1], axes)
    rods.push(node, X, lambda t, mathematics: PUSH.amplitude * mathematics.sin(2.0 * pi * PUSH.frequency_hz * t))
    rods.watch(node)
    return rods


def robot() -> tuple[Any, pl.Result]:
    """Return the 6-RUS with a platform of 1 kg, at rest, and with its motors about to move."""
    system = pl.compile(six_rus.model(platform_mass=1.0, platform_inertia=(0.01, 0.01, 0.02)), elements=ELEMENTS)
    turn = pl.Expression("0.4 + 0.1*sin(pi*t)**2")
    return system.with_signals({f"motor {leg}/angle": turn for leg in six_rus.LEGS}), pl.statics(system)


def drive(system: Any, rest: pl.Result) -> pl.Result:
    """Compute a motion: all motors turn by 0.1 rad and half the way back."""
    return pl.transient(system, start=rest, end_time=PLAN.end_time, step=PLAN.step, every=25, estimate=False)


def seconds_per_iteration(legs: int, *, rounds: int = 3, steps: int = 1000) -> float:
    """Return least processor time of a Newton iteration within a whole ``transient`` call that keeps its end only."""
    system = pl.compile(model(legs=legs), elements=ELEMENTS)
    best = float("inf")
    for _ in range(rounds + 1):  # the first may have to compile
        start = time.process_time()
        run = pl.transient(system, end_time=steps * PLAN.step, step=PLAN.step, every=steps, estimate=False)
        best = min(best, (time.process_time() - start) / run.outcome.iterations)
    return best
