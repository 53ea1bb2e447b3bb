"""Kernels of a two-node beam in space, built from the dependence of its strains on s and psi (_spatial_pair.py).

A family gives four kernels, with ``seen(s)`` computed once for all of them:

    strained(part, e, pair, at)                  strains Gamma, kappa, less the rest shape's
    strain_rates(part, e, v, pair, at)           their rates at velocity v: B v
    pushes(part, e, pair, at, N, M)              derivatives of the energy by s and psi: forces of the resultants
    curvatures(part, e, pair, at, N, material)   second derivatives of the energy by s, by s and psi, by psi

The energy is ``L/2 (Gamma, kappa).C.(Gamma, kappa)``, C the stiffness of the element, damping Kelvin-Voigt's and alpha.

Elements are computed four at a time (kernels/lanes.py): poses of the ends are written to rows of numbers, and these are
summed over all parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pliant.elements._spatial_pair import (
    Derivatives,
    Hessian,
    Pair,
    Relation,
    add_resultants,
    hessian,
    inertia_form,
    moments,
    paired,
    relation,
    sections,
)
from pliant.elements._sums import power_of
from pliant.jit import flat_kernel, inlined_kernel, kernel
from pliant.kernels.blocks import add_block, add_skew, shared_moment, shared_spin, spinning, turned_away
from pliant.kernels.buffers import stack_array
from pliant.kernels.lanes import LANES, nine, one, put, put_all, put_block, put_diagonal_block, put_one, three
from pliant.kernels.so3 import quaternion, stretched_arc
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, transposed
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector

BOTH, COSINE, RELATIVE, ARC, WAY = 0, 4, 5, 8, 9  # as in `Relation`, and further arguments of `paired`
TURN, SEEN, PSI, T, G, O = 12, 21, 24, 27, 30, 31  # of a pair
STRESS = 32  # N and M
FORCE = 38  # on the twelve freedoms
SKEW = 50  # skew halves: three entries of the first end, three of the second, and the block that couples them
TANGENT = 65  # the lower triangle, row by row
ENTRIES = 78
room = stack_array(LANES * (TANGENT + ENTRIES))

Lane = tuple[np.ndarray, int]  # rows, and the number of a lane


@kernel
def nearest(part: Any, first: int, lane: int) -> int:
    """Return the element of a lane; beyond the last element, the last one, whose result is ignored."""
    return min(first + lane, part.alpha.size - 1)


@inlined_kernel
def relate(part: Any, first: int, q: np.ndarray, rows: np.ndarray) -> None:
    """Compute the relations of the ends of elements from ``first`` on."""
    for lane in range(LANES):
        e = nearest(part, first, lane)
        at = relation(quaternion(q, part.frames[e, 0]), quaternion(q, part.frames[e, 1]))
        put_one(rows, BOTH, lane, at.both[0])
        put(rows, BOTH + 1, lane, (at.both[1], at.both[2], at.both[3]))
        put_one(rows, COSINE, lane, at.cosine)
        put(rows, RELATIVE, lane, at.relative)
        put(rows, WAY, lane, minus(vector(q, part.dofs[e, 6]), vector(q, part.dofs[e, 0])))
    for lane in range(LANES):  # with branches: one lane after the other
        relative = three(rows, RELATIVE, lane)
        put_one(rows, ARC, lane, stretched_arc(dot(relative, relative), one(rows, COSINE, lane)))


@flat_kernel
def pair_from(rows: np.ndarray, lane: int) -> Pair:
    """Return a pair from the relation of its ends."""
    x, y, z = three(rows, BOTH + 1, lane)
    at = Relation((one(rows, BOTH, lane), x, y, z), one(rows, COSINE, lane), three(rows, RELATIVE, lane))
    return paired(at, one(rows, ARC, lane), three(rows, WAY, lane))


@flat_kernel
def keep_pair(rows: np.ndarray, lane: int, at: Pair) -> None:
    """Store a pair for `kept_pair`."""
    put_all(rows, TURN, 3, lane, at.R)
    put(rows, SEEN, lane, at.s)
    put(rows, PSI, lane, at.psi)
    put(rows, T, lane, at.t)
    put_one(rows, G, lane, at.g)
    put_one(rows, O, lane, at.o)


@flat_kernel
def kept_pair(rows: np.ndarray, lane: int) -> Pair:
    """Return the stored pair of a lane."""
    return Pair(
        nine(rows, TURN, lane), three(rows, SEEN, lane), three(rows, PSI, lane), three(rows, T, lane),
        one(rows, COSINE, lane), one(rows, G, lane), one(rows, O, lane),
    )  # fmt: skip


class Ends(NamedTuple):
    """Motion of the ends of an element, for its inertia."""

    x1: Vector  # acceleration of the point, with alpha times its velocity
    x2: Vector
    w1: Vector  # spin, and its rate
    w2: Vector
    rate1: Vector
    rate2: Vector


@flat_kernel
def ends(part: Any, e: int, now: Instant) -> Ends:
    """Return the motion of the ends of element e."""
    v, a, alpha = now.v, now.a, part.alpha[e]
    i, j, k, l = part.dofs[e, 0], part.dofs[e, 3], part.dofs[e, 6], part.dofs[e, 9]
    x1, x2 = plus(vector(a, i), times(alpha, vector(v, i))), plus(vector(a, k), times(alpha, vector(v, k)))
    return Ends(x1, x2, vector(v, j), vector(v, l), vector(a, j), vector(a, l))


@flat_kernel
def put_forces(part: Any, e: int, at: Pair, pushes: tuple[Vector, Vector], now: Instant, to: Lane) -> None:
    """Write the forces of N and M, of mass and rotary inertia (of the ends, shared by both) and damping."""
    rows, lane = to
    mass, rotary, alpha, moving = part.mass[e], part.rotary[e], part.alpha[e], ends(part, e, now)
    force, (first, second) = apply(at.R, pushes[0]), moments(at, pushes[0], pushes[1])
    spin1 = spinning(vector(rotary, 0), alpha, moving.w1, moving.rate1, 0.0, 0.0, 0.0)
    spin2 = spinning(vector(rotary, 3), alpha, moving.w2, moving.rate2, 0.0, 0.0, 0.0)
    J = vector(rotary, 6)
    shared1 = shared_moment(J, alpha, moving.w1, moving.w2, moving.rate2)
    shared2 = shared_moment(J, alpha, moving.w2, moving.w1, moving.rate1)
    pushed1 = plus(times(mass[0], moving.x1), times(mass[2], moving.x2))
    pushed2 = plus(times(mass[1], moving.x2), times(mass[2], moving.x1))
    put(rows, FORCE, lane, minus(pushed1, force))
    put(rows, FORCE + 3, lane, plus(first, plus(spin1.moment, shared1)))
    put(rows, FORCE + 6, lane, plus(pushed2, force))
    put(rows, FORCE + 9, lane, plus(second, plus(spin2.moment, shared2)))


@flat_kernel
def put_tangent(part: Any, e: int, H: Hessian, now: Instant, into: Into, to: Lane) -> None:
    """Write the tangent of these forces, times its factors, and its skew half."""
    (rows, lane), ck, cc = to, into.ck, into.cc
    mass, rotary, alpha, moving = part.mass[e], part.rotary[e], part.alpha[e], ends(part, e, now)
    massive = into.cm + cc * alpha
    spin1 = spinning(vector(rotary, 0), alpha, moving.w1, moving.rate1, ck, cc, into.cm)
    spin2 = spinning(vector(rotary, 3), alpha, moving.w2, moving.rate2, ck, cc, into.cm)
    J = vector(rotary, 6)
    shared1 = shared_moment(J, alpha, moving.w1, moving.w2, moving.rate2)
    shared2 = shared_moment(J, alpha, moving.w2, moving.w1, moving.rate1)
    tie = shared_spin(J, massive, times(0.5 * cc, moving.w2), times(0.5 * cc, moving.w1))
    put(rows, SKEW, lane, plus(spin1.skew, turned_away(J, moving.w2, shared1, cc, ck)))
    put(rows, SKEW + 3, lane, plus(spin2.skew, turned_away(J, moving.w1, shared2, cc, ck)))
    put_all(rows, SKEW + 6, 3, lane, tie.skew)
    put_diagonal_block(rows, TANGENT, 0, lane, plus_diagonal(H.along, massive * mass[0]))
    put_block(rows, TANGENT, (3, 0), lane, -1.0, transposed(H.first))
    put_diagonal_block(rows, TANGENT, 3, lane, added(H.spin11, spin1.even))
    put_block(rows, TANGENT, (6, 0), lane, -1.0, plus_diagonal(H.along, -massive * mass[2]))
    put_block(rows, TANGENT, (6, 3), lane, 1.0, H.first)
    put_diagonal_block(rows, TANGENT, 6, lane, plus_diagonal(H.along, massive * mass[1]))
    put_block(rows, TANGENT, (9, 0), lane, -1.0, transposed(H.second))
    put_block(rows, TANGENT, (9, 3), lane, 1.0, added(H.spin21, tie.even))
    put_block(rows, TANGENT, (9, 6), lane, 1.0, transposed(H.second))
    put_diagonal_block(rows, TANGENT, 9, lane, added(H.spin22, spin2.even))


@kernel
def plus_diagonal(A: Matrix, f: float) -> Matrix:
    """Return A + f I."""
    return A[0] + f, A[1], A[2], A[3], A[4] + f, A[5], A[6], A[7], A[8] + f


@kernel
def add_forces(part: Any, first: int, rows: np.ndarray, r: np.ndarray) -> None:
    """Add the forces of elements from ``first`` on to r."""
    for e in range(first, min(first + LANES, part.alpha.size)):
        dofs = part.dofs[e]
        for k in range(dofs.size):
            r[dofs[k]] += one(rows, FORCE + k, e - first)


@kernel
def add_tangents(part: Any, first: int, rows: np.ndarray, s: np.ndarray, w: np.ndarray) -> None:
    """Add the tangents of elements from ``first`` on to s, and their skew halves to w."""
    for e in range(first, min(first + LANES, part.alpha.size)):
        slots, lane = part.slots[e], e - first
        for k in range(0, ENTRIES, 6):
            s[slots[k]] += one(rows, TANGENT + k, lane)
            s[slots[k + 1]] += one(rows, TANGENT + k + 1, lane)
            s[slots[k + 2]] += one(rows, TANGENT + k + 2, lane)
            s[slots[k + 3]] += one(rows, TANGENT + k + 3, lane)
            s[slots[k + 4]] += one(rows, TANGENT + k + 4, lane)
            s[slots[k + 5]] += one(rows, TANGENT + k + 5, lane)
        add_skew(w, part.slots, e, 3, three(rows, SKEW, lane))
        add_skew(w, part.slots, e, 9, three(rows, SKEW + 3, lane))
        add_block(w, part.slots, e, 9, 3, 1.0, nine(rows, SKEW + 6, lane))


@kernel
def block(C: np.ndarray, e: int, row: int, column: int) -> Matrix:
    """Return a quarter of the stiffness, from a row and a column on."""
    return (
        C[e, row, column],
        C[e, row, column + 1],
        C[e, row, column + 2],
        C[e, row + 1, column],
        C[e, row + 1, column + 1],
        C[e, row + 1, column + 2],
        C[e, row + 2, column],
        C[e, row + 2, column + 1],
        C[e, row + 2, column + 2],
    )


@kernel
def stresses(C: np.ndarray, e: int, Gamma: Vector, kappa: Vector) -> tuple[Vector, Vector]:
    """Return (N, M) = C (Gamma, kappa)."""
    return stressed(C, e, Gamma, kappa)


@flat_kernel
def stressed(C: np.ndarray, e: int, Gamma: Vector, kappa: Vector) -> tuple[Vector, Vector]:
    """Return (N, M) = C (Gamma, kappa), for loops over lanes."""
    across = block(C, e, 0, 3)
    N = plus(apply(block(C, e, 0, 0), Gamma), apply(across, kappa))
    return N, plus(apply_transposed(across, Gamma), apply(block(C, e, 3, 3), kappa))


def kernels(
    seen: Any, strained: Any, strain_rates: Any, pushes: Any, curvatures: Any
) -> tuple[Callable[..., Any], ...]:
    """Build `add`, `energy`, `power`, `stretch`, `pull` and `resultants` of a family."""

    @inlined_kernel
    def pushed(part: Any, first: int, now: Instant, rows: np.ndarray) -> None:
        """Compute stresses of elements from ``first`` on, and forces on their freedoms."""
        relate(part, first, now.q, rows)
        for lane in range(LANES):
            e = nearest(part, first, lane)
            pair, beta = pair_from(rows, lane), part.beta[e]
            at = seen(pair.s)
            (gamma, kappa), (rate, turning) = strained(part, e, pair, at), strain_rates(part, e, now.v, pair, at)
            gamma, kappa = plus(gamma, times(beta, rate)), plus(kappa, times(beta, turning))
            N, M = stressed(part.stiffness, e, gamma, kappa)
            put(rows, STRESS, lane, N)
            put(rows, STRESS + 3, lane, M)
            keep_pair(rows, lane, pair)
            put_forces(part, e, pair, pushes(part, e, pair, at, N, M), now, (rows, lane))

    @inlined_kernel
    def stiffened(part: Any, first: int, now: Instant, into: Into, rows: np.ndarray) -> None:
        """Compute the tangents of these forces, with the stresses in the rows."""
        ck, cc = into.ck, into.cc
        for lane in range(LANES):
            e = nearest(part, first, lane)
            pair, N, M = kept_pair(rows, lane), three(rows, STRESS, lane), three(rows, STRESS + 3, lane)
            at = seen(pair.s)
            force, moment = pushes(part, e, pair, at, N, M)
            ss, sp, pp = curvatures(part, e, pair, at, times(ck, N), ck + cc * part.beta[e])
            H = hessian(pair, Derivatives(times(ck, force), times(ck, moment), ss, sp, pp))
            put_tangent(part, e, H, now, into, (rows, lane))

    @kernel
    def add(part: Any, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
        """Add M a + C v + f(q) to r, ck K + cc C + cm M to s, and skew halves to w."""
        rows, forces_alone = room(), into.ck == 0.0 and into.cc == 0.0 and into.cm == 0.0
        for first in range(0, part.alpha.size, LANES):
            pushed(part, first, now, rows)
            add_forces(part, first, rows, into.r)
            if forces_alone:
                continue
            if mixed:
                for lane in range(LANES):
                    k = part.stress_start + 6 * nearest(part, first, lane)
                    put(rows, STRESS, lane, vector(stress, k))
                    put(rows, STRESS + 3, lane, vector(stress, k + 3))
            stiffened(part, first, now, into, rows)
            add_tangents(part, first, rows, into.s, into.w)

    @inlined_kernel
    def stored(part: Any, first: int, q: np.ndarray, v: np.ndarray, rows: np.ndarray) -> None:
        """Compute kinetic and elastic energy of elements from ``first`` on, into the rows of their stresses."""
        relate(part, first, q, rows)
        for lane in range(LANES):
            e, pair = nearest(part, first, lane), pair_from(rows, lane)
            gamma, kappa = strained(part, e, pair, seen(pair.s))
            N, M = stressed(part.stiffness, e, gamma, kappa)
            put_one(rows, STRESS, lane, 0.5 * inertia_form(part, e, v))
            put_one(rows, STRESS + 1, lane, 0.5 * part.length[e] * (dot(N, gamma) + dot(M, kappa)))

    @kernel
    def energy(part: Any, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Return kinetic and elastic energy."""
        rows, kinetic, potential = room(), 0.0, 0.0
        for first in range(0, part.alpha.size, LANES):
            stored(part, first, q, v, rows)
            for lane in range(min(LANES, part.alpha.size - first)):
                kinetic += one(rows, STRESS, lane)
                potential += one(rows, STRESS + 1, lane)
        return kinetic, potential

    @kernel
    def dissipated(part: Any, e: int, q: np.ndarray, v: np.ndarray) -> float:
        pair = sections(q, part.dofs, part.frames, e)
        rate, turning = strain_rates(part, e, v, pair, seen(pair.s))
        N, M = stresses(part.stiffness, e, rate, turning)
        viscous = part.beta[e] * part.length[e] * (dot(N, rate) + dot(M, turning))
        return viscous + part.alpha[e] * inertia_form(part, e, v)

    @kernel
    def stretch(part: Any, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
        """Write stress = C (strain(q) + B(q) dq)."""
        for e in range(part.length.size):
            pair = sections(q, part.dofs, part.frames, e)
            at = seen(pair.s)
            gamma, kappa = strained(part, e, pair, at)
            rate, turning = strain_rates(part, e, dq, pair, at)
            N, M = stresses(part.stiffness, e, plus(gamma, rate), plus(kappa, turning))
            k = part.stress_start + 6 * e
            stress[k], stress[k + 1], stress[k + 2] = N
            stress[k + 3], stress[k + 4], stress[k + 5] = M

    @kernel
    def pull(part: Any, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
        """Add B(q)^T stress to r."""
        for e in range(part.length.size):
            k, pair = part.stress_start + 6 * e, sections(q, part.dofs, part.frames, e)
            force, moment = pushes(part, e, pair, seen(pair.s), vector(stress, k), vector(stress, k + 3))
            add_resultants(part.dofs, e, pair, force, moment, r)

    @kernel
    def resultants(part: Any, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        """Write N, Vy, Vz in the mean section's frame, T, My, Mz in the frames of the ends, damping included."""
        for e in range(part.length.size):
            pair = sections(q, part.dofs, part.frames, e)
            at, beta = seen(pair.s), part.beta[e]
            gamma, kappa = strained(part, e, pair, at)
            rate, turning = strain_rates(part, e, v, pair, at)
            N, M = stresses(part.stiffness, e, plus(gamma, times(beta, rate)), plus(kappa, times(beta, turning)))
            force, moment = pushes(part, e, pair, at, N, M)
            first, second = moments(pair, force, moment)
            for k in range(2):
                out[2 * e + k, 0], out[2 * e + k, 1], out[2 * e + k, 2] = force
            out[2 * e, 3], out[2 * e, 4], out[2 * e, 5] = times(-1.0, first)
            out[2 * e + 1, 3], out[2 * e + 1, 4], out[2 * e + 1, 5] = second

    return add, energy, power_of(dissipated), stretch, pull, resultants
