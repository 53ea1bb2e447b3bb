"""Spin-up of a flexible arm, timed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import pi
from typing import Any

import pliant as pl
from pliant_evidence.exudyn_beams import ANGLE, Beams, Plan, X, Y, compare
from pliant_gallery.spinning_beam import data, model
from pliant_testing.benchmarking import Comparison, benchmark

ELEMENTS = 20
PLAN = Plan(end_time=20.0, steps=4000, report=0.1, marker="arm/tip", size=data(1).length)


@benchmark("spinning-beam")
def spinning_beam() -> Iterator[Comparison]:
    """Spin-up of a flexible arm, 20 elements, 4,000 steps."""
    system = pl.compile(model(case=1), elements={"arm": ELEMENTS})
    yield compare("spinning-beam", ELEMENTS, system, arm, PLAN, required_ratio=12.0)
    yield compare("spinning-beam", f"{ELEMENTS}, every step kept", system, arm, replace(PLAN, every_step=True))


def arm(exudyn: Any, elements: int = ELEMENTS) -> Beams:
    """Return the arm in Exudyn."""
    given, beams = data(1), Beams(exudyn)
    nodes = beams.beam((0.0, 0.0), (given.length, 0.0), given.section, elements)
    beams.prescribe(nodes[0], X)
    beams.prescribe(nodes[0], Y)
    beams.prescribe(nodes[0], ANGLE, drive=hub_angle)
    beams.watch(nodes[-1])
    return beams


def hub_angle(t: Any, mathematics: Any) -> Any:
    """Return phi(t) of the model, in Exudyn's symbols."""
    w, T = data(1).speed, data(1).rise_time
    rise = w / T * (0.5 * t * t + (T / (2 * pi)) ** 2 * (mathematics.cos(2 * pi / T * t) - 1.0))
    return mathematics.IfThenElse(t < T, rise, w * (t - T / 2))
