"""Room for the records of a motion whose number of steps is not known beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.solvers.runge_kutta import Record, keep

ROOM = 4096  # records that find room at first


class Recorder:
    """What drivers of the compiled Runge-Kutta loops share; they make ``run``, ``record``, ``begin`` and ``end``."""

    run: Any
    record: Record
    begin: float
    end: float

    @property
    def time(self) -> float:
        """How far it has come."""
        return float(self.run.clock[0])

    def make_room(self, count: int) -> None:
        """Enlarge the records, at least twofold, if there is no room for ``count`` more."""
        kept, size = int(self.run.counts[3]), self.record.time.size
        if kept + count > size:
            larger = [np.empty((max(kept + count, 2 * size, ROOM), *x.shape[1:])) for x in self.record]
            for new, old in zip(larger, self.record, strict=True):
                new[:kept] = old[:kept]
            self.record = Record(*larger)

    def first_record(self, times: np.ndarray | None) -> np.ndarray:
        """Make room, record the start unless only later instants are wanted. Returns those that are still wanted."""
        run, wanted = self.run, np.empty(0) if times is None else np.clip(times, self.begin, self.end)
        self.make_room(1 + wanted.size)
        if wanted.size and wanted[0] > self.begin:
            return wanted
        keep(run, self.record, self.begin, run.q, run.v, 0.0, 0.0)
        return wanted[1:]
