"""Motion in time: the ordinary differential equations x'' = f(x, x', t), by compiled or by scipy's integrators."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import BDF, DOP853, LSODA, RK23, RK45, Radau

from pliant.errors import OptionError, SingularError, nearest
from pliant.forces.state_force import callbacks
from pliant.formulations.dae.motion import Motion, consistent
from pliant.formulations.dae.system import State
from pliant.formulations.udwadia_kalaba import runge_kutta as loop
from pliant.formulations.udwadia_kalaba.accelerations import Stabilisation
from pliant.formulations.udwadia_kalaba.system import NO_STABILISATION, Constrained
from pliant.model.signals import Function
from pliant.system.layout import Layout

COMPILED = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}
SCIPY = {"Radau": Radau, "BDF": BDF, "LSODA": LSODA}
ACCURACY = 1e-8
SHARPEST = 1e-13  # accuracy below which rounding would steer the step
CLOSED = 0.1  # of the error allowed in a step: the gap of a joint from which projection closes it
ROOM = 4096  # records that find room at first
CHUNK, LONGEST = 64, 1 << 14  # steps: whose signals are tabulated at once; between reports when nothing changes
CHUNK_SECONDS = 0.2
SMALLEST = 1e-13  # of the duration: a step that is too small


def move(
    system: Constrained,
    begin: State,
    *,
    end_time: float,
    velocity: np.ndarray | None,
    times: np.ndarray | None,
    report: Callable[[float], None],
    method: str = "RK45",
    accuracy: float | None = None,
    tolerances: tuple[float, float] | None = None,
    constraints: str = "projection",
    baumgarte: tuple[float, float] | None = None,
    every: int = 1,
    **others: Any,
) -> Motion:
    """Motion from a state; of the options of ``transient`` those that mean something here.

    method       "RK45", "DOP853", "RK23" (compiled, explicit); "Radau", "BDF", "LSODA" (scipy's, stiff)
    accuracy     largest error of a step, as a part of the model's size (and in rad); of velocities, of the largest
    tolerances   (relative, absolute) of every coordinate and velocity, in SI units, instead
    constraints  "projection": joints that drift are closed after a step; "baumgarte": a feedback in b; "none"
    baumgarte    (omega, zeta) of that feedback
    """
    if others:
        raise OptionError(
            f"{', '.join(others)}: not an option of the formulation 'udwadia_kalaba', whose step adapts. Give "
            "accuracy= or tolerances= and method= instead, or compile with formulation='dae'."
        )
    if method not in system.methods:
        raise OptionError(f"method={method!r} is not known. {nearest(str(method), system.methods)}")
    duration = end_time - begin.time
    if velocity is not None or system.driving or begin.abar is None:
        begin = consistent(system, begin, time=begin.time, velocity=velocity, step=1e-3 * duration)
    stabilise = NO_STABILISATION
    if constraints == "baumgarte":
        stabilise = Stabilisation(*(baumgarte or (100.0 / duration, 1.0)))
    run = _Run(system, begin, end_time, stabilise, constraints == "projection", method, accuracy, tolerances, report)
    message, ok, interrupted = "reached the end", True, False
    try:
        failed = run.go(times, every)
        if failed:
            message, ok = f"stopped at t = {run.time:.6g} s: {failed}", False
    except KeyboardInterrupt:
        message, ok, interrupted = f"was interrupted at t = {run.time:.6g} s", False, True
    return run.motion(message, ok, interrupted)


class _Run:
    """What drives the compiled chunks: it tabulates the signals, keeps the records and reports."""

    def __init__(
        self,
        system: Constrained,
        start: State,
        end: float,
        stabilise: Stabilisation,
        project: bool,
        method: str,
        accuracy: float | None,
        tolerances: tuple[float, float] | None,
        report: Callable[[float], None],
    ) -> None:
        self.system, self.end, self.stabilise, self.report = system, end, stabilise, report
        self.begin, self.accuracy, self.tolerances = start.time, accuracy or ACCURACY, tolerances
        self.table = coefficients(method)
        self.gap = CLOSED if project else 0.0
        stages, n, m = self.table.c.size + 1, system.freedoms, system.constraints
        self.run = loop.Run(
            q=start.q.copy(),
            v=start.v.copy(),
            a=np.zeros(n + 3),
            lam=np.zeros(m),
            spent=np.zeros(2),
            clock=np.array([start.time, 0.0, 1.0]),
            counts=np.zeros(5, np.int64),
            drift=np.zeros(2),
            place=np.zeros((stages, n + 3)),
            speed=np.zeros((stages, n + 3)),
            push=np.zeros((stages, n + 3)),
            power=np.zeros((stages, 2)),
        )
        self.work = system.work()
        self.record = loop.Record(np.empty(0), np.empty((0, n)), np.empty((0, n)), np.empty((0, 2)))
        named = list(enumerate(system.layout.signals))
        self.steady = all(one.constant for k, one in named if k != Layout.TIME)
        self.calls_python = any(isinstance(one.signal, Function) for _, one in named)
        self.pace = 0.0
        if not loop.begin(system.compiled, stabilise, self.signals(np.array([start.time])), self.run, self.work):
            callbacks.reraise()
            raise SingularError(system.undetermined(start.time))
        callbacks.reraise()

    @property
    def time(self) -> float:
        """How far it has come."""
        return float(self.run.clock[0])

    def signals(self, times: np.ndarray) -> loop.Signals:
        """Signals at these instants; one row if they do not change."""
        at = times[:1] if self.steady else times
        u = self.system.signals(at)
        if self.system.driving:
            return loop.Signals(u, *self.system.signal_rates(at))
        return loop.Signals(u, np.zeros_like(u), np.zeros_like(u))

    def tolerance(self) -> loop.Tolerance:
        """Errors allowed. Velocities compare with the largest so far, or what the accelerations make of it."""
        weight = self.system.equations.weight
        if self.tolerances is not None:
            part, least = self.tolerances
            same = np.full(weight.size, least)
            return loop.Tolerance(part, same, same, self.gap)
        run, part = self.run, max(self.accuracy, SHARPEST)
        speed, push = (float(np.max(np.abs(x[:-3]) * weight, initial=0.0)) for x in (run.v, run.a))
        self.pace = max(self.pace, speed, push**0.5, 1.0 / (self.end - self.begin))
        return loop.Tolerance(0.0, part / weight, part * self.pace / weight, self.gap)

    def first_step(self) -> float:
        """A step small enough to begin with: such that x'' changes x and v by a hundredth of their scale."""
        weight, run = self.system.equations.weight, self.run
        push = float(np.max(np.abs(run.a[:-3]) * weight, initial=0.0))
        speed = float(np.max(np.abs(run.v[:-3]) * weight, initial=0.0))
        pace = max(push**0.5, speed, 1.0 / (self.end - self.begin))
        return min(1e-3 / pace, self.end - self.begin)

    def make_room(self, count: int) -> None:
        """Enlarge the records, at least twofold, if there is no room for ``count`` more."""
        kept, size = int(self.run.counts[3]), self.record.time.size
        if kept + count > size:
            larger = [np.empty((max(kept + count, 2 * size, ROOM), *x.shape[1:])) for x in self.record]
            for new, old in zip(larger, self.record, strict=True):
                new[:kept] = old[:kept]
            self.record = loop.Record(*larger)

    def go(self, times: np.ndarray | None, every: int) -> str:
        """To the end. Returns why it stopped before it, or nothing."""
        run, duration = self.run, self.end - self.begin
        wanted = np.empty(0) if times is None else np.clip(times, self.begin, self.end)
        self.make_room(1 + wanted.size)
        if not wanted.size or wanted[0] <= self.begin:
            loop.keep(run, self.record, self.begin, run.q, run.v, 0.0, 0.0)
            wanted = wanted[1:]
        dense = times is not None
        run.clock[1] = self.first_step()
        chunk = 4
        while self.time < self.end:
            began = clock.perf_counter()
            left = self.end - self.time
            run.clock[1] = h = min(run.clock[1], left)
            count = chunk if self.steady else min(chunk, max(1, int(left / h + 1e-9)))
            instants = self.time + h * np.append((np.arange(count)[:, None] + self.table.c).ravel(), count)
            if not dense:
                self.make_room(count // every + 1)
            status, passed = loop.advance(
                self.system.compiled, self.stabilise, self.table, self.tolerance(), self.signals(instants),
                count, self.end, SMALLEST * duration, wanted if wanted.size or not dense else np.array([np.inf]),
                every, run, self.record, self.work,
            )  # fmt: skip
            callbacks.reraise()
            wanted = wanted[passed:]
            self.report(self.time)
            if status in (loop.TOO_SMALL, loop.SINGULAR):
                return REASONS[status]
            spent = clock.perf_counter() - began
            longest = LONGEST if self.steady else CHUNK
            chunk = min(2 * chunk, longest) if status == loop.DONE and spent < CHUNK_SECONDS else max(4, chunk // 2)
        return ""

    def motion(self, message: str, ok: bool, interrupted: bool) -> Motion:
        """Everything recorded, with accelerations and reactions."""
        run, kept, system = self.run, int(self.run.counts[3]), self.system
        last = State(run.q.copy(), run.v.copy(), run.a.copy(), run.lam.copy(), self.time, run.a.copy())
        record = loop.Record(*(x[:kept] for x in self.record))
        a, lam = np.zeros((kept, system.freedoms)), np.zeros((kept, system.constraints))
        loop.tell(system.compiled, self.stabilise, self.signals(record.time), record, run, self.work, a, lam)
        counts = run.counts
        return Motion(
            time=record.time,
            q=record.q,
            v=record.v,
            a=a,
            lam=lam,
            work=record.spent,
            last=last,
            steps=int(counts[1]),
            iterations=int(counts[0]),
            cut_backs=int(counts[2]),
            constraint_error=float(run.drift[0]),
            local_error=float("nan"),
            message=message,
            ok=ok,
            interrupted=interrupted,
        )


REASONS = {
    loop.TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or the motion is stiff)",
    loop.SINGULAR: "the accelerations are not determined (a part without mass, a lost constraint, jammed friction)",
}


def coefficients(method: str) -> loop.Table:
    """Table of an explicit method, from scipy's class."""
    known: Any = COMPILED[method]
    main = known.E5 if hasattr(known, "E5") else known.E
    second = known.E3 if hasattr(known, "E3") else np.zeros_like(main)
    stages = known.C.size
    a = np.zeros((stages, stages))
    a[:, : known.A.shape[1]] = known.A
    parts = (a, known.B, known.C, main, second)
    return loop.Table(*(np.ascontiguousarray(x, float) for x in parts), float(known.error_estimator_order))
