"""Motion of rods in space: its start, and the compiled steps under a driver.

The compiled loop takes steps of generalized-alpha with rods in space that are marched again in every iteration.

Nodes, bodies and joints are treated as in solvers/stepping/alpha_step.py. A rod is part of the equations as a two-port
whose march includes inertia (elements/rod_ivp/inertia.py); before a step it receives its past motion, after it its new
motion is stored.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.elements.rod_ivp import Rod, moving
from pliant.elements.rod_ivp.frames import Work, workspace
from pliant.elements.rod_ivp.moving import Memory, StepFactors, survey, update_past
from pliant.elements.rod_ivp.spatial import SEEN, SUMS, Arrays
from pliant.elements.rod_ivp.stations import subdivisions
from pliant.errors import ConvergenceError, OptionError
from pliant.forces.state_force import callbacks
from pliant.formulations.shooting.motion_options import equal_steps
from pliant.formulations.shooting.spatial.equilibrium import longest_step
from pliant.formulations.shooting.spatial.observation import FAMILY, dense, density, interior_of
from pliant.jit import kernel
from pliant.kernels.vectors import fill
from pliant.solvers.stepping import alpha_run
from pliant.solvers.stepping import alpha_run as alpha
from pliant.solvers.stepping.alpha_run import OPENEST, Inputs, Run, copy, keep
from pliant.solvers.stepping.alpha_scheme import Scheme, coefficients, newmark, scheme_of
from pliant.solvers.stepping.alpha_step import step
from pliant.solvers.stepping.alpha_stepping import AlphaStepping
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drivers import NEVER, Chunk, EqualSteps, Signals, new_record, tables
from pliant.solvers.stepping.energy_balance import add_to_balance, begin_balance
from pliant.solvers.stepping.generalized_alpha import local_error, opening, powers
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.prediction import reset
from pliant.solvers.stepping.sampling import Present, hold, sample
from pliant.solvers.stepping.status import DONE, OPEN
from pliant.system.packing import fused
from pliant.system.packing.build import pack_families, with_arrays
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.formulations.shooting.spatial.system import SpatialShooting

PROBE = 0.5  # of a step: used to find accelerations that are not known


class Record(alpha_run.Record):
    """Recorded instants of a motion."""

    sums: np.ndarray  # (instants, SUMS) of the rods
    seen: np.ndarray  # (instants, places, SEEN) their data of results


class Rods(NamedTuple):
    """Rods in motion, and a second run that finds accelerations."""

    part: Arrays
    memory: Memory
    work: Work
    trial: Run  # on the same equations
    spare: Memory
    sums: np.ndarray
    ahead: np.ndarray  # (signals,)
    shown: np.ndarray  # (places,) ends of steps that results show


@kernel
def step_factors(scheme: Scheme, h: float) -> StepFactors:
    """Return the coefficients of a step for the memory of rods."""
    c, m, f = coefficients(scheme, h), scheme.alpha_m, scheme.alpha_f
    rest = 1.0 / ((1.0 - f) * c.acceleration)
    early, late = (0.5 - scheme.beta) * h * h, (1.0 - scheme.gamma) * h
    own, before, shared = (1.0 - f) / (1.0 - m), f / (1.0 - m), m / (1.0 - m)
    return StepFactors(h, c.acceleration, c.velocity, early, late, m * rest, f * rest, own, before, shared)


@kernel
def advance(
    run: Run, rods: Rods, signals: Signals, h: float, every: int, behind: int, record: Record
) -> tuple[int, int]:
    """Take steps of size h between rows of the signals; the rows receive the signals that a controller sets.

    It records every ``every``-th step (``behind`` were taken before). On failure the state is the last good one.
    Returns (status, steps).
    """
    parts, state, old, scratch, counts = run.equations.parts, run.state, run.old, run.scratch, run.counts
    total, sampler, factors = signals.time.size - 1, run.sampler, step_factors(run.scheme, h)
    supplied, dissipated = powers(run, signals.u[0], signals.rate[0])
    if counts.steps == 0:
        begin_balance(counts, *fused.energy(parts, state.q, state.v, signals.u[0]))
    for k in range(total):
        inputs = Inputs(signals.u[k + 1], signals.rate[k + 1], signals.second[k + 1])
        if sampler.period > 0:
            if (behind + k) % sampler.period == 0:
                sample(parts, sampler, Present(state.q, state.v, state.a, state.lam), signals.u[k])
                hold(sampler, signals, k)
                run.memory.jumped = 1.0
            hold(sampler, signals, k + 1)
        if run.memory.jumped > 0.0:
            probe(run, rods, PROBE * h, Inputs(signals.u[k], signals.rate[k], signals.second[k]))
            run.memory.jumped = 0.0
            reset(run)
            supplied, dissipated = powers(run, signals.u[k], signals.rate[k])
        copy(state, old)
        update_past(rods.part, factors, rods.memory, scratch.stress)
        status, iterations = step(run, h, signals.u[k], inputs)
        counts.iterations += iterations
        opened = opening(run, inputs.u)
        if status == DONE and opened > OPENEST:
            status = OPEN
        if status != DONE:
            copy(old, state)
            return status, k
        error = local_error(run, h)
        survey(rods.part, factors, state.q, inputs.u, scratch.stress, rods.memory, rods.work)
        counts.local_error = max(counts.local_error, error)
        counts.local_sum += error
        counts.opening = max(counts.opening, opened)
        for i in range(scratch.g.size):
            counts.constraint_error = max(counts.constraint_error, abs(scratch.g[i]))
        supplied_new, dissipated_new = powers(run, inputs.u, inputs.rate)
        state.work[0] += 0.5 * h * (supplied + supplied_new)
        state.work[1] += 0.5 * h * (dissipated + dissipated_new)
        supplied, dissipated = supplied_new, dissipated_new
        kinetic, potential = fused.energy(parts, state.q, state.v, inputs.u)
        add_to_balance(counts, kinetic, potential, state.work)
        if (behind + k + 1) % every == 0:
            keep_rods(rods, counts.records, record)
            keep(state, signals.time[k + 1], counts, record)
    return DONE, total


@kernel
def keep_rods(rods: Rods, m: int, record: Record) -> None:
    """Record the data of the rods."""
    fill(record.sums[m], rods.part.sums)
    for k in range(rods.shown.size):
        fill(record.seen[m, k], rods.memory.seen[rods.shown[k]])


@kernel
def copy_memory(source: Memory, target: Memory) -> None:
    """Copy the memory of rods."""
    for one, other in (
        (source.wrench, target.wrench), (source.place, target.place), (source.speed, target.speed),
        (source.acceleration, target.acceleration), (source.averaged, target.averaged), (source.seen, target.seen),
    ):  # fmt: skip
        for i in range(one.shape[0]):
            for j in range(one.shape[1]):
                other[i, j] = one[i, j]


@kernel
def probe(run: Run, rods: Rods, h: float, inputs: Inputs) -> bool:
    """Find accelerations and reactions of the present state under these signals, from a short implicit step that is
    then undone: Newmark's with beta = gamma = 1. Modes too fast for it stay calm. They are unchanged if it fails.
    """
    trial, u, state = rods.trial, rods.ahead, run.state
    for i in range(u.size):
        u[i] = inputs.u[i] + h * inputs.rate[i] + 0.5 * h * h * inputs.second[i]
    fill(rods.sums, rods.part.sums)
    copy_memory(rods.memory, rods.spare)
    copy(state, trial.state)
    copy(state, trial.old)
    trial.memory.contraction = trial.memory.age = 0.0
    factors = step_factors(trial.scheme, h)
    update_past(rods.part, factors, rods.spare, trial.scratch.stress)
    status, _ = step(trial, h, inputs.u, Inputs(u, inputs.rate, inputs.second))
    if status == DONE:
        survey(rods.part, factors, trial.state.q, u, trial.scratch.stress, rods.spare, rods.work)
        fill(state.a, trial.state.a)
        fill(state.abar, trial.state.a)
        fill(state.lam, trial.state.lam)
        for i in range(rods.memory.acceleration.shape[0]):
            fill(rods.memory.acceleration[i], rods.spare.acceleration[i])
            fill(rods.memory.averaged[i], rods.spare.acceleration[i])
    fill(rods.part.sums, rods.sums)
    return status == DONE


METHOD: int | str = "gauss"  # see README.md, Motion in space
SHORT = 0.4  # rad of a wave in a step along a rod
MAX_CUTS = 4  # halvings of a step: waves get shorter with them, steps along rods do not
GROWTH = 8.0  # of waves from node to node, and of rounding with them: powers of e
ADVICE = (
    "a spectral_radius of 0.8 or 0.9, a smaller step=; a shorter step along the beams (step= of compile) or more "
    "subintervals"
)


def move(system: SpatialShooting, begin: State, plan: Plan) -> TimeHistory:
    """Compute the motion from a state, in equal steps."""
    _, step = equal_steps(system, plan)
    grid = grid_of(system, plan)
    known = read_memory(grid.arrays[FAMILY], begin)
    start, going_on = begin, known is not None and begin.abar is not None and plan.velocity is None
    if not going_on:
        start = consistent(system, begin, time=begin.time, velocity=plan.velocity, step=step)
    return EqualSteps(RodStepping(system, start, plan, grid, known if going_on else None), plan).run()


class Grid(NamedTuple):
    """Rods with the steps of a motion: arrays at rest, all arrays in motion, and which ends of steps are shown."""

    rest: Arrays
    arrays: dict[str, Any]
    shown: np.ndarray


def grid_of(system: SpatialShooting, plan: Plan) -> Grid:
    """Return rods with steps for a plan."""
    layout = system.layout.with_options(divided(system, scheme_of(plan.method), plan.step or 0.0))
    arrays = pack_families(layout)[0]
    moved = arrays | {FAMILY: moving.in_motion(arrays[FAMILY])}
    return Grid(arrays[FAMILY], moved, shown(dense(system.layout), layout))


def shown(layout: Any, finer: Any) -> np.ndarray:
    """Return which ends of steps of finer rods are ends of steps of a layout's rods."""
    rows, first = [], 0
    for mesh, fine in zip(layout.beams, finer.beams, strict=True):
        for few, many in zip(subdivisions(mesh), subdivisions(fine), strict=True):
            rows.append(first + (many // few) * np.arange(few + 1))
            first += many + 1
    return np.concatenate(rows)


def divided(system: SpatialShooting, scheme: Scheme, step: float) -> dict[str, Rod]:
    """Return options of all rods with steps that are short relative to the waves with a time step."""
    c0, found = coefficients(scheme, step).acceleration, {}
    for mesh in system.layout.beams:
        turn, growth = waves(mesh, c0)
        widest = float(np.max(np.diff(mesh.s))) * mesh.beam.length
        if growth * widest > GROWTH:
            raise OptionError(
                f"step={step:g}: so short a time step makes waves along beam {mesh.beam.name!r} that grow by "
                f"exp({growth * widest:.0f}) from node to node, and rounding with them; exp({GROWTH:g}) is allowed. "
                f"Compile with subintervals={ceil(len(mesh.connectivity) * growth * widest / GROWTH)} or more, or take "
                "a larger step=."
            )
        shown = density(mesh)
        parts = shown * ceil(turn * mesh.beam.length * longest_step(mesh) / (shown * SHORT))
        found[mesh.beam.name] = replace(mesh.options, runge_kutta=METHOD, parts=parts * mesh.options.parts)
    return found


def waves(mesh: Any, c0: float) -> tuple[float, float]:
    """Return angle and growth of waves per metre (rad/m): ``EI w_ssss + c0 rho w = 0`` in bending,
    ``EA w_ss = c0 rho w`` in stretching and shear, ``GJ w_ss = c0 J w`` in twist, and rotary inertia alike.
    """
    sections = [mesh.beam.section_at(float(s)) for s in mesh.s]
    stiff = np.array([np.diag(section.stiffness) for section in sections])
    mass = np.array([[section.mass_per_length] * 3 + [*np.diag(section.rotary)] for section in sections])
    bending = float(np.max((c0 * mass[:, :1] / stiff[:, 4:]) ** 0.25))
    others = float(np.max(np.sqrt(c0 * mass / stiff)))
    return max(bending, others), max(bending / sqrt(2.0), others)


def read_memory(part: Arrays, state: State) -> tuple[Memory, np.ndarray] | None:
    """Return the rod data of a state of a motion, and their sums; None without data, or with other steps along the
    rods.
    """
    memory = moving.empty_memory(part)
    sizes = [x.size for x in memory]
    if state.interior is None or state.interior.size != sum(sizes) + SUMS:
        return None
    *parts, sums = np.split(state.interior, np.cumsum(sizes))
    return Memory(*(part.reshape(like.shape) for part, like in zip(parts, memory, strict=True))), sums


class RodStepping(AlphaStepping):
    """Generalized-alpha with marched rods (see ``solvers/stepping/drivers.py`` for the driver's interface)."""

    constraints = "position"

    def __init__(
        self, system: SpatialShooting, start: State, plan: Plan, grid: Grid, known: tuple[Memory, np.ndarray] | None
    ) -> None:
        """Start from a state, with the rod data in it or None."""
        super().__init__(system, start, plan, plan.step or 0.0)
        self.most_cuts = MAX_CUTS
        equations = with_arrays(system, grid.arrays).equations
        part = fused.family(equations.parts, FAMILY)
        controls = self.run.controls._replace(unsymmetric=True, powers=True)
        self.run = self.run._replace(equations=equations, controls=controls)
        spare = [alpha.State.of(self.both[0].copy(), system.size, system.constraints) for _ in range(2)]
        trial = self.run._replace(
            scheme=newmark(1.0, 1.0),
            state=spare[0],
            old=spare[1],
            scratch=system.scratch(),
            memory=new_record(alpha.MEMORY),
        )
        self.rods = Rods(
            part, moving.empty_memory(part), workspace(part), trial,
            moving.empty_memory(part), np.zeros(SUMS), np.zeros(self.u.size), grid.shown,
        )  # fmt: skip
        if known is not None:
            self.set_memory(known)
        else:
            self.begin(start, grid.rest)
            self.run.memory.jumped = 1.0

    def set_memory(self, known: tuple[Memory, np.ndarray]) -> None:
        """Copy known rod data to the memory."""
        for into, value in zip((*self.rods.memory, self.rods.part.sums), (*known[0], known[1]), strict=True):
            into[...] = value

    def begin(self, start: State, rest: Arrays) -> None:
        """Initialise rods between nodes of a state without rod data: as at rest there; assembled ones without loads, as
        unstressed.
        """
        rods, loaded = self.rods, not np.array_equal(start.q, self.system.initial)
        if not moving.begin(rest, rods.part, start.q, start.v, self.u, loaded, rods.memory, rods.work):
            raise ConvergenceError(
                f"Motion of {self.system.model.name!r}: no forces were found that bend its rods from node to node in "
                "the state given. Start from pl.statics(...) of this system, or with more subintervals=."
            )

    def records(self, rows: int) -> Record:
        """Return empty records."""
        places = self.rods.shown.size
        return Record(*super().records(rows), *tables(rows, (SUMS,), (places, SEEN)))

    def keep(self, record: Any) -> None:
        """Record the present state."""
        keep_rods(self.rods, int(self.counts.records), record)
        super().keep(record)

    def resize(self, h: float) -> None:
        """Adjust the averaged accelerations to a new step: they belong to an instant (alpha_m - alpha_f) h away."""
        if self.h and h != self.h:
            state, memory, ratio = self.run.state, self.rods.memory, h / self.h
            state.abar[:] = state.a + ratio * (state.abar - state.a)
            memory.averaged[:] = memory.acceleration + ratio * (memory.averaged - memory.acceleration)
        self.h = h

    def advance(self, chunk: Chunk, record: Any) -> tuple[int, int]:
        """Take the steps of a chunk."""
        run = self.run
        if not chunk.sampling:
            run = run._replace(sampler=run.sampler._replace(period=NEVER))
        status, done = advance(run, self.rods, chunk.signals, chunk.h, chunk.every, chunk.behind, record)
        callbacks.reraise()
        self.time, self.u = float(chunk.signals.time[done]), chunk.signals.u[done].copy()
        self.counts.steps += done
        return status, done

    def snapshot(self) -> Any:
        """Restore a snapshot."""
        return super().snapshot(), Memory(*(x.copy() for x in self.rods.memory)), self.rods.part.sums.copy()

    def restore(self, snapshot: Any) -> None:
        """Restore a snapshot."""
        before, *known = snapshot
        super().restore(before)
        self.set_memory((known[0], known[1]))

    def motion(self, record: Any) -> TimeHistory:
        """Return the recorded motion."""
        found, memory = super().motion(record), self.rods.memory
        inside = np.concatenate([*(x.ravel() for x in memory), self.rods.part.sums])
        last = replace(found.last, interior=inside)
        return replace(found, last=last, interior=interior_of(record.sums, record.seen), used={}, advice=ADVICE)
