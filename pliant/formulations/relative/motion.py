"""Motion in relative coordinates: their accelerations as ordinary differential equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.forces.state_force import callbacks
from pliant.formulations.relative import march as loop
from pliant.formulations.relative.system import Relative
from pliant.solvers.ode import adapter as ode
from pliant.solvers.ode.runge_kutta import Record, Run, Span, Tableau, Tolerance
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drive_discontinuities import refuse_kinks
from pliant.solvers.stepping.drivers import Signals
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import Present
from pliant.solvers.stepping.status import SINGULAR, TOO_SMALL
from pliant.system.state import State

ACCURACY = 1e-8
CLOSED = 0.1  # of the error allowed in a step: the gap of a loop from which it is closed
DEAD, MOST_DEAD = 10.0, 1e-4  # times the accuracy: see Loops, as of udwadia_kalaba
SOFT, LEAST_SOFT, MOST_SOFT = 1e3, 1e-6, 1e-4  # the same
ADVICE = "a larger accuracy=, method='SDIRK4' where something is stiff, or formulation='dae'"
REASONS = {
    TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or the motion is stiff)",
    SINGULAR: "the accelerations are not determined (a coordinate that moves no mass, or a loop at a dead centre)",
}


def move(system: Relative, begin: State, plan: Plan) -> TimeHistory:
    """Motion from a state; ``accuracy`` and ``tolerances`` as of udwadia_kalaba/motion.py."""
    why = "not an option of the formulation 'relative', whose steps adapt"
    plan.refuse("step", why=f"{why}. Give accuracy= instead, or compile with formulation='dae'.")
    method: Any = plan.method
    if method.constraints is not None:
        raise OptionError(f"constraints: {why}, and whose joints are always closed. Leave it out.")
    refuse_kinks(system, begin.time, plan.end_time, system.formulation)
    if plan.velocity is not None or system.driving:
        step = 1e-3 * (plan.end_time - begin.time)
        begin = consistent(system, begin, time=begin.time, velocity=plan.velocity, step=step)
    q, v = system.coordinates(begin.q), system.rates(begin)
    return ode.integrate(TreeOde(system, begin.time, q, plan), begin.time, q, v, plan, ACCURACY)


class TreeOde:
    """The accelerations of a tree as ordinary differential equations (see ``solvers/ode/adapter.py``)."""

    augmented, one_size, gap = False, False, CLOSED
    reasons = REASONS

    def __init__(self, tree: Relative, time: float, q: np.ndarray, plan: Plan) -> None:
        self.tree, self.system, self.units = tree, Charted(tree), tree.units
        self.turning = len(tree.names), tree.balls
        self.held = ode.HeldSignals(tree, time, plan)
        self.steady, self.signals = self.held.steady, self.held.now
        tolerances = plan.checked_tolerances()
        self.used = {"tolerances": tolerances} if tolerances else {"accuracy": plan.accuracy or ACCURACY}
        sharp = tolerances[0] if tolerances else plan.accuracy or ACCURACY
        loops = tree.loops
        if loops.soft:
            loops = loops._replace(soft=min(max(SOFT * sharp, LEAST_SOFT), MOST_SOFT))
        else:
            loops = loops._replace(dead=min(DEAD * sharp, MOST_DEAD))
        mechanism = tree.compiled._replace(shift=tree.shifts(q, time), loops=loops)
        self.problem = loop.Problem(mechanism, tree.room(), np.zeros(len(tree.names)), np.zeros(1))

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Acceleration and powers at a state, in the first stage of the run. Returns whether they are determined."""
        record = Record(np.array([time]), q[None].copy(), v[None].copy(), np.zeros((1, 2)))
        found = self.recover(run, record, self.signals(record.time))[0]
        callbacks.reraise()
        return found and bool(np.all(np.isfinite(run.stages.a[0])))

    def recover(self, run: Run, record: Record, signals: Signals) -> tuple[bool, loop.Shown]:
        """Whether all is determined at instants recorded, and what is known of them."""
        count, tree = record.time.size, self.tree
        size = tree.size if tree.space.quaternions else tree.freedoms
        shapes = (count, size), (count, size), (count, size), (count, tree.constraints), (count, len(tree.names))
        shown = loop.Shown(*map(np.zeros, shapes))
        return loop.recover(self.problem, signals, record, run, shown), shown

    def present(self, run: Run, record: Record, signals: Signals) -> Present:
        """The system at the one instant of a record."""
        shown = self.recover(run, record, signals)[1]
        q, v, a = (np.pad(x[0], (0, self.tree.size - x.shape[1])) for x in shown[:3])
        return Present(q, v, a, shown.lam[0])

    def undetermined(self, time: float) -> str:
        """What to say where accelerations are not determined, at the start."""
        return self.tree.undetermined(time)

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """Steps of a span."""
        return loop.advance(self.problem, table, tolerance, signals, span, run, record)

    def changing(self) -> tuple[np.ndarray, ...]:
        """Multipliers of loops, which an implicit stage begins with, and how far these have drifted."""
        return self.problem.room.knot.pull, self.problem.drift

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Velocities compare with the largest so far; those of beams in implicit steps with what moves them that far in
        a step, so that fast motion too small to be seen is damped, not followed.
        """
        step = float(run.clock["step"])
        return max(fastest, 1.0 / step) if table.gamma and step and self.tree.layout.beams else fastest

    def motion(self, run: Run, record: Record) -> TimeHistory:
        """Everything recorded, as nodes of the system and as coordinates of the tree."""
        time, width = float(run.clock.time), record.q.shape[1]
        now = Record(np.array([time]), run.q[None, :width].copy(), run.v[None, :width].copy(), np.zeros((1, 2)))
        last = self.present(run, now, self.signals(now.time))
        _, shown = self.recover(run, record, self.held.past(record.time))
        return TimeHistory(
            time=record.time,
            q=shown.q,
            v=shown.v,
            a=shown.a,
            lam=shown.lam,
            work=record.work,
            last=State(*last, time, last.a.copy()),
            counted="evaluations",
            constraint_error=max(float(self.problem.drift[0]), self.tree.openness(shown.q, record.time)),
            lossless=True,
            used=self.used,
            advice=ADVICE,
            own=self.tree.labelled(record.q, record.v, shown.second),
        )


class Charted:
    """The system as the driver knows it: in relative coordinates."""

    def __init__(self, tree: Relative) -> None:
        self.model, self.equations, self.moved = tree.model, tree.equations, tree.displaced
