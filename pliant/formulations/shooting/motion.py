"""Motion in time: a start that satisfies the joints, compiled chunks of Newmark steps, finer grids along the rods."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from pliant.elements.rod_ivp.march import SEEN, SUMS, MarchStart, gather_loads
from pliant.elements.rod_ivp.slope import BENDING, BETA, KEPT, MASS, STRAIN
from pliant.errors import UnresolvedFrequency, warn
from pliant.forces.state_force import callbacks
from pliant.formulations.shooting import adaptive, condense, newmark
from pliant.formulations.shooting.joining import joining
from pliant.formulations.shooting.motion_options import equal_steps
from pliant.formulations.shooting.observation import interior_of
from pliant.formulations.shooting.rod_state import Interior, read
from pliant.formulations.shooting.rods import STEP
from pliant.formulations.shooting.system import Shooting
from pliant.model.signals.base import Function
from pliant.solvers.stepping.alpha_scheme import newmark as newmark_scheme
from pliant.solvers.stepping.alpha_scheme import scheme_of
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drivers import COUNTS, Chunk, EqualSteps, Signals, new_record, put_back, tables, tabulate
from pliant.solvers.stepping.energy_balance import energy_summary
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import Present, hold, idle, sample
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, OPEN, SINGULAR
from pliant.system.state import State

LONGEST = 4096  # steps at once
MAX_CUTS = 10
PROBE = 0.1  # of a step: used to find the accelerations at the start
VIRTUAL = 1e-5  # of the length scale and rad: a small move, to convert velocities of nodes to velocities of stations
SHORT, LONG = 0.5, 1.0  # rad of a wave in a step along a rod: start of adaptive rods; limit of a warning

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


def move(system: Shooting, begin: State, plan: Plan) -> TimeHistory:
    """Compute the motion from a state, in equal steps. Newmark's beta and gamma are the paper's (a2 / 2, a1)."""
    method, step = equal_steps(system, plan)
    _warn_of_waves(system, 1.0 / (scheme_of(method).beta * step**2))
    return EqualSteps(ShootingStepping(system, begin, plan), plan).run()


def waves(system: Shooting, c0: float) -> list[float]:
    """Return the angle (rad) of bending waves, ``EI w_ssss + c0 rhoA w = 0``, in each subinterval's longest step."""
    rods, found = system.rods, []
    for e in range(rods.rod.size):
        rows = rods.section[rods.first_station[e] : rods.first_station[e + 1]]
        longest = float(np.max(rods.step[rods.first_step[e] : rods.first_step[e + 1]]))
        found.append(longest * float(np.max((rows[:, MASS] * c0 * rows[:, BENDING]) ** 0.25)))
    return found


def _divided(ends: np.ndarray, parts: int) -> np.ndarray:
    """Return the ends of steps after dividing each into equal parts."""
    count = ends.size - 1
    return np.interp(np.arange(parts * count + 1) / parts, np.arange(count + 1), ends)


def _warn_of_waves(system: Shooting, c0: float) -> None:
    turn = waves(system, c0)
    worst = int(np.argmax(turn))
    mesh = system.layout.beams[system.rods.rod[worst]]
    if turn[worst] > LONG and not mesh.options.adapts:
        part = mesh.options.step or STEP
        warn(
            UnresolvedFrequency,
            f'Beam "{mesh.beam.name}": so short a time step makes waves along it of which {turn[worst]:.2g} rad lie in '
            f"one step d = {part:g} of its length. Compile with step={part * SHORT / turn[worst]:.1g} or smaller.",
        )


class ShootingStepping:
    """Newmark's scheme for rods (see ``solvers/stepping/drivers.py`` for the driver's interface)."""

    nodes = np.zeros(1)
    steady = dense = False
    most_cuts, reasons, jumping = MAX_CUTS, REASONS, ()

    def __init__(self, system: Shooting, start: State, plan: Plan) -> None:
        """Start from a state; unless it ends another motion, make it satisfy the joints and the drives."""
        step, self.sampler = plan.step or 0.0, plan.sampler or idle(len(system.layout.signals), system.size)
        self.time, self.h, self.counts = start.time, 0.0, new_record(COUNTS)
        self.calls_python = any(isinstance(each.signal, Function) for each in system.layout.signals)
        self.adapts = any(mesh.options.adapts for mesh in system.layout.beams)
        self.shortest, self.longest = (1, 1) if self.adapts else (16, LONGEST)
        known = read(system, start.interior)
        inside = known[1] if known else None
        system = known[0] if known else system
        going_on = known is not None and start.abar is not None and plan.velocity is None
        self.system, work, sums = system, system.workspace(), np.zeros(SUMS)
        v = start.v
        if not going_on:
            v = consistent(system.mesh, start, time=start.time, velocity=plan.velocity, step=step).v
        a = start.a if going_on else np.zeros_like(start.q)
        abar = start.abar if going_on and start.abar is not None else a
        stations = np.zeros((4, system.rods.section.shape[0], KEPT))
        if inside is None:
            inside = Interior(joining(system, start.q), *stations)
            work.load[:] = 0.0
            newmark.survey(
                system.rods, system.table, MarchStart(start.q, inside.force), 0.0, 0.0, work, inside.position, sums
            )
        state = newmark.State(
            start.q.copy(), v.copy(), a.copy(), abar.copy(), start.lam.copy(), np.zeros(2), inside.force,
            *inside.stations(),
        )  # fmt: skip
        self.run = newmark.Run(
            equations=system.equations,
            rods=system.rods,
            table=system.table,
            controls=newmark.Controls(
                scheme=scheme_of(plan.method), tolerance=1e-5, max_iterations=15, way=system.way,
                unsymmetric=True, powers=system.powered_parts, small=system.small(),
            ),
            state=state,
            old=copied(state),
            scratch=system.scratch(),
            work=work,
            memory=new_record(newmark.MEMORY),
            sums=sums,
            counts=self.counts,
        )  # fmt: skip
        if not going_on:
            velocity = self.station_velocities()
            state = state._replace(velocity=velocity, acceleration=np.zeros_like(velocity), averaged=0.0 * velocity)
            self.run = self.run._replace(state=state)
        self.fit_grid(PROBE * step if not going_on else step)
        if not going_on:
            self.probe(PROBE * step)
        self.measure(going_on)
        self.run = self.run._replace(old=copied(self.run.state))

    def use(self, system: Shooting, state: newmark.State) -> None:
        """Continue with a system on another grid, in a state on that grid."""
        self.system = system
        self.run = self.run._replace(
            rods=system.rods, state=state, old=copied(state), scratch=system.scratch(), work=system.workspace()
        )

    def fit_grid(self, h: float) -> None:
        """Refine adaptive rods to steps that are short relative to the waves of their equations with a time step h."""
        parts = [ceil(turn / SHORT) for turn in waves(self.system, 1.0 / (h * h))]
        if self.adapts and max(parts) > 1:
            finer = self.system.with_grid(tuple(map(_divided, self.system.grid, parts)))
            self.use(finer, carried(self.run.state, self.system, finer))

    def station_velocities(self) -> np.ndarray:
        """Return the velocities of all stations from velocities of the nodes: as rods without inertia would follow.

        They are a central difference over a small move of nodes and base forces along the exact derivative.
        """
        system, work, scratch = self.system, self.run.work, self.run.scratch
        q, v, force = self.run.state.q, self.run.state.v, self.run.state.force
        size = float(np.max(np.abs(v[:-3]) * system.equations.weight, initial=0.0))
        shifted = np.zeros((2, system.rods.section.shape[0], KEPT))
        if size == 0.0:
            return shifted[0]
        condense.shoot(
            system.rods, system.table, MarchStart(q, force), 0.0, 0.0, condense.VARIATIONAL, system.small(), work
        )
        work.gap[:] = 0.0
        condense.add(system.rods, work, scratch.r, scratch.s, scratch.w)
        along = np.zeros_like(force)
        condense.follow(system.rods, work, v, 1.0, along)
        small = VIRTUAL / size
        for sign, position in zip((1.0, -1.0), shifted, strict=True):
            moved, pushed = q + sign * small * v, force + sign * small * along
            newmark.survey(
                system.rods, system.table, MarchStart(moved, pushed), 0.0, 0.0, work, position, np.zeros(SUMS)
            )
        return np.asarray((shifted[0] - shifted[1]) / (2.0 * small))

    def probe(self, h: float) -> None:
        """Find accelerations and reactions of the present state, from a short implicit step that is then undone.

        Modes too fast for it stay calm. If it fails they are zero, as in the paper's eq. 12.
        """
        trial = self.run._replace(
            state=copied(self.run.state),
            controls=self.run.controls._replace(scheme=newmark_scheme(1.0, 1.0)),
            memory=new_record(newmark.MEMORY),
        )
        status, _ = newmark.step(trial, h, self.signals(np.array([self.time + h])).u[0])
        callbacks.reraise()
        if status == DONE:
            newmark.settle(trial, h)
            now, found = self.run.state, trial.state
            now.lam[:], now.a[:], now.abar[:] = found.lam, found.a, found.abar
            now.acceleration[:], now.averaged[:] = found.acceleration, found.averaged

    def measure(self, moving: bool) -> None:
        """Compute energies, powers and section forces of the present state, along a rod as in a motion, or at rest."""
        system, state, work = self.system, self.run.state, self.run.work
        gather_loads(system.rods, self.signals(np.array([self.time])).u[0], work)
        work.past[:, :3], work.past[:, 3:6] = (state.position - state.acceleration)[:, :3], state.velocity[:, :3]
        c0 = 1.0 if moving else 0.0  # x'' = x - x^
        work.past[:, STRAIN : STRAIN + 3] = -c0 * system.rods.section[:, BETA, None] * state.velocity[:, 3:]
        position = np.zeros_like(state.position)
        newmark.survey(
            system.rods, system.table, MarchStart(state.q, state.force), c0, 0.0, work, position, self.run.sums
        )

    def signals(self, times: np.ndarray) -> Signals:
        """Return the signals at instants, with a controller's current signals."""
        table = tabulate(self.system, times)
        self.sampler.set_signals(table)
        return table

    def records(self, rows: int) -> newmark.Record:
        """Return empty records."""
        n, m, places = self.system.freedoms, self.system.constraints, self.system.rods.seen_at.size
        shapes = (), (n,), (n,), (n,), (m,), (2,), (SUMS,), (places, SEEN)
        return newmark.Record(*tables(rows, *shapes))

    def keep(self, record: newmark.Record) -> None:
        """Record the present state."""
        newmark.keep(self.run, self.time, record)

    def resize(self, h: float) -> None:
        """Adjust the algorithmic accelerations to a new step: they belong to an instant (alpha_m - alpha_f) h away."""
        if self.h and h != self.h:
            s, ratio = self.run.state, h / self.h
            s.abar[:] = s.a + ratio * (s.abar - s.a)
            s.averaged[:] = s.acceleration + ratio * (s.averaged - s.acceleration)
        self.h = h

    def advance(self, chunk: Chunk, record: newmark.Record) -> tuple[int, int]:
        """Take the steps of a chunk, between two samples of a controller at once."""
        period, total, done = self.sampler.period, chunk.signals.time.size - 1, 0
        if not (period and chunk.sampling):
            return self.steps(chunk, record)
        while done < total:
            since = (chunk.behind + done) % period
            count = min(period - since, total - done)
            piece = chunk.signals.part(done, done + count + 1)
            if since == 0:
                self.sample(piece.u[0], chunk.h)
            for row in range(count + 1):
                hold(self.sampler, piece, row)
            status, taken = self.steps(chunk._replace(signals=piece, steps=count, behind=chunk.behind + done), record)
            done += taken
            if status != DONE:
                return status, done
        return DONE, done

    def sample(self, u: np.ndarray, h: float) -> None:
        """Let the controller read and set its signals; accelerations are then found again."""
        state = self.run.state
        sample(self.system.equations.parts, self.sampler, Present(state.q, state.v, state.a, state.lam), u)
        callbacks.reraise()
        self.probe(PROBE * h)

    def steps(self, chunk: Chunk, record: newmark.Record) -> tuple[int, int]:
        """Take the steps of a chunk, repeated on a finer grid if the steps along the rods were too large."""
        before, kept = copied(self.run.state), int(self.counts.records)
        for _ in range(adaptive.ROUNDS):
            self.counts.records = kept
            status, done = newmark.advance(self.run, chunk.signals, chunk.h, chunk.every, chunk.behind, record)
            callbacks.reraise()
            finer = self.finer(status, chunk.h)
            if finer is None:
                break
            before = carried(before, self.system, finer)
            self.use(finer, copied(before))
        self.time = float(chunk.signals.time[done])
        self.counts.steps += done
        return status, done

    def finer(self, status: int, h: float) -> Shooting | None:
        """Return the system with steps along the rods divided if they were too large in the last step; else None."""
        if not self.adapts or status != DONE:
            return None
        c0, c1, _ = newmark.coefficients(self.run.controls.scheme, h)
        found = adaptive.estimate(self.system, self.run.state.q, self.run.state.force, c0, c1, self.run.work)
        grid = adaptive.refined(self.system, found)
        return None if grid is None else self.system.with_grid(grid)

    def restart(self) -> None:
        """Do nothing: a jump acts half a step late."""

    def arrive(self, time: float) -> None:
        """Set the time to this instant, which differs by rounding only."""
        self.time = time

    def snapshot(self) -> Any:
        """Return a copy of everything that ``advance`` changes."""
        run = self.run
        kept = [x.copy() for x in self.sampler.changing()]
        return self.time, self.system, copied(run.state), run.sums.copy(), run.memory.copy(), run.counts.copy(), kept

    def restore(self, snapshot: Any) -> None:
        """Restore a snapshot."""
        self.time, system, state, sums, memory, counts, kept = snapshot
        for into, value in zip(self.sampler.changing(), kept, strict=True):
            into[...] = value
        self.use(system, state)
        self.run.sums[:] = sums
        put_back(self.run.memory, memory)
        put_back(self.counts, counts)

    def complete(self, record: newmark.Record) -> None:
        """Do nothing: steps are complete."""

    def motion(self, record: newmark.Record) -> TimeHistory:
        """Return the recorded motion."""
        s = copied(self.run.state)
        inside = Interior(s.force, s.position, s.velocity, s.acceleration, s.averaged).row(self.system)
        return TimeHistory(
            *record[:6], last=State(s.q, s.v, s.a, s.lam, self.time, s.abar, interior=inside),
            constraint_error=float(self.counts.constraint_error), **energy_summary(self.counts),
            interior=interior_of(record.sums, record.seen), advice=ADVICE,
        )  # fmt: skip


def copied(state: newmark.State) -> newmark.State:
    """Return a copy of a state."""
    return newmark.State(*(x.copy() for x in state))


def carried(state: newmark.State, old: Shooting, new: Shooting) -> newmark.State:
    """Return a state on another grid."""
    inside = Interior(state.force, state.position, state.velocity, state.acceleration, state.averaged).on(old, new)
    return newmark.State(*state[:6], state.force, *inside.stations())
