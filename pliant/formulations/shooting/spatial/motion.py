"""Motion of rods in space: how it starts, and the compiled steps under a driver."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.elements.rod_ivp import Rod, moving
from pliant.elements.rod_ivp.frames import workspace
from pliant.elements.rod_ivp.moving import Memory
from pliant.elements.rod_ivp.spatial import SEEN, SUMS, Arrays
from pliant.elements.rod_ivp.stations import subdivisions
from pliant.errors import ConvergenceError, OptionError
from pliant.forces.state_force import callbacks
from pliant.formulations.shooting.motion_options import equal_steps
from pliant.formulations.shooting.spatial import steps as loop
from pliant.formulations.shooting.spatial.equilibrium import longest_step
from pliant.formulations.shooting.spatial.observation import FAMILY, dense, density, interior_of
from pliant.solvers.stepping import alpha_run as alpha
from pliant.solvers.stepping.alpha_scheme import Scheme, coefficients, newmark, scheme_of
from pliant.solvers.stepping.alpha_stepping import AlphaStepping
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drivers import NEVER, Chunk, EqualSteps, named, tables
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.system.packing import fused
from pliant.system.packing.build import pack_families, with_arrays
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.formulations.shooting.spatial.system import SpatialShooting

METHOD: int | str = "gauss"  # see README.md, Motion in space
SHORT = 0.4  # rad of a wave in a step along a rod
MAX_CUTS = 4  # halvings of a step: waves get shorter with them, steps along rods do not
GROWTH = 8.0  # of waves from node to node, and of rounding with them: powers of e
ADVICE = (
    "a spectral_radius of 0.8 or 0.9, a smaller step=; a shorter step along the beams (step= of compile) or more "
    "subintervals"
)


def move(system: SpatialShooting, begin: State, plan: Plan) -> TimeHistory:
    """Motion from a state, in equal steps."""
    _, step = equal_steps(system, plan)
    grid = grid_of(system, plan)
    known = told(grid.arrays[FAMILY], begin)
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
    """Rods with steps for those of a plan."""
    layout = system.layout.with_options(divided(system, scheme_of(plan.method), plan.step or 0.0))
    arrays = pack_families(layout)[0]
    moved = arrays | {FAMILY: moving.in_motion(arrays[FAMILY])}
    return Grid(arrays[FAMILY], moved, shown(dense(system.layout), layout))


def shown(layout: Any, finer: Any) -> np.ndarray:
    """Which ends of steps of finer rods are those of the rods of a layout."""
    rows, first = [], 0
    for mesh, fine in zip(layout.beams, finer.beams, strict=True):
        for few, many in zip(subdivisions(mesh), subdivisions(fine), strict=True):
            rows.append(first + (many // few) * np.arange(few + 1))
            first += many + 1
    return np.concatenate(rows)


def divided(system: SpatialShooting, scheme: Scheme, step: float) -> dict[str, Rod]:
    """Options of all rods with steps that are short against the waves which a time step makes of their equations."""
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
    """How far waves turn and how much they grow in a metre (rad/m): ``EI w_ssss + c0 rho w = 0`` in bending,
    ``EA w_ss = c0 rho w`` in stretching and shear, ``GJ w_ss = c0 J w`` in twist, and rotary inertia alike.
    """
    sections = [mesh.beam.section_at(float(s)) for s in mesh.s]
    stiff = np.array([np.diag(section.stiffness) for section in sections])
    mass = np.array([[section.mass_per_length] * 3 + [*np.diag(section.rotary)] for section in sections])
    bending = float(np.max((c0 * mass[:, :1] / stiff[:, 4:]) ** 0.25))
    others = float(np.max(np.sqrt(c0 * mass / stiff)))
    return max(bending, others), max(bending / sqrt(2.0), others)


def told(part: Arrays, state: State) -> tuple[Memory, np.ndarray] | None:
    """What a state of a motion tells of its rods, and their sums; None where it does not, or of other steps along
    them.
    """
    memory = moving.forgetful(part)
    sizes = [x.size for x in memory]
    if state.interior is None or state.interior.size != sum(sizes) + SUMS:
        return None
    *parts, sums = np.split(state.interior, np.cumsum(sizes))
    return Memory(*(part.reshape(like.shape) for part, like in zip(parts, memory, strict=True))), sums


class RodStepping(AlphaStepping):
    """Generalized-alpha with rods that are marched (see ``solvers/stepping/drivers.py`` for what a driver asks)."""

    constraints = "position"

    def __init__(
        self, system: SpatialShooting, start: State, plan: Plan, grid: Grid, known: tuple[Memory, np.ndarray] | None
    ) -> None:
        """From a state; what is known of the rods in it, or nothing."""
        super().__init__(system, start, plan, plan.step or 0.0)
        self.most_cuts = MAX_CUTS
        equations = with_arrays(system, grid.arrays).equations
        part = fused.family(equations.parts, FAMILY)
        controls = self.run.controls._replace(unsymmetric=True, powers=True)
        self.run = self.run._replace(equations=equations, controls=controls)
        spare = [alpha.State.of(self.both[0].copy(), system.size, system.constraints) for _ in range(2)]
        trial = self.run._replace(
            scheme=newmark(1.0, 1.0), state=spare[0], old=spare[1], scratch=system.scratch(), memory=named(alpha.MEMORY)
        )
        self.rods = loop.Rods(
            part, moving.forgetful(part), workspace(part), trial,
            moving.forgetful(part), np.zeros(SUMS), np.zeros(self.u.size), grid.shown,
        )  # fmt: skip
        if known is not None:
            self.recall(known)
        else:
            self.begin(start, grid.rest)
            self.run.memory.jumped = 1.0

    def recall(self, known: tuple[Memory, np.ndarray]) -> None:
        """Take what is known of the rods for what they remember."""
        for into, value in zip((*self.rods.memory, self.rods.part.sums), (*known[0], known[1]), strict=True):
            into[...] = value

    def begin(self, start: State, rest: Arrays) -> None:
        """Rods between nodes of a state that tells nothing of their motion: as they would rest there; assembled ones
        free of loads, as they were made.
        """
        rods, loaded = self.rods, not np.array_equal(start.q, self.system.initial)
        if not moving.begin(rest, rods.part, start.q, start.v, self.u, loaded, rods.memory, rods.work):
            raise ConvergenceError(
                f"Motion of {self.system.model.name!r}: no forces were found that bend its rods from node to node in "
                "the state given. Start from pl.statics(...) of this system, or with more subintervals=."
            )

    def records(self, rows: int) -> loop.Record:
        """Empty records."""
        places = self.rods.shown.size
        return loop.Record(*super().records(rows), *tables(rows, (SUMS,), (places, SEEN)))

    def keep(self, record: Any) -> None:
        """Record the present state."""
        loop.keep_rods(self.rods, int(self.counts.records), record)
        super().keep(record)

    def resize(self, h: float) -> None:
        """Fit the averaged accelerations to another step: they belong to an instant (alpha_m - alpha_f) h away."""
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
        status, done = loop.advance(run, self.rods, chunk.signals, chunk.h, chunk.every, chunk.behind, record)
        callbacks.reraise()
        self.time, self.u = float(chunk.signals.time[done]), chunk.signals.u[done].copy()
        self.counts.steps += done
        return status, done

    def snapshot(self) -> Any:
        """A copy of all that ``advance`` changes."""
        return super().snapshot(), Memory(*(x.copy() for x in self.rods.memory)), self.rods.part.sums.copy()

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot."""
        before, *known = snapshot
        super().restore(before)
        self.recall((known[0], known[1]))

    def motion(self, record: Any) -> TimeHistory:
        """Everything recorded."""
        found, memory = super().motion(record), self.rods.memory
        inside = np.concatenate([*(x.ravel() for x in memory), self.rods.part.sums])
        last = replace(found.last, interior=inside)
        return replace(found, last=last, interior=interior_of(record.sums, record.seen), used={}, advice=ADVICE)
