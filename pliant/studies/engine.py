"""The loop of a study: batches to whoever computes them, rows into the ledger, until no run waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from pathlib import Path
from time import monotonic

import numpy as np

from pliant.errors import OptionError
from pliant.studies import batches, rows
from pliant.studies.batches import Batch, Computed
from pliant.studies.executors import Way, WorkerDied
from pliant.studies.journal import Ledger
from pliant.studies.rows import FAILED, Row

SHARE = 0.5  # s that a batch shall take
LARGEST = 4096  # runs of a batch
GLANCE = 0.2  # s between two looks at the progress
AHEAD = 2  # batches a worker has been given
DEATHS = 3  # workers that a run may take with it

Report = Callable[[int], None]
Show = Callable[[], None]


class Loop:
    """A study under way."""

    def __init__(self, ledger: Ledger, way: Way, report: Report, show: Show | None = None) -> None:
        self.ledger, self.way, self.report, self.show = ledger, way, report, show
        self.seconds_per_run = SHARE
        self.flushed = monotonic()
        self.deaths: dict[int, int] = {}

    def run(self, end: int) -> None:
        """Compute all runs below a number that wait; the first ones by themselves, until one of them tells numbers."""
        first = 1
        while self.ledger.columns is None and first < end:
            self._compute(np.flatnonzero(~self.ledger.done[:first]), settled=False)
            self._check_first()
            self._flush()
            first = 4 * first + 1
        self._compute(np.flatnonzero(~self.ledger.done[:end]), settled=self.ledger.columns is not None)
        self._check_first()
        self._flush()

    def _flush(self) -> None:
        self.ledger.flush()
        self.flushed = monotonic()
        if self.show is not None:
            self.show()

    def _check_first(self) -> None:
        """A mistake in the first run is one in all: it is raised."""
        row = next((row for row in self.ledger.buffer if row.run == 0), None)
        if row is not None and row.status == FAILED and row.mistake:
            raise OptionError(f"study: the first run failed: {row.reason}")

    def _compute(self, runs: np.ndarray, *, settled: bool) -> None:
        """Some runs, on all workers; ``settled``: rows may be written at any time."""
        waiting = self._batches(runs)
        under_way: dict[Future[Computed], Batch] = {}
        again: list[Batch] = []
        try:
            while True:
                while len(under_way) < AHEAD * self.way.slots:
                    batch = again.pop() if again else next(waiting, None)
                    if batch is None:
                        break
                    under_way[self.way.submit(batch)] = batch
                if not under_way:
                    return
                ended, _ = wait(under_way, timeout=GLANCE, return_when=FIRST_COMPLETED)
                for future in ended:
                    again += self._take(future, under_way.pop(future))
                if settled and monotonic() - self.flushed > self.ledger.interval:
                    self._flush()
                self.report(int(np.count_nonzero(self.ledger.done)))
        except KeyboardInterrupt:  # what is done by now, and not taken yet, is kept
            for future, batch in under_way.items():
                if future.done() and not future.cancelled() and future.exception() is None:
                    self._take(future, batch)
            raise
        finally:
            for future in under_way:
                future.cancel()

    def _take(self, future: Future[Computed], batch: Batch) -> list[Batch]:
        """Enter what was computed; if the worker died, what it had done, and give back what is left, run by run."""
        try:
            found = future.result()
        except (WorkerDied, CancelledError) as died:
            return self._bury(batch, str(died))
        except Exception as error:
            if type(error).__name__ != "KilledWorker":  # of distributed, which may not be there
                raise
            return self._bury(batch, "several workers died of it")
        if batch.journal is not None and not found.kept:
            batches.write(batch.journal, found.lines)
        self.seconds_per_run = 0.5 * (self.seconds_per_run + found.seconds / len(batch.runs))
        self.ledger.enter(rows.read(found.lines))
        return []

    def _bury(self, batch: Batch, reason: str) -> list[Batch]:
        self.ledger.enter(batches.left(batch.journal))
        left = [run for run in batch.runs if not self.ledger.done[run]]
        if left:  # the one that was under way
            self.deaths[left[0]] = self.deaths.get(left[0], 0) + 1
            if self.deaths[left[0]] >= DEATHS:
                row = Row(left.pop(0), FAILED, reason=f"the worker died: {reason}", mistake=True)
                self.ledger.enter([row])
                if batch.journal is not None:
                    batches.write(batch.journal, rows.line(row))
        return [self._batch(np.array([run])) for run in reversed(left)]

    def _batches(self, runs: np.ndarray) -> Iterator[Batch]:
        """Consecutive runs, as many as take a share of time; fewer where the end is near, so that all end together."""
        k = 0
        while k < runs.size:
            share = int(SHARE / max(self.seconds_per_run, 1e-9))
            fair = (runs.size - k) // (2 * AHEAD * self.way.slots)
            count = max(1, min(share, fair, LARGEST))
            yield self._batch(runs[k : k + count])
            k += count

    def _batch(self, runs: np.ndarray) -> Batch:
        columns = {name: values[runs].tolist() for name, values in self.ledger.points.items()}
        folder = self.ledger.journal
        journal = None if folder is None else str(Path(folder) / f"{runs[0]}-{runs[-1]}.jsonl")
        return Batch(runs.tolist(), columns, journal)
