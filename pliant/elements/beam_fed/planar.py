"""Beams that are fed, in the plane: the mechanics of beam_exact.planar_order with elements of length share l.

With z = (E1, E2, theta') and the resultants S = C (z - z0) a point of weight w adds

    W = w L (z - z0) S / 2,         W_l = w share ((z - z0) S / 2 - z S)
    W_ql = -w share (C z) z_q,      W_ll = w share z C z / l
"""

from __future__ import annotations

import numpy as np

from pliant.elements.beam_exact import planar_order
from pliant.elements.beam_fed import rows
from pliant.elements.beam_fed.damping import drift
from pliant.elements.beam_fed.inertia import Acting, acting_on, add_mass, mass_energy, moving_with
from pliant.elements.beam_fed.planar_stock import free_length
from pliant.elements.beam_fed.rows import Arrays
from pliant.elements.beam_fed.sums import Points, Work, along, lengthen, points, push, spread, work_of
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.planar import Resultants, Strains, add_resultants, rates, strains
from pliant.kernels.sums import Instant, Into

meshes, pack = rows.meshes, rows.pack
stations = planar_order.stations
STRAINS = 3


def stress_size(part: Arrays) -> int:
    """Return the number of resultants that are stored between iterations."""
    return STRAINS * int(part.share.size) * part.shape.shape[1]


def gyroscopic(part: Arrays) -> bool:
    """Return whether mass flows along a beam: its tangent is unsymmetric in motion."""
    return bool(np.any(part.density))


@kernel
def fed(part: Arrays, beam: int, q: np.ndarray, work: Work) -> float:
    """Return the free length of a beam; write its derivatives and the lengths of its elements to the scratch."""
    length = free_length(part, beam, q, work.slope, work.bend)
    lengthen(part, beam, length, work.lengths)
    return length


@kernel
def stressed(part: Arrays, beam: int, z: tuple[float, float, float], rest: float) -> tuple[float, float, float]:
    """Return C (z - rest z0)."""
    C, z0 = part.stiffness[beam], part.rest[beam]
    return C[0, 0] * (z[0] - rest * z0[0]), C[1, 1] * (z[1] - rest * z0[1]), C[2, 2] * (z[2] - rest * z0[2])


@kernel
def bends(here: Points, e: int, g: int, at: Strains, B: np.ndarray) -> None:
    """Write B = (E1, E2, theta')_q at Gauss point g."""
    p, L = here.order[e], here.length[e]
    for i in range(p + 1):
        n, dn = here.shape[p, g, i], here.slope[p, g, i] / L
        B[0, 3 * i], B[0, 3 * i + 1], B[0, 3 * i + 2] = dn * at.c, dn * at.s, n * at.E2
        B[1, 3 * i], B[1, 3 * i + 1], B[1, 3 * i + 2] = -dn * at.s, dn * at.c, -n * at.E1
        B[2, 3 * i], B[2, 3 * i + 1], B[2, 3 * i + 2] = 0.0, 0.0, dn


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add forces to r, ck K + cc C + cm M to s, and skew halves to w."""
    if part.share.size == 0:
        return
    work = work_of(part)
    here, T = points(part, part.dofs, work.lengths), work.T
    for beam in range(part.length.shape[0]):
        acting, force = acting_on(part, beam, fed(part, beam, now.q, work), work, now, into), 0.0
        for e in range(part.first[beam], part.first[beam + 1]):
            T[:] = 0.0
            for g in range(part.order[e]):
                k = part.stress_start + STRAINS * (part.shape.shape[1] * e + g) if mixed else -1
                force += add_point(part, beam, (e, g, k), here, now.q, stress, work, into)
            if part.beta[beam] > 0.0 and acting.moving:
                force += add_damping(part, beam, e, here, acting, now, work, into)
            force += add_mass(part, beam, e, acting, now, T, into.r)
            spread(part, e, (T.shape[0] - 1, T.shape[0] - 1), work.slope, T, into)
        push(part, beam, force, work.slope, work.bend, into)


@kernel
def add_point(
    part: Arrays, beam: int, place: tuple[int, int, int], here: Points, q: np.ndarray, stress: np.ndarray, work: Work,
    into: Into,
) -> float:  # fmt: skip
    """Add forces and tangent of a Gauss point (element, point, place of its stored stresses if any). Returns W_l."""
    e, g, k = place
    length = here.length[e] / part.share[e]
    at, p, ck, T, B = strains(here, e, g, q), part.order[e], into.ck, work.T, work.table
    z = at.E1, at.E2, at.turn
    N, V, M = stressed(part, beam, z, 1.0)
    weight, end, z0 = part.weight[p, g], T.shape[0] - 1, part.rest[beam]
    fx, fy = add_resultants(here, e, g, at, Resultants(N, V, M), into.r)
    stored = 0.5 * (N * (z[0] - z0[0]) + V * (z[1] - z0[1]) + M * (z[2] - z0[2]))
    force = weight * part.share[e] * (stored - N * z[0] - V * z[1] - M * z[2])
    if ck == 0.0:
        return force
    bends(here, e, g, at, B)
    whole, C, pulled = ck * weight * here.length[e], part.stiffness[beam], stressed(part, beam, z, 0.0)
    for i in range(3 * p + 3):
        for j in range(3 * p + 3):
            T[i, j] += whole * (C[0, 0] * B[0, i] * B[0, j] + C[1, 1] * B[1, i] * B[1, j] + C[2, 2] * B[2, i] * B[2, j])
        by_length = -whole / length * (pulled[0] * B[0, i] + pulled[1] * B[1, i] + pulled[2] * B[2, i])
        T[i, end] += by_length
        T[end, i] += by_length
    T[end, end] += whole / (length * length) * (pulled[0] * z[0] + pulled[1] * z[1] + pulled[2] * z[2])
    if k >= 0:
        N, V = stress[k], stress[k + 1]
        fx, fy = weight * (at.c * N - at.s * V), weight * (at.s * N + at.c * V)
    turning = whole * (N * at.E1 + V * at.E2)
    for i in range(p + 1):
        for j in range(p + 1):
            n_i, dn_j = part.shape[p, g, i], ck * part.slope[p, g, j]
            T[3 * i + 2, 3 * j + 2] -= turning * n_i * part.shape[p, g, j]
            T[3 * i + 2, 3 * j] -= fy * n_i * dn_j
            T[3 * j, 3 * i + 2] -= fy * n_i * dn_j
            T[3 * i + 2, 3 * j + 1] += fx * n_i * dn_j
            T[3 * j + 1, 3 * i + 2] += fx * n_i * dn_j
    return force


@kernel
def read_strains(part: Arrays, e: int, here: Points, q: np.ndarray, out: np.ndarray) -> None:
    """Write the strains at all Gauss points of element e."""
    for g in range(part.order[e]):
        at = strains(here, e, g, q)
        out[g, 0], out[g, 1], out[g, 2] = at.E1, at.E2, at.turn


@kernel
def strain_rates(
    part: Arrays, e: int, g: int, here: Points, at: Strains, v: np.ndarray, growth: float, work: Work
) -> tuple[float, float, float]:
    """Return z. at Gauss point g of element e, whose strains are read, for a length that grows by l./l."""
    d = work.drift
    drift(part, e, g, work.strain, d)
    one, two, three = rates(here, e, g, v, at)
    return one + growth * d[0], two + growth * d[1], three + growth * d[2]


@kernel
def add_damping(
    part: Arrays, beam: int, e: int, here: Points, acting: Acting, now: Instant, work: Work, into: Into
) -> float:
    """Add forces and tangent of the damping of element e. Returns the force on l."""
    force, p, by, beta, C = 0.0, part.order[e], acting.by, part.beta[beam], part.stiffness[beam]
    T, B, d, end, size = work.T, work.table, work.drift, work.T.shape[0] - 1, 3 * part.order[e] + 3
    read_strains(part, e, here, now.q, work.strain)
    for g in range(p):
        at, weight = strains(here, e, g, now.q), part.weight[p, g]
        rate = strain_rates(part, e, g, here, at, now.v, by.rate / by.length, work)
        N, V, M = beta * C[0, 0] * rate[0], beta * C[1, 1] * rate[1], beta * C[2, 2] * rate[2]
        add_resultants(here, e, g, at, Resultants(N, V, M), into.r)
        force += weight * part.share[e] * (N * d[0] + V * d[1] + M * d[2])
        if into.cc == 0.0:
            continue
        bends(here, e, g, at, B)
        for k in range(3):
            loss, along_l = into.cc * beta * weight * here.length[e] * C[k, k], d[k] / by.length
            for i in range(size):
                for j in range(size):
                    T[i, j] += loss * B[k, i] * B[k, j]
                T[i, end] += loss * along_l * B[k, i]
                T[end, i] += loss * along_l * B[k, i]
            T[end, end] += loss * along_l * along_l
    return force


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return supplied (zero) and dissipated power."""
    dissipated = 0.0
    if part.share.size == 0:
        return 0.0, dissipated
    work = work_of(part)
    here = points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        length, alpha, beta = fed(part, beam, q, work), part.alpha[beam], part.beta[beam]
        if alpha == 0.0 and beta == 0.0:
            continue
        rate = along(part.pair, beam, work.slope, v)
        growth, acting = rate / length, moving_with(length, rate)
        for e in range(part.first[beam], part.first[beam + 1]):
            dissipated += 2.0 * alpha * mass_energy(part, beam, e, acting, Instant(q, v, v, v))[0]
            if beta == 0.0:
                continue
            read_strains(part, e, here, q, work.strain)
            for g in range(part.order[e]):
                z = strain_rates(part, e, g, here, strains(here, e, g, q), v, growth, work)
                N, V, M = stressed(part, beam, z, 0.0)
                whole = beta * part.weight[part.order[e], g] * here.length[e]
                dissipated += whole * (N * z[0] + V * z[1] + M * z[2])
    return 0.0, dissipated


@allocating_kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic energy; elastic energy and energy of a constant weight."""
    kinetic, potential = 0.0, 0.0
    if part.share.size == 0:
        return kinetic, potential
    work, now, into = work_of(part), Instant(q, v, v, u), Into(0.0, 0.0, 0.0, q, q, q)
    here = points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        acting, z0 = acting_on(part, beam, fed(part, beam, q, work), work, now, into), part.rest[beam]
        for e in range(part.first[beam], part.first[beam + 1]):
            for g in range(part.order[e]):
                at = strains(here, e, g, q)
                N, V, M = stressed(part, beam, (at.E1, at.E2, at.turn), 1.0)
                stored = N * (at.E1 - z0[0]) + V * (at.E2 - z0[1]) + M * (at.turn - z0[2])
                potential += 0.5 * part.weight[part.order[e], g] * here.length[e] * stored
            moving, high = mass_energy(part, beam, e, acting, now)
            kinetic, potential = kinetic + moving, potential + high
    return kinetic, potential


@allocating_kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = C (strain + its change by dq)."""
    if part.share.size == 0:
        return
    work = work_of(part)
    here = points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        length = fed(part, beam, q, work)
        longer = along(part.pair, beam, work.slope, dq) / length
        for e in range(part.first[beam], part.first[beam + 1]):
            for g in range(part.order[e]):
                at = strains(here, e, g, q)
                one, two, three = rates(here, e, g, dq, at)
                f = 1.0 - longer
                found = stressed(part, beam, (f * at.E1 + one, f * at.E2 + two, f * at.turn + three), 1.0)
                k = part.stress_start + STRAINS * (part.shape.shape[1] * e + g)
                stress[k], stress[k + 1], stress[k + 2] = found


@allocating_kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, V, M in the section's frame at `stations`, damping included."""
    if part.share.size == 0:
        return
    work, row = work_of(part), 0
    here = points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        length, beta = fed(part, beam, q, work), part.beta[beam]
        growth = along(part.pair, beam, work.slope, v) / length
        for e in range(part.first[beam], part.first[beam + 1]):
            read_strains(part, e, here, q, work.strain)
            for g in range(part.order[e]):
                at = strains(here, e, g, q)
                one, two, three = strain_rates(part, e, g, here, at, v, growth, work)
                z = at.E1 + beta * one, at.E2 + beta * two, at.turn + beta * three
                out[row, 0], out[row, 1], out[row, 2] = stressed(part, beam, z, 1.0)
                row += 1
