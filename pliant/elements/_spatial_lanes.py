"""Two-node elements in space, four abreast (kernels/lanes.py): from where their ends are to rows of numbers, and from
those to the sums over all parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.elements._spatial_pair import Hessian, Pair, Relation, moments, paired, relation
from pliant.jit import flat_kernel, inlined_kernel, kernel
from pliant.kernels.blocks import add_block, add_skew, shared_moment, shared_spin, spinning, turned_away
from pliant.kernels.buffers import stack_array
from pliant.kernels.lanes import LANES, nine, one, put, put_all, put_block, put_diagonal_block, put_one, three
from pliant.kernels.so3 import quaternion, stretched_arc
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, added, apply, transposed
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector

BOTH, COSINE, RELATIVE, ARC, WAY = 0, 4, 5, 8, 9  # as of `Relation`, and what `paired` needs besides
TURN, SEEN, PSI, T, G, O = 12, 21, 24, 27, 30, 31  # of a pair
STRESS = 32  # N and M
FORCE = 38  # on the twelve freedoms
SKEW = 50  # skew halves: three entries of the first end, three of the second, and the block that ties them
TANGENT = 65  # the lower triangle, row by row
ENTRIES = 78
room = stack_array(LANES * (TANGENT + ENTRIES))

Lane = tuple[np.ndarray, int]  # rows, and which of their lanes


@kernel
def nearest(part: Any, first: int, lane: int) -> int:
    """The element of a lane; beyond the last one that again, and nobody looks at it."""
    return min(first + lane, part.alpha.size - 1)


@inlined_kernel
def relate(part: Any, first: int, q: np.ndarray, rows: np.ndarray) -> None:
    """How the ends of elements from ``first`` on stand to each other."""
    for lane in range(LANES):
        e = nearest(part, first, lane)
        at = relation(quaternion(q, part.frames[e, 0]), quaternion(q, part.frames[e, 1]))
        put_one(rows, BOTH, lane, at.both[0])
        put(rows, BOTH + 1, lane, (at.both[1], at.both[2], at.both[3]))
        put_one(rows, COSINE, lane, at.cosine)
        put(rows, RELATIVE, lane, at.relative)
        put(rows, WAY, lane, minus(vector(q, part.dofs[e, 6]), vector(q, part.dofs[e, 0])))
    for lane in range(LANES):  # decides by numbers: one lane after the other
        relative = three(rows, RELATIVE, lane)
        put_one(rows, ARC, lane, stretched_arc(dot(relative, relative), one(rows, COSINE, lane)))


@flat_kernel
def pair_from(rows: np.ndarray, lane: int) -> Pair:
    """A pair, from how its ends stand to each other."""
    x, y, z = three(rows, BOTH + 1, lane)
    at = Relation((one(rows, BOTH, lane), x, y, z), one(rows, COSINE, lane), three(rows, RELATIVE, lane))
    return paired(at, one(rows, ARC, lane), three(rows, WAY, lane))


@flat_kernel
def keep_pair(rows: np.ndarray, lane: int, at: Pair) -> None:
    """Keep a pair for `kept_pair`."""
    put_all(rows, TURN, 3, lane, at.R)
    put(rows, SEEN, lane, at.s)
    put(rows, PSI, lane, at.psi)
    put(rows, T, lane, at.t)
    put_one(rows, G, lane, at.g)
    put_one(rows, O, lane, at.o)


@flat_kernel
def kept_pair(rows: np.ndarray, lane: int) -> Pair:
    """The pair of a lane."""
    return Pair(
        nine(rows, TURN, lane), three(rows, SEEN, lane), three(rows, PSI, lane), three(rows, T, lane),
        one(rows, COSINE, lane), one(rows, G, lane), one(rows, O, lane),
    )  # fmt: skip


class Ends(NamedTuple):
    """How the ends of an element move, as its inertia asks for it."""

    x1: Vector  # acceleration of the point, with alpha times its velocity
    x2: Vector
    w1: Vector  # spin, and its rate
    w2: Vector
    rate1: Vector
    rate2: Vector


@flat_kernel
def ends(part: Any, e: int, now: Instant) -> Ends:
    """Those of element e."""
    v, a, alpha = now.v, now.a, part.alpha[e]
    i, j, k, l = part.dofs[e, 0], part.dofs[e, 3], part.dofs[e, 6], part.dofs[e, 9]
    x1, x2 = plus(vector(a, i), times(alpha, vector(v, i))), plus(vector(a, k), times(alpha, vector(v, k)))
    return Ends(x1, x2, vector(v, j), vector(v, l), vector(a, j), vector(a, l))


@flat_kernel
def put_forces(part: Any, e: int, at: Pair, pushes: tuple[Vector, Vector], now: Instant, to: Lane) -> None:
    """Forces of N and M, of mass and rotary inertia (of the ends, shared by both) and damping."""
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
    """The tangent of what `put_forces` puts, times its factors, and its skew half."""
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
    """A + f I"""
    return A[0] + f, A[1], A[2], A[3], A[4] + f, A[5], A[6], A[7], A[8] + f


@kernel
def add_forces(part: Any, first: int, rows: np.ndarray, r: np.ndarray) -> None:
    """r += forces of elements from ``first`` on."""
    for e in range(first, min(first + LANES, part.alpha.size)):
        dofs = part.dofs[e]
        for k in range(dofs.size):
            r[dofs[k]] += one(rows, FORCE + k, e - first)


@kernel
def add_tangents(part: Any, first: int, rows: np.ndarray, s: np.ndarray, w: np.ndarray) -> None:
    """s += tangents of elements from ``first`` on, w += their skew halves."""
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
