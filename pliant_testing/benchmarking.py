"""Benchmarks: the same job done by pliant and by a peer, timed fairly, at a stated error.

A benchmark is a function that yields comparisons, in a file `bench.py` of a package that brings evidence
(`pliant_testing.discovery`):

    from pliant_testing.benchmarking import Comparison, Contender, benchmark, find_peer, race

    @benchmark("spinning-beam")
    def spinning_beam():
        '''Spin-up of a flexible arm, 20 elements, 4,000 steps.'''
        peer = find_peer("exudyn")
        laps = race({"pliant": Contender(run_pliant), "peer": Contender(solve, prepare=build)})
        yield Comparison("spinning-beam", 20, laps["pliant"].seconds, ...)

`pliant bench spinning-beam` finds and runs it. If a peer is not installed, the table says so and pliant is timed alone.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant_testing.discovery import Registry

clock: Callable[[], float] = time.perf_counter  # of laps; `make bench-check` takes the time of the processor
SHORTEST_SAMPLE = 20e-3  # s; quicker jobs are repeated within a sample: collecting garbage before it empties caches


@dataclass(frozen=True)
class Comparison:
    """Time of one job in pliant and in a peer; errors against a common reference where there is one."""

    case: str
    size: int | str
    pliant_s: float
    peer: str | None = None
    peer_settings: str | None = None
    peer_s: float | None = None
    pliant_error: float | None = None
    peer_error: float | None = None
    required_ratio: float | None = None

    @property
    def ratio(self) -> float | None:
        """Return the peer's time over pliant's: how many times faster pliant is."""
        return None if self.peer_s is None else self.peer_s / self.pliant_s

    @property
    def ok(self) -> bool | None:
        """Return whether the required ratio is reached; None if none is required or there is no peer."""
        if self.ratio is None or self.required_ratio is None:
            return None
        return self.ratio >= self.required_ratio

    def as_dict(self) -> dict[str, Any]:
        """Return a plain form for JSON."""
        return {
            "case": self.case,
            "size": self.size,
            "pliant_s": self.pliant_s,
            "peer": self.peer,
            "peer_settings": self.peer_settings,
            "peer_s": self.peer_s,
            "ratio": self.ratio,
            "pliant_error": self.pliant_error,
            "peer_error": self.peer_error,
            "required_ratio": self.required_ratio,
            "ok": self.ok,
        }


@dataclass(frozen=True)
class Scaling:
    """How pliant's time grows with size: the exponent p of time = c size^p, by least squares."""

    case: str
    sizes: Sequence[int]
    pliant_s: Sequence[float]
    limit: float

    @property
    def exponent(self) -> float:
        """Return the slope of log(time) over log(size)."""
        return float(np.polyfit(np.log(self.sizes), np.log(self.pliant_s), 1)[0])

    @property
    def ok(self) -> bool:
        """Return whether time grows no faster than allowed."""
        return self.exponent <= self.limit

    def as_dict(self) -> dict[str, Any]:
        """Return a plain form for JSON."""
        return {
            "case": self.case,
            "sizes": list(self.sizes),
            "pliant_s": list(self.pliant_s),
            "exponent": self.exponent,
            "limit": self.limit,
            "ok": self.ok,
        }


@dataclass(frozen=True)
class Contender:
    """One way of doing the job: `run(prepare())`, where only `run` is timed; without `prepare`, `run()`."""

    run: Callable[..., Any]
    prepare: Callable[[], Any] | None = None

    def lap(self, seconds: Callable[[], float] | None = None) -> tuple[float, Any]:
        """Run once, and return the seconds, by the given clock if there is one, and the result."""
        arguments = () if self.prepare is None else (self.prepare(),)
        now = seconds or clock
        start = now()
        value = self.run(*arguments)
        return now() - start, value


@dataclass(frozen=True)
class Lap:
    """Best time of a contender, and the result of its last run."""

    seconds: float
    value: Any


def race(
    contenders: Mapping[str, Contender], *, rounds: int = 5, by: Callable[[], float] | None = None
) -> dict[str, Lap]:
    """Return the best of `rounds` interleaved runs of every contender; the warm-up run (compilation) does not count.
    ``by``: another clock, such as `time.process_time`.
    """
    repeats = {}
    for name, contender in contenders.items():
        contender.lap(by)
        seconds, _ = contender.lap(by)
        repeats[name] = max(1, math.ceil(SHORTEST_SAMPLE / max(seconds, 1e-9)))
    best: dict[str, Lap] = {}
    for _ in range(rounds):
        for name, contender in contenders.items():
            with _no_garbage_collection():
                total = 0.0
                for _ in range(repeats[name]):
                    seconds, value = contender.lap(by)
                    total += seconds
            mean = total / repeats[name]
            best[name] = Lap(min(mean, best[name].seconds) if name in best else mean, value)
    return best


@dataclass(frozen=True)
class Peer:
    """Another program: its module, and name with version."""

    module: Any
    label: str


def find_peer(name: str, *, distribution: str | None = None) -> Peer | None:
    """Return the peer's Python module, or None if it is not installed (`pip install pliant[bench,peers]`);
    ``distribution``: the name by which it is installed, if that differs.
    """
    package = distribution or name
    try:
        return Peer(importlib.import_module(name), f"{package} {importlib.metadata.version(package)}")
    except ImportError:
        return None


Outcomes = Callable[[], Iterable[Comparison | Scaling]]


@dataclass(frozen=True)
class Benchmark:
    """A named set of timed comparisons."""

    name: str
    outcomes: Outcomes

    @property
    def summary(self) -> str:
        """Return the first line of the docstring."""
        return (self.outcomes.__doc__ or "").strip().split("\n")[0]


BENCHMARKS: Registry[Benchmark] = Registry("benchmark", "bench.py")


def benchmark(name: str) -> Callable[[Outcomes], Outcomes]:
    """Register a function that yields comparisons."""

    def register(outcomes: Outcomes) -> Outcomes:
        BENCHMARKS.add(name, Benchmark(name, outcomes), home=outcomes)
        return outcomes

    return register


def run(name: str) -> Iterator[Comparison | Scaling]:
    """Run one benchmark, and yield its comparisons as they are measured."""
    yield from BENCHMARKS.get(name).outcomes()


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
