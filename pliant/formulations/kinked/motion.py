"""Motion of an arm in time: chunks of compiled steps between which the step adapts, or scipy's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import BDF, LSODA, Radau

from pliant.errors import OptionError, SingularError, nearest
from pliant.formulations.dae.motion import Motion
from pliant.formulations.kinked import march as loop
from pliant.formulations.kinked import telling
from pliant.formulations.kinked import tree as trees
from pliant.formulations.kinked.starting import begin_from
from pliant.formulations.kinked.system import Kinked
from pliant.solvers.recorder import Recorder
from pliant.solvers.runge_kutta import Record, Table, Tolerance, allowed, coefficients, keep
from pliant.system.layout import Layout
from pliant.system.state import State

SCIPY = {"Radau": Radau, "BDF": BDF, "LSODA": LSODA}
METHOD = "SDIRK4"
ACCURACY = 1e-8
SHARPEST = 1e-13  # accuracy below which rounding would steer the step
FIRST = 1e-3  # step to begin with, in times that the motion takes to change
CHUNK = 64  # steps at most between reports
SMALLEST = 1e-13  # of the duration: a step that is too small
ADVICE = (
    "strain='mean' (with 'third' alone the strain energy has no lower bound, and an arm that bends far collapses), "
    "more elements=, method='SDIRK4' or a larger accuracy="
)
REASONS = {
    loop.TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or the arm is crushed)",
    loop.SINGULAR: "the accelerations are not determined",
}


def move(
    system: Kinked,
    begin: State,
    *,
    end_time: float,
    velocity: np.ndarray | None,
    times: np.ndarray | None,
    report: Callable[[float], None],
    method: str = METHOD,
    accuracy: float = ACCURACY,
    tolerances: tuple[float, float] | None = None,
    every: int = 1,
    **others: Any,
) -> Motion:
    """Motion from a state of the observed system; of the options of ``transient`` those that mean something here.

    method      "SDIRK4" (unless given) and "DOP853", "RK45", "RK23" (explicit) are compiled; "Radau", "BDF" and "LSODA"
                are scipy's
    accuracy    largest error of a step, as a part of the model's size (and in rad); of velocities, of the largest
    tolerances  (relative, absolute) of every coordinate and velocity, in SI units, instead
    """
    if others:
        raise OptionError(
            f"{', '.join(others)}: not an option of the formulation 'kinked', which has no constraints and whose step "
            "adapts. Give accuracy= or tolerances= and method= instead, or compile with formulation='dae'."
        )
    if method not in system.methods:
        raise OptionError(f"method={method!r} is not known. {nearest(str(method), system.methods)}")
    q, v = begin_from(system, begin, velocity)
    table = coefficients("RK45" if method in SCIPY else method, within=times is not None)
    run = _Run(system, q, v, begin.time, end_time, table, accuracy, allowed(tolerances), report)
    message, ok, interrupted = "reached the end", True, False
    try:
        failed = run.by_scipy(SCIPY[method], times, every) if method in SCIPY else run.compiled(times, every)
        if failed:
            message, ok = f"stopped at t = {run.time:.6g} s: {failed}", False
    except KeyboardInterrupt:
        message, ok, interrupted = f"was interrupted at t = {run.time:.6g} s", False, True
    return run.motion(message, ok, interrupted)


class _Run(Recorder):
    """What drives the compiled chunks: it tabulates the signals, keeps the records and reports."""

    def __init__(
        self,
        system: Kinked,
        q: np.ndarray,
        v: np.ndarray,
        begin: float,
        end: float,
        table: Table,
        accuracy: float,
        tolerances: tuple[float, float] | None,
        report: Callable[[float], None],
    ) -> None:
        self.system, self.begin, self.end, self.report = system, begin, end, report
        self.accuracy, self.tolerances, self.pace, self.table = accuracy, tolerances, 0.0, table
        n, stages = system.freedoms, table.c.size + 1 + table.inner_c.size
        self.room = make_room(system)
        self.run = loop.Run(
            q=system.padded(q),
            v=system.padded(v),
            a=np.zeros(n + 3),
            spent=np.zeros(2),
            clock=np.array([begin, 0.0, 1.0]),
            counts=np.zeros(4, np.int64),
            place=np.zeros((stages, n + 3)),
            speed=np.zeros((stages, n + 3)),
            push=np.zeros((stages, n + 3)),
            power=np.zeros((stages, 2)),
        )
        self.record = Record(np.empty(0), np.empty((0, n)), np.empty((0, n)), np.empty((0, 2)))
        signals = enumerate(system.dae.layout.signals)
        self.steady = all(one.constant for k, one in signals if k != Layout.TIME)
        self.unit = system.units
        if not (self.evaluate(begin, q, v) and np.all(np.isfinite(self.run.push[0]))):
            raise SingularError(f"The accelerations of {system.model.name!r} are not determined: a part has no mass.")
        self.run.a[:] = self.run.push[0]

    def signals(self, times: np.ndarray) -> loop.Signals:
        """Signals at these instants; one row if they do not change."""
        at = times[:1] if self.steady else times
        u = self.system.dae.signals(at)
        return loop.Signals(u, self.system.dae.signal_rates(at)[1] if self.system.driven else np.zeros_like(u))

    def evaluate(self, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Accelerations and powers at a state, in the first stage of the run."""
        self.run.place[0, :-3], self.run.speed[0, :-3] = q, v
        signals = self.signals(np.array([time]))
        return bool(loop.evaluate(self.room, self.run, 0, signals.u[0], signals.second[0]))

    def rate(self) -> float:
        """How fast things change (1/s): by their velocities and accelerations, in lengths of the model and radians."""
        speed, push = (float(np.max(np.abs(x[:-3]) / self.unit)) for x in (self.run.v, self.run.a))
        return max(speed, push**0.5, 1.0 / (self.end - self.begin))

    def tolerance(self) -> Tolerance:
        """Errors allowed. Velocities compare with the largest so far, or what the accelerations make of it; in implicit
        steps with what moves them that far in a step, so that fast motion too small to be seen is damped, not followed.
        """
        if self.tolerances is not None:
            part, least = self.tolerances
            return Tolerance(part, np.full(self.unit.size, least), np.full(self.unit.size, least), 0.0)
        self.pace = max(self.pace, self.rate())
        pace = max(self.pace, 1.0 / self.run.clock[1]) if self.table.gamma else self.pace
        part = max(self.accuracy, SHARPEST)
        return Tolerance(0.0, part * self.unit, part * pace * self.unit, 0.0)

    def compiled(self, times: np.ndarray | None, every: int) -> str:
        """To the end by a compiled method. Returns why it stopped before it, or nothing."""
        run, duration = self.run, self.end - self.begin
        dense, wanted = times is not None, self.first_record(times)
        run.clock[1] = min(FIRST / self.rate(), duration)
        chunk = 4
        while self.time < self.end:
            left = self.end - self.time
            run.clock[1] = h = min(run.clock[1], left)
            count = min(chunk, max(1, int(left / h + 1e-9)))
            parts = np.append(self.table.c, self.table.inner_c)
            instants = self.time + h * np.append((np.arange(count)[:, None] + parts).ravel(), count)
            if not dense:
                self.make_room(count // every + 2)
            status, passed = loop.march(
                self.room, self.table, self.tolerance(), self.signals(instants), count, self.end, SMALLEST * duration,
                wanted if wanted.size or not dense else np.array([np.inf]), every, run, self.record,
            )  # fmt: skip
            wanted = wanted[passed:]
            self.report(self.time)
            if status in REASONS:
                return REASONS[status]
            if run.clock[1] < SMALLEST * duration and self.time < self.end:  # also where every step is accepted
                return REASONS[loop.TOO_SMALL]
            chunk = min(2 * chunk, CHUNK) if status == loop.DONE else max(4, chunk // 2)  # not by the clock
        return ""

    def by_scipy(self, kind: Any, times: np.ndarray | None, every: int) -> str:
        """To the end by a method of scipy on z = (Q, Q', energies). Returns why it stopped before it, or nothing."""
        run, n, wanted = self.run, self.system.freedoms, self.first_record(times)
        tolerance = self.tolerance()
        start = np.concatenate([run.q[:n], run.v[:n], np.zeros(2)])
        least = np.concatenate([tolerance.place, tolerance.pace, np.full(2, 1e100)])  # the energies steer nothing
        solver = kind(self.rates, self.begin, start, self.end, rtol=max(tolerance.part, SHARPEST), atol=least)
        while solver.status == "running":
            if solver.step() is not None:
                return REASONS[loop.TOO_SMALL]
            run.counts[1] += 1
            run.clock[0] = solver.t
            run.q[:n], run.v[:n] = solver.y[:n], solver.y[n:-2]
            if times is None and (run.counts[1] % every == 0 or solver.status != "running"):
                self.make_room(1)
                keep(run, self.record, solver.t, run.q, run.v, *solver.y[-2:])
            passed = int(np.searchsorted(wanted, solver.t, side="right"))
            for time, z in zip(wanted[:passed], solver.dense_output()(wanted[:passed]).T, strict=True):
                keep(run, self.record, time, z[:n], z[n:-2], *z[-2:])
            wanted = wanted[passed:]
            self.report(solver.t)
        return ""

    def rates(self, time: float, z: np.ndarray) -> np.ndarray:
        """z' for a method of scipy; NaN where the accelerations are not determined."""
        n = self.system.freedoms
        found = self.evaluate(time, z[:n], z[n:-2])
        return np.concatenate([z[n:-2], self.run.push[0, :n], self.run.power[0]]) if found else np.full_like(z, np.nan)

    def motion(self, message: str, ok: bool, interrupted: bool) -> Motion:
        """Everything recorded, as nodes of the observed system and as coordinates of the arm."""
        run, kept, system = self.run, int(self.run.counts[3]), self.system
        record = Record(*(x[:kept] for x in self.record))
        told = telling.Told(system, self.room, record)
        self.evaluate(self.time, run.q[:-3], run.v[:-3])
        last = system.observe(run.q[:-3], run.v[:-3], run.push[0, :-3])
        return Motion(
            time=record.time,
            q=told.seen[0],
            v=told.seen[1],
            a=told.seen[2],
            lam=np.zeros((kept, system.dae.constraints)),
            work=record.spent,
            last=State(*last, np.zeros(system.dae.constraints), self.time, last[2].copy()),
            steps=int(run.counts[1]),
            iterations=int(run.counts[0]),
            cut_backs=int(run.counts[2]),
            constraint_error=0.0,
            local_error=None,
            message=message,
            ok=ok,
            interrupted=interrupted,
            counted="evaluations",
            advice=ADVICE,
            own=told.variables(),
        )


def make_room(system: Kinked) -> loop.Room:
    """The arm with room to evaluate it."""
    n = system.freedoms + 3
    driven = np.array(system.driven, np.int64).reshape(-1, 2)
    work = trees.work(system.tree)
    return loop.Room(system.tree, driven, work, np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros((n, n)))
