"""Beams that are fed, in space: the mechanics of beam_exact.spatial_order with elements of length share l.

Energy and its derivatives by l are as in planar.py with z = (Gamma, kappa); the inertia of points is as in the plane,
axis by axis. Rotary inertia, small in thin rods, moves with the nodes: material that flows past them has none.
"""

from __future__ import annotations

import numpy as np

from pliant.elements._spatial_two_node import block, stresses
from pliant.elements.beam_exact import planar_order
from pliant.elements.beam_fed import rows
from pliant.elements.beam_fed.damping import drift
from pliant.elements.beam_fed.inertia import Feeding, acting_on, add_mass, mass_energy, moving_with
from pliant.elements.beam_fed.rows import Arrays
from pliant.elements.beam_fed.spatial_stock import free_length
from pliant.elements.beam_fed.sums import Points, Work, along, clear, lengthen, points, push, spread, work_of
from pliant.jit import allocating_kernel, inlined_kernel, kernel
from pliant.kernels.beam_points.spatial import Point, strains
from pliant.kernels.beam_points.spatial_element import (
    Element,
    add_point,
    add_pushes,
    begin,
    couples,
    element,
    move,
    pushes,
    rates_at,
    spread_force,
    spread_stiffness,
    strains_at,
)
from pliant.kernels.beam_points.spatial_sums import Tangent
from pliant.kernels.blocks import add_shared_spin, add_spin
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import scaled
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector

meshes, pack, stations = rows.meshes, rows.pack, planar_order.stations
STRAINS = 6
ALONG = 1.0, 0.0, 0.0


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
def strained(part: Arrays, beam: int, at: Point) -> tuple[Vector, Vector]:
    """Return z - z0."""
    return minus(at.Gamma, vector(part.rest[beam], 0)), minus(at.kappa, vector(part.rest[beam], 3))


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add forces to r, ck K + cc C + cm M to s, and skew halves to w."""
    if part.share.size == 0:
        return
    add_beams(part, now, into, stress, mixed, work_of(part), element(part.shape.shape[2]))


@kernel
def add_beams(
    part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool, work: Work, here: Element
) -> None:
    """Add all beams with scratch arrays; split off so that this kernel has no reference counting."""
    T, end, coupled = work.T, work.T.shape[0] - 1, couples(part.stiffness)
    seen = points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        acting, force = acting_on(part, beam, fed(part, beam, now.q, work), work, now, into), 0.0
        for e in range(part.first[beam], part.first[beam + 1]):
            size = end if acting.moving else 0, end
            clear(size, T)
            work.column[:] = 0.0
            stiffness = into.ck, into.cc * part.beta[beam]
            stiff = stiffness[0] != 0.0 or stiffness[1] != 0.0
            begin(seen, e, now.q, here, stiff)
            for g in range(part.order[e]):
                k = part.stress_start + STRAINS * (part.shape.shape[1] * e + g) if mixed else -1
                force += add_strained(part, beam, (e, g, k), seen, stress, (here, coupled), T, stiffness)
            if part.beta[beam] > 0.0 and acting.moving:
                force += add_damping(part, beam, e, seen, acting.by, now.v, (work, here), into.cc)
            spread_force(part.dofs, e, part.order[e] + 1, here, here.force, into.r)
            if stiff:
                spread_stiffness(part.slots, e, part.order[e] + 1, here, into.s)
                spread_force(part.local, e, part.order[e] + 1, here, here.other, work.column)
            for i in range(end):
                T[i, end] += work.column[i]
                T[end, i] += work.column[i]
            force += add_mass(part, beam, e, acting, now, T, into.r)
            if acting.moving:
                force += add_spins(part, beam, e, acting.by, now, into)
            if acting.moving or into.ck != 0.0:
                spread(part, e, size, work.slope, T, into)
        push(part, beam, force, work.slope, work.bend, into)


@inlined_kernel
def add_strained(
    part: Arrays, beam: int, place: tuple[int, int, int], seen: Points, stress: np.ndarray,
    working: tuple[Element, bool], T: np.ndarray, stiffness: tuple[float, float],
) -> float:  # fmt: skip
    """Add forces, W_ql and tangent of a Gauss point (element, point, place of its stored stresses if any), with
    scratch, and sections that couple N with kappa or not; stiffness is ck and cc beta. Returns W_l.
    """
    (e, g, k), (here, coupled), (ck, lossy), C = place, working, stiffness, part.stiffness
    at, L = strains_at(seen, e, g, here), seen.length[e]
    whole = part.weight[part.order[e], g] * L
    Gamma, kappa = strained(part, beam, at)
    N, M = stresses(C, beam, Gamma, kappa)
    add_pushes(seen, e, g, whole, pushes(at, N, M), here.force)
    per_length = whole * part.share[e] / L  # of the whole beam
    force = per_length * (0.5 * (dot(N, Gamma) + dot(M, kappa)) - dot(N, at.Gamma) - dot(M, at.kappa))
    if ck == 0.0 and lossy == 0.0:
        return force
    F, Q = stresses(C, beam, at.Gamma, at.kappa)
    f, end = part.share[e] / L, T.shape[0] - 1
    add_pushes(seen, e, g, -ck * f * whole, pushes(at, F, Q), here.other)
    T[end, end] += ck * per_length * f * (dot(F, at.Gamma) + dot(Q, at.kappa))
    if k >= 0:
        N, M = vector(stress, k), vector(stress, k + 3)
    size, pushed = (ck + lossy) * whole, (times(ck * whole, N), times(ck * whole, M))
    tangent = Tangent(
        scaled(size, block(C, beam, 0, 0)), scaled(size, block(C, beam, 0, 3)), scaled(size, block(C, beam, 3, 3))
    )
    add_point(seen, (e, g), at, pushed, tangent, coupled, here)
    return force


@kernel
def read_strains(part: Arrays, e: int, seen: Points, here: Element, out: np.ndarray) -> None:
    """Write the strains at all Gauss points of element e, which has begun."""
    for g in range(part.order[e]):
        at = strains_at(seen, e, g, here)
        for k in range(3):
            out[g, k], out[g, 3 + k] = at.Gamma[k], at.kappa[k]


@kernel
def strain_rates(
    part: Arrays, e: int, g: int, seen: Points, here: Element, at: Point, growth: float, work: Work
) -> tuple[Vector, Vector]:
    """Return z. at Gauss point g of element e, with strains and node rates read, for a length growing by l./l."""
    drift(part, e, g, work.strain, work.drift)
    rate, turning = rates_at(seen, e, g, here, at)
    return plus(rate, times(growth, vector(work.drift, 0))), plus(turning, times(growth, vector(work.drift, 3)))


@kernel
def add_damping(
    part: Arrays, beam: int, e: int, seen: Points, by: Feeding, v: np.ndarray, working: tuple[Work, Element], cc: float
) -> float:
    """Add forces of the damping of element e, and its tangent by l (the tangent by the nodes is with their stiffness).
    Returns the force on l.
    """
    (work, here), force, p, beta, C = working, 0.0, part.order[e], part.beta[beam], part.stiffness
    end = work.T.shape[0] - 1
    read_strains(part, e, seen, here, work.strain)
    move(seen, e, v, here)
    for g in range(p):
        at, whole = strains_at(seen, e, g, here), beta * part.weight[p, g] * seen.length[e]
        rate, turning = strain_rates(part, e, g, seen, here, at, by.rate / by.length, work)
        d, bent = times(1.0 / by.length, vector(work.drift, 0)), times(1.0 / by.length, vector(work.drift, 3))
        N, M = stresses(C, beam, rate, turning)
        add_pushes(seen, e, g, whole, pushes(at, N, M), here.force)
        force += whole * (dot(N, d) + dot(M, bent))
        if cc != 0.0:
            F, Q = stresses(C, beam, d, bent)
            add_pushes(seen, e, g, cc * whole, pushes(at, F, Q), here.other)
            work.T[end, end] += cc * whole * (dot(F, d) + dot(Q, bent))
    return force


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return supplied (zero) and dissipated power."""
    if part.share.size == 0:
        return 0.0, 0.0
    return 0.0, dissipated(part, q, v, work_of(part), element(part.shape.shape[2]))


@kernel
def dissipated(part: Arrays, q: np.ndarray, v: np.ndarray, work: Work, here: Element) -> float:
    """Return the dissipated power, with scratch arrays."""
    total, seen = 0.0, points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        length, alpha, beta = fed(part, beam, q, work), part.alpha[beam], part.beta[beam]
        if alpha == 0.0 and beta == 0.0:
            continue
        longer = along(part.pair, beam, work.slope, v)
        growth, acting = longer / length, moving_with(length, longer)
        for e in range(part.first[beam], part.first[beam + 1]):
            moving = mass_energy(part, beam, e, acting, Instant(q, v, v, v))[0]
            total += 2.0 * alpha * (moving + length * spin_energy(part, beam, e, v))
            if beta == 0.0:
                continue
            begin_rates(part, e, seen, q, v, here, work)
            for g in range(part.order[e]):
                rate, turning = strain_rates(part, e, g, seen, here, strains_at(seen, e, g, here), growth, work)
                N, M = stresses(part.stiffness, beam, rate, turning)
                total += beta * part.weight[part.order[e], g] * seen.length[e] * (dot(N, rate) + dot(M, turning))
    return total


@kernel
def begin_rates(part: Arrays, e: int, seen: Points, q: np.ndarray, v: np.ndarray, here: Element, work: Work) -> None:
    """Read nodes, their rates, and strains of element e."""
    begin(seen, e, q, here, False)
    move(seen, e, v, here)
    read_strains(part, e, seen, here, work.strain)


@kernel
def spin_inertia(part: Arrays, beam: int, e: int, i: int, j: int) -> Vector:
    """Return the rotary inertia shared by nodes i and j, per free length."""
    f = part.share[e] * part.spin_shares[part.order[e], i, j]
    return f * part.density[beam, 1], f * part.density[beam, 2], f * part.density[beam, 3]


@kernel
def spin_energy(part: Arrays, beam: int, e: int, v: np.ndarray) -> float:
    """Return the kinetic energy of the rotations of element e, per free length."""
    total = 0.0
    for i in range(part.order[e] + 1):
        for j in range(part.order[e] + 1):
            J = spin_inertia(part, beam, e, i, j)
            w, x = vector(v, part.dofs[e, 6 * i + 3]), vector(v, part.dofs[e, 6 * j + 3])
            total += 0.5 * (J[0] * w[0] * x[0] + J[1] * w[1] * x[1] + J[2] * w[2] * x[2])
    return total


@kernel
def add_spins(part: Arrays, beam: int, e: int, by: Feeding, now: Instant, into: Into) -> float:
    """Add rotary inertia l J of element e, whose rate of change is ``l. J``: as add_spin with l./l added to alpha.
    Returns the force on l.
    """
    alpha = by.rate / by.length + part.alpha[beam]
    for i in range(part.order[e] + 1):
        J = times(by.length, spin_inertia(part, beam, e, i, i))
        diagonal = J[0], 0.0, 0.0, 0.0, J[1], 0.0, 0.0, 0.0, J[2]
        add_spin(part, e, 6 * i + 3, diagonal, alpha, now, into)
        for j in range(i):
            shared = times(by.length, spin_inertia(part, beam, e, i, j))
            add_shared_spin(part, e, (6 * i + 3, 6 * j + 3), shared, alpha, now, into)
    return -spin_energy(part, beam, e, now.v)


@allocating_kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic energy; elastic energy and energy of a constant weight."""
    kinetic, potential = 0.0, 0.0
    if part.share.size == 0:
        return kinetic, potential
    work, now, into = work_of(part), Instant(q, v, v, u), Into(0.0, 0.0, 0.0, q, q, q)
    here = points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        acting = acting_on(part, beam, fed(part, beam, q, work), work, now, into)
        for e in range(part.first[beam], part.first[beam + 1]):
            for g in range(part.order[e]):
                Gamma, kappa = strained(part, beam, strains(here, e, g, q))
                N, M = stresses(part.stiffness, beam, Gamma, kappa)
                potential += 0.5 * part.weight[part.order[e], g] * here.length[e] * (dot(N, Gamma) + dot(M, kappa))
            moving, high = mass_energy(part, beam, e, acting, now)
            kinetic += moving + acting.by.length * spin_energy(part, beam, e, v)
            potential += high
    return kinetic, potential


@allocating_kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = C (strain + its change by dq)."""
    if part.share.size == 0:
        return
    stretch_beams(part, q, dq, stress, work_of(part), element(part.shape.shape[2]))


@kernel
def stretch_beams(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray, work: Work, here: Element) -> None:
    """Write stresses of all beams, with scratch arrays."""
    seen = points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        length = fed(part, beam, q, work)
        longer = along(part.pair, beam, work.slope, dq) / length
        for e in range(part.first[beam], part.first[beam + 1]):
            begin(seen, e, q, here, False)
            move(seen, e, dq, here)
            for g in range(part.order[e]):
                at = strains_at(seen, e, g, here)
                Gamma, kappa = strained(part, beam, at)
                rate, turning = rates_at(seen, e, g, here, at)
                Gamma = plus(Gamma, minus(rate, times(longer, at.Gamma)))
                kappa = plus(kappa, minus(turning, times(longer, at.kappa)))
                N, M = stresses(part.stiffness, beam, Gamma, kappa)
                k = part.stress_start + STRAINS * (part.shape.shape[1] * e + g)
                stress[k], stress[k + 1], stress[k + 2] = N
                stress[k + 3], stress[k + 4], stress[k + 5] = M


@allocating_kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, Vy, Vz, T, My, Mz in the section's frame at `stations`, damping included."""
    if part.share.size == 0:
        return
    write_resultants(part, q, v, out, work_of(part), element(part.shape.shape[2]))


@kernel
def write_resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray, work: Work, here: Element) -> None:
    """Write the resultants of all beams, with scratch arrays."""
    row, seen = 0, points(part, part.dofs, work.lengths)
    for beam in range(part.length.shape[0]):
        length, beta = fed(part, beam, q, work), part.beta[beam]
        growth = along(part.pair, beam, work.slope, v) / length
        for e in range(part.first[beam], part.first[beam + 1]):
            begin_rates(part, e, seen, q, v, here, work)
            for g in range(part.order[e]):
                at = strains_at(seen, e, g, here)
                Gamma, kappa = strained(part, beam, at)
                rate, turning = strain_rates(part, e, g, seen, here, at, growth, work)
                N, M = stresses(part.stiffness, beam, plus(Gamma, times(beta, rate)), plus(kappa, times(beta, turning)))
                out[row, 0], out[row, 1], out[row, 2] = N
                out[row, 3], out[row, 4], out[row, 5] = M
                row += 1
