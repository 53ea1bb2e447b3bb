"""Work and precision: settings of a program, from coarse to fine, with the time and the error of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from pliant_testing.benchmarking import Comparison, Contender, Peer, race

ROUNDS, ENOUGH = 5, 0.5  # runs of a setting, fewer once they have taken so many seconds together

Way = tuple[str, Callable[[], np.ndarray | None]]
"""What a setting is called, and the motion computed with it (instants, axes); None if that fails."""


class Setting(NamedTuple):
    """A way to compute a motion: what it is called, how it runs, its error, and the processor time of a run."""

    name: str
    run: Callable[[], np.ndarray | None]
    error: float
    seconds: float


def tried(ways: Iterable[Way], exact: np.ndarray, size: float = 1.0) -> Iterator[Setting]:
    """Yield every way that reaches the end, with its largest distance from the exact motion as a part of a length, and
    its least time; the first run, which may compile kernels, does not count.
    """
    for name, run in ways:
        found = run()
        if found is None:
            continue
        seconds, total = np.inf, 0.0
        for _ in range(ROUNDS):
            lap, _ = Contender(run).lap(time.process_time)
            seconds, total = min(seconds, lap), total + lap
            if total > ENOUGH:
                break
        error = float(np.max(np.linalg.norm(found - exact, axis=1))) / size
        if np.isfinite(error):
            yield Setting(name, run, error, seconds)


def quickest(settings: Iterable[Setting], level: float) -> Setting | None:
    """Return the setting with an error of at most ``level`` that takes the least time; None if no error is so small."""
    return min((one for one in settings if one.error <= level), key=lambda one: one.seconds, default=None)


def front(settings: Iterable[Setting]) -> list[Setting]:
    """Return settings that nothing quicker equals in precision, the quickest first."""
    found: list[Setting] = []
    for one in sorted(settings, key=lambda one: one.seconds):
        if not found or one.error < found[-1].error:
            found.append(one)
    return found


def compared(
    case: str, levels: Iterable[float], here: list[Setting], there: list[Setting], peer: Peer | None
) -> Iterator[Comparison]:
    """Compare, for errors of at most each level, the quickest settings of both programs, in turns; pliant alone where
    the peer has none.
    """
    for level in levels:
        mine, other = quickest(here, level), quickest(there, level)
        if mine is None:
            continue
        sides = {"pliant": mine} | ({} if other is None else {"peer": other})
        laps = race({side: Contender(one.run) for side, one in sides.items()}, rounds=3, by=time.process_time)
        name, seconds = f"{case}: error at most {level:g}", laps["pliant"].seconds
        if peer is None:
            yield Comparison(name, mine.name, seconds, pliant_error=mine.error)
        elif other is None:
            why = "no setting tried is as precise"
            yield Comparison(name, mine.name, seconds, peer.label, why, pliant_error=mine.error)
        else:
            yield Comparison(
                name, mine.name, seconds, peer.label, other.name, laps["peer"].seconds, mine.error, other.error
            )
