"""Drivers with adaptive steps: as large as the estimated errors allow, to the end or from sample to sample."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

import numpy as np

from pliant.solvers.stepping.drivers import Chunk, Driver, Stepping
from pliant.solvers.stepping.motion import Plan
from pliant.solvers.stepping.status import CALM, DONE, SINGULAR, TOO_SMALL

LARGER = 1.5  # times the step of a chunk: if the next step may be larger, the next chunk is single


class Adaptive(Stepping, Protocol):
    """Method that proposes the size of its next step.

    ends    of the steps of the last chunk, if they have different sizes; else empty
    sliver  part of the first step that is too short to be a step: the end is reached
    fatal   statuses that no smaller step can mend
    """

    @property
    def ends(self) -> np.ndarray: ...
    @property
    def sliver(self) -> float: ...
    @property
    def fatal(self) -> tuple[int, ...]: ...

    def first_step(self, plan: Plan) -> float:
        """Return the size of the first step."""
        ...

    def next_step(self, status: int, h: float) -> float:
        """Return the size of the next step, after one of size h with this status."""
        ...

    def smallest(self, plan: Plan, first: float) -> float:
        """Return the size below which a step is too small."""
        ...


class Sampled(Adaptive, Protocol):
    """Method with adaptive steps between the samples of a controller."""

    def sample(self) -> bool:
        """Let the controller sample the present state, and restart with its inputs. Returns whether this succeeded."""
        ...


class AdaptiveSteps(Driver):
    """Steps as large as the estimated errors allow."""

    def __init__(self, stepping: Adaptive, plan: Plan) -> None:
        super().__init__(stepping, plan)
        self.adaptive = stepping
        self.first = self.h = self.smallest = 0.0
        self.chunk = stepping.shortest

    def steps(self) -> int:
        """Step to the end. Returns DONE, or the reason for the stop."""
        self.prepare()
        failed = self.reach(self.plan.end_time)
        if not failed and self.wanted is None and self.record.time[self.record_count - 1] != self.stepping.time:
            self.keep()
        return failed

    def prepare(self) -> None:
        """Compute the size of the first step, and of one that is too small."""
        self.first = self.h = self.adaptive.first_step(self.plan)
        self.smallest = self.adaptive.smallest(self.plan, self.first)

    def reach(self, end: float) -> int:
        """Step to an instant, by way of the landmarks before it. Returns DONE, or the reason for the stop."""
        marks = self.plan.landmarks
        for instant in (*marks[(marks > self.stepping.time) & (marks < end)], end):
            failed = self.arrive(float(instant))
            if failed:
                return failed
        return DONE

    def arrive(self, end: float) -> int:
        """Step to an instant; the last step ends there. Returns DONE, or the reason for the stop."""
        stepping, chunk = self.adaptive, self.chunk
        while end - stepping.time > stepping.sliver * self.first:
            left, kept = end - stepping.time, self.record_count
            h = min(self.h, left)
            count = chunk if stepping.steady else min(chunk, max(1, int(left / h + 1e-9)))
            table = self.tabulate(stepping.time + h * np.arange(count + 1), h)
            begin = stepping.time
            done = self.advance(Chunk(table, h, count, int(stepping.counts["steps"]), 1, end, self.wanted))
            if done and stepping.ends.size:
                self.strides[-1:] = [(*each, 1) for each in pairwise((begin, *stepping.ends.tolist()))]
            if self.wanted is not None:
                self.wanted = self.wanted[self.record_count - kept :]
            if self.status in stepping.fatal:
                return self.status
            following = stepping.next_step(self.status, h)
            if following != h:  # a step cut short to arrive is no basis for the next
                self.h = following
            if following < self.smallest and stepping.time < end:
                return self.status if self.status not in (DONE, CALM) else TOO_SMALL
            if following > LARGER * h and not stepping.steady:  # signals are tabulated for steps of one size
                chunk = 1
            elif self.status == DONE:  # independent of the clock: equal runs take equal steps
                chunk = min(2 * chunk, stepping.longest)
            else:
                chunk = max(stepping.shortest, chunk // 2)
        self.chunk = chunk
        return DONE

    def shortest_step(self) -> float:
        """Return the size of the last steps that were tried before the run stopped."""
        return self.first * 2.0**-self.stepping.most_cuts


class SampledSteps(AdaptiveSteps):
    """Adaptive steps between the samples of a controller; a step ends at each sample."""

    def __init__(self, stepping: Sampled, plan: Plan) -> None:
        super().__init__(stepping, plan)
        self.sampled = stepping

    def reach(self, end: float) -> int:
        """Sample and step to an instant. Returns DONE, or the reason for the stop."""
        for instant in self.plan.sampler.instants(self.stepping.time, end)[1:]:
            if not self.sampled.sample():
                return SINGULAR
            failed = super().reach(float(instant))
            if failed:
                return failed
        return DONE
