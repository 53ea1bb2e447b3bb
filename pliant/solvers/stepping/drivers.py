"""Drivers of time stepping: equal steps here, steps that adapt in adaptive_steps.py, over any method that takes chunks.

A driver tabulates the signals, lets the method take steps in compiled code, keeps what they record, decides what
follows a failure, reports progress, and goes back to the last whole chunk when Ctrl-C interrupts one. It knows neither
equations nor formulations: all that it asks of a method is `Stepping`.
"""

from __future__ import annotations

import time as clock
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import ceil, prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from pliant._frozen import replace
from pliant.jit.bundle import Bundle
from pliant.solvers.stepping.energy_balance import BALANCE, told
from pliant.solvers.stepping.motion import KEEP_FEWER, Plan, TimeHistory, most_bytes
from pliant.solvers.stepping.status import DONE

CHUNK_SECONDS = 0.2  # between reports and chances to interrupt
MOST_MORE = 64.0  # times as many steps as in a chunk that took far less
BLOCK = 8192  # equal steps whose signals are tabulated at once
NEVER = 1 << 60
JUST, LEAP = 1e-7, 1e-3  # of a step: before and after its end; of a signal's range: what it jumps by in between

Counts = Any  # numpy.record with the fields of COUNTS: ``counts.steps``
COUNTS = np.dtype(
    [
        ("steps", np.int64),
        ("records", np.int64),
        ("iterations", np.int64),  # of Newton, or evaluations of the accelerations
        ("cut_backs", np.int64),  # steps that failed, or whose error was too large, and were taken smaller
        ("constraint_error", np.float64),  # largest
        ("opening", np.float64),  # the same in lengths of the model and radians
        ("local_error", np.float64),  # largest
        ("local_sum", np.float64),  # of the local errors
        ("unordered", np.float64),  # largest energy of an impact whose order among others was not resolved
        *((name, np.float64) for name in BALANCE),
    ]
)


def named(kind: np.dtype, **values: float) -> Any:
    """One record of named numbers, which compiled code changes in place; zero unless given.

    >>> int(named(COUNTS, steps=3).steps)
    3
    """
    record = np.zeros(1, np.dtype((np.record, kind)))[0]
    for name, value in values.items():
        record[name] = value
    return record


def put_back(record: Any, values: Any) -> None:
    """Set all numbers of a record as they were in a copy of it."""
    for name in record.dtype.names:
        record[name] = values[name]


def tables(rows: int, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Empty arrays of so many rows of these shapes, in one piece of memory: what is large comes in large pages.

    >>> [each.shape for each in tables(4, (), (2, 3))]
    [(4,), (4, 2, 3)]
    """
    sizes = [rows * prod(shape) for shape in shapes]
    whole, ends = np.empty(sum(sizes)), accumulate(sizes)
    return [whole[end - size : end].reshape(rows, *shape) for size, end, shape in zip(sizes, ends, shapes, strict=True)]


class Signals(Bundle):
    """Signals at instants, one row each, with the time derivatives of those that drive joints."""

    time: np.ndarray
    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray

    def part(self, start: int, stop: int) -> Signals:
        """Rows from ``start`` up to, not including, ``stop``."""
        return Signals(*(x[start:stop] for x in self))


def tabulate(system: Any, times: np.ndarray) -> Signals:
    """Signals of a system at instants."""
    return Signals(times, *system.signal_table(times))


class Chunk(NamedTuple):
    """Steps that a method is asked to take at once.

    signals   at the method's nodes of every step, and at the end of the last
    h         size of the steps
    steps     how many, at most
    behind    steps that were taken before; those whose number is a multiple of ``every`` are recorded
    end       not further than this
    wanted    instants to record instead, of methods that can; None: steps
    sampling  whether controllers take samples
    """

    signals: Signals
    h: float
    steps: int
    behind: int
    every: int
    end: float
    wanted: np.ndarray | None = None
    sampling: bool = True


class Stepping(Protocol):
    """A method at work: the present state of a system, and steps that change it.

    time          of the present state
    counts        what was counted so far
    nodes         parts of a step at which it looks at the signals, 0 first
    shortest      chunk to begin with, in steps
    longest       chunk
    most_cuts     halvings of a step that failed, before the run is given up
    calls_python  whether a signal or a force is a Python function, which may be slow, or interrupt
    steady        whether one row of signals does for all instants, so that steps need not have the size of the table's
    dense         whether it records instants within its steps
    jumping       numbers of the signals that may jump, at which it can begin anew
    reasons       why it stopped, by status
    """

    @property
    def time(self) -> float: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def nodes(self) -> np.ndarray: ...
    @property
    def shortest(self) -> int: ...
    @property
    def longest(self) -> int: ...
    @property
    def most_cuts(self) -> int: ...
    @property
    def calls_python(self) -> bool: ...
    @property
    def steady(self) -> bool: ...
    @property
    def dense(self) -> bool: ...
    @property
    def jumping(self) -> Sequence[int]: ...
    @property
    def reasons(self) -> Mapping[int, str]: ...

    def signals(self, times: np.ndarray) -> Signals:
        """Signals at instants."""

    def records(self, rows: int) -> Any:
        """Empty records, a NamedTuple of arrays whose first is ``time``."""

    def keep(self, record: Any) -> None:
        """Record the present state, after those recorded so far."""

    def resize(self, h: float) -> None:
        """Fit the state to steps of another size."""

    def advance(self, chunk: Chunk, record: Any) -> tuple[int, int]:
        """Take steps; returns a status and how many. After a failure the state is the last good one."""

    def arrive(self, time: float) -> None:
        """Take the present instant for this one, from which only rounding keeps it."""

    def snapshot(self) -> Any:
        """A copy of all that ``advance`` changes."""

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot."""

    def restart(self) -> None:
        """Begin anew with the signals of the next chunk's start: they have jumped."""

    def complete(self, record: Any) -> None:
        """Fill in what steps left out of the instants recorded."""

    def motion(self, record: Any) -> TimeHistory:
        """The instants recorded, or some of them, and the present state to go on from exactly."""


class Driver(ABC):
    """What all drivers share: records that grow, going back, and the outcome."""

    def __init__(self, stepping: Stepping, plan: Plan) -> None:
        self.stepping, self.plan = stepping, plan
        self.record = stepping.records(0)
        self.before: Any = None
        self.status = DONE
        self.wanted: np.ndarray | None = None
        self.asked = np.empty(0)
        self.every = 1 if plan.times is not None else plan.every
        self.interval = 1  # steps from one record to the next
        self.numbers, self.following, self.stride = np.zeros(0, int), 0, 1  # of steps recorded, the start 0: see thin
        if plan.times is not None and stepping.dense:
            self.asked = np.clip(plan.times, stepping.time, plan.end_time)
            self.wanted = np.union1d(self.asked, np.linspace(stepping.time, plan.end_time, plan.looks))
        self.strides: list[tuple[float, float, int]] = []
        self.tries: list[tuple[float, int, bool]] = []

    def run(self) -> TimeHistory:
        """To the end, or as far as it goes."""
        stepping, begin = self.stepping, self.stepping.time
        message, ok, interrupted, full = "reached the end", True, False, False
        try:
            self.begin()
            failed = self.steps()
            if failed:
                message, ok = f"stopped at t = {stepping.time:.6g} s: {stepping.reasons[failed]}", False
                if stepping.most_cuts:
                    message += f", even with steps of {self.shortest_step():.2g} s"
        except (KeyboardInterrupt, MemoryError) as stop:
            if self.before is not None:
                stepping.restore(self.before)
            ok, full = False, isinstance(stop, MemoryError)
            now, interrupted = f"at t = {stepping.time:.6g} s", not full
            message = f"stopped {now}: the memory holds no more instants" if full else f"was interrupted {now}"
        if not ok and not full and self.wanted is None and stepping.time > self.record.time[self.kept - 1]:
            self.keep()  # as far as it came
        self.thin()
        counts = told(stepping.counts)
        whole = type(self.record)(*(x[: counts["records"]] for x in self.record))
        asked = self.asked_for(whole.time)
        stepping.complete(whole)
        every = bool(asked.all())
        motion = stepping.motion(whole if every else type(whole)(*(x[asked] for x in whole)))
        return replace(
            motion,
            duration=float(stepping.time - begin),
            looks=None if every else stepping.motion(whole),
            steps=counts["steps"],
            strides=tuple(self.strides),
            tries=tuple(self.tries),
            iterations=counts["iterations"],
            cut_backs=counts["cut_backs"],
            message=message + motion.remark,
            ok=ok and motion.ok,
            interrupted=interrupted,
            advice=KEEP_FEWER if full else motion.advice,
            used=self.plan.settings() | motion.used,
        )

    def begin(self) -> None:
        """Record the start, unless only later instants are wanted."""
        self.make_room(self.expected() if self.wanted is None else self.wanted.size)
        if self.wanted is not None:
            self.wanted = self.wanted[1:]
        self.keep()

    def expected(self) -> int:
        """How many records there will be at first."""
        return 1

    @abstractmethod
    def steps(self) -> int:
        """Steps to the end. Returns DONE, or why it stopped."""

    @abstractmethod
    def shortest_step(self) -> float:
        """Size of the last steps that were tried before the run was given up."""

    @property
    def kept(self) -> int:
        """Number of records (by item: attributes of numpy's records are slow in Python)."""
        return int(self.stepping.counts["records"])

    def make_room(self, count: int) -> None:
        """Enlarge the records, at least twofold, if there is no room for ``count`` more."""
        kept, size = self.kept, self.record.time.shape[0]
        if kept + count > size:
            larger = self.stepping.records(max(kept + count, 2 * size))
            if sum(each.nbytes for each in larger) / larger.time.shape[0] * (kept + count) > most_bytes():
                raise MemoryError
            for new, old in zip(larger, self.record, strict=True) if kept else ():
                new[:kept] = old[:kept]
            self.record = larger

    def keep(self) -> None:
        """Record the present state."""
        self.make_room(1)
        self.stepping.keep(self.record)

    def thin(self) -> None:
        """Of the steps recorded keep every n-th, as asked, and of the others so many that the motion can be judged."""
        if self.every == self.interval:  # all are asked for
            return
        fresh = self.kept - self.numbers.size
        if fresh <= 0:
            return
        self.numbers = np.append(self.numbers, self.following + self.interval * np.arange(fresh))
        self.following += self.interval * fresh
        if self._crowded():
            self._leave_out()
        while self._crowded():
            self.stride *= 2
            self._leave_out()

    def _crowded(self) -> bool:
        """Whether more steps are kept besides those asked for than are needed to judge."""
        return bool(np.count_nonzero(self.numbers % self.every) > 2 * self.plan.looks)

    def _leave_out(self) -> None:
        """Of the steps not asked for, those that are no multiple of the stride; the last one stays."""
        stay = (self.numbers % self.every == 0) | (self.numbers % self.stride == 0)
        stay[-1] = True
        numbers, left = self.numbers[stay], [each[: self.kept][stay] for each in self.record]
        try:
            self._take(numbers, left)
        except KeyboardInterrupt:  # what is kept is whole all the same
            self._take(numbers, left)
            raise

    def _take(self, numbers: np.ndarray, left: list[np.ndarray]) -> None:
        """Records in the place of those there are."""
        for each, new in zip(self.record, left, strict=True):
            each[: numbers.size] = new
        self.numbers, self.stepping.counts["records"] = numbers, numbers.size

    def asked_for(self, times: np.ndarray) -> np.ndarray:
        """Which of the instants recorded are for the user: those asked for, and the last one."""
        if self.wanted is not None:
            place = np.searchsorted(self.asked, times)
            return np.asarray(self.asked[np.minimum(place, self.asked.size - 1)] == times)
        if self.every == self.interval:
            return np.ones(times.size, bool)
        asked = self.numbers % self.every == 0
        asked[-1:] = True
        return asked

    def tabulate(self, grid: np.ndarray, h: float) -> Signals:
        """Signals at the nodes of all steps of a grid, and at its end."""
        nodes = self.stepping.nodes
        return self.stepping.signals(np.append((grid[:-1, None] + h * nodes).ravel(), grid[-1]))

    def advance(self, chunk: Chunk) -> int:
        """Steps of a chunk. Returns how many; the status is kept."""
        stepping = self.stepping
        stepping.resize(chunk.h)
        self.make_room(chunk.steps // chunk.every + 2 if chunk.wanted is None else 0)
        self.before, begin = stepping.snapshot(), stepping.time
        self.status, done = stepping.advance(chunk, self.record)
        self.before = None
        self.tries.append((chunk.h, done, self.status != DONE))
        if done:
            self.strides.append((begin, stepping.time, done))
        self.thin()
        self.plan.report(stepping.time)
        return done


class EqualSteps(Driver):
    """Steps of one size: the largest up to ``plan.step`` that divides the time. One that fails is taken in halves,
    quarters, ...

    Every how many steps are recorded follows from how many there are: a divisor of ``every``, so that there are as
    many records as are needed to judge.
    """

    def __init__(self, stepping: Stepping, plan: Plan) -> None:
        super().__init__(stepping, plan)
        far = min(self.every, self.number() // plan.looks)
        self.interval = max((n for n in range(1, far + 1) if self.every % n == 0), default=1)

    def steps(self) -> int:
        """Steps to the end. Returns DONE, or why it stopped."""
        stepping, end, most = self.stepping, self.plan.end_time, self.most_records() * self.interval
        begin, total = stepping.time, self.number()
        h, stride = (end - begin) / total, stepping.nodes.size
        index, chunk, first, last = 0, stepping.shortest, 0, 0  # the table holds the steps from the first to the last
        while index < total:
            if index >= last:
                first, last = index, min(index + (chunk if stepping.calls_python else BLOCK), total)
                grid = begin + h * np.arange(first, last + 1)
                table, jumps = self.tabulate(grid, h), self.jumps(grid, h)
                places = [*jumps, last - first]  # in the table, ascending
            if index - first in jumps:
                table.u[index - first] = jumps[index - first][1]
                stepping.restart()
            count = min(chunk, most, places[bisect_right(places, index - first)] + first - index)
            part = table.part((index - first) * stride, (index - first + count) * stride + 1)
            if index - first + count in jumps:
                part = part._replace(u=np.vstack([part.u[:-1], jumps[index - first + count][0]]))
            began = clock.perf_counter()
            index += self.advance(Chunk(part, h, count, index, self.interval, end))
            if self.status != DONE:
                if not self.bridge(begin + h * (index + 1), h):
                    return self.status
                index += 1
                if index % self.interval == 0:
                    self.keep()
            elif (took := clock.perf_counter() - began) < CHUNK_SECONDS:
                more = 2.0 if stepping.calls_python else min(MOST_MORE, 0.5 * CHUNK_SECONDS / max(took, 1e-9))
                chunk = min(int(max(2.0, more) * chunk), stepping.longest)
        if index % self.interval:  # the end is kept always
            self.keep()
        return DONE

    def expected(self) -> int:
        """The start, all that is recorded of the first block, and the end."""
        return min(self.number() // self.interval, self.most_records()) + 3

    def most_records(self) -> int:
        """Records after which those that nobody asked for are thinned out, or the most of a block."""
        return BLOCK if self.every == self.interval else self.plan.looks

    def jumps(self, grid: np.ndarray, h: float) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """Signals just before and after the ends of steps at which they jump, by their place in the grid."""
        columns = list(self.stepping.jumping)
        if not columns:
            return {}
        around = self.stepping.signals(np.concatenate([grid - JUST * h, grid + JUST * h])).u
        before, after = around[: grid.size], around[grid.size :]
        leap = np.abs(after - before)[:, columns]
        wide = np.ptp(np.vstack([before, after])[:, columns], axis=0)
        found = np.flatnonzero(np.any(leap > LEAP * wide, axis=1) & (np.arange(grid.size) > 0))
        return {int(k): (before[k], after[k]) for k in found}

    def number(self) -> int:
        """How many steps there are."""
        step = self.plan.step or 1.0
        return max(1, ceil((self.plan.end_time - self.stepping.time) / step * (1.0 - 1e-12)))

    def bridge(self, end: float, step: float) -> bool:
        """One step that failed, taken in parts that are halved as often as need be. Returns whether it could be."""
        stepping, h = self.stepping, step
        while end - stepping.time > 1e-9 * step:
            h *= 0.5
            if h < step * 2.0**-stepping.most_cuts:
                return False
            stepping.counts["cut_backs"] += 1
            grid = np.linspace(stepping.time, end, round((end - stepping.time) / h) + 1)
            self.advance(Chunk(self.tabulate(grid, h), h, grid.size - 1, 1, NEVER, end, sampling=False))
        stepping.arrive(end)
        return True

    def shortest_step(self) -> float:
        """Size of the last steps that were tried before the run was given up."""
        return (self.plan.step or 0.0) * 2.0**-self.stepping.most_cuts
