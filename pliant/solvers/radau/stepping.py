"""Radau IIA of order 5 for a driver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pliant.forces.state_force import callbacks
from pliant.solvers.radau.loop import Span, advance, keep, react
from pliant.solvers.radau.workspace import CLOCK, NODES, WEIGHTS, IntegrationRun, Stages, fresh
from pliant.solvers.stepping import alpha_run
from pliant.solvers.stepping.alpha_stepping import AlphaStepping
from pliant.solvers.stepping.drivers import Chunk, Signals, new_record, put_back, tabulate
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.signal_course import NOTHING, Course, course
from pliant.solvers.stepping.status import INACCURATE, NOT_CONVERGED, NOT_FINITE, OPEN, SINGULAR, TOO_SMALL, WHIRLING
from pliant.system.equations import Scratch
from pliant.system.state import State
from pliant.system.system import System

SOLVED = 1e-2  # of the allowed error: largest remainder of the iteration,
EXACT = 1e-14  # and without a tolerance, in lengths of the model and radians
SHORTEST, LONGEST, STEADY = 4, 64, 1024  # steps of a chunk: at first, at most; at most with constant signals
SMALLEST = 1e-12  # of the duration: a step that is too small
NONE = np.empty(0)
NOWHERE = Course(np.empty(0, np.uint32), np.zeros(1, np.uint32), *NOTHING)
ADVICE = "a smaller accuracy=, or method='GeneralizedAlpha' where something strikes, slips or snaps"


class RadauStepping(AlphaStepping):
    """Radau IIA for a system (interface: ``solvers/stepping/drivers.py``)."""

    nodes = np.array([0.0, *NODES[:2]])
    rule = np.stack([NODES, WEIGHTS])
    sliver = 0.0
    fatal = (NOT_CONVERGED, SINGULAR, NOT_FINITE, INACCURATE, OPEN, WHIRLING, TOO_SMALL)

    def __init__(
        self, system: System, start: State, plan: Plan, first: float, arrays: tuple[Scratch, Stages] | None = None
    ) -> None:
        scratch, stages = arrays or fresh(system)
        super().__init__(system, start, plan, first, scratch)
        self.dense = adaptive = plan.step is None
        known = course(system, start.time, plan.end_time) if adaptive and not plan.landmarks.size else None
        self.steady = known is not None and not self.calls_python
        self.corners = known.corners if known is not None else NONE  # of the signals, at which steps should end
        self.shortest, self.longest = SHORTEST, (STEADY if self.steady else LONGEST)
        self.most_cuts = 0 if adaptive else self.most_cuts
        self.clock = new_record(CLOCK, time=start.time)
        self.duration = plan.end_time - start.time
        limit = (plan.accuracy or 0.0) if adaptive else 0.0
        self.first_signals = tabulate(system, np.full(4, start.time))
        self.integration = IntegrationRun(
            run=self.run,
            stages=stages,
            clock=self.clock,
            limit=limit,
            target=SOLVED * limit if adaptive else EXACT,
            course=known or NOWHERE,
            found=np.empty((3, len(system.known_signals[1]))),
            window=Signals(*(each.copy() for each in self.first_signals)),
            ends=np.empty(STEADY),
        )

    @property
    def constraints(self) -> str:
        """Return "projection": places and velocities are on the joints after every step."""
        return "projection"

    def signals(self, times: np.ndarray) -> Signals:
        """Return signals at instants, or the initial ones if their course is known."""
        return self.first_signals if self.steady else super().signals(times)

    def keep(self, record: alpha_run.Record) -> None:
        """Record the present state."""
        keep(self.run.state, self.time, self.run, record)

    def next_step(self, status: int, h: float) -> float:
        """Return the size that the loop has chosen for the next step."""
        return float(self.clock["step"])

    def smallest(self, plan: Plan, first: float) -> float:
        """Return the size below which a step is too small."""
        return SMALLEST * self.duration

    def resize(self, h: float) -> None:
        """Do nothing: the state fits steps of any size."""

    def restart(self) -> None:
        """Restart with the signals of the next chunk's start: they have jumped."""
        self.clock["before"] = 0.0

    def advance(self, chunk: Chunk, record: alpha_run.Record) -> tuple[int, int]:
        """Take the steps of a chunk."""
        self.clock["step"] = self.h = chunk.h
        wanted = NONE if chunk.wanted is None else chunk.wanted
        span = Span(
            chunk.steps, chunk.end, SMALLEST * self.duration, not self.steady, chunk.every, chunk.behind,
            chunk.wanted is not None, wanted,
        )  # fmt: skip
        status, done = advance(self.integration, chunk.signals, span, record)
        callbacks.reraise()
        self.time = float(self.clock["time"])
        self.ends = self.integration.ends[:done] if self.steady else NONE
        return status, done

    def arrive(self, time: float) -> None:
        """Set the present time to this instant, which differs only by rounding."""
        self.time = self.clock["time"] = time

    def snapshot(self) -> Any:
        """Return a copy of all that ``advance`` changes."""
        return super().snapshot(), self.clock.copy(), self.integration.stages.known.copy()

    def restore(self, snapshot: Any) -> None:
        """Restore a snapshot."""
        before, clock, known = snapshot
        super().restore(before)
        put_back(self.clock, clock)
        self.integration.stages.known[:] = known

    def complete(self, record: alpha_run.Record) -> None:
        """Compute the accelerations and reactions of the records."""
        h = self.duration / max(1, int(self.counts["steps"]))
        react(self.run, tabulate(self.system, record.time), h, record)
        callbacks.reraise()

    def motion(self, record: alpha_run.Record) -> TimeHistory:
        """Return all records."""
        self.u = self.system.signals(np.array([self.time]))[0]
        failed = np.count_nonzero(np.isnan(record.a[:, :1]))
        remark = f"; accelerations and reactions are not known at {failed} of its instants" if failed else ""
        return replace(super().motion(record), rule=self.rule, advice=ADVICE, ok=not failed, remark=remark)
