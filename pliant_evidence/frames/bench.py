"""Welded frames of many members: what compiling them and their modes take, and how that grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

import numpy as np

import pliant as pl
from pliant.studies.worker import largest_memory
from pliant_evidence import peers
from pliant_testing.benchmarking import Comparison, Contender, Scaling, benchmark, race

STOREYS = (10, 20, 40)  # of half as many bays: 110, 420 and 1,640 members
HEIGHT, SECTION = 3.0, pl.Section.rectangle(0.3, 0.3, pl.STEEL)
COMPILE, MODES = 2.0, 1.0  # s, of the largest
GROWTH = 1.1
ROUNDS = 8
ORDER = 3  # beside OpenSees, whose elements are cubic
TALL, FINE = 100, 10  # storeys, elements a member: 101,000 elements
STEPS, STEP = 100, 5e-4  # s
MOTION, MEMORY = 20.0, 2.0  # s, GB


@benchmark("large-frames")
def large_frames() -> Iterator[Comparison | Scaling]:
    """Frames of 110, 420 and 1,640 members: compiling, ten modes; 100 steps of one of 101,000 elements."""
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
    for storeys in (STOREYS[0], STOREYS[-1]):
        yield beside(storeys)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # a process of its own: its memory is meant
        taken, gigabytes = pool.submit(hundred_steps).result()
    size = TALL * (TALL + 1) * FINE
    for what, amount, allowed in (("s, processor time", taken, MOTION), ("GB of memory", gigabytes, MEMORY)):
        yield Comparison(
            f"large-frames: description to the {STEPS}th step, {what}", size, amount, "what it may take", what, allowed,
            required_ratio=1.0,
        )  # fmt: skip


def hundred_steps() -> tuple[float, float]:
    """Measure processor time (s) from a frame's description to its last step, and this process's peak memory (GB)."""
    pl.transient(pl.compile(loaded(STOREYS[0]), elements=FINE), end_time=STEP, step=STEP)  # loads kernels
    start = time.process_time()
    pl.transient(pl.compile(loaded(TALL), elements=FINE), end_time=STEPS * STEP, step=STEP, every=STEPS)
    return time.process_time() - start, largest_memory() / 1e9


def loaded(storeys: int) -> pl.Model:
    """Build a frame that begins to bear its weight."""
    m = frame(storeys, storeys // 2)
    m.add(pl.Gravity())
    return m


def beside(storeys: int) -> Comparison:
    """Building a frame, compiling it, its equilibrium and ten modes, as OpenSees does it; frequencies against 4
    elements a member.
    """
    peer, found = peers.opensees(), []

    def ours(elements: int = 1) -> None:
        system = pl.compile(frame(storeys, storeys // 2), elements=pl.Exact(elements, order=ORDER))
        found.append(pl.modal(system, at=pl.statics(system, stability=False), modes=10).frequency_hz.values)

    ours(4)
    fine = found[-1]
    seconds = _best(ours)
    error = float(np.max(np.abs(found[-1] / fine - 1.0)))
    theirs = None if peer is None else partial(in_opensees, peer.module, storeys, storeys // 2)
    apart = None if theirs is None else float(np.max(np.abs(theirs() / fine - 1.0)))
    return peers.compared(
        "large-frames: description to ten modes; error of the frequencies", f"{storeys * (storeys + 1)}", seconds,
        "OpenSees", peer, settings="elasticBeamColumn, consistent mass",
        peer_s=None if theirs is None else _best(theirs), error=error, peer_error=apart,
    )  # fmt: skip


def in_opensees(ops: Any, storeys: int, bays: int) -> np.ndarray:
    """Return ten lowest frequencies (Hz) by elastic beams of Bernoulli, one a member."""
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    ops.geomTransf("Linear", 1)
    number: dict[tuple[int, int], int] = {}
    for storey in range(storeys + 1):
        for bay in range(bays + 1):
            number[storey, bay] = len(number) + 1
            ops.node(number[storey, bay], HEIGHT * bay, HEIGHT * storey)
            if storey == 0:
                ops.fix(number[storey, bay], 1, 1, 1)
    ends = [((storey, bay), (storey + 1, bay)) for storey in range(storeys) for bay in range(bays + 1)]
    ends += [((storey, bay), (storey, bay + 1)) for storey in range(1, storeys + 1) for bay in range(bays)]
    for k, (a, b) in enumerate(ends, start=1):
        mass = "-mass", SECTION.mass_per_length, "-cMass"
        stiff = SECTION.axial_stiffness, 1.0, SECTION.bending_stiffness  # A, E, I
        ops.element("elasticBeamColumn", k, number[a], number[b], *stiff, 1, *mass)
    return np.sqrt(np.array(ops.eigen(10))) / (2.0 * np.pi)


def frame(storeys: int, bays: int) -> pl.Model:
    """Build columns and beams of equal length, welded to each other and to the ground."""
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
    """Return the least processor time of some runs (s)."""
    return race({"job": Contender(job)}, rounds=ROUNDS, by=time.process_time)["job"].seconds
