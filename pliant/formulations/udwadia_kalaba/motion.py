"""Motion in time: the ordinary differential equations x'' = f(x, x', t), by compiled or by scipy's integrators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.integrate import BDF, LSODA, Radau

from pliant.errors import OptionError, SingularError, nearest
from pliant.forces.state_force import callbacks
from pliant.formulations.dae.motion import Motion
from pliant.formulations.udwadia_kalaba import runge_kutta as loop
from pliant.formulations.udwadia_kalaba.accelerations import Constraints, Stabilisation
from pliant.formulations.udwadia_kalaba.system import NO_STABILISATION, Constrained
from pliant.joints import rows as joints
from pliant.solvers.recorder import Recorder
from pliant.solvers.runge_kutta import Record, Table, Tolerance, allowed, coefficients, keep
from pliant.solvers.starting import consistent
from pliant.system.layout import Layout
from pliant.system.state import State

SCIPY = {"Radau": Radau, "BDF": BDF, "LSODA": LSODA}
ACCURACY = 1e-8
SHARPEST = 1e-13  # accuracy below which rounding would steer the step
CLOSED = 0.1  # of the error allowed in a step: the gap of a joint from which projection closes it
FIRST = 1e-3  # step to begin with, in times that the motion takes to change
CHUNK, LONGEST = 64, 1024  # steps: whose signals are tabulated at once; between reports when nothing changes
SMALLEST = 1e-13  # of the duration: a step that is too small
SOFTNESS, LEAST_SOFT, MOST_SOFT = 1e3, 1e-6, 1e-4  # of redundant rows: times the accuracy, within limits


def move(
    system: Constrained,
    begin: State,
    *,
    end_time: float,
    velocity: np.ndarray | None,
    times: np.ndarray | None,
    report: Callable[[float], None],
    method: str = "DOP853",
    accuracy: float = ACCURACY,
    tolerances: tuple[float, float] | None = None,
    constraints: str | None = None,
    baumgarte: tuple[float, float] | None = None,
    every: int = 1,
    **others: Any,
) -> Motion:
    """Motion from a state; of the options of ``transient`` those that mean something here.

    method       "DOP853", "RK45", "RK23" (explicit) and "SDIRK4" (stiff) are compiled; "Radau", "BDF" and "LSODA"
                 (stiff) are scipy's
    accuracy     largest error of a step, as a part of the model's size (and in rad); of velocities, of the largest
    tolerances   (relative, absolute) of every coordinate and velocity, in SI units, instead
    constraints  "projection": joints that drift are closed after a step (compiled methods, unless given);
                 "baumgarte": a feedback in b; "none"
    baumgarte    (omega, zeta) of that feedback; unless given, ten times as fast as the motion is at first, and 1
    """
    if "sampler" in others:
        raise OptionError(
            "controller: the formulation 'udwadia_kalaba' takes none, its step adapts. Compile the lumped model with "
            "formulation='dae': pl.compile(pl.lump(model))."
        )
    if others:
        raise OptionError(
            f"{', '.join(others)}: not an option of the formulation 'udwadia_kalaba', whose step adapts. Give "
            "accuracy= or tolerances= and method= instead, or compile with formulation='dae'."
        )
    if method not in system.methods:
        raise OptionError(f"method={method!r} is not known. {nearest(str(method), system.methods)}")
    if method in SCIPY and constraints == "projection":
        raise OptionError(
            f"constraints='projection': scipy's {method} cannot be moved between its steps. Take 'baumgarte' or "
            f"'none', or one of {', '.join(name for name in system.methods if name not in SCIPY)}."
        )
    given = allowed(tolerances)
    constraints = constraints or ("none" if method in SCIPY else "projection")
    end_time = float(end_time)
    duration = end_time - begin.time
    if velocity is not None or system.driving or begin.abar is None:
        begin = _consistent(system, begin, velocity, 1e-3 * duration)
    used: dict[str, Any] = {"method": method, "constraints": constraints, "every": every}
    used |= {"accuracy": accuracy} if given is None else {"tolerances": given}
    stabilise = NO_STABILISATION
    if constraints == "baumgarte":
        stabilise = Stabilisation(*(float(x) for x in baumgarte or (10.0 * _pace(system, begin, duration), 1.0)))
        used["baumgarte"] = tuple(stabilise)
    project = constraints == "projection"
    table = coefficients("RK45" if method in SCIPY else method, within=times is not None)
    run = _Run(system, begin, end_time, stabilise, project, table, accuracy, given, report)
    message, ok, interrupted = "reached the end", True, False
    try:
        failed = run.by_scipy(SCIPY[method], times, every) if method in SCIPY else run.compiled(times, every)
        if failed:
            message, ok = f"stopped at t = {run.time:.6g} s: {failed}", False
    except KeyboardInterrupt:
        message, ok, interrupted = f"was interrupted at t = {run.time:.6g} s", False, True
    return replace(run.motion(message, ok, interrupted), used=used)


def _consistent(system: Constrained, begin: State, velocity: np.ndarray | None, step: float) -> State:
    """A consistent start; where there is none, with a word on chains that cannot be stretched."""
    try:
        return consistent(system, begin, time=begin.time, velocity=velocity, step=step)
    except SingularError as error:
        if not any(f"{beam.name} pin 1" in str(error) for beam in system.original.beams):
            raise
        raise SingularError(
            f"{error} Or it is a straight beam held at both ends: the links of a chain cannot be stretched. Let one "
            "end slide, start it bent, or compile with formulation='dae'."
        ) from error


class _Undetermined(Exception):
    """Accelerations are not determined, in a method of scipy that cannot be told otherwise."""


class _Run(Recorder):
    """What drives the compiled chunks: it tabulates the signals, keeps the records and reports."""

    def __init__(
        self,
        system: Constrained,
        start: State,
        end: float,
        stabilise: Stabilisation,
        project: bool,
        table: Table,
        accuracy: float,
        tolerances: tuple[float, float] | None,
        report: Callable[[float], None],
    ) -> None:
        self.system, self.end, self.stabilise, self.report = system, end, stabilise, report
        self.begin, self.accuracy, self.tolerances = start.time, accuracy, tolerances
        self.smallest = SMALLEST * (end - start.time)
        self.table = table
        self.gap = CLOSED if project else 0.0
        explicit = table.gamma == 0.0  # Newton of implicit stages would not settle where rows are that soft
        self.constraints = softened(system, tolerances[0] if tolerances else accuracy) if explicit else system.compiled
        stages, n, m = table.c.size + 1 + table.inner_c.size, system.freedoms, system.constraints
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
        self.record = Record(np.empty(0), np.empty((0, n)), np.empty((0, n)), np.empty((0, 2)))
        named = list(enumerate(system.layout.signals))
        self.steady = all(one.constant for k, one in named if k != Layout.TIME)
        self.pace = 0.0
        if not self.evaluate(start.time, start.q[:n], start.v[:n]):
            raise SingularError(system.undetermined(start.time))
        self.run.a[:] = self.run.push[0]

    def signals(self, times: np.ndarray) -> loop.Signals:
        """Signals at these instants; one row if they do not change."""
        at = times[:1] if self.steady else times
        u = self.system.signals(at)
        if self.system.driving:
            return loop.Signals(u, *self.system.signal_rates(at))
        return loop.Signals(u, np.zeros_like(u), np.zeros_like(u))

    def evaluate(self, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Acceleration and powers at a state, in the first stage of the run. Returns whether they are determined."""
        q, v = (np.ascontiguousarray(x)[None] for x in (q, v))  # scipy's are columns
        record = Record(np.array([time]), q, v, np.zeros((1, 2)))
        found = self.tell(record)[0]
        callbacks.reraise()
        return found

    def tell(self, record: Record) -> tuple[bool, np.ndarray, np.ndarray]:
        """Accelerations and multipliers at instants recorded, and whether they are determined."""
        system, count = self.system, record.time.size
        a, lam = np.zeros((count, system.freedoms)), np.zeros((count, system.constraints))
        signals = self.signals(record.time)
        return loop.tell(self.constraints, self.stabilise, signals, record, self.run, self.work, a, lam), a, lam

    def tolerance(self) -> Tolerance:
        """Errors allowed. Velocities compare with the largest so far, or what the accelerations make of it."""
        weight = self.system.equations.weight
        if self.tolerances is not None:
            part, least = self.tolerances
            same = np.full(weight.size, least)
            return Tolerance(max(part, SHARPEST), same, same, self.gap)
        part, self.pace = (
            max(self.accuracy, SHARPEST),
            max(self.pace, _pace(self.system, self.run, self.end - self.begin)),
        )
        return Tolerance(0.0, part / weight, part * self.pace / weight, self.gap)

    def compiled(self, times: np.ndarray | None, every: int) -> str:
        """To the end by a compiled method. Returns why it stopped before it, or nothing."""
        run, duration = self.run, self.end - self.begin
        dense, wanted = times is not None, self.first_record(times)
        run.clock[1] = min(FIRST / _pace(self.system, run, duration), duration)
        chunk = 4
        while self.time < self.end:
            left = self.end - self.time
            run.clock[1] = h = min(run.clock[1], left)
            count = chunk if self.steady else min(chunk, max(1, int(left / h + 1e-9)))
            parts = np.append(self.table.c, self.table.inner_c)
            instants = self.time + h * np.append((np.arange(count)[:, None] + parts).ravel(), count)
            if not dense:
                self.make_room(count // every + 2)
            status, passed = loop.advance(
                self.constraints, self.stabilise, self.table, self.tolerance(), self.signals(instants),
                count, self.end, self.smallest, wanted if wanted.size or not dense else np.array([np.inf]),
                every, run, self.record, self.work,
            )  # fmt: skip
            callbacks.reraise()
            wanted = wanted[passed:]
            self.report(self.time)
            if status in (loop.TOO_SMALL, loop.SINGULAR):
                return REASONS[status]
            longest = LONGEST if self.steady else CHUNK  # not by the clock: the same run takes the same steps
            chunk = min(2 * chunk, longest) if status == loop.DONE else max(4, chunk // 2)
        return ""

    def by_scipy(self, kind: Any, times: np.ndarray | None, every: int) -> str:
        """To the end by a method of scipy on z = (x, v). Returns why it stopped before it, or nothing."""
        run, n, wanted = self.run, self.system.freedoms, self.first_record(times)
        tolerance, start = self.tolerance(), np.concatenate([run.q[:n], run.v[:n]])
        least = np.concatenate([tolerance.place, tolerance.pace])
        solver = kind(self.rates, self.begin, start, self.end, rtol=max(tolerance.part, SHARPEST), atol=least)
        self.evaluate(self.begin, run.q[:n], run.v[:n])
        before = run.power[0].copy()
        while solver.status == "running":
            try:
                failed = solver.step()
            except _Undetermined:
                return REASONS[loop.SINGULAR]
            if failed is not None or (solver.status == "running" and solver.step_size < self.smallest):
                return REASONS[loop.TOO_SMALL]
            inside, h = solver.dense_output(), solver.t - solver.t_old
            self.rates(solver.t_old + 0.5 * h, inside(solver.t_old + 0.5 * h))
            middle = run.power[0].copy()
            self.rates(solver.t, solver.y)
            after, spent = run.power[0].copy(), run.spent.copy()
            run.spent[:] += h / 6.0 * (before + 4.0 * middle + after)  # Simpson
            run.counts[1] += 1
            run.clock[0] = solver.t
            run.q[:n], run.v[:n], run.a[:] = solver.y[:n], solver.y[n:], run.push[0]
            if times is None and (run.counts[1] % every == 0 or solver.status != "running"):
                self.make_room(1)
                keep(run, self.record, solver.t, run.q, run.v, *run.spent)
            passed = int(np.searchsorted(wanted, solver.t, side="right"))
            for time in wanted[:passed]:
                z, s = inside(time), (time - solver.t_old) / h
                share = h * s * (before + s * (2.0 * middle - 1.5 * before - 0.5 * after))
                share += h * s**3 * (2.0 * before - 4.0 * middle + 2.0 * after) / 3.0  # power as a parabola
                keep(run, self.record, time, z[:n], z[n:], *(spent + share))
            wanted = wanted[passed:]
            before = after
            self.report(solver.t)
        return ""

    def rates(self, time: float, z: np.ndarray) -> np.ndarray:
        """z' for a method of scipy."""
        n = self.system.freedoms
        if not self.evaluate(time, z[:n], z[n:]) or not np.all(np.isfinite(self.run.push[0])):
            raise _Undetermined
        return np.concatenate([z[n:], self.run.push[0, :n]])

    def motion(self, message: str, ok: bool, interrupted: bool) -> Motion:
        """Everything recorded, with accelerations and reactions."""
        run, kept, system = self.run, int(self.run.counts[3]), self.system
        self.evaluate(self.time, run.q[:-3], run.v[:-3])
        last = State(run.q.copy(), run.v.copy(), run.a.copy(), run.lam.copy(), self.time, run.a.copy())
        record = Record(*(x[:kept] for x in self.record))
        _, a, lam = self.tell(record)
        counts, gap = run.counts, np.zeros((kept, system.constraints))
        for k, u in enumerate(system.signals(record.time)):
            joints.residual(system.equations.rows, np.append(record.q[k], np.zeros(3)), u, gap[k])
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
            constraint_error=max(float(run.drift[0]), float(np.max(np.abs(gap), initial=0.0))),
            local_error=None,
            message=message,
            ok=ok,
            interrupted=interrupted,
            counted="evaluations",
            lossless=True,
            advice=ADVICE,
        )


ADVICE = (
    "a larger accuracy=, method='SDIRK4' where something is stiff, damping where something snaps, a larger speed= "
    "where joints rub; formulation='dae' to pass a dead centre"
)
REASONS = {
    loop.TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or the motion is stiff)",
    loop.SINGULAR: "the accelerations are not determined (a part without mass, a lost constraint, jammed friction)",
}


def softened(system: Constrained, accuracy: float) -> Constraints:
    """The constraints with redundant rows as soft as the accuracy allows.

    Where a mechanism with redundant rows passes a pose at which one more depends on the others, by sigma, a gap g of a
    joint turns that row by g / sigma^2, against the motion. Softness s takes its force away below sigma^2 = s, so that
    it has to be large against the gaps, which are a part of the accuracy; what moves meanwhile is of the order of s.
    """
    known = system.compiled
    rows = known.equations.rows
    softness = min(max(SOFTNESS * accuracy, LEAST_SOFT), MOST_SOFT)
    rows = rows._replace(softness=np.where(rows.softness > 0.0, softness, 0.0))
    return known._replace(equations=known.equations._replace(rows=rows))


def _pace(system: Constrained, state: Any, duration: float) -> float:
    """How fast things change (1/s): by their velocities and accelerations, in lengths of the model and radians."""
    weight = system.equations.weight
    speed, push = (float(np.max(np.abs(x[:-3]) * weight, initial=0.0)) for x in (state.v, state.a))
    return max(speed, push**0.5, 1.0 / duration)
