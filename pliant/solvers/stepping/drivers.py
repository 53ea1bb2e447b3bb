"""Drivers of time stepping: equal steps here, adaptive steps in adaptive_steps.py, for any method that takes chunks.

A driver tabulates the signals, lets the method take steps in compiled code, keeps the records, responds to failures,
reports progress, and returns to the last whole chunk when Ctrl-C interrupts one. It knows a method by `Stepping` only.
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
from pliant.solvers.stepping.energy_balance import BALANCE, as_dict
from pliant.solvers.stepping.motion import KEEP_FEWER, Plan, TimeHistory, most_bytes
from pliant.solvers.stepping.status import DONE

CHUNK_SECONDS = 0.2  # between reports and opportunities to interrupt
MOST_MORE = 64.0  # times as many steps as in a much faster chunk
BLOCK = 8192  # equal steps whose signals are tabulated at once
NEVER = 1 << 60
JUST, LEAP = 1e-7, 1e-3  # of a step: before and after its end; of a signal's range: smallest jump in between

Counts = Any  # numpy.record with the fields of COUNTS: ``counts.steps``
COUNTS = np.dtype(
    [
        ("steps", np.int64),
        ("records", np.int64),
        ("iterations", np.int64),  # of Newton, or evaluations of the accelerations
        ("cut_backs", np.int64),  # steps that failed, or whose error was too large, and were repeated with smaller ones
        ("constraint_error", np.float64),  # largest
        ("opening", np.float64),  # largest, in lengths of the model and radians
        ("local_error", np.float64),  # largest
        ("local_sum", np.float64),  # of the local errors
        ("unordered", np.float64),  # largest energy of an impact with unresolved order among others
        *((name, np.float64) for name in BALANCE),
    ]
)


def new_record(kind: np.dtype, **values: float) -> Any:
    """Return one record of named numbers, which compiled code changes in place; zero by default.

    >>> int(new_record(COUNTS, steps=3).steps)
    3
    """
    record = np.zeros(1, np.dtype((np.record, kind)))[0]
    for name, value in values.items():
        record[name] = value
    return record


def put_back(record: Any, values: Any) -> None:
    """Restore all numbers of a record from a copy."""
    for name in record.dtype.names:
        record[name] = values[name]


def tables(rows: int, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Return empty arrays of ``rows`` rows of these shapes, in one piece of memory, which gets large pages.

    >>> [each.shape for each in tables(4, (), (2, 3))]
    [(4,), (4, 2, 3)]
    """
    sizes = [rows * prod(shape) for shape in shapes]
    whole, ends = np.empty(sum(sizes)), accumulate(sizes)
    return [whole[end - size : end].reshape(rows, *shape) for size, end, shape in zip(sizes, ends, shapes, strict=True)]


class Signals(Bundle):
    """Signals at instants, one row each, with time derivatives of the signals that drive joints."""

    time: np.ndarray
    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray

    def part(self, start: int, stop: int) -> Signals:
        """Return rows from ``start`` up to, not including, ``stop``."""
        return Signals(*(x[start:stop] for x in self))


def tabulate(system: Any, times: np.ndarray) -> Signals:
    """Evaluate the signals of a system at instants."""
    return Signals(times, *system.signal_table(times))


class Chunk(NamedTuple):
    """Steps for a method to take at once.

    signals   at the method's nodes of every step, and at the end of the last
    h         size of the steps
    steps     largest number of steps
    behind    number of steps before; steps with a multiple of ``every`` as number are recorded
    end       upper limit of time
    wanted    instants to record instead, for methods that can; None: steps
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
    """Running method: the present state of a system, and steps that change it.

    time          of the present state
    counts        counters so far
    nodes         parts of a step at which it evaluates the signals, 0 first
    shortest      first chunk, in steps
    longest       largest chunk
    most_cuts     halvings of a failed step, before the run stops
    calls_python  whether a signal or a force is a Python function, which may be slow, or interrupt
    steady        whether one row of signals is valid at all instants, so that steps need not match the table
    dense         whether it records instants within its steps
    jumping       numbers of the signals that may jump, at which it can restart
    reasons       for a stop, by status
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
        """Return signals at instants."""

    def records(self, rows: int) -> Any:
        """Return empty records, a NamedTuple of arrays whose first is ``time``."""

    def keep(self, record: Any) -> None:
        """Record the present state, after the previous records."""

    def resize(self, h: float) -> None:
        """Fit the state to steps of another size."""

    def advance(self, chunk: Chunk, record: Any) -> tuple[int, int]:
        """Take steps; returns a status and their number. After a failure the state is the last good one."""

    def arrive(self, time: float) -> None:
        """Set the present time to this instant, which differs only by rounding."""

    def snapshot(self) -> Any:
        """Return a copy of all that ``advance`` changes."""

    def restore(self, snapshot: Any) -> None:
        """Restore a snapshot."""

    def restart(self) -> None:
        """Restart with the signals of the next chunk's start: they have jumped."""

    def complete(self, record: Any) -> None:
        """Complete the recorded instants with data that steps omit."""

    def motion(self, record: Any) -> TimeHistory:
        """Return all recorded instants, or some of them, and the present state, to continue exactly."""


class Driver(ABC):
    """Common base of drivers: growing records, snapshots, and the outcome."""

    def __init__(self, stepping: Stepping, plan: Plan) -> None:
        self.stepping, self.plan = stepping, plan
        self.record = stepping.records(0)
        self.before: Any = None
        self.status = DONE
        self.wanted: np.ndarray | None = None
        self.requested = np.empty(0)
        self.every = 1 if plan.times is not None else plan.every
        self.interval = 1  # steps from one record to the next
        self.numbers, self.following, self.keep_every = np.zeros(0, int), 0, 1  # of recorded steps, from 0: see thin
        if plan.times is not None and stepping.dense:
            self.requested = np.clip(plan.times, stepping.time, plan.end_time)
            self.wanted = np.union1d(self.requested, np.linspace(stepping.time, plan.end_time, plan.looks))
        self.strides: list[tuple[float, float, int]] = []
        self.tries: list[tuple[float, int, bool]] = []

    def run(self) -> TimeHistory:
        """Run to the end, or as far as possible."""
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
        if not ok and not full and self.wanted is None and stepping.time > self.record.time[self.record_count - 1]:
            self.keep()  # the last state reached
        self.thin()
        counts = as_dict(stepping.counts)
        whole = type(self.record)(*(x[: counts["records"]] for x in self.record))
        requested = self.is_requested(whole.time)
        stepping.complete(whole)
        every = bool(requested.all())
        motion = stepping.motion(whole if every else type(whole)(*(x[requested] for x in whole)))
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
        self.make_room(self.expected_records() if self.wanted is None else self.wanted.size)
        if self.wanted is not None:
            self.wanted = self.wanted[1:]
        self.keep()

    def expected_records(self) -> int:
        """Return the initial number of records."""
        return 1

    @abstractmethod
    def steps(self) -> int:
        """Step to the end. Returns DONE, or the reason for the stop."""

    @abstractmethod
    def shortest_step(self) -> float:
        """Return the size of the last steps that were tried before the run stopped."""

    @property
    def record_count(self) -> int:
        """Return the number of records (by item: attributes of numpy's records are slow in Python)."""
        return int(self.stepping.counts["records"])

    def make_room(self, count: int) -> None:
        """Enlarge the records, at least twofold, if there is no room for ``count`` more."""
        kept, size = self.record_count, self.record.time.shape[0]
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
        """Keep every n-th recorded step as requested, and enough of the others to check the motion."""
        if self.every == self.interval:  # all are requested
            return
        fresh = self.record_count - self.numbers.size
        if fresh <= 0:
            return
        self.numbers = np.append(self.numbers, self.following + self.interval * np.arange(fresh))
        self.following += self.interval * fresh
        if self._is_crowded():
            self._leave_out()
        while self._is_crowded():
            self.keep_every *= 2
            self._leave_out()

    def _is_crowded(self) -> bool:
        """Return whether more unrequested steps are kept than the checks need."""
        return bool(np.count_nonzero(self.numbers % self.every) > 2 * self.plan.looks)

    def _leave_out(self) -> None:
        """Drop unrequested steps whose number is not a multiple of the interval; the last one stays."""
        stay = (self.numbers % self.every == 0) | (self.numbers % self.keep_every == 0)
        stay[-1] = True
        numbers, left = self.numbers[stay], [each[: self.record_count][stay] for each in self.record]
        try:
            self._replace(numbers, left)
        except KeyboardInterrupt:  # the kept records are complete all the same
            self._replace(numbers, left)
            raise

    def _replace(self, numbers: np.ndarray, left: list[np.ndarray]) -> None:
        """Replace the records."""
        for each, new in zip(self.record, left, strict=True):
            each[: numbers.size] = new
        self.numbers, self.stepping.counts["records"] = numbers, numbers.size

    def is_requested(self, times: np.ndarray) -> np.ndarray:
        """Return a mask of the recorded instants that the user requested, and the last one."""
        if self.wanted is not None:
            place = np.searchsorted(self.requested, times)
            return np.asarray(self.requested[np.minimum(place, self.requested.size - 1)] == times)
        if self.every == self.interval:
            return np.ones(times.size, bool)
        requested = self.numbers % self.every == 0
        requested[-1:] = True
        return requested

    def tabulate(self, grid: np.ndarray, h: float) -> Signals:
        """Return signals at the nodes of all steps of a grid, and at its end."""
        nodes = self.stepping.nodes
        return self.stepping.signals(np.append((grid[:-1, None] + h * nodes).ravel(), grid[-1]))

    def advance(self, chunk: Chunk) -> int:
        """Take the steps of a chunk. Returns their number; the status is stored."""
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
    """Steps of one size: the largest up to ``plan.step`` that divides the time. A failed step is repeated in halves,
    quarters, ...

    The interval of records follows from the number of steps: a divisor of ``every``, so that there are enough records
    for the checks.
    """

    def __init__(self, stepping: Stepping, plan: Plan) -> None:
        super().__init__(stepping, plan)
        far = min(self.every, self.number() // plan.looks)
        self.interval = max((n for n in range(1, far + 1) if self.every % n == 0), default=1)

    def steps(self) -> int:
        """Step to the end. Returns DONE, or the reason for the stop."""
        stepping, end, most = self.stepping, self.plan.end_time, self.most_records() * self.interval
        begin, total = stepping.time, self.number()
        h, stride = (end - begin) / total, stepping.nodes.size
        index, chunk, first, last = 0, stepping.shortest, 0, 0  # first and last step of the table
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
        if index % self.interval:  # the end is always kept
            self.keep()
        return DONE

    def expected_records(self) -> int:
        """Return the number of records: the start, the first block, and the end."""
        return min(self.number() // self.interval, self.most_records()) + 3

    def most_records(self) -> int:
        """Return the number of records at which unrequested ones are thinned out, or the largest of a block."""
        return BLOCK if self.every == self.interval else self.plan.looks

    def jumps(self, grid: np.ndarray, h: float) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """Return signals just before and after the ends of steps at which they jump, by their place in the grid."""
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
        """Return the number of steps."""
        step = self.plan.step or 1.0
        return max(1, ceil((self.plan.end_time - self.stepping.time) / step * (1.0 - 1e-12)))

    def bridge(self, end: float, step: float) -> bool:
        """Take one failed step in parts, halved as often as necessary. Returns whether this succeeded."""
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
        """Return the size of the last steps that were tried before the run stopped."""
        return (self.plan.step or 0.0) * 2.0**-self.stepping.most_cuts
