"""Motion in pieces, with inputs set from outside, for control loops that reuse all memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pliant.forces.state_force import callbacks
from pliant.solvers.stepping.alpha_stepping import AlphaStepping
from pliant.solvers.stepping.drivers import NEVER, EqualSteps, Signals
from pliant.solvers.stepping.generalized_alpha import advance
from pliant.solvers.stepping.motion import Plan
from pliant.solvers.stepping.status import DONE
from pliant.system.numbering.planar_layout import Layout
from pliant.system.state import State
from pliant.system.system import System


class Pieces:
    """Equal steps of generalized-alpha from a state, with some signals, which drive no joint, held over each piece.

    start   consistent, or the end of another motion
    plan    method and size of the steps
    inputs  numbers of the signals that are set from outside
    """

    def __init__(self, system: System, start: State, plan: Plan, inputs: Sequence[int]) -> None:
        self.system, self.inputs = system, np.array(inputs, int)
        self.stepping = AlphaStepping(system, start, plan, plan.step or 0.0)
        self.driver, self.record = EqualSteps(self.stepping, plan), self.stepping.records(0)
        others = (k for k in range(Layout.NAMED, len(system.layout.signals)) if k not in set(inputs))
        self.steady = all(system.layout.signals[k].constant for k in others)
        self.u, self.held = system.signals(np.array([start.time]))[0], self.stepping.u[self.inputs].tolist()
        self.table = self._table(1)

    @property
    def time(self) -> float:
        """Return the time reached (s)."""
        return self.stepping.time

    @property
    def state(self) -> State:
        """Return the state to continue from exactly."""
        last: State = self.stepping.motion(self.record).last
        return last

    def advance(self, end: float, steps: int, values: Sequence[float]) -> bool:
        """Take equal steps to an instant, with these values of the inputs and their signals; divide a step that fails.
        Returns whether all steps succeeded; if not, the state is the last good one.
        """
        stepping, taken = self.stepping, 0
        h = (end - stepping.time) / steps
        if self.table.time.size != steps + 1:
            self.table = self._table(steps)
        if values != self.held:
            stepping.restart()
            self.table.u[:, self.inputs] = self.held = values
        self._tabulate(h)
        while taken < steps:
            stepping.resize(h)
            table = self.table if not taken else self.table.part(taken, steps + 1)
            status, done = advance(stepping.run, table, h, NEVER, 0, self.record)
            if stepping.calls_python:
                callbacks.reraise()
            stepping.upset, taken = status != DONE, taken + done
            stepping.counts["steps"] += done
            self._arrive(taken, end if taken == steps else float(self.table.time[taken]))
            if status != DONE:
                next_one = end if taken + 1 == steps else float(self.table.time[taken + 1])
                if not self.driver.bridge(next_one, h):
                    return False
                self.driver.strides.clear()
                taken += 1
                self._arrive(taken, next_one)
        return True

    def _arrive(self, row: int, time: float) -> None:
        """Set the method's time to a row of the table."""
        self.stepping.time, self.u = time, self.table.u[row]
        self.stepping.u[:] = self.u

    def _table(self, steps: int) -> Signals:
        """Return the constant signals at the ends of ``steps`` steps."""
        table = Signals(np.zeros(steps + 1), *np.zeros((3, steps + 1, self.u.size)))
        table.u[:], self.counts = self.u, np.arange(steps + 1.0)
        return table

    def _tabulate(self, h: float) -> None:
        """Tabulate the instants of the steps, and their signals."""
        table = self.table
        np.multiply(self.counts, h, out=table.time)
        np.add(table.time, self.stepping.time, out=table.time)
        if self.steady:
            table.u[:, Layout.TIME] = table.time
        else:
            table.u[:], table.rate[:], table.second[:] = self.system.signal_table(table.time)
            table.u[:, self.inputs] = self.held
