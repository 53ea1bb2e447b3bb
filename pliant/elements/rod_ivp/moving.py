"""Rods in space in motion: stored data at every stage of their marches from step to step, and their sums."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.elements._spatial_two_node import stresses
from pliant.elements.rod_ivp.frames import (
    ALL,
    DEAD,
    FOLLOWER,
    FORCE,
    FRAME,
    MOMENT,
    PLACE,
    STAGES,
    WEIGHT,
    Work,
    march,
    moved,
)
from pliant.elements.rod_ivp.inertia import (
    BEFORE,
    HERE,
    LAG,
    PAST,
    SPEED,
    SPIN,
    STRAIN,
    STRAINING,
    TURN,
    placed,
    scaled,
    turned_by,
    unit,
    yielding,
)
from pliant.elements.rod_ivp.spatial import (
    DISSIPATED,
    KEPT,
    KINETIC,
    MOMENTUM,
    POTENTIAL,
    SEEN,
    SUMS,
    SUPPLIED,
    Arrays,
    meet,
    set_rates,
)
from pliant.elements.rod_ivp.two_port import Ends, close, condense, eliminate, gather, miss
from pliant.jit import kernel
from pliant.kernels.so3 import quaternion, rotate, rotate_back
from pliant.kernels.tensors import apply_transposed
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

PLACES, RATES = 13, 12  # r, quaternion, strain e; as rates rotations have three components


class Memory(NamedTuple):
    """Data of rods passed from one step to the next."""

    wrench: np.ndarray  # (subintervals, 6) N, M at the bases
    place: np.ndarray  # (stages of all steps, PLACES)
    speed: np.ndarray  # (stages, RATES)
    acceleration: np.ndarray
    averaged: np.ndarray  # averaged acceleration of the integrator
    seen: np.ndarray  # (ends of steps, SEEN)


class StepFactors(NamedTuple):
    """Coefficients of a step of the integrator."""

    size: float  # h
    acceleration: float  # c0
    velocity: float  # c1
    early: float  # place from the averaged acceleration before
    late: float  # velocity from it
    by_averaged: float  # error of the place at which accelerations are evaluated, from the averaged acceleration
    by_acceleration: float  # and from the acceleration before
    own: float  # averaged acceleration from the one after the step,
    before: float  # from the one before it,
    shared: float  # and from the averaged one before it


def in_motion(part: Arrays) -> Arrays:
    """Return the arrays of rods with storage for a motion."""
    rigid = ~np.any(part.compliance, axis=(0, 2)) if len(part.compliance) else np.zeros(6, bool)  # no shear
    elastic = np.linalg.inv(part.compliance + np.diag(rigid.astype(float)))
    elastic[:, rigid] = elastic[:, :, rigid] = 0.0
    stages = int(np.sum(part.steps)) * part.b.size
    return part._replace(past=np.zeros((stages, PAST)), elasticity=elastic, sums=np.zeros(SUMS))


def empty_memory(part: Arrays) -> Memory:
    """Return an empty memory."""
    rows, ends = len(part.past), int(np.sum(part.steps)) + part.steps.size
    shapes: Any = (part.steps.size, 6), (rows, PLACES), *[(rows, RATES)] * 3, (ends, SEEN)
    return Memory(*(np.zeros(shape) for shape in shapes))


@kernel
def stage_of(part: Arrays, e: int, step: int) -> int:
    """Return the row of the first stage of a step."""
    return part.b.size * ((part.first[e] - e) // part.spacing + step)


@kernel
def update_past(part: Arrays, factors: StepFactors, memory: Memory, stress: np.ndarray) -> None:
    """Compute the past of the motion for the next step; write the wrenches to begin with to ``stress``."""
    for e in range(part.steps.size):
        for i in range(6):
            stress[part.stress_start + KEPT * e + i] = memory.wrench[e, i]
        beta = part.beta[e]
        softened = beta / (1.0 + beta * factors.velocity)
        for row in range(stage_of(part, e, 0), stage_of(part, e, part.steps[e])):
            past, place = part.past[row], memory.place[row]
            for i in range(4):
                past[BEFORE + i] = place[3 + i]
            for i in range(RATES):
                bar, speed = memory.averaged[row, i], memory.speed[row, i]
                off = factors.by_averaged * bar - factors.by_acceleration * memory.acceleration[row, i]
                on = factors.size * speed + factors.early * bar - off
                rate = speed + factors.late * bar - factors.velocity * off
                if i < 3:
                    past[HERE + i], past[SPEED + i] = place[i] + on, rate
                elif i < 6:
                    past[TURN + i - 3], past[SPIN + i - 3] = on, rate
                else:
                    strain = place[1 + i] + on
                    past[STRAIN + i - 6], past[STRAINING + i - 6] = strain, rate
                    past[LAG + i - 6] = softened * (factors.velocity * strain - rate)


@kernel
def survey(
    part: Arrays,
    factors: StepFactors,
    q: np.ndarray,
    u: np.ndarray,
    stress: np.ndarray,
    memory: Memory,
    work: Work,
) -> None:
    """March all rods once more after a step and store place and motion of every stage, with the sums."""
    part.sums[:] = 0.0
    for e in range(part.steps.size):
        at, _ = gather(part, e, q, u, work)
        set_rates(part, e, factors.acceleration, factors.velocity, work)
        if not meet(part, e, at, stress, part.stress_start + KEPT * e, work):
            work.y[:] = np.nan  # a step that ends so is invalid
        march_once_more(part, e, at, 0, memory, work)
        for step in range(part.steps[e]):
            for i in range(part.b.size):
                row, k = stage_of(part, e, step) + i, part.first[e] + part.spacing * step + part.place[i]
                y = work.stages[part.b.size * step + i]
                settle(part, factors, k, row, y, memory, work)
                tally(part, e, k, row, part.step[e] * part.b[i], y, memory, work)


@kernel
def march_once_more(part: Arrays, e: int, at: Ends, columns: int, memory: Memory, work: Work) -> None:
    """March with the wrench that closes the remaining gap; store all stages, and the data of results."""
    miss(at, part.steps[e] * part.step[e], work)
    eliminate(work, 12)
    for i in range(6):
        work.wrench[i] += work.solved[i, 12]
        memory.wrench[e, i] = work.wrench[i]
    march(part, e, columns, STAGES, work)
    first = (part.first[e] - e) // part.spacing + e
    for step in range(part.steps[e] + 1):
        for i in range(3):
            memory.seen[first + step, i] = work.seen[step, PLACE + i]
        for i in range(6):
            memory.seen[first + step, 3 + i] = work.seen[step, FORCE + i]


@kernel
def settle(part: Arrays, factors: StepFactors, k: int, row: int, y: np.ndarray, memory: Memory, work: Work) -> None:
    """Store a stage in state y: place, velocity, acceleration, averaged acceleration."""
    past = part.past[row]
    place, frame = placed(work.base, y)
    moved_on = minus(place, vector(past, HERE))
    turned_on = minus(turned_by(past, frame), vector(past, TURN))
    stretched, bent = yielding(part, k, row, vector(y, FORCE), vector(y, MOMENT), work.rates)
    put(memory.place[row], place, frame, stretched, bent)
    strained, curled = minus(stretched, vector(past, STRAIN)), minus(bent, vector(past, STRAIN + 3))
    for i in range(3):
        change(factors, memory, row, i, moved_on[i], past[SPEED + i])
        change(factors, memory, row, i + 3, turned_on[i], past[SPIN + i])
        change(factors, memory, row, i + 6, strained[i], past[STRAINING + i])
        change(factors, memory, row, i + 9, curled[i], past[STRAINING + 3 + i])


@kernel
def change(factors: StepFactors, memory: Memory, row: int, i: int, off: float, rate: float) -> None:
    """Update the rates of one quantity from its difference to the past."""
    a = factors.acceleration * off
    averaged = factors.own * a + factors.before * memory.acceleration[row, i] - factors.shared * memory.averaged[row, i]
    memory.averaged[row, i], memory.acceleration[row, i] = averaged, a
    memory.speed[row, i] = rate + factors.velocity * off


@kernel
def put(
    row: np.ndarray, place: Vector, frame: tuple[float, float, float, float], stretched: Vector, bent: Vector
) -> None:
    """Write place, frame and strain of a stage."""
    for i in range(3):
        row[i], row[7 + i], row[10 + i] = place[i], stretched[i], bent[i]
    row[3], row[4], row[5], row[6] = frame


@kernel
def tally(part: Arrays, e: int, k: int, row: int, weight: float, y: np.ndarray, memory: Memory, work: Work) -> None:
    """Add the contribution of a stage to energies, powers and momenta."""
    sums, place, speed, load, steady = part.sums, memory.place[row], memory.speed[row], work.load[k], work.steady[k]
    rho, J, frame = part.inertia[k, 0], vector(part.inertia[k], 1), quaternion(work.base, 3)
    v, w, r = vector(speed, 0), vector(speed, 3), vector(place, 0)
    Jw, seen = scaled(J, w), rotate_back(frame, v)
    inertia = rho * dot(v, v) + dot(w, Jw)
    stretched, bent, stretching, bending = vector(place, 7), vector(place, 10), vector(speed, 6), vector(speed, 9)
    N, M = stresses(part.elasticity, k, stretched, bent)
    lost, turning = stresses(part.elasticity, k, stretching, bending)
    pull = plus(vector(steady, DEAD), times(rho, vector(steady, WEIGHT)))
    push = minus(plus(vector(load, DEAD), times(rho, vector(load, WEIGHT))), pull)
    push = plus(push, rotate(unit(quaternion(y, FRAME)), vector(load, FOLLOWER)))
    sums[KINETIC] += 0.5 * weight * inertia
    sums[POTENTIAL] += 0.5 * weight * (dot(N, stretched) + dot(M, bent))
    sums[POTENTIAL] -= weight * dot(pull, plus(vector(work.origin, 0), vector(y, PLACE)))
    sums[SUPPLIED] += weight * dot(push, seen)
    loss = part.beta[e] * (dot(lost, stretching) + dot(turning, bending)) + part.alpha[e] * inertia
    loss += dot(scaled(vector(part.drag[e], 0), v), v)
    sums[DISSIPATED] += weight * loss
    p, swing = times(weight * rho, v), times(weight, rotate(quaternion(place, 3), Jw))
    swing = plus(swing, cross(r, p))
    for i in range(3):
        sums[MOMENTUM + i] += p[i]
        sums[MOMENTUM + 3 + i] += swing[i]


@kernel
def begin(
    rest: Arrays, part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray, loaded: bool, memory: Memory, work: Work
) -> bool:
    """Initialise rods at rest between their nodes, which follow the velocities v of these, as without inertia.

    ``rest`` are the arrays at rest. Loaded: under the loads u; else without loads. Returns False if no wrench was found
    for some subinterval.
    """
    part.sums[:] = 0.0
    for e in range(rest.steps.size):
        at, _ = gather(rest, e, q, u, work)
        if not loaded:
            work.load[:] = 0.0
        if not close(rest, e, at, ALL, False, work):
            return False
        march_once_more(rest, e, at, ALL, memory, work)
        condense(rest, e, at, True, work)
        gather(rest, e, q, u, work)
        lead(rest, e, at, v, work)
        for step in range(rest.steps[e]):
            for i in range(rest.b.size):
                row, k = stage_of(rest, e, step) + i, rest.first[e] + rest.spacing * step + rest.place[i]
                y = work.stages[rest.b.size * step + i]
                follow(rest, k, row, y, memory, work)
                tally(part, e, k, row, rest.step[e] * rest.b[i], y, memory, work)
    memory.acceleration[:] = 0.0
    memory.averaged[:] = 0.0
    return True


@kernel
def lead(part: Arrays, e: int, at: Ends, v: np.ndarray, work: Work) -> None:
    """Compute the motion of the base of a subinterval along and about its axes, and the change of the wrench there, for
    velocities of the ends: the first row of ``work.lead``.
    """
    led, dofs = work.lead[0], part.dofs[e]
    led[0], led[1], led[2] = apply_transposed(at.first, vector(v, dofs[0]))
    for i in range(3):
        led[3 + i] = v[dofs[3 + i]]
    for i in range(6):
        led[6 + i] = 0.0
        for j in range(12):
            led[6 + i] += work.solved[i, j] * v[dofs[j]]


@kernel
def follow(part: Arrays, k: int, row: int, y: np.ndarray, memory: Memory, work: Work) -> None:
    """Store a stage that moves with the first row of ``work.lead``."""
    place, frame = placed(work.base, y)
    stretched, bent = stresses(part.compliance, k, vector(y, FORCE), vector(y, MOMENT))
    put(memory.place[row], place, frame, stretched, bent)
    speed = memory.speed[row]
    speed[:] = 0.0
    for i in range(12):
        u, phi, n, m = moved(y, i)
        u, (stretching, bending) = rotate(frame, u), stresses(part.compliance, k, n, m)
        for j in range(3):
            speed[j] += work.lead[0, i] * u[j]
            speed[3 + j] += work.lead[0, i] * phi[j]
            speed[6 + j] += work.lead[0, i] * stretching[j]
            speed[9 + j] += work.lead[0, i] * bending[j]
