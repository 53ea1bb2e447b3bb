"""Welded frames of many members: what compiling them and their modes take, and how that grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import pliant as pl
from pliant.benchmarking import Comparison, Scaling, benchmark

STOREYS = (10, 20, 40)  # of half as many bays: 110, 420 and 1,640 members
HEIGHT, SECTION = 3.0, pl.Section.rectangle(0.3, 0.3, pl.STEEL)
COMPILE, MODES = 2.0, 1.0  # s, of the largest
GROWTH = 1.1
ROUNDS = 2


@benchmark("large-frames")
def large_frames() -> Iterator[Comparison | Scaling]:
    """Frames of 110, 420 and 1,640 members: compiling, ten modes."""
    members, compiling, modes = [], [], []
    for storeys in STOREYS:
        m = frame(storeys, storeys // 2)
        system = pl.compile(m, elements=1)
        at = pl.statics(system)
        members.append(len(m.beams))
        compiling.append(_best(partial(pl.compile, m, elements=1)))
        modes.append(_best(partial(pl.modal, system, at=at)))
    for what, seconds, allowed in (("compile", compiling, COMPILE), ("ten modes", modes, MODES)):
        yield Comparison(
            f"large-frames: {what}", members[-1], seconds[-1], "the time it may take", "processor time", allowed,
            required_ratio=1.0,
        )  # fmt: skip
        yield Scaling(f"large-frames: {what}", members, seconds, limit=GROWTH)


def frame(storeys: int, bays: int) -> pl.Model:
    """Columns and beams of equal length, welded to each other and to the ground."""
    m = pl.Model("frame")
    ground = m.add(pl.Ground())
    tops = [ground.at(HEIGHT * bay, 0.0) for bay in range(bays + 1)]
    for storey in range(storeys):
        for bay, below in enumerate(tops):
            column = m.add(pl.Beam(f"column {storey} {bay}", length=HEIGHT, section=SECTION, angle=90 * pl.DEG))
            m.add(pl.Weld(below, column.at(s=0)))
            tops[bay] = column.at(s=1)
        for bay, (left, right) in enumerate(pairwise(tops)):
            beam = m.add(pl.Beam(f"beam {storey} {bay}", length=HEIGHT, section=SECTION, angle=0.0))
            m.add(pl.Weld(left, beam.at(s=0)), pl.Weld(beam.at(s=1), right))
    return m


def _best(job: Callable[[], Any]) -> float:
    """Least processor time of some runs (s)."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best
