"""Ordinary differential equations x'' = f(x, x', t) for a driver: by the compiled Runge-Kutta, or by scipy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, cast

import numpy as np

from pliant import _libraries
from pliant.errors import SingularError
from pliant.forces.state_force import callbacks
from pliant.solvers.ode import fastest_motion
from pliant.solvers.ode.runge_kutta import (
    CLOCK,
    Record,
    Run,
    Span,
    Stages,
    Tableau,
    Tolerance,
    keep,
)
from pliant.solvers.ode.tableaux import coefficients
from pliant.solvers.stepping import methods
from pliant.solvers.stepping.adaptive_steps import AdaptiveSteps, SampledSteps
from pliant.solvers.stepping.drivers import COUNTS, Chunk, Signals, new_record, put_back, tables, tabulate
from pliant.solvers.stepping.motion import ENDS, Plan, TimeHistory
from pliant.solvers.stepping.sampling import Present, sample
from pliant.solvers.stepping.status import DONE, SINGULAR, TOO_SMALL
from pliant.system.numbering.planar_layout import Layout

SHARPEST = 1e-13  # accuracy below which rounding would steer the step
FIRST = 1e-3  # first step, in characteristic times of the motion
SHORTEST, CHUNK, LONGEST = 4, 64, 1024  # steps: with signals tabulated at once; between reports if steady
SMALLEST = 1e-13  # of the duration: a step that is too small
UNBOUNDED = 1e100  # tolerance of the energies, which do not control the step
NONE = np.empty(0)


class OrdinaryEquations(Protocol):
    """Equations of a formulation.

    system     with the signals
    units      (n) scales of the coordinates: the model's length, or 1 for angles
    steady     whether all signals are constant
    one_size   whether the steps of a chunk are equal though all signals are constant
    gap        of the joints from which they are closed after a step, in units of the allowed errors; 0: never
    augmented  whether scipy integrates the energies too; otherwise they are summed after every step
    turning    (frames, nodes): start of the quaternions of spatial nodes, and number of moving ones; none in the plane
    reasons    for a stop, by status
    """

    system: Any
    units: np.ndarray
    steady: bool
    one_size: bool
    gap: float
    augmented: bool
    turning: tuple[int, int]

    @property
    def reasons(self) -> Mapping[int, str]: ...

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Compute acceleration and powers at a state, in the first stage of the run; False if undetermined."""

    def signals(self, times: np.ndarray) -> Signals:
        """Return signals at instants, with the present inputs of a controller; one row if all are constant."""

    def undetermined(self, time: float) -> str:
        """Return the message for undetermined accelerations at the start."""

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """Take the steps of a span, in compiled code."""

    def changing(self) -> tuple[np.ndarray, ...]:
        """Return the arrays of the equations that ``advance`` changes and the next steps need."""

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Return velocities comparable with the units (1/s), from the largest rate of change so far."""

    def motion(self, run: Run, record: Record) -> TimeHistory:
        """Return the recorded instants, and the present state to continue from."""


class SampledEquations(OrdinaryEquations, Protocol):
    """Equations with a motion that a controller samples."""

    def present(self, run: Run, record: Record, signals: Signals) -> Present:
        """Return the system at the single instant of a record."""


class HeldSignals:
    """Signals of a system in motion, with the present inputs of a controller.

    steady  whether all other signals are constant
    """

    def __init__(self, system: Any, begin: float, plan: Plan) -> None:
        self.system, self.sampler, self.begin, self.end = system, plan.sampler, begin, plan.end_time
        held = [] if self.sampler is None else self.sampler.signals.tolist()
        moving = [k for k, one in enumerate(system.layout.signals) if not one.constant and k != Layout.TIME]
        self.steady = set(moving) <= set(held)

    def now(self, times: np.ndarray) -> Signals:
        """Return signals at instants, with the present inputs of the controller; one row if all are constant."""
        table = tabulate(self.system, times[:1] if self.steady else times)
        if self.sampler is not None:
            table.u[:, self.sampler.signals] = self.sampler.applied
        return table

    def past(self, times: np.ndarray) -> Signals:
        """Return signals at instants of the past motion."""
        if self.sampler is None:
            return self.now(times)
        table = tabulate(self.system, times)
        table.u[:, self.sampler.signals] = self.sampler.applied_before(times, self.begin, self.end)
        return table


class EquationsForScipy(OrdinaryEquations, Protocol):
    """Equations that methods of scipy can use too."""

    def jacobian(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray | None:
        """Return the derivative of (v, x'') by (x, v), for implicit methods of scipy; None: they use differences."""


def integrate(
    ode: OrdinaryEquations, time: float, q: np.ndarray, v: np.ndarray, plan: Plan, accuracy: float
) -> TimeHistory:
    """Integrate from a state by the method of a plan; ``accuracy`` applies unless the plan has one or tolerances."""
    kind = ScipySteps if isinstance(plan.method, methods.ByScipy) else CompiledSteps
    driver = AdaptiveSteps if plan.sampler is None else SampledSteps
    return driver(kind(ode, time, q, v, plan, accuracy), plan).run()


class OdeStepping:
    """Common base of both steppers: the present state, its tolerances and its records."""

    most_cuts, dense, sliver, calls_python, ends = 0, True, 0.0, False, np.empty(0)
    jumping = ()  # adaptive steps locate jumps, and evaluate after each
    rule = ENDS
    fatal = (SINGULAR, TOO_SMALL)

    def __init__(
        self, ode: OrdinaryEquations, time: float, q: np.ndarray, v: np.ndarray, plan: Plan, accuracy: float
    ) -> None:
        self.ode, self.reasons, self.begin, self.end = ode, ode.reasons, time, plan.end_time
        self.sampler = plan.sampler
        self.accuracy, self.tolerances = plan.accuracy or accuracy, plan.checked_tolerances()
        self.table = self.tableau(plan)
        self.n, size = ode.units.size, q.size
        self.fastest = 0.0
        stages = self.table.c.size + 1 + self.table.inner_c.size
        frames, nodes = ode.turning
        self.recorded = size if nodes else self.n  # in space the quaternions too
        places, speeds, pushes = np.tile(q, (stages, 1)), np.zeros((stages, size)), np.zeros((stages, size))
        self.counts, self.clock = new_record(COUNTS), new_record(CLOCK, time=time, error=1.0)
        self.run = Run(
            q=q.copy(),
            v=v.copy(),
            a=np.zeros(size),
            work=np.zeros(2),
            clock=self.clock,
            counts=self.counts,
            stages=Stages(
                q=places,
                v=speeds,
                a=pushes,
                power=np.zeros((stages, 2)),
                rate=np.zeros((stages, size)) if nodes else speeds,
                bend=np.zeros(size),
            ),
            frames=frames,
            turning=nodes,
        )
        if not self.evaluate():
            raise SingularError(ode.undetermined(time))

    def evaluate(self) -> bool:
        """Compute accelerations and powers at the present state. Returns whether they are determined."""
        run = self.run
        found = self.ode.evaluate(run, self.time, run.q[: self.recorded], run.v[: self.recorded])
        run.a[:] = run.stages.a[0]
        return found and bool(np.all(np.isfinite(run.a)))

    def sample(self) -> bool:
        """Let the controller sample the present state, and restart with its inputs. Returns whether this succeeded."""
        system, run, signals = self.ode.system, self.run, self.ode.signals(np.array([self.time]))
        record = Record(
            np.array([self.time]), run.q[None, : self.recorded], run.v[None, : self.recorded], run.work[None]
        )
        present = cast(SampledEquations, self.ode).present(run, record, signals)
        sample(system.equations.parts, self.sampler, present, signals.u[0])
        callbacks.reraise()
        return self.evaluate()

    def tableau(self, plan: Plan) -> Tableau:
        """Return the coefficients of the method."""
        return coefficients(type(plan.method).__name__, within=plan.times is not None)

    @property
    def time(self) -> float:
        """Return the present time."""
        return float(self.clock["time"])

    def rate(self) -> float:
        """Return the rate of change (1/s) by velocities and accelerations, in lengths of the model and radians."""
        v, a = (float(np.max(np.abs(x[: self.n]) / self.ode.units, initial=0.0)) for x in (self.run.v, self.run.a))
        return max(v, a**0.5, 1.0 / (self.end - self.begin))

    def tolerance(self) -> Tolerance:
        """Return the allowed errors. Velocities compare with the largest so far, or with accelerations."""
        units, gap = self.ode.units, self.ode.gap
        if self.tolerances is not None:
            relative, absolute = self.tolerances
            same = np.full(self.n, absolute)
            return Tolerance(max(relative, SHARPEST), same, same, gap)
        self.fastest = max(self.fastest, self.rate())
        part = max(self.accuracy, SHARPEST)
        velocity = self.ode.velocity_rate(self.fastest, self.run, self.table)
        return Tolerance(0.0, part * units, part * velocity * units, gap)

    def records(self, rows: int) -> Record:
        """Return empty records."""
        width = (self.recorded,)
        return Record(*tables(rows, (), width, width, (2,)))

    def keep(self, record: Record) -> None:
        """Record the present state."""
        keep(self.run, record, self.time)

    def resize(self, h: float) -> None:
        """Do nothing: the state fits steps of any size."""

    def changing(self) -> tuple[np.ndarray, ...]:
        """Return all arrays that one step carries over to the next."""
        return (*self.run[:4], self.run.stages.power[0], *self.ode.changing())

    def restart(self) -> None:
        """Do nothing: accelerations use the signals at every stage."""

    def arrive(self, time: float) -> None:
        """Set the present time to this instant, which differs only by rounding."""
        self.clock.time = time

    def snapshot(self) -> Any:
        """Return a copy of all that ``advance`` changes."""
        return [x.copy() for x in self.changing()], self.clock.copy(), self.counts.copy(), self.fastest

    def restore(self, snapshot: Any) -> None:
        """Restore a snapshot."""
        arrays, clock, counts, self.fastest = snapshot
        for into, value in zip(self.changing(), arrays, strict=True):
            into[...] = value
        put_back(self.clock, clock)
        put_back(self.counts, counts)

    @property
    def smallest_step(self) -> float:
        """Return the size below which a step is too small."""
        return SMALLEST * (self.end - self.begin)

    def smallest(self, plan: Plan, first: float) -> float:
        """Return `smallest_step`, for a driver."""
        return self.smallest_step

    def complete(self, record: Record) -> None:
        """Do nothing: steps record everything."""

    def motion(self, record: Record) -> TimeHistory:
        """Return all records."""
        known = None if self.tolerances else float(self.counts.local_sum) * max(self.accuracy, SHARPEST)
        return replace(self.ode.motion(self.run, record), local_sum=known, rule=self.rule)


class CompiledSteps(OdeStepping):
    """Compiled Runge-Kutta stepper (interface: ``solvers/stepping/drivers.py``)."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.nodes = np.append(self.table.c, self.table.inner_c)
        self.rule = np.stack([self.table.c, self.table.b])
        self.steady = self.ode.steady and not self.ode.one_size
        self.shortest, self.longest = SHORTEST, LONGEST if self.steady else CHUNK
        self.watched = ""

    def signals(self, times: np.ndarray) -> Signals:
        """Return signals at instants; one row if they are constant."""
        return self.ode.signals(times)

    def first_step(self, plan: Plan) -> float:
        """Return the size of the first step."""
        self.watched = type(plan.method).__name__
        return min(FIRST / self.rate(), self.end - self.begin)

    def watch(self) -> None:
        """Warn once, after some steps, if the fastest motion needs very many explicit ones."""
        method, count, self.watched = self.watched, int(self.counts.iterations), ""
        if method in fastest_motion.STABLE:
            rate = fastest_motion.fastest(self.accelerations_at, self.ode.units)
            self.accelerations_at(np.zeros(self.n), np.zeros(self.n))
            self.counts.iterations = count
            fastest_motion.warn_of_many_steps(self.ode.system.model.name, method, rate, self.end - self.begin)

    def accelerations_at(self, dx: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """Return accelerations at a displaced state; NaN if undetermined."""
        run, n = self.run, self.n
        q, v = run.q.copy(), run.v.copy()
        v[:n] += dv
        if run.turning:
            q = self.ode.system.moved(q, dx)
        else:
            q[:n] += dx
        found = self.ode.evaluate(run, self.time, q[: self.recorded], v[: self.recorded])
        return run.stages.a[0, :n].copy() if found else np.full(n, np.nan)

    def next_step(self, status: int, h: float) -> float:
        """Return the size that the loop has chosen for the next step."""
        return float(self.clock["step"])

    def advance(self, chunk: Chunk, record: Record) -> tuple[int, int]:
        """Take the steps of a chunk."""
        if self.watched and self.counts.steps > fastest_motion.SOME:
            self.watch()
        self.clock["step"] = chunk.h
        wanted = NONE if chunk.wanted is None else chunk.wanted
        span = Span(
            chunk.steps, chunk.end, self.smallest_step, not self.steady, chunk.every, chunk.wanted is not None, wanted
        )
        ended = self.ode.advance(self.table, self.tolerance(), chunk.signals, span, self.run, record)
        callbacks.reraise()
        return ended


class Undetermined(Exception):
    """Signal of undetermined accelerations within a method of scipy."""


class ScipySteps(OdeStepping):
    """Method of scipy for z = (x, v) or, if the energies are integrated too, for z = (x, v, energies)."""

    nodes, shortest, longest, steady = np.zeros(1), 1, 1, True
    solver: Any = None

    def tableau(self, plan: Plan) -> Tableau:
        """Return any tableau: only the workspace of one stage is needed."""
        self.kind = getattr(_libraries.integrate, type(plan.method).__name__)
        return coefficients("RK23")

    def signals(self, times: np.ndarray) -> Signals:
        """Return empty rows: the equations evaluate the signals at instants that scipy chooses."""
        return Signals(times, *(np.empty((times.size, 0)) for _ in range(3)))

    def first_step(self, plan: Plan) -> float:
        """Return the largest step: scipy chooses its own."""
        return self.end - self.begin

    def ready(self, end: float) -> None:
        """Prepare scipy to integrate from the present to an instant."""
        tolerance, run, n = self.tolerance(), self.run, self.n
        start, least = [run.q[:n], run.v[:n]], [tolerance.position, tolerance.velocity]
        if self.ode.augmented:
            start, least = [*start, run.work], [*least, np.full(2, UNBOUNDED)]
        z, absolute = np.concatenate(start), np.concatenate(least)
        relative = max(tolerance.relative, SHARPEST)
        known = {} if self.slopes(self.time, z) is None else {"jac": self.slopes}
        self.solver = self.kind(self.rates, self.time, z, end, rtol=relative, atol=absolute, **known)
        self.power = run.stages.power[0].copy()
        if not self.ode.augmented:
            self.power = self.power_at(self.time, z)

    def next_step(self, status: int, h: float) -> float:
        """Return the largest step: scipy chooses its own."""
        return self.end - self.begin

    def rates(self, time: float, z: np.ndarray) -> np.ndarray:
        """Return z'."""
        n, stages = self.n, self.run.stages
        q, v = (np.ascontiguousarray(x) for x in (z[:n], z[n : 2 * n]))  # scipy's are columns
        if not self.ode.evaluate(self.run, time, q, v):
            raise Undetermined
        return np.concatenate([v, stages.a[0, :n], stages.power[0] if self.ode.augmented else NONE])

    def slopes(self, time: float, z: np.ndarray) -> np.ndarray | None:
        """Return the derivative of z' by z; None if the equations do not provide it."""
        n, equations = self.n, cast(EquationsForScipy, self.ode)
        return equations.jacobian(time, np.ascontiguousarray(z[:n]), np.ascontiguousarray(z[n : 2 * n]))

    def advance(self, chunk: Chunk, record: Record) -> tuple[int, int]:
        """Take one step."""
        if self.solver is None or self.solver.t_bound != chunk.end:
            self.ready(chunk.end)
        run, n, solver = self.run, self.n, self.solver
        try:
            failed = solver.step()
            running = solver.status == "running"
            if failed is not None or (running and solver.step_size < self.smallest_step):
                return TOO_SMALL, 0
            passed = NONE if chunk.wanted is None else chunk.wanted[chunk.wanted <= solver.t]
            inside: Any = None if self.ode.augmented and not passed.size else solver.dense_output()
            energies = None if self.ode.augmented else self.energies_between(inside)
        except Undetermined:
            return SINGULAR, 0
        run.q[:n], run.v[:n] = solver.y[:n], solver.y[n : 2 * n]
        run.work[:] = energies(solver.t) if energies else solver.y[2 * n :]
        self.clock.time = solver.t
        self.counts.steps += 1
        self.counts.local_sum += 1.0  # upper bound
        if chunk.wanted is None:
            if self.counts.steps % chunk.every == 0:
                self.keep(record)
            return DONE, 1
        for time in passed:
            z, m = inside(time), self.counts.records
            record.time[m], record.q[m], record.v[m] = time, z[:n], z[n : 2 * n]
            record.work[m] = energies(time) if energies else z[2 * n :]
            self.counts.records += 1
        return DONE, 1

    def power_at(self, time: float, z: np.ndarray) -> np.ndarray:
        """Return the powers supplied and dissipated at an instant."""
        self.rates(time, z)
        return self.run.stages.power[0].copy()

    def energies_between(self, inside: Any) -> Callable[[float], np.ndarray]:
        """Return energies at instants of the last step, by the parabola through the powers at its ends and middle."""
        solver, work, before = self.solver, self.run.work.copy(), self.power
        begin, h = solver.t_old, solver.t - solver.t_old
        middle = self.power_at(begin + 0.5 * h, inside(begin + 0.5 * h))
        self.power = after = self.power_at(solver.t, solver.y)
        self.run.a[:] = self.run.stages.a[0]

        def energies(time: float) -> np.ndarray:
            s = (time - begin) / h
            share = h * s * (before + s * (2.0 * middle - 1.5 * before - 0.5 * after))
            return np.asarray(work + share + h * s**3 * (2.0 * before - 4.0 * middle + 2.0 * after) / 3.0)

        return energies
