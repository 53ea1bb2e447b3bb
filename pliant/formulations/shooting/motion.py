"""Motion in time: a start that fits the joints, compiled chunks of Newmark steps, cut-back and finer grids."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np

from pliant.elements.rod_ivp.march import SUMS, gather_loads
from pliant.elements.rod_ivp.slope import BENDING, MASS
from pliant.errors import OptionError, PliantWarning
from pliant.forces.state_force import callbacks
from pliant.formulations.dae.generalized_alpha import DONE, NOT_CONVERGED, NOT_FINITE, OPEN, SINGULAR, Scheme
from pliant.formulations.dae.generalized_alpha import newmark as newmark_scheme
from pliant.formulations.dae.generalized_alpha import scheme as alpha_scheme
from pliant.formulations.dae.motion import Motion
from pliant.formulations.shooting import adaptive, condense
from pliant.formulations.shooting import newmark as loop
from pliant.formulations.shooting.equilibrium import joining
from pliant.formulations.shooting.interior import Interior, read
from pliant.formulations.shooting.observation import told
from pliant.formulations.shooting.rods import STEP
from pliant.formulations.shooting.system import Shooting
from pliant.solvers.starting import consistent
from pliant.system.state import State

CHUNK_SECONDS = 0.2  # between reports and chances to interrupt
BLOCK = 4096  # steps whose signals are tabulated at once
MAX_CUTS = 10
PROBE = 0.1  # of a step: over which the accelerations at the start are found
VIRTUAL = 1e-5  # of the length scale and rad: a small move, to turn velocities of nodes into those of stations
SHORT, LONG = 0.5, 1.0  # rad of a wave in a step along a rod: what adaptive rods start with; what is warned about
NEVER = 1 << 60

REASONS = {
    NOT_CONVERGED: "Newton did not converge",
    SINGULAR: "the equations became singular (a dead centre, a lost constraint, or marches that grow too much: more "
    "subintervals= help, shorter steps do not)",
    NOT_FINITE: "the motion is no longer finite",
    OPEN: "the joints do not stay closed, as when drives contradict each other",
}
ADVICE = (
    "a spectral_radius of 0.8 or 0.9, a smaller step=; a shorter step along the beams (step= of compile) or more "
    "subintervals, which shorter time steps need too"
)


def move(
    system: Shooting,
    begin: State,
    *,
    end_time: float,
    velocity: np.ndarray | None,
    times: np.ndarray | None,
    report: Callable[[float], None],
    step: float | None = None,
    newmark: tuple[float, float] | None = None,
    spectral_radius: float | None = None,
    every: int = 1,
    **others: Any,
) -> Motion:
    """Motion from a state; of the options of ``transient`` those that mean something here.

    step             s; the largest, the steps being equal. Has to be given
    newmark          (beta, gamma): the paper's (a2 / 2, a1); (0.25, 0.5), which damps nothing, unless given
    spectral_radius  of the generalized-alpha scheme instead, of order two: 1 damps nothing, 0.8 fast modes only
    """
    if others:
        raise OptionError(
            f"{', '.join(others)}: not an option of the formulation 'shooting', which takes equal steps by Newmark's "
            "scheme. Give step= and newmark=(beta, gamma) or spectral_radius=, or compile with formulation='dae'."
        )
    if step is None:
        raise OptionError("step: the formulation 'shooting' takes equal steps; give their size in seconds.")
    scheme = alpha_scheme(spectral_radius) if spectral_radius is not None else newmark_scheme(*(newmark or (0.25, 0.5)))
    _warn_of_waves(system, 1.0 / (scheme.beta * step**2))
    run = _Run(system, scheme, report)
    run.begin(begin, velocity, step)
    message, ok, interrupted = "reached the end", True, False
    try:
        failed = run.to(end_time, step, every if times is None else 1)
        if failed:
            smallest = step * 2.0**-MAX_CUTS
            message = f"stopped at t = {run.time:.6g} s: {REASONS[failed]}, even with steps of {smallest:.2g} s"
            ok = False
    except KeyboardInterrupt:
        run.go_back()
        message, ok, interrupted = f"was interrupted at t = {run.time:.6g} s", False, True
    return run.motion(message, ok, interrupted)


def waves(system: Shooting, c0: float) -> list[float]:
    """How far bending waves, ``EI w_ssss + c0 rhoA w = 0``, turn (rad) in the longest step of each subinterval."""
    rods, found = system.rods, []
    for e in range(rods.rod.size):
        rows = rods.section[rods.first_station[e] : rods.first_station[e + 1]]
        longest = float(np.max(rods.step[rods.first_step[e] : rods.first_step[e + 1]]))
        found.append(longest * float(np.max((rows[:, MASS] * c0 * rows[:, BENDING]) ** 0.25)))
    return found


def _divided(ends: np.ndarray, parts: int) -> np.ndarray:
    """Ends of steps, each of which is divided into equal parts."""
    count = ends.size - 1
    return np.interp(np.arange(parts * count + 1) / parts, np.arange(count + 1), ends)


def _warn_of_waves(system: Shooting, c0: float) -> None:
    turn = waves(system, c0)
    worst = int(np.argmax(turn))
    mesh = system.observed.layout.beams[system.rods.rod[worst]]
    if turn[worst] > LONG and not mesh.options.adapts:
        part = mesh.options.step or STEP
        warnings.warn(
            f'Beam "{mesh.beam.name}": so short a time step makes waves along it of which {turn[worst]:.2g} rad lie in '
            f"one step d = {part:g} of its length. Compile with step={part * SHORT / turn[worst]:.1g} or smaller.",
            PliantWarning,
            stacklevel=5,
        )


def carried(state: loop.State, old: Shooting, new: Shooting) -> loop.State:
    """A state on another grid."""
    inside = Interior(state.force, state.place, state.speed, state.push, state.swing).on(old, new)
    return state._replace(place=inside.place, speed=inside.speed, push=inside.push, swing=inside.swing)


class _Run:
    """What drives the compiled chunks."""

    def __init__(self, system: Shooting, scheme: Scheme, report: Callable[[float], None]) -> None:
        self.report = report
        self.controls = loop.Controls(
            scheme=scheme, tolerance=1e-5, max_iterations=15, way=system.way,
            unsymmetric=True, powers=system.observed.powered_parts, small=system.small(),
        )  # fmt: skip
        self.time, self.steps, self.cuts, self.h = 0.0, 0, 0, 0.0
        self.counts, self.memory, self.sums = np.zeros(3), np.zeros(1), np.zeros(SUMS)
        self.times: list[np.ndarray] = []
        self.records: list[loop.Record] = []
        self.before: tuple[float, int, int, loop.State] | None = None
        self.state: loop.State
        self.use(system)

    def use(self, system: Shooting) -> None:
        """Work with this system, whose grid may be another."""
        self.system, self.scratch, self.work = system, system.scratch(), system.workspace()
        self.adapts = any(mesh.options.adapts for mesh in system.observed.layout.beams)

    def begin(self, start: State, velocity: np.ndarray | None, step: float) -> None:
        """Start from a state; unless it is the end of another motion, made to fit the joints and the drives."""
        self.time = start.time
        known = read(self.system, start.interior)
        if known is not None:
            self.use(known[0])
        system, count = self.system, self.system.rods.section.shape[0]
        going_on = known is not None and start.abar is not None and velocity is None
        v = start.v if going_on else consistent(system.mesh, start, time=start.time, velocity=velocity, step=step).v
        u = system.signals(np.array([start.time]))[0]
        inside = known[1] if known else None
        if inside is None:
            inside = Interior(joining(system, start.q), *np.zeros((4, count, 3)))
            self.work.load[:] = 0.0
            loop.survey(system.rods, system.table, 0.0, 0.0, start.q, inside.force, self.work, inside.place, self.sums)
        if not going_on:
            inside.speed = self.station_speeds(start.q, v, inside.force)
            inside.push, inside.swing = np.zeros((2, count, 3))
        a = start.a if going_on else np.zeros_like(start.q)
        abar = start.abar if going_on and start.abar is not None else a
        self.state = loop.State(
            start.q.copy(), v.copy(), a.copy(), abar.copy(), start.lam.copy(), np.zeros(2), inside.force,
            inside.place, inside.speed, inside.push, inside.swing,
        )  # fmt: skip
        self.fit_grid(PROBE * step if not going_on else step)
        if not going_on:
            self.probe(PROBE * step)
        self.measure(u, going_on)
        self.old = loop.State(*(x.copy() for x in self.state))
        self.keep()

    def fit_grid(self, h: float) -> None:
        """Give adaptive rods steps that are short against the waves which a time step h makes of their equations."""
        system, state = self.system, self.state
        parts = [ceil(turn / SHORT) for turn in waves(system, 1.0 / (h * h))]
        if self.adapts and max(parts) > 1:
            finer = system.with_grid(tuple(map(_divided, system.grid, parts)))
            self.state = carried(state, system, finer)
            self.use(finer)

    def station_speeds(self, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Velocities of all stations from those of the nodes: how rods free of inertia would follow.

        A central difference over a small move of nodes and base forces along the exact derivative.
        """
        system, work, scratch = self.system, self.work, self.scratch
        size = float(np.max(np.abs(v[:-3]) * system.observed.equations.weight, initial=0.0))
        shifted = np.zeros((2, system.rods.section.shape[0], 3))
        if size == 0.0:
            return shifted[0]
        condense.shoot(system.rods, system.table, q, force, 0.0, 0.0, condense.VARIATIONAL, system.small(), work)
        work.gap[:] = 0.0
        condense.add(system.rods, work, scratch.r, scratch.s, scratch.w)
        along = np.zeros_like(force)
        condense.follow(system.rods, work, v, 1.0, along)
        small = VIRTUAL / size
        for sign, place in zip((1.0, -1.0), shifted, strict=True):
            moved, pushed = q + sign * small * v, force + sign * small * along
            loop.survey(system.rods, system.table, 0.0, 0.0, moved, pushed, work, place, np.zeros(SUMS))
        return (shifted[0] - shifted[1]) / (2.0 * small)

    def probe(self, h: float) -> None:
        """Accelerations and reactions at the start, from a short implicit step that is then taken back.

        Modes too fast for it stay calm. Where it fails they are zero, as the paper's eq. 12 has them.
        """
        system, state = self.system, loop.State(*(x.copy() for x in self.state))
        u = system.signals(np.array([self.time + h]))[0]
        controls = self.controls._replace(scheme=newmark_scheme(1.0, 1.0))
        status, _ = loop.step(
            system.observed.equations, system.rods, system.table, controls, h, u, state, self.scratch, self.work,
            np.zeros(1),
        )  # fmt: skip
        callbacks.reraise()
        if status == DONE:
            loop.settle(system.rods, system.table, controls, h, state, self.work, self.sums)
            now = self.state
            now.lam[:], now.a[:], now.abar[:] = state.lam, state.a, state.abar
            now.push[:], now.swing[:] = state.push, state.swing

    def measure(self, u: np.ndarray, moving: bool) -> None:
        """Energies, powers and section forces of the present state; forces along a rod as in a motion, or at rest."""
        system, state, work = self.system, self.state, self.work
        gather_loads(system.rods, u, work)
        work.past[:, :3], work.past[:, 3:] = state.place - state.push, state.speed
        c0 = 1.0 if moving else 0.0  # x'' = x - x^
        place = np.zeros_like(state.place)
        loop.survey(system.rods, system.table, c0, 0.0, state.q, state.force, work, place, self.sums)

    def to(self, end: float, step: float, every: int) -> int:
        """Equal steps to the end. Returns 0, or why it stopped."""
        begin, total = self.time, max(1, ceil((end - self.time) / step * (1.0 - 1e-12)))
        h = (end - begin) / total
        index, chunk = 0, 1 if self.adapts else 16
        while index < total:
            count = min(chunk, total - index, BLOCK)
            began = clock.perf_counter()
            status, done = self.advance(begin + h * np.arange(index, index + count + 1), h, every, index)
            index += done
            if status != DONE:
                status = self.bridge(begin + h * (index + 1), h)
                if status != DONE:
                    return status
                index += 1
                if index % every == 0:
                    self.keep()
            elif not self.adapts and clock.perf_counter() - began < CHUNK_SECONDS:
                chunk *= 2
        return 0

    def bridge(self, end: float, step: float) -> int:
        """One step that failed, taken in parts. Returns DONE or why it cannot be."""
        h, status = step, NOT_CONVERGED
        while end - self.time > 1e-9 * step:
            self.cuts += 1
            h *= 0.5
            if h < step * 2.0**-MAX_CUTS:
                return status
            count = round((end - self.time) / h)
            status, _ = self.advance(np.linspace(self.time, end, count + 1), h, NEVER, 1)
        self.time = end
        return DONE

    def advance(self, times: np.ndarray, h: float, every: int, index: int) -> tuple[int, int]:
        """Steps from one instant to the next, recording those whose number is a multiple of ``every``."""
        self.resize(h)
        system, rows = self.system, len(times) // every + 1
        values, rates = system.signals(times), system.observed.signal_rates(times)[0]
        self.before = self.time, self.steps, len(self.records), loop.State(*(x.copy() for x in self.state))
        for _ in range(adaptive.ROUNDS):
            record, self.counts[1] = self.room(rows), 0
            status, done = loop.advance(
                system.observed.equations, system.rods, system.table, self.controls, h, values, rates, self.state,
                self.old, self.scratch, self.work, self.memory, self.sums, every, index, record, self.counts,
            )  # fmt: skip
            callbacks.reraise()
            if not self.too_coarse(status, h):
                break
            system = self.system
        kept = int(self.counts[1])
        if kept:
            self.times.append(times[every - index % every : done + 1 : every])
            self.records.append(loop.Record(*(x[:kept] for x in record)))
        self.time = float(times[done])
        self.steps += done
        self.before = None
        self.report(self.time)
        return status, done

    def resize(self, h: float) -> None:
        """Fit the algorithmic accelerations to another step: they belong to an instant (alpha_m - alpha_f) h away."""
        if self.h and h != self.h:
            s, ratio = self.state, h / self.h
            s.abar[:] = s.a + ratio * (s.abar - s.a)
            s.swing[:] = s.push + ratio * (s.swing - s.push)
        self.h = h

    def too_coarse(self, status: int, h: float) -> bool:
        """Whether the steps along the rods were too large in the last step; they are then divided and it is undone."""
        if not self.adapts or status != DONE:
            return False
        c0, c1, _ = loop.coefficients(self.controls.scheme, h)
        found = adaptive.estimate(self.system, self.state.q, self.state.force, c0, c1, self.work)
        grid = adaptive.refined(self.system, found)
        if grid is None or self.before is None:
            return False
        finer = self.system.with_grid(grid)
        self.before = (*self.before[:3], carried(self.before[3], self.system, finer))
        self.use(finer)
        self.state = loop.State(*(x.copy() for x in self.before[3]))
        self.old = loop.State(*(x.copy() for x in self.before[3]))
        return True

    def room(self, rows: int) -> loop.Record:
        """Empty records."""
        n, m, count = self.system.freedoms, self.system.constraints, self.system.rods.rod.size
        shapes = (n,), (n,), (n,), (m,), (2,), (SUMS,), (count, 6)
        return loop.Record(*(np.empty((rows, *shape)) for shape in shapes))

    def keep(self) -> None:
        """Record the present state."""
        record = self.room(1)
        loop.keep(self.state, self.work, self.sums, 0, record)
        self.times.append(np.array([self.time]))
        self.records.append(record)

    def go_back(self) -> None:
        """Undo what an interrupted ``advance`` has begun."""
        if self.before is not None:
            self.time, self.steps, kept, self.state = self.before
            del self.records[kept:], self.times[kept:]

    def motion(self, message: str, ok: bool, interrupted: bool) -> Motion:
        """Everything recorded."""
        record = loop.Record(*(np.concatenate(column) for column in zip(*self.records, strict=True)))
        s = self.state
        inside = Interior(s.force, s.place, s.speed, s.push, s.swing).row(self.system)
        q, v, a, lam = (x.copy() for x in (s.q, s.v, s.a, s.lam))
        last = State(q, v, a, lam, self.time, s.abar.copy(), interior=inside)
        return Motion(
            time=np.concatenate(self.times),
            q=record.q,
            v=record.v,
            a=record.a,
            lam=record.lam,
            work=record.work,
            last=last,
            steps=self.steps,
            iterations=int(self.counts[0]),
            cut_backs=self.cuts,
            constraint_error=float(self.counts[2]),
            local_error=0.0,
            message=message,
            ok=ok,
            interrupted=interrupted,
            interior=told(record.sums, record.section),
            advice=ADVICE,
        )
