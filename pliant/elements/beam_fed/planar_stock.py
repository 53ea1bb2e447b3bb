"""Stock behind the guides of beams that are fed, in the plane, and their free lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.elements.beam_fed import rows
from pliant.elements.beam_fed.inertia import Acting, acting_on
from pliant.elements.beam_fed.rows import Stock
from pliant.elements.beam_fed.sums import behind, push, spread
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.circle import cos_sin
from pliant.kernels.marker import arm
from pliant.kernels.measures.planar import add_gradient, add_hessian, turning_place
from pliant.kernels.sums import Instant, Into

Arrays, pack = Stock, rows.pack_stock
NODE = 3  # freedoms of a node


def gyroscopic(part: Stock) -> bool:
    """Return whether mass flows: the tangent is unsymmetric in motion."""
    return bool(np.any(part.density))


@kernel
def free_length(part: Any, beam: int, q: np.ndarray, slope: np.ndarray, bend: np.ndarray) -> float:
    """Return the free length of a beam; write its derivatives by the freedoms of guide and carriage."""
    a, b, arms = part.pair[beam, 0], part.pair[beam, 3], part.arms[beam]
    pa, pb = arm(q[a + 2], arms[0], arms[1]), arm(q[b + 2], arms[2], arms[3])
    c, s = cos_sin(q[a + 2])
    n = part.direction[beam]
    D = q[b] + pb[0] - q[a] - pa[0], q[b + 1] + pb[1] - q[a + 1] - pa[1]
    place = turning_place(D, pa, pb, (c * n[0] - s * n[1], s * n[0] + c * n[1]))
    slope[:] = 0.0
    bend[:] = 0.0
    add_gradient(slope, part.local, 0, 1.0, place)
    add_hessian(bend, part.triangle, 0, 1.0, 0.0, place)
    return part.length[beam, 0] + place.value


@allocating_kernel
def add(part: Stock, now: Instant, into: Into) -> None:
    """Add forces to r, and ck K + cm M to s."""
    if part.density.size == 0:
        return
    work = behind(part)
    for beam in range(part.density.size):
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
    """Add inertia and weight of the stock, a straight bar of length h behind the guide along the tangent t of the first
    node, ``x = x0 - sigma t``. Returns the force on l.

    With ``u = x0. + t l.`` its kinetic energy is ``rho A (h u^2 - h^2 u.t. + h^3/3 t.^2) / 2``, and Lagrange's forces

        f_x = rho A (h u. - l. u + h l. t. - h^2/2 t..),    f_t = rho A (-h^2/2 u. - h^2/2 l. t. + h^3/3 t..)
        f_l = rho A (-l. u t + h u. t + u^2/2 + h^2/2 t.^2)
    """
    e, by, gravity = part.first[beam], acting.by, acting.gravity
    x, y, turn = part.dofs[e, 0], part.dofs[e, 1], part.dofs[e, 2]
    rho, h, d, end = part.density[beam, 0], part.length[beam, 1] - by.length, by.rate, T.shape[0] - 1
    c, s = cos_sin(now.q[turn])
    w, wt = now.v[turn], now.a[turn]
    ux, uy = now.v[x] + c * d, now.v[y] + s * d
    ax, ay = now.a[x] + c * by.change - s * w * d - gravity[0], now.a[y] + s * by.change + c * w * d - gravity[1]
    tx, ty = -s * wt - c * w * w, c * wt - s * w * w  # t..
    half = 0.5 * h * h
    r[x] += rho * (h * ax - d * ux - h * d * s * w - half * tx)
    r[y] += rho * (h * ay - d * uy + h * d * c * w - half * ty)
    r[turn] += rho * (half * (s * ax - c * ay - d * w) + h * h * h / 3.0 * wt)
    # matrix: of mass, and of weight
    massive, heavy = acting.cm * rho * h, acting.ck * rho
    T[0, 0] += massive
    T[1, 1] += massive
    T[2, 2] += massive * h * h / 3.0 - heavy * half * (c * gravity[0] + s * gravity[1])
    T[end, end] += massive + heavy * (c * gravity[0] + s * gravity[1])
    for i, j, both in (
        (0, 2, 0.5 * massive * h * s),
        (1, 2, -0.5 * massive * h * c),
        (0, end, massive * c + heavy * gravity[0]),
        (1, end, massive * s + heavy * gravity[1]),
        (2, end, -heavy * h * (c * gravity[1] - s * gravity[0])),
    ):
        T[i, j] += both
        T[j, i] += both
    along_it = c * ax + s * ay
    weight = gravity[0] * now.q[x] + gravity[1] * now.q[y]
    return rho * (h * along_it - d * (c * ux + s * uy) + 0.5 * (ux * ux + uy * uy) + half * w * w + weight)


@kernel
def stock_energy(part: Stock, beam: int, acting: Acting, now: Instant) -> tuple[float, float]:
    """Return kinetic energy of the stock, and energy of its weight."""
    e, by, gravity = part.first[beam], acting.by, acting.gravity
    x, y, turn = part.dofs[e, 0], part.dofs[e, 1], part.dofs[e, 2]
    rho, h, d = part.density[beam, 0], part.length[beam, 1] - by.length, by.rate
    c, s = cos_sin(now.q[turn])
    ux, uy, w = now.v[x] + c * d, now.v[y] + s * d, now.v[turn]
    kinetic = h * (ux * ux + uy * uy) - h * h * w * (c * uy - s * ux) + h * h * h / 3.0 * w * w
    high = h * (gravity[0] * now.q[x] + gravity[1] * now.q[y]) - 0.5 * h * h * (c * gravity[0] + s * gravity[1])
    return 0.5 * rho * kinetic, -rho * high
