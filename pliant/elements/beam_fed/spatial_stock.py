"""Stock behind the guides of beams that are fed, in space, and their free lengths."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.elements.beam_fed import rows
from pliant.elements.beam_fed.inertia import Acting, acting_on, gravity_of, moves
from pliant.elements.beam_fed.rows import Stock
from pliant.elements.beam_fed.sums import behind, push, spread
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.dyads import skew
from pliant.kernels.measures.spatial import (
    add_gradient,
    add_turning_shifts,
    add_turns,
    curl,
    turning_place,
    turning_place_shifts,
    turning_place_turns,
)
from pliant.kernels.so3 import Four, quaternion, rotate
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, apply, apply_transposed, product, scaled, turned
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

Arrays, pack = Stock, rows.pack_stock
NODE = 6  # freedoms of a node
ALONG, NOTHING = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)


def gyroscopic(part: Stock) -> bool:
    """Return whether mass flows: the tangent is unsymmetric in motion."""
    return bool(np.any(part.density))


class Way(NamedTuple):
    """Vector from guide to carriage: quaternions of their nodes, arms of the markers, the guide's axis, the vector."""

    pa: Four
    pb: Four
    da: Vector
    db: Vector
    n: Vector
    D: Vector


@kernel
def way(part: Any, beam: int, q: np.ndarray) -> Way:
    """Return the vector from guide to carriage of a beam."""
    a, b = part.pair[beam, 0], part.pair[beam, 6]
    pa, pb = quaternion(q, part.pair_frames[beam, 0]), quaternion(q, part.pair_frames[beam, 1])
    da, db, n = vector(part.arms[beam], 0), vector(part.arms[beam], 3), vector(part.direction[beam], 0)
    return Way(pa, pb, da, db, n, minus(plus(vector(q, b), rotate(pb, db)), plus(vector(q, a), rotate(pa, da))))


@kernel
def length_along(part: Any, beam: int, q: np.ndarray, slope: np.ndarray) -> float:
    """Return the free length of a beam; write its first derivatives by the freedoms of guide and carriage."""
    pa, pb, da, db, n, D = way(part, beam, q)
    place = turning_place(pa, pb, da, db, n, D)
    slope[:] = 0.0
    add_gradient(slope, part.local, 0, 1.0, place, True)
    return part.length[beam, 0] + place.value


@kernel
def free_length(part: Any, beam: int, q: np.ndarray, slope: np.ndarray, bend: np.ndarray) -> float:
    """Return the free length of a beam; write its first and second derivatives."""
    pa, pb, da, db, n, D = way(part, beam, q)
    bend[:] = 0.0
    add_turns(bend, part.triangle, 0, 1.0, turning_place_turns(pa, pb, da, db, n, D))
    add_turning_shifts(bend, part.triangle, 0, 1.0, turning_place_shifts(pa, n).an)
    return length_along(part, beam, q, slope)


@allocating_kernel
def add(part: Stock, now: Instant, into: Into) -> None:
    """Add forces to r, and ck K + cm M to s."""
    if part.density.size == 0:
        return
    work, weighs = behind(part), gravity_of(part, now.u) != NOTHING
    for beam in range(part.density.size):
        if not (weighs or moves(part, beam, now, into)):
            continue
        length = free_length(part, beam, now.q, work.slope, work.bend)
        acting = acting_on(part, beam, length, work, now, into)
        work.T[:] = 0.0
        force = add_stock(part, beam, acting, now, work.T, into.r)
        spread(part, beam, (NODE, NODE), work.slope, work.T, into)
        push(part, beam, force, work.slope, work.bend, into)


@allocating_kernel
def energy(part: Stock, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic energy, and energy of a constant weight."""
    kinetic, potential = 0.0, 0.0
    if part.density.size == 0:
        return kinetic, potential
    work, now, into = behind(part), Instant(q, v, v, u), Into(0.0, 0.0, 0.0, q, q, q)
    for beam in range(part.density.size):
        length = free_length(part, beam, q, work.slope, work.bend)
        moving, high = stock_energy(part, beam, acting_on(part, beam, length, work, now, into), now)
        kinetic, potential = kinetic + moving, potential + high
    return kinetic, potential


@kernel
def add_stock(part: Stock, beam: int, acting: Acting, now: Instant, T: np.ndarray, r: np.ndarray) -> float:
    """Add inertia and weight of the stock, as in the plane; f_t has the moment ``e_x x R^T f_t`` in the axes of the
    first node. Returns the force on l.
    """
    e, by, gravity = part.first[beam], acting.by, acting.gravity
    first = part.dofs[e, 0]
    rho, h, d = part.density[beam, 0], part.length[beam, 1] - by.length, by.rate
    R = turned(now.q, part.frames[e, 0])
    spin, late = vector(now.v, first + 3), vector(now.a, first + 3)
    t, swing = apply(R, ALONG), cross(spin, ALONG)
    t1, t2 = apply(R, swing), apply(R, plus(cross(late, ALONG), cross(spin, swing)))  # t. and t..
    u = plus(vector(now.v, first), times(d, t))
    gain = minus(plus(vector(now.a, first), plus(times(by.change, t), times(d, t1))), gravity)  # u. less gravity
    half, third = 0.5 * h * h, h * h * h / 3.0
    pushed = plus(plus(times(h, gain), times(-d, u)), plus(times(h * d, t1), times(-half, t2)))
    across = plus(plus(times(-half, gain), times(-half * d, t1)), times(third, t2))
    moment = cross(ALONG, apply_transposed(R, across))
    for k in range(3):
        r[first + k] += rho * pushed[k]
        r[first + 3 + k] += rho * moment[k]
    add_stock_tangent(R, t, rho, h, acting, T)
    force = h * dot(t, gain) - d * dot(t, u) + 0.5 * dot(u, u) + half * dot(t1, t1)
    return rho * (force + dot(gravity, vector(now.q, first)))


@kernel
def add_stock_tangent(R: Matrix, t: Vector, rho: float, h: float, acting: Acting, T: np.ndarray) -> None:
    """Add the mass of the stock, and the stiffness of its weight: ``V = -rho (h g.x0 - h^2/2 g.t)``."""
    massive, heavy, gravity, end = acting.cm * rho * h, acting.ck * rho, acting.gravity, T.shape[0] - 1
    seen = apply_transposed(R, gravity)
    leaning, swing = curl(seen, ALONG), cross(ALONG, seen)
    across = scaled(0.5 * massive * h, product(R, skew(ALONG)))
    T[end, end] += massive + heavy * dot(t, gravity)
    for i in range(3):
        T[i, i] += massive
        if i > 0:
            T[3 + i, 3 + i] += massive * h * h / 3.0
        point, turn = massive * t[i] + heavy * gravity[i], -heavy * h * swing[i]
        T[i, end] += point
        T[end, i] += point
        T[3 + i, end] += turn
        T[end, 3 + i] += turn
        for j in range(3):
            T[3 + i, 3 + j] += 0.5 * heavy * h * h * leaning[3 * i + j]
            T[i, 3 + j] += across[3 * i + j]
            T[3 + j, i] += across[3 * i + j]


@kernel
def stock_energy(part: Stock, beam: int, acting: Acting, now: Instant) -> tuple[float, float]:
    """Return kinetic energy of the stock, and energy of its weight."""
    e, by, gravity = part.first[beam], acting.by, acting.gravity
    first, rho, h = part.dofs[e, 0], part.density[beam, 0], part.length[beam, 1] - by.length
    R = turned(now.q, part.frames[e, 0])
    t, t1 = apply(R, ALONG), apply(R, cross(vector(now.v, first + 3), ALONG))
    u = plus(vector(now.v, first), times(by.rate, t))
    kinetic = h * dot(u, u) - h * h * dot(u, t1) + h * h * h / 3.0 * dot(t1, t1)
    return 0.5 * rho * kinetic, -rho * (h * dot(gravity, vector(now.q, first)) - 0.5 * h * h * dot(gravity, t))
