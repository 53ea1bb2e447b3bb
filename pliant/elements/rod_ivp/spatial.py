"""Rods in space, subinterval by subinterval, each marched from node to node (frames.py) and condensed (two_port.py).

Between Newton's iterations a subinterval stores the wrench at its base, and its derivatives by the freedoms. With mixed
points, a march begins with the extrapolated wrench; otherwise with the wrench that meets the next node, determined by
the frames of the two nodes alone.

The mass describes motions in which the rod follows its nodes as at rest: frequencies are exact to the fourth order of
the subinterval's length. Forces that are quadratic in velocities are omitted: this is for motions about an equilibrium.
In a motion of any size there is a past at every stage (moving.py), and the march includes inertia.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.elements._beams import empty_slots, meshes_of
from pliant.elements._spatial_beams import SpatialLayout
from pliant.elements.beam_fed.spatial_stock import length_along
from pliant.elements.beam_fed.sums import along
from pliant.elements.rod_ivp import Rod, frozen
from pliant.elements.rod_ivp.fed import feeds, shares, with_pairs
from pliant.elements.rod_ivp.feeding import lengthen, push, push_mass, rate_of
from pliant.elements.rod_ivp.frames import (
    ALL,
    BY_WRENCH,
    DEAD,
    FOLLOWER,
    FORCE,
    LOSSES,
    MASSES,
    MOVED,
    STILL,
    WEIGHT,
    Work,
    length_of,
    march,
    workspace,
)
from pliant.elements.rod_ivp.frozen import KEPT, take_wrenches
from pliant.elements.rod_ivp.inertia import ACCELERATION, ALPHA, BETA, DRAG, PAST, SOFTENED, VELOCITY
from pliant.elements.rod_ivp.load_interpolation import factors
from pliant.elements.rod_ivp.stations import alike, station_data, subdivisions, unloaded
from pliant.elements.rod_ivp.two_port import (
    Ends,
    advance,
    carry,
    close,
    condense,
    condense_in_motion,
    eliminate,
    gather,
    miss,
    stiffen,
)
from pliant.elements.rod_ivp.unloaded import march_all, march_still, unfold
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.blocks import add_vector
from pliant.kernels.runge_kutta import table
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import apply
from pliant.kernels.triples import vector
from pliant.kernels.vectors import fill

KINETIC, POTENTIAL, SUPPLIED, DISSIPATED, MOMENTUM, SUMS = 0, 1, 2, 3, 4, 10  # linear and angular momentum last
ROUNDING = 1e-14  # in lengths of a subinterval and radians: a gap at rounding level
NO_STATIONS = np.zeros((0, 6, 6)), np.zeros((0, 6)), np.zeros((0, 4)), np.zeros((0, 6, 6)), np.zeros(0), np.zeros(0)
SEEN = 9  # data of a place in results: its position relative to the base, in the base's axes, and N, M


class Arrays(NamedTuple):
    """One row per subinterval, per station of a Runge-Kutta stage, per load."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray  # (n, 78)
    frames: np.ndarray  # (n, 2)
    rod: np.ndarray  # (n,)
    first: np.ndarray  # (n,) first station
    steps: np.ndarray  # (n,)
    step: np.ndarray  # (n,) m
    stiffness: np.ndarray  # (n, 6, 6) of mean strains, by linear theory, with the soft axis
    soft: np.ndarray  # (n,) additional initial compliance of the axis; zero if it is not stiff
    alpha: np.ndarray
    beta: np.ndarray
    compliance: np.ndarray  # (stations, 6, 6)
    rest: np.ndarray  # (stations, 6) gamma, kappa of the unstressed rod
    inertia: np.ndarray  # (stations, 4) mass and rotary inertias per length
    a: np.ndarray  # (stages, stages) of the Runge-Kutta method
    b: np.ndarray  # (stages,)
    place: np.ndarray  # (stages,) station of a stage within a step
    load_rod: np.ndarray  # (loads,)
    load_kind: np.ndarray  # DEAD, WEIGHT or FOLLOWER
    load_steady: np.ndarray  # whether it has a potential
    load_signal: np.ndarray  # (loads, 3)
    load_factor: np.ndarray  # (loads, stations) its factor on its signals along its rod
    drag: np.ndarray  # (n, 3) per length and velocity along the global axes
    past: np.ndarray  # (stages of all steps, PAST) known data of a motion (inertia.py); empty at rest
    elasticity: np.ndarray  # (stations, 6, 6) the inverse of the compliance; in motion only
    sums: np.ndarray  # (SUMS,) energies, powers and momenta of the last evaluation (moving.py); in motion only
    bare: np.ndarray  # (n,) whether no load acts along it and its compliance is diagonal (unloaded.py)
    even: np.ndarray  # (n,) whether compliance and rest strains are constant along it
    feed: np.ndarray  # (n,) number of the feed of its rod, from 1 on; 0: none
    share: np.ndarray  # (n, 2) of the length of its rod: its own, and the part beyond its base
    length: np.ndarray  # (fed rods, 2) this and the following: data of their lengths (beam_fed/rows.py)
    pair: np.ndarray
    pair_frames: np.ndarray
    arms: np.ndarray
    direction: np.ndarray
    local: np.ndarray
    triangle: np.ndarray
    spacing: int  # stations from a step to the next
    implicit: bool  # whether the stages of the method are coupled
    stress_start: int = 0


meshes = meshes_of(Rod)


def pack(layout: SpatialLayout) -> Arrays:
    """Pack beams whose options are a Rod."""
    mine = meshes(layout)
    method = table(mine[0].options.runge_kutta if mine else 8)
    spacing, implicit = method.node.size - 1, bool(np.any(np.triu(method.a)))
    counts = [subdivisions(mesh) for mesh in mine]
    steps = np.concatenate([np.zeros(0, int), *counts])
    data = [station_data(mesh, count, method.node) for mesh, count in zip(mine, counts, strict=True)]
    columns = [np.concatenate(column) for column in zip(NO_STATIONS, *data, strict=True)]
    per = np.array([len(mesh.connectivity) for mesh in mine], int)
    nodes = np.concatenate([np.zeros((0, 2), int), *(mesh.connectivity for mesh in mine)])
    lengths = np.concatenate([np.zeros(0), *(np.diff(mesh.s) * mesh.beam.length for mesh in mine)])
    loads: Any = layout.loads_along(mine) if mine else []
    feed, feeding = feeds(layout, mine)
    rods = np.repeat(np.arange(len(mine)), per)
    bare = unloaded(rods, spacing * steps + 1, columns[0], loads) & (not implicit)
    return Arrays(
        dofs=with_pairs(layout, layout.dofs(nodes, 2), feed, feeding["pair"]),
        slots=empty_slots(len(nodes)),
        frames=layout.frames(nodes, 2),
        rod=_indices(rods),
        first=_indices(np.concatenate([[0], np.cumsum(spacing * steps + 1)])[: len(nodes)]),
        steps=_indices(steps),
        step=lengths / np.maximum(steps, 1),
        stiffness=columns[3],
        soft=columns[4],
        alpha=np.repeat([float(mesh.alpha) for mesh in mine], per).astype(float),
        beta=np.repeat([float(mesh.beta) for mesh in mine], per).astype(float),
        compliance=columns[0],
        rest=columns[1],
        inertia=columns[2],
        a=np.ascontiguousarray(method.a),
        b=method.b,
        place=_indices(method.place),
        load_rod=_indices([load.beam for load in loads]),
        load_kind=_indices([WEIGHT if load.per_mass else FOLLOWER if load.follower else DEAD for load in loads]),
        load_steady=_indices([load.steady for load in loads]),
        load_signal=_indices([load.signals for load in loads]).reshape(-1, 3),
        load_factor=factors(loads, np.repeat(rods, spacing * steps + 1), columns[5]),
        drag=np.repeat(np.array([layout.drag_along(mesh) for mesh in mine], float).reshape(-1, 3), per, axis=0),
        past=np.zeros((0, PAST)),
        elasticity=np.zeros((0, 6, 6)),
        sums=np.zeros(0),
        bare=bare.astype(np.uint32),
        even=_indices(alike(spacing * steps + 1, columns[0], columns[1])),
        feed=feed,
        share=shares(mine),
        **feeding,
        spacing=spacing,
        implicit=implicit,
    )


def _indices(values: Any) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.uint32)


def stress_size(part: Arrays) -> int:
    """Return the number of values stored between iterations."""
    return KEPT * len(part.dofs)


def unsymmetric(part: Arrays) -> bool:
    """Return whether there are loads that follow a rod, which have no potential."""
    return bool(np.any(part.load_kind == FOLLOWER))


def stations(mesh: Any) -> np.ndarray:
    """Return the ends of all steps, subinterval by subinterval."""
    pieces = zip(mesh.s, mesh.s[1:], subdivisions(mesh), strict=False)
    return np.concatenate([np.linspace(a, b, n + 1) for a, b, n in pieces])


@kernel
def loses(part: Arrays, e: int) -> bool:
    """Return whether motion has losses besides damping proportional to the mass."""
    return part.beta[e] != 0.0 or part.drag[e, 0] + part.drag[e, 1] + part.drag[e, 2] != 0.0


@kernel
def moving(part: Arrays, e: int, x: np.ndarray) -> bool:
    """Return whether a velocity or acceleration of the ends is not zero."""
    largest = 0.0
    for i in range(12):
        largest = max(largest, abs(x[part.dofs[e, i]]))
    return largest > 0.0


@kernel
def met(part: Arrays, e: int, q: np.ndarray, u: np.ndarray, columns: int, work: Work) -> tuple[Ends, bool]:
    """March subinterval e with the wrench that meets its second end; return its ends, and whether a load there has a
    constant direction. The state is NaN if no such wrench was found. The remaining gap is closed once more: along a
    stiff axis it is a force that affects bending.
    """
    at, heavy = gather(part, e, q, u, work)
    columns = ALL if heavy else columns
    if not close(part, e, at, columns, False, work):
        work.y[:] = np.nan
        return at, heavy
    if miss(at, length_of(part, e, work), work) > ROUNDING:
        eliminate(work, 12)
        for i in range(6):
            work.wrench[i] += work.solved[i, 12]
        march_still(part, e, columns, work)
    return at, heavy


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + C v + f(q) to r, ck K + cc C + cm M to s, and skew halves of follower loads to w. With mixed points and
    no matrix needed (ck = 0), forces at rest use stored derivatives (frozen.py).
    """
    if part.steps.size == 0:
        return
    work = workspace(part)
    if part.past.shape[0] > 0:
        add_in_motion(part, now, into, stress, work)
        return
    lengthen(part, now.q, into.ck != 0.0, work)
    marched = BY_WRENCH if into.ck != 0.0 else 0
    if mixed:
        take_wrenches(part, stress, work)
        march_all(part, marched, work)
    for e in range(part.steps.size):
        kept = part.stress_start + KEPT * e
        inert = into.cm != 0.0 or into.cc != 0.0 or moving(part, e, now.a) or moving(part, e, now.v)
        inert = inert or rate_of(part, e, now.a, work) != 0.0
        columns = ALL if inert else BY_WRENCH
        if mixed:
            at, heavy = gather(part, e, now.q, now.u, work)
            fill(work.wrench, work.wrenches[e])
            if part.bare[e] and not inert:
                unfold(part, e, marched, work)
            else:
                march_still(part, e, ALL if heavy else columns, work)
        else:
            at, heavy = met(part, e, now.q, now.u, columns, work)
        if mixed and part.bare[e] and into.ck == 0.0 and not inert:
            frozen.follow(at, stress, kept, work)
            add_wrenches(part, e, at, work, into.r)
            if part.feed[e] > 0:
                push(part, e, at, into, work)
            continue
        if inert:
            set_rates(part, e, 0.0, 0.0, work)
            march(part, e, ALL, LOSSES if loses(part, e) else MASSES, work)
        condense(part, e, at, heavy or inert, work)
        if into.ck != 0.0:
            stiffen(at, work)
            scatter(part, e, into.ck, work.stiffness, into.s, into.w)
        advance(work)
        keep(work, stress, kept)
        add_wrenches(part, e, at, work, into.r)
        share = part.share[e, 0], part.share[e, 1]
        if part.feed[e] > 0:
            push(part, e, at, into, work)
        if inert:
            carry(at, work.mass, share, work, work.inertia)
            if part.feed[e] > 0:
                push_mass(part, e, now, into, work)
            add_rates(part, e, part.alpha[e], 1.0, now, into, work)
            if loses(part, e):
                carry(at, work.loss, share, work, work.inertia)
                add_rates(part, e, 1.0, 0.0, now, into, work)


@kernel
def add_in_motion(part: Arrays, now: Instant, into: Into, stress: np.ndarray, work: Work) -> None:
    """Add forces on the ends to r, and their derivatives to s and w, for velocities and accelerations that change by cc
    and cm with the coordinates; ``stress`` has wrenches near the solution.
    """
    for e in range(part.steps.size):
        kept = part.stress_start + KEPT * e
        at, _ = gather(part, e, now.q, now.u, work)
        set_rates(part, e, into.cm, into.cc, work)
        meet(part, e, at, stress, kept, work)
        condense_in_motion(at, part.steps[e] * part.step[e], work)
        stiffen(at, work)
        scatter(part, e, into.ck, work.stiffness, into.s, into.w)
        advance(work)
        keep(work, stress, kept)
        add_wrenches(part, e, at, work, into.r)


@kernel
def set_rates(part: Arrays, e: int, acceleration: float, velocity: float, work: Work) -> None:
    """Set the derivatives of velocities and accelerations by the coordinates in a step of the integrator."""
    work.rates[ACCELERATION], work.rates[VELOCITY], work.rates[ALPHA] = acceleration, velocity, part.alpha[e]
    work.rates[BETA], work.rates[SOFTENED] = part.beta[e], 1.0 / (1.0 + part.beta[e] * velocity)
    for i in range(3):
        work.rates[DRAG + i] = part.drag[e, i]


@kernel
def meet(part: Arrays, e: int, at: Ends, stress: np.ndarray, kept: int, work: Work) -> bool:
    """March with the wrench that meets the second end, from the one stored in ``stress`` or without. If none is found,
    return False, with the stored wrench: Newton for the nodes then closes the rest to first order, as at rest. The ends
    of a thin rod that turns fast are apart by (w h)^2 / 2 before, which no wrench can bend it to.
    """
    for i in range(6):
        work.wrench[i] = stress[kept + i]
    if close(part, e, at, MOVED, True, work) or close(part, e, at, MOVED, False, work):
        return True
    for i in range(6):
        work.wrench[i] = stress[kept + i]
    work.soft[0] = 0.0
    march(part, e, MOVED, STILL, work)
    return False


@kernel
def keep(work: Work, stress: np.ndarray, first: int) -> None:
    """Store the data from which the next iteration extrapolates."""
    for i in range(6):
        stress[first + i] = work.wrench[i]
        for j in range(12):
            stress[first + 6 + 12 * i + j] = work.solved[i, j]
        stress[first + 78 + i] = work.solved[i, 13]


@kernel
def add_wrenches(part: Arrays, e: int, at: Ends, work: Work, r: np.ndarray) -> None:
    """Add the forces on the ends to r."""
    y, w = work.y, work.wrench
    add_vector(r, part.dofs, e, 0, -1.0, apply(at.first, vector(w, 0)))
    add_vector(r, part.dofs, e, 3, -1.0, vector(w, 3))
    add_vector(r, part.dofs, e, 6, 1.0, apply(at.second, vector(y, FORCE)))
    add_vector(r, part.dofs, e, 9, 1.0, vector(y, FORCE + 3))


@kernel
def scatter(part: Arrays, e: int, factor: float, matrix: np.ndarray, s: np.ndarray, w: np.ndarray) -> None:
    """Add the symmetric half of a matrix to s, and the skew half to w."""
    n, half = 0, 0.5 * factor
    for i in range(12):
        for j in range(i + 1):
            s[part.slots[e, n]] += half * (matrix[i, j] + matrix[j, i])
            w[part.slots[e, n]] += half * (matrix[i, j] - matrix[j, i])
            n += 1


@kernel
def add_rates(part: Arrays, e: int, damping: float, mass: float, now: Instant, into: Into, work: Work) -> None:
    """Add M (mass a + damping v) with the matrix in ``inertia`` to r, and its share to the matrices."""
    dofs, M = part.dofs, work.inertia
    for i in range(12):
        for j in range(12):
            k = dofs[e, j]
            into.r[dofs[e, i]] += M[i, j] * (mass * now.a[k] + damping * now.v[k])
    scatter(part, e, mass * into.cm + damping * into.cc, M, into.s, into.w)


@allocating_kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic and potential energy: of strains, and of dead loads that are constant in time."""
    kinetic, potential = 0.0, 0.0
    if part.steps.size == 0:
        return kinetic, potential
    if part.past.shape[0] > 0:
        return part.sums[KINETIC], part.sums[POTENTIAL]
    work = workspace(part)
    lengthen(part, q, False, work)
    for e in range(part.steps.size):
        at, _ = met(part, e, q, u, ALL, work)
        rate = rate_of(part, e, v, work)
        goes = moving(part, e, v) or rate != 0.0
        march(part, e, ALL, MASSES if goes else STILL, work)
        if goes:
            condense(part, e, at, True, work)
            carry(at, work.mass, (part.share[e, 0], part.share[e, 1]), work, work.inertia)
            for i in range(work.inertia.shape[0]):
                one = v[part.dofs[e, i]] if i < 12 else rate
                for j in range(work.inertia.shape[0]):
                    kinetic += 0.5 * one * work.inertia[i, j] * (v[part.dofs[e, j]] if j < 12 else rate)
        miss(at, length_of(part, e, work), work)
        for i in range(6):  # work done in closing the remaining gap
            potential += work.y[FORCE + i] * work.solved[i, 12]
        potential += work.energy[0] + work.energy[1]
    return kinetic, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return power supplied by loads without potential, and dissipated power; known in motion only."""
    if part.past.shape[0] == 0:
        return 0.0, 0.0
    return part.sums[SUPPLIED], part.sums[DISSIPATED]


@allocating_kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write the wrenches after a step, from the data of the last iteration."""
    slope = np.empty(part.pair.shape[1])
    for e in range(part.steps.size):
        first, k = part.stress_start + KEPT * e, part.feed[e]
        if k > 0:
            length_along(part, k - 1, q, slope)
            longer = part.share[e, 0] * along(part.pair, k - 1, slope, dq)
            for i in range(6):
                stress[first + i] += stress[first + 78 + i] * longer
        for i in range(6):
            for j in range(12):
                stress[first + i] += stress[first + 6 + 12 * i + j] * dq[part.dofs[e, j]]


@allocating_kernel
def resultants(part: Arrays, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Write N, Vy, Vz, T, My, Mz in the section's axes at `stations`."""
    if part.steps.size == 0:
        return
    work, row = workspace(part), 0
    lengthen(part, q, False, work)
    for e in range(part.steps.size):
        met(part, e, q, u, BY_WRENCH, work)
        march_still(part, e, 0, work)
        for step in range(part.steps[e] + 1):
            for i in range(6):
                out[row, i] = work.seen[step, FORCE + i]
            row += 1
