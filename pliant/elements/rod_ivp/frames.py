"""A rod in space as an initial-value problem, marched with its derivatives (S.S. Antman, Nonlinear Problems of
Elasticity, 2005, chapter 8).

In the axes of the section at the base of a subinterval the state is the place x and the frame P of a section, a
quaternion, and the resultants N and M in the section's axes. With the compliance S and the strains of the unstressed
rod

    (gamma, kappa) = rest + S (N, M),   x' = P gamma,   P' = P skew(kappa)
    N' = N x kappa - f,                 M' = M x kappa + N x gamma

f is the load per length in the section's axes: a load of constant direction, ``P^T f0``, and one that follows. A small
move (u, phi) of a section, in its own axes, and the changes n and m of N and M obey the linear equations

    u'   = u x kappa + phi x gamma + dgamma        n' = n x kappa + N x dkappa - (P^T f0) x phi
    phi' = phi x kappa + dkappa                    m' = m x kappa + M x dkappa + n x gamma + N x dgamma

with ``(dgamma, dkappa) = S (n, m)``: nine solutions, begun with unit n, m and phi at the base, are marched with the
state. (A rod without loads of constant direction is turned by phi as a rigid body: six are enough.)

In motion the time derivatives of a step of the integrator, linear in the unknowns, add inertia and damping
(inertia.py); a move u of the base then matters too, and there are twelve solutions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.elements._spatial_two_node import stresses
from pliant.elements.rod_ivp.inertia import (
    BASE,
    BETA,
    RATES,
    SOFTENED,
    carried,
    dragged,
    of_move,
    placed,
    yielding,
)
from pliant.elements.rod_ivp.simd import BY_WRENCH, LANES, ROWS, WHOLE
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.tensors import apply, apply_transposed, rotation
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays

PLACE, FRAME, FORCE, MOMENT, STATE = 0, 3, 7, 10, 13  # parts of a state, and its size; then the columns
TURN, PULL, TWIST, COLUMN = 3, 6, 9, 12  # parts of a column after u: phi, n, m; and its size
ALL, MOVED = 9, 12  # columns: begun with n, m and phi; in motion also with u
DEAD, WEIGHT, FOLLOWER, LOADS = 0, 3, 6, 9  # parts of a load: per length, per mass, per length in the section's axes
SWEEPS, COLUMN_SWEEPS = 10, 3  # over the stages of an implicit method, and further ones with the columns
STILL, MASSES, LOSSES, STAGES = 0, 1, 2, 3  # sums along a march, besides energies; or all stages stored


class Work(NamedTuple):
    """Working arrays of marches and their results."""

    y: np.ndarray  # (STATE + MOVED COLUMN,) the state and its columns
    at: np.ndarray  # y at a stage
    k: np.ndarray  # (stages, size of y) slopes
    seen: np.ndarray  # (steps + 1, STATE) at the ends of steps
    stages: np.ndarray  # (stages of all steps, size of y) y at all stages, if they are stored
    base: np.ndarray  # (BASE,) place and quaternion of the base
    rates: np.ndarray  # (RATES,) of the integrator, see inertia.py; at rest zero, and SOFTENED 1
    load: np.ndarray  # (stations, LOADS) along the subinterval, in the axes of its base
    steady: np.ndarray  # (stations, LOADS) its part that has a potential
    origin: np.ndarray  # (3,) the base relative to the origin, in its own axes
    longer: np.ndarray  # (subintervals,) length relative to the assembled one, of fed rods (feeding.py); else 1
    soft: np.ndarray  # (1,) m/(N m): additional compliance of the axis, on the way to a wrench that meets an end
    energy: np.ndarray  # (2,) elastic, and of the steady loads
    mass: np.ndarray  # (12, 12) of moves of the base (along its axes, about them) and of its resultants; (13, 13) with
    # fed rods, also of the material that passes the sections
    loss: np.ndarray  # of the same size: damping by the material and by drag
    wrench: np.ndarray  # (6,) N, M at the base
    wrenches: np.ndarray  # (subintervals, 6) of marches by lanes (unloaded.py),
    passed: np.ndarray  # (subintervals, steps + 1, WHOLE) their states at the ends of steps,
    rows: np.ndarray  # (LANES ROWS,) and their working arrays (simd.py):
    slopes: np.ndarray  # (stages + 1, LANES WHOLE) start of a step, and slopes of its stages
    matrix: np.ndarray  # (6, 6)
    solved: np.ndarray  # (6, 14) change of the wrench at the base with moves of the ends, to close the gap, and
    # with the length
    tip: np.ndarray  # (6, 12) change of N, M at the tip with moves of the ends
    stiffness: np.ndarray  # (12, 12), or with a row and column of the length of the whole rod
    inertia: np.ndarray  # of the same size
    lead: np.ndarray  # of the same size: from moves of the ends to the coordinates of `mass`
    slope: np.ndarray  # (fed rods, 12) and (fed rods, 78):
    bend: np.ndarray  # derivatives of their lengths by the freedoms of guide and carriage


@allocating_kernel
def workspace(part: Arrays) -> Work:
    """Allocate working arrays."""
    stages, steps, stations = part.b.size, 0, part.compliance.shape[0]
    for e in range(part.steps.size):
        steps = max(steps, part.steps[e])
    size, rates, fed = STATE + MOVED * COLUMN, np.zeros(RATES), part.length.shape[0]
    wide = 13 if fed > 0 else 12
    rates[SOFTENED] = 1.0
    return Work(
        np.empty(size), np.empty(size), np.empty((stages, size)), np.empty((steps + 1, STATE)),
        np.empty((steps * stages if part.past.shape[0] > 0 else 0, size)), np.zeros(BASE), rates,
        np.zeros((stations, LOADS)), np.zeros((stations, LOADS)), np.zeros(3), np.ones(part.steps.size),
        np.zeros(1), np.zeros(2),
        np.zeros((wide, wide)), np.zeros((wide, wide)), np.zeros(6), np.empty((part.steps.size, 6)),
        np.empty((part.steps.size, steps + 1, WHOLE)), np.empty(LANES * ROWS), np.empty((stages + 1, LANES * WHOLE)),
        np.zeros((6, 6)), np.zeros((6, 14)),
        np.zeros((6, 12)), np.zeros((wide, wide)), np.zeros((wide, wide)), np.zeros((wide, wide)),
        np.zeros((fed, part.pair.shape[1])), np.zeros((fed, part.triangle.shape[1])),
    )  # fmt: skip


@kernel
def length_of(part: Arrays, e: int, work: Work) -> float:
    """Return the current length of subinterval e."""
    return part.steps[e] * part.step[e] * work.longer[e]


@kernel
def begin(work: Work, columns: int) -> None:
    """Set the state at the base, with the wrench there, and unit columns."""
    y = work.y
    y[:] = 0.0
    y[FRAME] = 1.0
    for i in range(6):
        y[FORCE + i] = work.wrench[i]
        y[STATE + COLUMN * i + PULL + i] = 1.0
    for i in range(BY_WRENCH, min(columns, ALL)):
        y[STATE + COLUMN * i + TURN + i - BY_WRENCH] = 1.0
    for i in range(ALL, columns):
        y[STATE + COLUMN * i + i - ALL] = 1.0


@kernel
def slope(part: Arrays, k: int, row: int, columns: int, work: Work, out: np.ndarray) -> None:
    """Write the derivative of the state and its columns at a stage of station k, in motion identified by its row."""
    y, load, soft = work.at, work.load[k], work.soft[0]
    p0, p1, p2, p3 = y[FRAME], y[FRAME + 1], y[FRAME + 2], y[FRAME + 3]
    P, N, M = rotation(p0, p1, p2, p3), vector(y, FORCE), vector(y, MOMENT)
    stretched, bent = yielding(part, k, row, N, M, work.rates)
    gamma, kappa = plus(vector(part.rest[k], 0), stretched), plus(vector(part.rest[k], 3), bent)
    gamma = gamma[0] + soft * N[0], gamma[1], gamma[2]
    dead = apply_transposed(P, plus(vector(load, DEAD), times(part.inertia[k, 0], vector(load, WEIGHT))))
    along, force = apply(P, gamma), minus(minus(cross(N, kappa), dead), vector(load, FOLLOWER))
    now = carried(part, k, row, y, work.base, work.rates)
    force = plus(force, plus(times(part.inertia[k, 0], now.pull), now.drag))
    moment = plus(plus(cross(M, kappa), cross(N, gamma)), now.swing)
    out[0], out[1], out[2] = along
    a, b, c = times(0.5, kappa)
    out[3], out[4] = -a * p1 - b * p2 - c * p3, a * p0 + c * p2 - b * p3
    out[5], out[6] = b * p0 - c * p1 + a * p3, c * p0 + b * p1 - a * p2
    out[7], out[8], out[9] = force
    out[10], out[11], out[12] = moment
    moving, softened = part.past.shape[0] > 0, work.rates[SOFTENED]
    for j in range(columns):
        i = STATE + COLUMN * j
        u, phi, n, m = vector(y, i), vector(y, i + TURN), vector(y, i + PULL), vector(y, i + TWIST)
        dgamma, dkappa = stresses(part.compliance, k, times(softened, n), times(softened, m))
        dgamma = dgamma[0] + soft * n[0], dgamma[1], dgamma[2]
        out[i], out[i + 1], out[i + 2] = plus(plus(cross(u, kappa), cross(phi, gamma)), dgamma)
        out[i + 3], out[i + 4], out[i + 5] = plus(cross(phi, kappa), dkappa)
        out[i + 6], out[i + 7], out[i + 8] = minus(plus(cross(n, kappa), cross(N, dkappa)), cross(dead, phi))
        swirl = plus(cross(m, kappa), cross(M, dkappa))
        out[i + 9], out[i + 10], out[i + 11] = plus(swirl, plus(cross(n, gamma), cross(N, dgamma)))
        if moving:
            n, m = of_move(part, k, now, work.rates, u, phi)
            for axis in range(3):
                out[i + PULL + axis] += n[axis]
                out[i + TWIST + axis] += m[axis]


@kernel
def march(part: Arrays, e: int, columns: int, summed: int, work: Work) -> None:
    """March from the base of subinterval e to its tip, in ``work.y``; sums use the weights of the method."""
    y, at, k, h = work.y, work.at, work.k, part.step[e] * work.longer[e]
    size, stages, spacing = STATE + COLUMN * columns, part.b.size, part.spacing
    begin(work, columns)
    work.energy[:] = 0.0
    if summed in (MASSES, LOSSES):
        work.mass[:] = 0.0
        work.loss[:] = 0.0
    for step in range(part.steps[e]):
        first, row = part.first[e] + spacing * step, stages * ((part.first[e] - e) // spacing + step)
        look(work, step)
        if part.implicit:
            settle(part, e, step, columns, work)
        for i in range(stages):
            reach(part, i, h, size, work)
            station = first + part.place[i]
            slope(part, station, row + i, columns, work, k[i])
            if summed == STAGES:
                for n in range(size):
                    work.stages[stages * step + i, n] = at[n]
            elif part.b[i] != 0.0:
                sum_up(part, station, h * part.b[i], summed, work)
        for j in range(stages):
            f = h * part.b[j]
            if f != 0.0:
                for n in range(size):
                    y[n] += f * k[j, n]
    look(work, part.steps[e])


@kernel
def reach(part: Arrays, i: int, h: float, size: int, work: Work) -> None:
    """Write the state at stage i, from the slopes known so far."""
    for n in range(size):
        work.at[n] = work.y[n]
    for j in range(part.b.size):
        f = h * part.a[i, j]
        if f != 0.0:
            for n in range(size):
                work.at[n] += f * work.k[j, n]


@kernel
def settle(part: Arrays, e: int, step: int, columns: int, work: Work) -> None:
    """Iterate the slopes of the coupled stages of an implicit method, stage after stage: first of the state, then with
    the columns. A sweep reduces the error to about a tenth in a step of 0.4 rad of a wave.
    """
    stages, spacing, size = part.b.size, part.spacing, STATE + COLUMN * columns
    first, row = part.first[e] + spacing * step, stages * ((part.first[e] - e) // spacing + step)
    if step == 0:
        for i in range(stages):
            for n in range(size):
                work.k[i, n] = 0.0
    for sweep in range(SWEEPS):
        width = columns if sweep >= SWEEPS - COLUMN_SWEEPS else 0
        for i in range(stages):
            reach(part, i, part.step[e] * work.longer[e], STATE + COLUMN * width, work)
            slope(part, first + part.place[i], row + i, width, work, work.k[i])


@kernel
def look(work: Work, step: int) -> None:
    """Store the state at the end of a step."""
    for n in range(STATE):
        work.seen[step, n] = work.y[n]


@kernel
def sum_up(part: Arrays, k: int, weight: float, summed: int, work: Work) -> None:
    """Add the contribution of a station to the energies, and to the mass or the damping."""
    at, steady = work.at, work.steady[k]
    N, M = vector(at, FORCE), vector(at, MOMENT)
    stretched, bent = stresses(part.compliance, k, N, M)
    pull = plus(vector(steady, DEAD), times(part.inertia[k, 0], vector(steady, WEIGHT)))
    work.energy[0] += 0.5 * weight * (dot(N, stretched) + dot(M, bent))
    work.energy[1] -= weight * dot(pull, plus(vector(work.origin, 0), vector(at, PLACE)))
    if summed == STILL:
        return
    rho, J, beta, (_, frame) = part.inertia[k, 0], vector(part.inertia[k], 1), work.rates[BETA], placed(work.base, at)
    none = 0.0, 0.0, 0.0
    passing = plus(vector(part.rest[k], 0), stretched), plus(vector(part.rest[k], 3), bent), none, none
    for i in range(work.mass.shape[0]):
        u, phi, n, m = moved(at, i) if i < 12 else passing
        spin = J[0] * phi[0], J[1] * phi[1], J[2] * phi[2]
        dgamma, dkappa = stresses(part.compliance, k, n, m)
        for j in range(i + 1):
            other, turned, force, moment = moved(at, j) if j < 12 else passing
            work.mass[i, j] += weight * (rho * dot(u, other) + dot(spin, turned))
            if summed == LOSSES:
                strained = beta * (dot(dgamma, force) + dot(dkappa, moment))
                work.loss[i, j] += weight * (strained + dot(dragged(frame, u, work.rates), other))


@kernel
def moved(y: np.ndarray, i: int) -> tuple[Vector, Vector, Vector, Vector]:
    """Return u, phi, n and m of a unit move of the base along (0 to 2) or about its axes, or of the wrench there."""
    if i < 3:
        P = rotation(y[FRAME], y[FRAME + 1], y[FRAME + 2], y[FRAME + 3])
        none = 0.0, 0.0, 0.0
        return (P[3 * i], P[3 * i + 1], P[3 * i + 2]), none, none, none
    c = STATE + COLUMN * (i + BY_WRENCH - 3 if i < 6 else i - 6)
    return vector(y, c), vector(y, c + TURN), vector(y, c + PULL), vector(y, c + TWIST)
