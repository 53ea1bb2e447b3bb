"""Motion of a reduced mechanism: independent coordinates by Runge-Kutta with steps that adapt, all else from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.forces.state_force import callbacks
from pliant.formulations.geometric import reduction as kernels
from pliant.formulations.geometric import runge_kutta as loop
from pliant.formulations.geometric.system import REGULAR, Reduced
from pliant.solvers.ode import adapter as ode
from pliant.solvers.ode.runge_kutta import Record, Run, Span, Tableau, Tolerance
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drive_discontinuities import refuse_kinks
from pliant.solvers.stepping.drivers import Signals, tabulate
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.status import SINGULAR, TOO_SMALL
from pliant.system.numbering.planar_layout import Layout
from pliant.system.state import State

ACCURACY = 1e-8
ROUNDING = 0.42  # power of the accuracy, between those of velocities and accelerations: see regular
USUAL = 0.03  # of the pivots at the start: more is not asked for elsewhere
ADVICE = "a larger accuracy=, method='SDIRK4' where something is stiff, or formulation='dae'"


def move(reduced: Reduced, begin: State, plan: Plan) -> TimeHistory:
    """Motion from a state by DOP853, of order 8, or another method.

    ``accuracy`` is the largest error of a step, as a part of the model's size (and in rad); of velocities, of the
    largest. Kept are the steps taken, or the instants ``times`` from the method's own interpolant; every pose closes
    the joints.
    """
    why = "not an option of the formulation 'geometric', whose steps adapt"
    plan.refuse("step", "sampler", why=f"{why}. Give accuracy= instead, or compile with formulation='dae'.")
    method: Any = plan.method
    if method.constraints is not None:
        raise OptionError(f"constraints: {why}, and whose joints are always closed. Leave it out.")
    refuse_kinks(reduced.observed, begin.time, plan.end_time, reduced.formulation)
    if plan.velocity is not None or reduced.observed.driving:
        step = 1e-3 * (plan.end_time - begin.time)
        begin = consistent(reduced.observed, begin, time=begin.time, velocity=plan.velocity, step=step)
    return ode.integrate(ReducedOde(reduced, begin, plan), begin.time, begin.q, begin.v, plan, ACCURACY)


def regular(reduced: Reduced, begin: State, accuracy: float) -> float:
    """How near to a dead centre a stage may be, by the pivots of G.

    At a pivot sigma rounding moves positions by eps / sigma, velocities by eps / sigma^2 and accelerations by eps /
    sigma^3; what a step makes of that is not to be more than the accuracy.
    """
    work = reduced.work()
    kernels.choose(reduced.compiled, work, begin.q, reduced.inputs(begin.time).u, kernels.BEST)
    wanted = (np.finfo(float).eps / max(accuracy, 1e-16)) ** ROUNDING
    return float(max(REGULAR, min(wanted, USUAL * work.pivot[0])))


class ReducedOde:
    """The accelerations of independent coordinates as ordinary differential equations (see
    ``solvers/ode/adapter.py``).
    """

    augmented, one_size, gap = False, False, 0.0

    def __init__(self, reduced: Reduced, begin: State, plan: Plan) -> None:
        self.reduced, self.system = reduced, reduced.observed
        self.units = reduced.compiled.units
        self.turning = int(self.system.equations.frames), int(self.system.equations.turning)
        self.steady = all(one.constant for k, one in enumerate(self.system.layout.signals) if k != Layout.TIME)
        tolerances = plan.checked_tolerances()
        sharp = tolerances[0] if tolerances else plan.accuracy or ACCURACY
        self.used = {"tolerances": tolerances} if tolerances else {"accuracy": sharp}
        mechanism = reduced.compiled._replace(regular=regular(reduced, begin, sharp))
        self.problem = loop.Problem(mechanism, reduced.work(), np.zeros(self.system.constraints))
        self.start = begin.q
        self.reasons = {TOO_SMALL: "no step is small enough for the accuracy (a force may jump there)"}

    def signals(self, times: np.ndarray) -> Signals:
        """Signals at instants; one row if they do not change."""
        return tabulate(self.system, times[:1] if self.steady else times)

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Acceleration and powers at a state, in the first stage of the run. Returns whether they are determined."""
        record = Record(np.array([time]), q[None].copy(), v[None].copy(), np.zeros((1, 2)))
        found = self.recover(run, record)[0]
        callbacks.reraise()
        return found and bool(np.all(np.isfinite(run.stages.a[0])))

    def recover(self, run: Run, record: Record) -> tuple[bool, np.ndarray, np.ndarray]:
        """Close the joints at instants recorded. Whether all is determined there; accelerations and multipliers."""
        a, lam = np.zeros(record.q.shape), np.zeros((record.time.size, self.system.constraints))
        return loop.recover(self.problem, self.signals(record.time), record, run, a, lam), a, lam

    def undetermined(self, time: float) -> str:
        """What to say where accelerations are not determined, at the start."""
        return self.reduced.undetermined(self.start, time, int(self.problem.work.why[0]))

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """Steps of a span."""
        ended: tuple[int, int] = loop.advance(self.problem, table, tolerance, signals, span, run, record)
        if ended[0] == SINGULAR:
            joints = ", ".join(self.reduced.dependence(run.q))
            self.reasons[SINGULAR] = (
                f"the conditions of {joints} depend on each other there (a dead centre, beyond which it can go on in "
                "more than one way)"
            )
        return ended

    def changing(self) -> tuple[np.ndarray, ...]:
        """Multipliers, which an implicit stage begins with."""
        return (self.problem.lam,)

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Velocities compare with the largest so far."""
        return fastest

    def motion(self, run: Run, record: Record) -> TimeHistory:
        """Everything recorded, with accelerations and reactions."""
        time, width = float(run.clock.time), record.q.shape[1]
        self.evaluate(run, time, run.q[:width], run.v[:width])
        last = State(run.q.copy(), run.v.copy(), run.a.copy(), self.problem.lam.copy(), time, run.a.copy())
        _, a, lam = self.recover(run, record)
        if self.system.redundant:
            lam = self.least(record, a)
            last = replace(last, lam=lam[-1] if record.time[-1] == time else last.lam)
        return TimeHistory(
            time=record.time,
            q=record.q,
            v=record.v,
            a=a,
            lam=lam,
            work=record.work,
            last=last,
            constraint_error=float(self.problem.work.drift[0]),
            counted="evaluations",
            lossless=True,
            used=self.used,
            advice=ADVICE,
        )

    def least(self, record: Record, a: np.ndarray) -> np.ndarray:
        """Multipliers of least norm, without units, where redundant conditions leave a choice."""
        system, space = self.system, self.system.size - record.q.shape[1]
        states = (np.pad(x, ((0, 0), (0, space))) for x in (record.q, record.v, a))
        found = [
            self.reduced.held(State(q, v, push, np.zeros(system.constraints), float(time)))
            for time, q, v, push in zip(record.time, *states, strict=True)
        ]
        return np.array(found)
