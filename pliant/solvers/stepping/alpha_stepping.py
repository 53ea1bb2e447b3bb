"""Generalized-alpha, Newmark's family and the momentum form for a driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from pliant.forces.state_force import callbacks
from pliant.model.signals.base import Function
from pliant.solvers.stepping import alpha_run
from pliant.solvers.stepping.alpha_scheme import scheme_of
from pliant.solvers.stepping.consistent_start import accelerated, needs_carrying, off_joints
from pliant.solvers.stepping.drivers import COUNTS, JUST, NEVER, Chunk, Signals, new_record, put_back, tables, tabulate
from pliant.solvers.stepping.energy_balance import as_dict, energy_summary, still_energy
from pliant.solvers.stepping.generalized_alpha import advance
from pliant.solvers.stepping.methods import Momentum
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import idle
from pliant.solvers.stepping.status import (
    CALM,
    DONE,
    GAINING,
    INACCURATE,
    NOT_CONVERGED,
    NOT_FINITE,
    OPEN,
    SINGULAR,
    TOO_SMALL,
    WHIRLING,
)
from pliant.system.equations import Scratch
from pliant.system.numbering.planar_layout import Layout
from pliant.system.packing import fused
from pliant.system.state import State
from pliant.system.system import System

QUICK_WORK = 300_000  # freedoms times steps of at most a twentieth of a second: the first chunk
SHORTEST = 1e-4  # of the duration: shorter steps may have the error of one as long
CALM_PART = 0.25  # of the error allowed: below it steps may be larger
MAX_CUTS, ADAPTIVE_CUTS = 14, 40  # an adaptive first step of a long motion may be far too long
TOLERANCE, EXACT, MOST_ITERATIONS = ContextVar("tolerance", default=1e-5), 0.0, 12  # of Newton
LARGEST_GAIN = 0.01  # of the energy at work: a step that gains more spurious energy is halved,
GAIN_CUTS = 6  # at most so many times; then any gain is accepted, and the balance reports it
SAME = 1e-9  # relative: steps and signals that differ by less differ by rounding
CONSTRAINTS = {"position": alpha_run.POSITION, "baumgarte": alpha_run.BAUMGARTE, "projection": alpha_run.PROJECTION}
REASONS = {
    NOT_CONVERGED: "Newton did not converge",
    SINGULAR: "the equations became singular (a dead centre or a lost constraint)",
    NOT_FINITE: "the motion is no longer finite",
    INACCURATE: "the error could not be kept within the tolerance",
    TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or rounding is larger)",
    WHIRLING: "a part turns by more than a quarter of a turn in a step",
    GAINING: "steps make energy of nothing",
    OPEN: "the joints do not stay closed, as when drives contradict each other",
}
NO_MASS = (
    "{} has no mass, so that its dampers say how fast it moves; at rest they are not in balance with what pushes it"
)
GIVE_MASS = "to give it mass, to start from an equilibrium, or to leave step= out: the first steps are then very short"
ADVICE = (
    "a smaller step=, an accuracy= instead of a fixed step, spectral_radius below 0.95, constraints='projection', "
    "or scheme='momentum' for what spins fast; damping where something snaps, a larger friction_speed where "
    "tendons or balls rub"
)


@contextmanager
def to_rounding() -> Iterator[None]:
    """Run Newton in every step until its increments are rounding, for differences, which amplify the remainder."""
    usual = TOLERANCE.set(EXACT)
    try:
        yield
    finally:
        TOLERANCE.reset(usual)


class AlphaStepping:
    """Generalized-alpha and related methods for a system (interface: ``solvers/stepping/drivers.py``)."""

    nodes, ends = np.zeros(1), np.empty(0)
    steady = dense = False
    sliver = 1e-9
    fatal: tuple[int, ...] = ()

    def __init__(self, system: System, start: State, plan: Plan, first: float, scratch: Scratch | None = None) -> None:
        self.method: Any = plan.method
        self.system, self.time, self.first = system, start.time, first
        adaptive = plan.step is None
        self.most_cuts = ADAPTIVE_CUTS if adaptive else MAX_CUTS
        varying = {k: system.layout.signals[k].signal for k in system.known_signals[1]}
        functions = (isinstance(signal, Function) for signal in varying.values())
        self.calls_python = any(functions) or any(force.opaque for force in system.model.forces)
        quick = 0 if self.calls_python else QUICK_WORK // max(1, system.freedoms)
        self.shortest, self.longest = (64, 64) if adaptive else (max(16, quick), NEVER)
        self.jumping = [k for k, signal in varying.items() if signal.may_jump and k not in system.driving]
        u, self.u = system.signals(np.array([start.time, start.time + (JUST * first if self.jumping else 0.0)]))
        scheme = scheme_of(plan.method)
        self.carries = scheme.momentum and system.equations.gamma > 0.0 and needs_carrying(system, start.q, u)
        inertia = system.node_inertia if scheme.momentum else system.equations.inertia
        same = (start.lambar is not None) == scheme.momentum  # else the halfway data are at the wrong instant
        abar = start.abar if start.abar is not None and same else start.a
        lambar = start.lambar if start.lambar is not None and same else start.lam
        still, no_work = np.zeros(system.size), np.zeros(2)
        now = np.concatenate([start.q, start.v, start.a, still, abar, start.lam, lambar, no_work])
        self.both = np.stack([now, now])  # the state, and the state before the step
        state, old = (alpha_run.State.of(each, system.size, system.constraints) for each in self.both)
        self.h, self.upset = start.step, False
        self.counts = new_record(COUNTS)
        self.run = alpha_run.Run(
            equations=system.equations._replace(inertia=inertia),
            scheme=scheme,
            controls=self.controls(plan),
            state=state,
            old=old,
            scratch=scratch or system.scratch(averaging=scheme.momentum),
            memory=new_record(
                alpha_run.MEMORY, contraction=start.contraction, age=start.contraction_age, gain=start.gain
            ),
            counts=self.counts,
            sampler=plan.sampler or idle(len(system.layout.signals), system.size),
        )
        self.trend = self.run.scratch.changes, self.run.scratch.habits
        for known, here in zip((start.changes, start.habits), self.trend, strict=True):
            here[:] = known if known is not None and known.size == here.size else 0.0
        if start.signals is not None and start.abar is not None and self.differ(start.signals):
            self.restart()
        if scheme.momentum:
            fused.prepare(system.equations.parts, ("pull",))

    @property
    def reasons(self) -> Mapping[int, str]:
        """Return the reasons for a stop, by status; massless parts are named if steps cannot begin with them."""
        return REASONS | ({GAINING: NO_MASS.format(", ".join(self.weightless))} if self.weightless else {})

    @property
    def weightless(self) -> list[str]:
        """Return the massless bodies that dampers may hold, before the first step."""
        if self.counts["steps"] or not self.system.powered_parts:
            return []
        return [body.name for body in self.system.layout.rigid_bodies if not body.mass and not np.any(body.inertia)]

    @property
    def constraints(self) -> str:
        """Return how joints are kept closed: velocities too if reactions would ring, as with moving drives."""
        if isinstance(self.method, Momentum):
            return "projection"
        ringing = self.method.undamped or not set(self.system.driving).isdisjoint(self.system.known_signals[1])
        return self.method.constraints or ("projection" if ringing else "position")

    def controls(self, plan: Plan) -> alpha_run.Controls:
        """Return the settings of the loop."""
        momentum = isinstance(self.method, Momentum)
        duration = plan.end_time - self.time
        rate = 0.0 if plan.step is not None else (plan.accuracy or 0.0) / duration
        omega, zeta = getattr(self.method, "baumgarte", None) or (10.0 / self.first, 0.7)
        return alpha_run.Controls(
            tolerance=0.0 if momentum else TOLERANCE.get(),  # Newton's remainder would be spurious momentum
            max_iterations=2 * MOST_ITERATIONS if momentum else MOST_ITERATIONS,
            constraints=CONSTRAINTS[self.constraints],
            stiffness=omega,
            damping=zeta,
            error_limit=rate,
            error_floor=CALM_PART * rate,
            shortest=SHORTEST * duration,
            least_gain=LARGEST_GAIN * still_energy(self.system.mass, self.system.length_scale, duration),
            gain_limit=LARGEST_GAIN,
            unsymmetric=self.system.unsymmetric,
            powers=self.system.powered_parts,
            carries=self.carries,
            mixed=momentum,
        )

    def signals(self, times: np.ndarray) -> Signals:
        """Return signals at instants, with the present inputs of a controller."""
        table = tabulate(self.system, times)
        self.run.sampler.set_signals(table)
        return table

    def records(self, rows: int) -> alpha_run.Record:
        """Return empty records."""
        size, joints = (self.system.size,), (self.system.constraints,)
        return alpha_run.Record(*tables(rows, (), size, size, size, joints, (2,)))

    def keep(self, record: alpha_run.Record) -> None:
        """Record the present state."""
        alpha_run.keep(self.run.state, self.time, self.counts, record)

    def first_step(self, plan: Plan) -> float:
        """Return the size of the first adaptive step."""
        return self.first

    def next_step(self, status: int, h: float) -> float:
        """Return a larger size after small errors, half the size after a failure."""
        if status in (DONE, CALM):
            return 1.5 * h if status == CALM else h
        self.counts["cut_backs"] += 1
        return 0.5 * h

    def smallest(self, plan: Plan, first: float) -> float:
        """Return the size below which a step is too small."""
        return first * 2.0**-ADAPTIVE_CUTS

    def resize(self, h: float) -> None:
        """Fit the state to another step size, so that the reactions do not jump.

        The algorithmic acceleration belongs to an instant (alpha_m - alpha_f) h away, and the velocity violates the
        constraint, G v + g_t, by a multiple of h^2 (Arnold, Bruls, Cardona 2015): both are scaled accordingly. After a
        failed step the violation is no such multiple but the cause of the failure, and is removed.
        """
        state = self.run.state
        if self.h and (abs(h - self.h) > SAME * h or self.upset):
            for each in self.trend:
                each[:] = 0.0
            ratio = 0.0 if self.upset else h / self.h
            if self.run.controls.constraints == alpha_run.POSITION and self.system.constraints:
                self._off_the_joints(h, ratio**2)
            state.abar[:] = state.a + ratio * (state.abar - state.a)
            state.lambar[:] = state.lam + ratio * (state.lambar - state.lam)
        self.h, self.upset = h, False

    def _off_the_joints(self, h: float, ratio: float) -> None:
        """Scale the violation of the velocity constraint; if it is removed, compute the accelerations again."""
        system, state, scratch, n = self.system, self.run.state, self.run.scratch, self.system.freedoms
        inputs, now = self.signals(np.array([self.time])), State(state.q, state.v, state.a, state.lam, self.time)
        u = inputs.u[0]
        state.v[:n] += (ratio - 1.0) * off_joints(system, now, u, inputs.rate[0], h, scratch)[:n]
        if ratio == 0.0:
            found = accelerated(system, now, u, inputs.second[0], h, scratch)
            state.a[:], state.lam[:] = found.a, found.lam

    def advance(self, chunk: Chunk, record: alpha_run.Record) -> tuple[int, int]:
        """Take the steps of a chunk."""
        run = self.run
        if chunk.h < self.first * 2.0**-GAIN_CUTS:
            run = run._replace(controls=run.controls._replace(gain_limit=1.0))
        if not chunk.sampling and run.sampler.period:
            run = run._replace(sampler=run.sampler._replace(period=NEVER))
        status, done = advance(run, chunk.signals, chunk.h, chunk.every, chunk.behind, record)
        self.upset = status not in (DONE, CALM, INACCURATE, WHIRLING)
        callbacks.reraise()
        self.time, self.u = float(chunk.signals.time[done]), chunk.signals.u[done].copy()
        self.counts["steps"] += done
        return status, done

    def differ(self, before: np.ndarray) -> bool:
        """Return whether signals other than drives of joints have changed."""
        free = np.setdiff1d(np.arange(self.u.size), [Layout.TIME, *self.system.driving])
        return before.size != self.u.size or not np.allclose(before[free], self.u[free], rtol=SAME, atol=0.0)

    def restart(self) -> None:
        """Restart with the signals of the next chunk's start: they have jumped."""
        self.run.memory["jumped"] = 1.0

    def arrive(self, time: float) -> None:
        """Set the present time to this instant, which differs only by rounding."""
        self.time = time

    def snapshot(self) -> Any:
        """Return a copy of all that ``advance`` changes."""
        run = self.run
        arrays = [x.copy() for x in (self.both, *self.trend, *run.sampler.changing())]
        return (self.time, self.u), run.memory.copy(), run.counts.copy(), arrays

    def restore(self, snapshot: Any) -> None:
        """Restore a snapshot."""
        run = self.run
        (self.time, self.u), memory, counts, arrays = snapshot
        for into, value in zip((self.both, *self.trend, *run.sampler.changing()), arrays, strict=True):
            into[...] = value
        put_back(run.memory, memory)
        put_back(run.counts, counts)

    def complete(self, record: alpha_run.Record) -> None:
        """Do nothing: steps record everything."""

    def motion(self, record: alpha_run.Record) -> TimeHistory:
        """Return all records."""
        s, memory, counts = self.run.state, as_dict(self.run.memory), as_dict(self.counts)
        changes, habits = (each.copy() for each in self.trend)
        last = State(
            s.q.copy(), s.v.copy(), s.a.copy(), s.lam.copy(), self.time, s.abar.copy(), memory["contraction"],
            memory["age"], changes=changes, habits=habits, gain=memory["gain"],
            lambar=s.lambar.copy() if self.run.scheme.momentum else None, step=self.h, signals=self.u,
        )  # fmt: skip
        return TimeHistory(
            record.time, record.q, record.v, record.a, record.lam, record.work, last=last,
            constraint_error=counts["constraint_error"], local_error=counts["local_error"],
            local_sum=counts["local_sum"], **energy_summary(self.counts),
            used={"constraints": self.constraints}, advice=GIVE_MASS if self.weightless else ADVICE,
        )  # fmt: skip
