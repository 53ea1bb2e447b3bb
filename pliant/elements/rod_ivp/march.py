"""March of subintervals of rods by Runge-Kutta, with or without their sensitivities.

A subinterval has steps, a step has the stations of its stages; both ends of a step are stations, shared with its
neighbours. The variational equations ``X' = f_y X`` are marched by the same method with the same steps, so X is the
exact derivative of the computed state.
"""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from pliant.elements.rod_ivp.slope import (
    AXIAL,
    BENDING,
    BETA,
    DRAG_X,
    DRAG_Y,
    FRAME,
    LOADS,
    MASS,
    PAST,
    SHEAR,
    SWAY,
    TURNING_DRAG,
    TURNING_MASS,
    Station,
    slope,
    strains,
    tangent,
)  # fmt: skip
from pliant.jit import kernel
from pliant.kernels.runge_kutta import Table

RIGID = 7  # mass, its first moments and inertia about the origin, momenta along x, y and angular
SEEN = 5  # place relative to the base of the subinterval, in the axes of its section; N, V, M
SUMS = 7  # kinetic and potential energy, supplied and dissipated power, momenta along x, y and angular


class Rods(NamedTuple):
    """All subintervals of all rods, base to tip."""

    dofs: np.ndarray  # (subintervals, 6) uint32
    slots: np.ndarray  # (subintervals, 21) uint32
    rod: np.ndarray  # (subintervals,) number of the rod
    first_step: np.ndarray  # (subintervals + 1,)
    first_station: np.ndarray  # (subintervals + 1,)
    step: np.ndarray  # (steps,) m
    section: np.ndarray  # (stations, SECTION)
    softness: np.ndarray  # (subintervals,) m/N; of the axis in Newton's matrix only, for an inextensible rod
    linear: np.ndarray  # (rods,)
    alpha: np.ndarray  # (rods,) 1/s, of damping relative to the rod's rigid motion
    first_seen: np.ndarray  # (subintervals + 1,) places of a rod in results
    seen_at: np.ndarray  # (places,) m from the base of the subinterval
    load_kind: np.ndarray  # (loads,) 0 gravity, 1 dead, 2 follower
    load_signal: np.ndarray  # (loads, 2)
    load_steady: np.ndarray  # (loads,) 1 where it has a potential
    load_factor: np.ndarray  # (loads, stations) its factor on its signals along its rod; zero on others
    feed: np.ndarray  # (subintervals,) number of the feed of its rod, from 1 on; 0: none
    share: np.ndarray  # (subintervals, 2) of the length of its rod: its own, and the part beyond its base
    pair_slots: np.ndarray  # (subintervals, 57) places of its entries with guide and carriage
    length: np.ndarray  # (fed rods, 2) this and the following: data of their lengths (beam_fed/rows.py)
    pair: np.ndarray
    arms: np.ndarray
    direction: np.ndarray
    local: np.ndarray
    triangle: np.ndarray


class March(NamedTuple):
    """Working arrays."""

    load: np.ndarray  # (stations, LOADS) loads at work
    steady: np.ndarray  # (stations, 4) loads with a potential: gravity, dead
    rigid: np.ndarray  # (rods, RIGID) mass, moments and momenta of each
    past: np.ndarray  # (stations, PAST) known data of the motion
    begin: np.ndarray  # (subintervals, 6) state at the base of each
    arrive: np.ndarray  # (subintervals, 6) and at its tip
    transfer: np.ndarray  # (subintervals, 6, 6) derivative of arrive by begin
    k: np.ndarray  # (stages + 1, 6)
    kx: np.ndarray  # (stages + 1, 6, 6)
    y: np.ndarray  # (2, 6)
    x: np.ndarray  # (2, 6, 6)
    inverse: np.ndarray  # (subintervals, 3, 3) see condense
    gap: np.ndarray  # (subintervals, 3)
    trial: np.ndarray  # (subintervals, 3)
    seen: np.ndarray  # (places, SEEN) data of results
    ends: np.ndarray  # (6, 7) see forms
    changes: np.ndarray  # (2, 3, 7)
    longer: np.ndarray  # (subintervals,) length relative to the assembled one, of fed rods; else 1
    slope: np.ndarray  # (fed rods, 6) and
    bend: np.ndarray  # (fed rods, 21): derivatives of their lengths by the freedoms of guide and carriage
    passed: np.ndarray  # (subintervals, 6) slope of the state at the tips of rods that are fed
    eased: np.ndarray  # (subintervals,) change of the force on the length of such a rod by closing the gaps


def workspace(rods: Rods, table: Table) -> March:
    """Allocate working arrays."""
    count, stages = rods.rod.size, table.b.size + 1
    return March(
        load=np.zeros((rods.section.shape[0], LOADS)),
        rigid=np.zeros((rods.linear.size, RIGID)),
        steady=np.zeros((rods.section.shape[0], 4)),
        past=np.zeros((rods.section.shape[0], PAST)),
        begin=np.zeros((count, 6)),
        arrive=np.zeros((count, 6)),
        transfer=np.zeros((count, 6, 6)),
        k=np.zeros((stages, 6)),
        kx=np.zeros((stages, 6, 6)),
        y=np.zeros((2, 6)),
        x=np.zeros((2, 6, 6)),
        inverse=np.zeros((count, 3, 3)),
        gap=np.zeros((count, 3)),
        trial=np.zeros((count, 3)),
        seen=np.zeros((rods.seen_at.size, SEEN)),
        ends=np.zeros((6, 7)),
        changes=np.zeros((2, 3, 7)),
        longer=np.ones(count),
        slope=np.zeros((len(rods.length), 6)),
        bend=np.zeros((len(rods.length), 21)),
        passed=np.zeros((count, 6)),
        eased=np.zeros(count),
    )


@kernel
def gather_loads(rods: Rods, u: np.ndarray, work: March) -> None:
    """Write the loads along the rods at the values u of the signals."""
    work.load[:] = 0.0
    work.steady[:] = 0.0
    for i in range(rods.load_kind.size):
        at, factor = 2 * rods.load_kind[i], rods.load_factor[i]
        for j in range(2):
            value = u[rods.load_signal[i, j]]
            for k in range(factor.size):
                work.load[k, at + j] += factor[k] * value
                if rods.load_steady[i]:
                    work.steady[k, at + j] += factor[k] * value


class MarchStart(NamedTuple):
    """Initial data of all marches."""

    q: np.ndarray  # places of the nodes
    force: np.ndarray  # (subintervals, 3) at their bases


@kernel
def march(rods: Rods, table: Table, e: int, c0: float, c1: float, mu: float, sensitive: bool, work: March) -> None:
    """March from ``begin[e]`` to ``arrive[e]``, with ``transfer[e]`` if sensitive: the transfer of small motion in
    which inertia acts as ``mu`` times the displacement, in addition to ``c0``.
    """
    k, kx, y, z, x, w = work.k, work.kx, work.y[0], work.y[1], work.x[0], work.x[1]
    linear = rods.linear[rods.rod[e]] != 0
    nodes = table.node.size - 1
    depart(work, e)
    station = rods.first_station[e]
    for n in range(rods.first_step[e], rods.first_step[e + 1]):
        d = rods.step[n] * work.longer[e]
        for stage in range(table.b.size):
            at = station + table.place[stage]
            combine(table.a[stage], stage, d, sensitive, work)
            here = Station(rods.section[at], work.load[at], work.past[at])
            slope(here, c0, c1, linear, z, k[stage])
            if sensitive:
                tangent(here, c0 + mu, c1, linear, z, w, kx[stage])
        combine(table.b, table.b.size, d, sensitive, work)
        step_on(sensitive, work)
        station += nodes
    if rods.feed[e] > 0:
        slope(Station(rods.section[station], work.load[station], work.past[station]), c0, c1, linear, y, work.passed[e])
    for i in range(6):
        work.arrive[e, i] = y[i]
        if sensitive:
            for j in range(6):
                work.transfer[e, i, j] = x[i, j]


@kernel
def depart(work: March, e: int) -> None:
    """Set the state and sensitivities at the base of a subinterval."""
    for i in range(6):
        work.y[0, i] = work.begin[e, i]
        for j in range(6):
            work.x[0, i, j] = 1.0 if i == j else 0.0


@kernel
def combine(weight: np.ndarray, stages: int, d: float, sensitive: bool, work: March) -> None:
    """Compute state ``y[1]`` and sensitivities ``x[1]``: the values at the start of a step, plus the weighted slopes of
    its stages so far.
    """
    y, z, x, w = work.y[0], work.y[1], work.x[0], work.x[1]
    for i in range(6):
        z[i] = y[i]
        if sensitive:
            for j in range(6):
                w[i, j] = x[i, j]
    for before in range(stages):
        share = d * weight[before]
        if share != 0.0:
            for i in range(6):
                z[i] += share * work.k[before, i]
                if sensitive:
                    for j in range(6):
                        w[i, j] += share * work.kx[before, i, j]


@kernel
def step_on(sensitive: bool, work: March) -> None:
    """Make the combined state the start of the next step."""
    for i in range(6):
        work.y[0, i] = work.y[1, i]
        if sensitive:
            for j in range(6):
                work.x[0, i, j] = work.x[1, i, j]


@kernel
def differences(rods: Rods, table: Table, e: int, c0: float, c1: float, small: np.ndarray, work: March) -> None:
    """Compute ``transfer[e]`` by one-sided differences of size ``small`` in each part of the state, as in the paper."""
    march(rods, table, e, c0, c1, 0.0, False, work)
    arrive = work.x[1, 0]
    for i in range(6):
        arrive[i] = work.arrive[e, i]
    for j in range(6):
        kept = work.begin[e, j]
        work.begin[e, j] = kept + small[j]
        march(rods, table, e, c0, c1, 0.0, False, work)
        work.begin[e, j] = kept
        for i in range(6):
            work.transfer[e, i, j] = (work.arrive[e, i] - arrive[i]) / small[j]
    for i in range(6):
        work.arrive[e, i] = arrive[i]


@kernel
def record(
    rods: Rods, table: Table, e: int, c0: float, c1: float, work: March, place: np.ndarray, sums: np.ndarray
) -> None:
    """March once more and store x, y, psi and strains at every station, cubic between the ends of steps (Hermite).

    ``sums`` receives the subinterval's energies, powers and momenta, integrated by the method's own weights;
    ``work.seen`` the data of results, by the same cubics.
    """
    k, y, z, inner = work.k, work.y[0], work.y[1], work.x[0, 0]
    linear = rods.linear[rods.rod[e]] != 0
    nodes = table.node.size - 1
    for i in range(6):
        y[i] = work.begin[e, i]
    station, seen, behind = rods.first_station[e], rods.first_seen[e], 0.0
    put(rods.section[station], work.past[station], c1, linear, y, place[station])
    for n in range(rods.first_step[e], rods.first_step[e + 1]):
        d = rods.step[n] * work.longer[e]
        for stage in range(table.b.size):
            at = station + table.place[stage]
            for i in range(6):
                z[i] = y[i]
            for before in range(stage):
                for i in range(6):
                    z[i] += d * table.a[stage, before] * k[before, i]
            here, share = Station(rods.section[at], work.load[at], work.past[at]), d * table.b[stage]
            slope(here, c0, c1, linear, z, k[stage])
            if share != 0.0:
                tally(here, work.steady[at], c1, linear, z, share, sums)
        for i in range(6):
            z[i] = y[i]
        for stage in range(table.b.size):
            for i in range(6):
                z[i] += d * table.b[stage] * k[stage, i]
        last = table.b.size
        end = station + nodes
        slope(Station(rods.section[end], work.load[end], work.past[end]), c0, c1, linear, z, k[last])
        put(rods.section[end], work.past[end], c1, linear, z, place[end])
        for p in range(1, nodes):
            between(y, z, k[0], k[last], table.node[p], d, inner)
            put(rods.section[station + p], work.past[station + p], c1, linear, inner, place[station + p])
        until = rods.first_seen[e + 1] if n + 1 == rods.first_step[e + 1] else seen
        while seen < until or (seen < rods.first_seen[e + 1] and rods.seen_at[seen] * work.longer[e] < behind + d):
            t = min(1.0, (rods.seen_at[seen] * work.longer[e] - behind) / d)
            between(y, z, k[0], k[last], t, d, inner)
            rest = rods.section[station, FRAME] + t * (rods.section[end, FRAME] - rods.section[station, FRAME])
            show(work.begin[e], inner, rest if linear else inner[2], work.seen[seen])
            seen += 1
        behind += d
        for i in range(6):
            y[i] = z[i]
        station = end
    for i in range(6):
        work.arrive[e, i] = y[i]


@kernel
def between(y: np.ndarray, z: np.ndarray, dy: np.ndarray, dz: np.ndarray, t: float, d: float, out: np.ndarray) -> None:
    """Write the cubic at the part t of a step of length d from y to z, with their derivatives."""
    b = 1.0 - t
    for i in range(6):
        ends = y[i] * b * b * (1.0 + 2.0 * t) + z[i] * t * t * (1.0 + 2.0 * b)
        out[i] = ends + d * t * b * (b * dy[i] - t * dz[i])


@kernel
def put(section: np.ndarray, past: np.ndarray, c1: float, linear: bool, y: np.ndarray, place: np.ndarray) -> None:
    """Write the stored data of a station in state y: x, y, psi and the strains."""
    phi = section[FRAME] if linear else y[2]
    c, s = cos(phi), sin(phi)
    place[0], place[1], place[2] = y[0], y[1], y[2]
    place[3], place[4], place[5] = strains(section, past, c1, y[3] * c + y[4] * s, y[4] * c - y[3] * s, y[5])


@kernel
def show(base: np.ndarray, y: np.ndarray, phi: float, out: np.ndarray) -> None:
    """Write the data of results of a state y whose section is at the angle phi; see SEEN."""
    c, s, x, z = cos(base[2]), sin(base[2]), y[0] - base[0], y[1] - base[1]
    out[0], out[1] = c * x + s * z, c * z - s * x
    c, s = cos(phi), sin(phi)
    out[2], out[3], out[4] = y[3] * c + y[4] * s, y[4] * c - y[3] * s, y[5]


@kernel
def sway(rods: Rods, table: Table, c0: float, c1: float, q: np.ndarray, force: np.ndarray, work: March) -> None:
    """Write the best rigid motions of rods that are damped relative to it into their loads; see rigid_motion.

    Places are measured from the base of the rod, momenta are integrated by the method's own weights.
    """
    k, y, z, nodes, last = work.k, work.y[0], work.y[1], table.node.size - 1, -1
    x0, y0, base = 0.0, 0.0, 0
    for e in range(rods.rod.size):
        r = rods.rod[e]
        if rods.alpha[r] == 0.0:
            continue
        linear, sums = rods.linear[r] != 0, work.rigid[r]
        if r != last:
            last, x0, y0, base = r, q[rods.dofs[e, 0]], q[rods.dofs[e, 1]], rods.first_station[e]
            sums[:] = 0.0
        for i in range(3):
            y[i] = q[rods.dofs[e, i]]
            y[i + 3] = force[e, i]
        station = rods.first_station[e]
        for n in range(rods.first_step[e], rods.first_step[e + 1]):
            d = rods.step[n]
            for stage in range(table.b.size):
                at = station + table.place[stage]
                for i in range(6):
                    z[i] = y[i]
                    for before in range(stage):
                        z[i] += d * table.a[stage, before] * k[before, i]
                slope(Station(rods.section[at], work.load[at], work.past[at]), c0, c1, linear, z, k[stage])
                gather_momenta(rods.section[at], work.past[at], c1, z, x0, y0, d * table.b[stage], sums)
            for i in range(6):
                for stage in range(table.b.size):
                    y[i] += d * table.b[stage] * k[stage, i]
            station += nodes
        if e + 1 == rods.rod.size or rods.rod[e + 1] != r:
            mass, px, py = sums[0], sums[4], sums[5]
            cx, cy = sums[1] / mass, sums[2] / mass
            inertia = sums[3] - cx * sums[1] - cy * sums[2]
            spin = rods.alpha[r] * (sums[6] - cx * py + cy * px) / inertia
            for load in work.load[base : rods.first_station[e + 1]]:
                load[SWAY] = rods.alpha[r] * px / mass + spin * (cy + y0)
                load[SWAY + 1] = rods.alpha[r] * py / mass - spin * (cx + x0)
                load[SWAY + 2] = spin


@kernel
def gather_momenta(
    section: np.ndarray, past: np.ndarray, c1: float, y: np.ndarray, x0: float, y0: float, share: float,
    sums: np.ndarray,
) -> None:  # fmt: skip
    """Add ``share`` times the densities of mass, moments and momenta at a state, about a point."""
    mass, turning = share * section[MASS], share * section[TURNING_MASS]
    vx, vy = past[3] + c1 * (y[0] - past[0]), past[4] + c1 * (y[1] - past[1])
    x, z = y[0] - x0, y[1] - y0
    sums[0] += mass
    sums[1] += mass * x
    sums[2] += mass * z
    sums[3] += mass * (x * x + z * z) + turning
    sums[4] += mass * vx
    sums[5] += mass * vy
    sums[6] += mass * (x * vy - z * vx) + turning * (past[5] + c1 * (y[2] - past[2]))


@kernel
def tally(
    at: Station, steady: np.ndarray, c1: float, linear: bool, y: np.ndarray, share: float, sums: np.ndarray
) -> None:
    """Add ``share`` times the densities of energies, powers and momenta at a state."""
    section, load, past = at
    phi = section[FRAME] if linear else y[2]
    c, s = cos(phi), sin(phi)
    N, V = y[3] * c + y[4] * s, y[4] * c - y[3] * s
    mass, turning = section[MASS], section[TURNING_MASS]
    vx, vy = past[3] + c1 * (y[0] - past[0]), past[4] + c1 * (y[1] - past[1])
    turn = past[5] + c1 * (y[2] - past[2])
    gx, gy = mass * load[0] + load[2] + c * load[4] - s * load[5], mass * load[1] + load[3] + s * load[4] + c * load[5]
    dead_x, dead_y = mass * steady[0] + steady[2], mass * steady[1] + steady[3]
    sums[0] += 0.5 * share * (mass * (vx * vx + vy * vy) + turning * turn * turn)
    extension, shear, bend = strains(section, past, c1, N, V, y[5])
    sums[1] += share * (-dead_x * y[0] - dead_y * y[1])
    for compliance, force, strain in (
        (section[AXIAL], N, extension), (section[SHEAR], V, shear), (section[BENDING], y[5], bend)
    ):  # fmt: skip
        if compliance > 0.0:
            sums[1] += 0.5 * share * strain * strain / compliance
            if section[BETA] > 0.0:
                viscous = compliance * force - strain  # beta times the rate of strain
                sums[3] += share * viscous * viscous / (section[BETA] * compliance)
    sums[2] += share * ((gx - dead_x) * vx + (gy - dead_y) * vy)
    sums[3] += share * (section[DRAG_X] * vx * vx + section[DRAG_Y] * vy * vy + section[TURNING_DRAG] * turn * turn)
    swing = load[SWAY + 2]
    kept = mass * ((load[SWAY] - swing * y[1]) * vx + (load[SWAY + 1] + swing * y[0]) * vy) + turning * swing * turn
    sums[3] -= share * kept
    sums[4] += share * mass * vx
    sums[5] += share * mass * vy
    sums[6] += share * (mass * (y[0] * vy - y[1] * vx) + turning * turn)
