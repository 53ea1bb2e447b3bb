"""Motion in time: compiled chunks of steps, cut-back and error control between them."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import ConvergenceError
from pliant.forces.state_force import callbacks
from pliant.formulations.dae import generalized_alpha as loop
from pliant.formulations.dae.sampling import Sampler, idle
from pliant.joints import rows as joints
from pliant.model.signals import Function
from pliant.solvers.starting import consistent, saddle
from pliant.system import fused
from pliant.system.state import State
from pliant.system.system import System

CHUNK_SECONDS = 0.2  # between reports and chances to interrupt
BLOCK = 8192  # steps whose signals are tabulated, and whose records find room, at once
MAX_CUTS = 14
ACCURACY = 1e-6  # unless it or a step is given
ADAPTIVE_CUTS = 40  # the first step of a long motion may be far too long
NEVER = 1 << 60

_REASONS = {
    loop.NOT_CONVERGED: "Newton did not converge",
    loop.SINGULAR: "the equations became singular (a dead centre or a lost constraint)",
    loop.NOT_FINITE: "the motion is no longer finite",
    loop.INACCURATE: "the error could not be kept within the tolerance",
    loop.OPEN: "the joints do not stay closed, as when drives contradict each other",
}


@dataclass
class Motion:
    """States over time and how the run went."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray  # (time, 2) energy supplied and dissipated since the start
    last: State
    steps: int
    iterations: int  # of Newton; or what ``counted`` says
    cut_backs: int
    constraint_error: float
    local_error: float | None  # None: not known by itself
    message: str
    ok: bool
    interrupted: bool = False
    counted: str = "iterations"
    used: dict[str, Any] = field(default_factory=dict)  # options, with those that were not given
    lossless: bool = False  # whether the method takes no energy away by itself
    advice: str = (
        "a smaller step=, an accuracy= instead of a fixed step, spectral_radius below 0.95, constraints='projection', "
        "or scheme='momentum' for what spins fast; damping where something snaps, a larger friction_speed where "
        "tendons or balls rub"
    )
    own: Mapping[str, Any] = field(default_factory=dict)  # variables that a formulation tells itself, by name
    interior: np.ndarray | None = None  # what is inside rods (formulation "shooting")


def move(
    system: System,
    begin: State,
    *,
    end_time: float,
    velocity: np.ndarray | None,
    times: np.ndarray | None,
    report: Callable[[float], None],
    step: float | None = None,
    accuracy: float | None = None,
    spectral_radius: float = 0.9,
    newmark: tuple[float, float] | None = None,
    scheme: str = "generalized-alpha",
    constraints: str = "position",
    baumgarte: tuple[float, float] | None = None,
    every: int = 1,
    sampler: Sampler | None = None,
) -> Motion:
    """Motion from a state, made consistent unless it is the end of another motion. Options as of ``transient``; the
    ``sampler`` is a controller at work.
    """
    first = step if step is not None else 1e-3 * (end_time - begin.time)
    going_on = begin.abar is not None and velocity is None
    if accuracy is None and step is None:
        accuracy = ACCURACY
    used: dict[str, Any] = {"scheme": scheme, "every": every}
    used |= {"accuracy": accuracy} if step is None else {"step": step}
    if scheme == "momentum":
        coefficients, constraints = loop.momentum(), "projection"
    else:
        used |= {"spectral_radius": spectral_radius} if newmark is None else {"newmark": newmark}
        coefficients = loop.scheme(spectral_radius) if newmark is None else loop.newmark(*newmark)
    used |= {"constraints": constraints}
    motion = integrate(
        system,
        begin if going_on else consistent(system, begin, time=begin.time, velocity=velocity, step=first),
        end_time=end_time,
        step=first,
        scheme=coefficients,
        constraints=constraints,
        baumgarte=baumgarte or (10.0 / first, 0.7),
        accuracy=accuracy,
        every=every if times is None else 1,
        sampler=sampler,
        report=report,
    )
    return replace(motion, used=used)


def integrate(
    system: System,
    start: State,
    *,
    end_time: float,
    step: float,
    scheme: loop.Scheme,
    constraints: str = "position",
    baumgarte: tuple[float, float] = (0.0, 0.0),
    tolerance: float = 1e-5,
    max_iterations: int = 12,
    accuracy: float | None = None,
    every: int = 1,
    sampler: Sampler | None = None,
    report: Callable[[float], None] | None = None,
) -> Motion:
    """Integrate from a consistent state to ``end_time``.

    Without ``accuracy`` the steps are equal (the largest size up to ``step`` that divides the time) and every
    ``every``-th is kept; a step that fails is taken in halves, quarters, ... With ``accuracy`` (largest local error,
    in lengths of the model and radians) the step adapts and every step is kept. An interrupted or failed run keeps
    what it has.
    """
    kinds = {"position": loop.POSITION, "baumgarte": loop.BAUMGARTE, "projection": loop.PROJECTION}
    controls = loop.Controls(
        tolerance=0.0 if scheme.momentum else tolerance,  # what Newton leaves is momentum made of nothing
        max_iterations=2 * max_iterations if scheme.momentum else max_iterations,
        constraints=kinds[constraints],
        stiffness=baumgarte[0],
        damping=baumgarte[1],
        error_limit=accuracy or 0.0,
        error_floor=(accuracy or 0.0) / 16.0,
        unsymmetric=system.unsymmetric,
        powers=system.powered_parts,
        mixed=scheme.momentum,
    )
    sampler = sampler or idle(len(system.layout.signals), system.size)
    run = _Run(system, start, scheme, controls, sampler, report or (lambda t: None))
    message, ok, interrupted = "reached the end", True, False
    try:
        if accuracy is None:
            failed = run.equal_steps(end_time, step, every)
        else:
            failed = run.adaptive_steps(end_time, step)
        if failed:
            ok, smallest = False, step * 2.0 ** -(MAX_CUTS if accuracy is None else ADAPTIVE_CUTS)
            message = f"stopped at t = {run.time:.6g} s: {_REASONS[failed]}, even with steps of {smallest:.2g} s"
    except KeyboardInterrupt:
        run.go_back()
        message, ok, interrupted = f"was interrupted at t = {run.time:.6g} s", False, True
    return replace(run.motion(ok, message), interrupted=interrupted)


class _Tables(NamedTuple):
    """Signals at consecutive instants, one row each, with their time derivatives where those are needed."""

    times: np.ndarray
    values: np.ndarray
    rates: np.ndarray
    seconds: np.ndarray

    def part(self, start: int, stop: int) -> _Tables:
        """Rows from ``start`` up to, not including, ``stop``."""
        return _Tables(*(x[start:stop] for x in self))


class _Run:
    """What drives the compiled chunks: it tabulates the signals, keeps the records, and decides what follows a
    failure.
    """

    def __init__(
        self,
        system: System,
        start: State,
        scheme: loop.Scheme,
        controls: loop.Controls,
        sampler: Sampler,
        report: Callable[[float], None],
    ) -> None:
        self.system, self.scheme, self.controls, self.report = system, scheme, controls, report
        self.sampler = sampler
        if scheme.momentum:
            fused.prepare(system.equations.parts, ("pull",))
        inertia = system.node_inertia if scheme.momentum else system.equations.inertia
        self.equations = system.equations._replace(inertia=inertia)
        self.time = start.time
        same = (start.lambar is not None) == scheme.momentum  # else what was known halfway is not where it is needed
        abar = start.abar if start.abar is not None and same else start.a
        lambar = start.lambar if start.lambar is not None and same else start.lam
        self.state = loop.State(
            start.q.copy(), start.v.copy(), start.a.copy(), abar.copy(), start.lam.copy(), lambar.copy(), np.zeros(2)
        )
        self.old = loop.State(*(x.copy() for x in self.state))
        if start.change is not None:
            self.old.a[:] -= start.change
        self.scratch = system.scratch()
        self.memory, self.counts = np.array([start.contraction, start.contraction_age, 1.0]), np.zeros(4)
        self.steps = self.cuts = 0
        self.before: tuple[float, int, int, loop.State] | None = None
        self.status = loop.DONE
        self.h = 0.0
        self.calls_python = any(isinstance(named.signal, Function) for named in system.layout.signals)
        self.times = np.empty(0)
        widths = (system.size,) * 3 + (system.constraints, 2)
        self.record = loop.Record(*(np.empty((0, width)) for width in widths))
        self.keep()

    @property
    def kept(self) -> int:
        """Number of records."""
        return int(self.counts[1])

    def make_room(self, count: int) -> None:
        """Enlarge the records, at least twofold, if there is no room for ``count`` more."""
        kept, size = self.kept, self.times.size
        if kept + count > size:
            rows = max(kept + count, 2 * size)
            larger = [np.empty((rows, *x.shape[1:])) for x in (self.times, *self.record)]
            for new, old in zip(larger, (self.times, *self.record), strict=True):
                new[:kept] = old[:kept]
            self.times, self.record = larger[0], loop.Record(*larger[1:])

    def keep(self) -> None:
        """Record the present state."""
        self.make_room(1)
        k, state = self.kept, self.state
        self.times[k] = self.time
        for into, x in zip(self.record, (state.q, state.v, state.a, state.lam, state.work), strict=True):
            into[k] = x
        self.counts[1] += 1

    def tabulate(self, times: np.ndarray) -> _Tables:
        """All that the compiled loop has to know of the signals at these instants."""
        values = self.system.signals(times)
        values[:, self.sampler.signals] = self.sampler.applied
        if self.system.driving:
            return _Tables(times, values, *self.system.signal_rates(times))
        nothing = np.zeros_like(values)
        return _Tables(times, values, nothing, nothing)

    def equal_steps(self, end: float, step: float, every: int) -> int:
        """Equal steps to the end. Returns 0, or why it stopped."""
        begin, total = self.time, max(1, ceil((end - self.time) / step * (1.0 - 1e-12)))
        h = (end - begin) / total
        self.make_room(min(total, BLOCK) // every)
        index, chunk, first, last = 0, 16, 0, 0  # the tables hold the steps from the first to the last
        while index < total:
            if index >= last:
                ahead = chunk if self.calls_python else BLOCK  # a function of the user's may be slow, or interrupt
                first, last = index, min(index + ahead, total)
                tables = self.tabulate(begin + h * np.arange(first, last + 1))
            count = min(chunk, last - index)
            began = clock.perf_counter()
            part = tables.part(index - first, index - first + count + 1)
            status, done = self.advance(part, h, every, index, self.sampler)
            index += done
            if status != loop.DONE:
                status = self.bridge(begin + h * (index + 1), h)
                if status != loop.DONE:
                    return status
                index += 1
                if index % every == 0:
                    self.keep()
            elif clock.perf_counter() - began < CHUNK_SECONDS:
                chunk *= 2
        return 0

    def resize(self, h: float) -> None:
        """Fit the state to another step, so that the reactions do not jump.

        The algorithmic acceleration belongs to an instant (alpha_m - alpha_f) h away, and the velocity stands off the
        constraint, G v + g_t, by a multiple of h^2 (Arnold, Bruls, Cardona 2015): both are scaled accordingly.
        """
        system, state = self.system, self.state
        if self.h and h != self.h:
            self.memory[2] = 0.0
            ratio = h / self.h
            state.abar[:] = state.a + ratio * (state.abar - state.a)
            state.lambar[:] = state.lam + ratio * (state.lambar - state.lam)
            if system.constraints and self.controls.constraints == loop.POSITION:
                at = np.array([self.time])
                u, (rates, _) = system.signals(at)[0], system.signal_rates(at)
                off = np.zeros(system.constraints)
                joints.velocity(system.equations.rows, state.q, state.v, u, rates[0], off)
                now = State(state.q, state.v, state.a, state.lam, self.time)
                normal = saddle(system, now, u, np.zeros(system.freedoms), off, (0.1 * h) ** 2, self.scratch)
                state.v[: system.freedoms] += (ratio**2 - 1.0) * normal[: system.freedoms]
        self.h = h

    def bridge(self, end: float, step: float) -> int:
        """One step that failed, taken in parts. Returns DONE or why it cannot be."""
        h = step
        while end - self.time > 1e-9 * step:
            self.cuts += 1
            h *= 0.5
            if h < step * 2.0**-MAX_CUTS:
                return self.status
            count = round((end - self.time) / h)
            tables, holding = self.tabulate(np.linspace(self.time, end, count + 1)), self.sampler._replace(period=NEVER)
            self.status, _ = self.advance(tables, h, NEVER, 1, holding)
        self.time = end
        return loop.DONE

    def adaptive_steps(self, end: float, step: float) -> int:
        """Steps as large as the accuracy allows. Returns 0, or why it stopped."""
        h = step
        while end - self.time > 1e-9 * step:
            remaining = end - self.time
            h = min(h, remaining)
            count = min(64, max(1, int(remaining / h + 1e-9)))
            self.status, _ = self.advance(self.tabulate(self.time + h * np.arange(count + 1)), h, 1, 0, self.sampler)
            if self.status == loop.COARSE:
                h *= 1.5
            elif self.status != loop.DONE:
                self.cuts += 1
                h *= 0.5
                if h < step * 2.0**-ADAPTIVE_CUTS:
                    return self.status
        return 0

    def advance(self, tables: _Tables, h: float, every: int, index: int, sampler: Sampler) -> tuple[int, int]:
        """Steps from one instant to the next, recording those whose number is a multiple of ``every``."""
        times, kept = tables.times, self.kept
        self.resize(h)
        self.make_room(len(times) // every + 1)
        self.before = self.time, self.steps, kept, loop.State(*(x.copy() for x in self.state))
        status, done = loop.advance(
            self.equations, self.scheme, self.controls, h, tables.values, tables.rates, tables.seconds,
            self.state, self.old, self.scratch, self.memory, every, index, sampler, self.record, self.counts,
        )  # fmt: skip
        callbacks.reraise()
        self.times[kept : self.kept] = times[every - index % every : done + 1 : every]
        self.time = float(times[done])
        self.steps += done
        self.before = None
        self.report(self.time)
        self.status = status
        return status, done

    def go_back(self) -> None:
        """Undo what an interrupted ``advance`` has begun: its steps are not recorded, the last may be half done."""
        if self.before is not None:
            self.time, self.steps, self.counts[1], self.state = self.before

    def motion(self, ok: bool, message: str) -> Motion:
        """Everything recorded."""
        time, q, v, a, lam, work = (x[: self.kept] for x in (self.times, *self.record))
        s = self.state
        constant, age, expected = self.memory.tolist()
        last = State(
            s.q.copy(), s.v.copy(), s.a.copy(), s.lam.copy(), self.time, s.abar.copy(), constant, age,
            change=expected * (s.a - self.old.a), lambar=s.lambar.copy() if self.scheme.momentum else None,
        )  # fmt: skip
        return Motion(
            time, q, v, a, lam, work, last, self.steps, int(self.counts[0]), self.cuts,
            float(self.counts[2]), float(self.counts[3]), message, ok,
        )  # fmt: skip


def failure(motion: Motion) -> ConvergenceError:
    """The error a failed run raises unless a partial result was asked for."""
    return ConvergenceError(
        f"The motion {motion.message}. Try {motion.advice}. partial=True returns what was computed."
    )
