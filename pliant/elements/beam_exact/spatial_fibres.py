"""Geometrically exact beam in space of any order for large strains, with fibres in its section (kernels/fibres.py).

Nodes, interpolation and inertia are as in `spatial_order`; N, M and their derivatives at a Gauss point come from the
stored energy, and Kelvin-Voigt damping uses the stiffness of small strains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.elements import _beams, _fibres, _spatial_beams
from pliant.elements._spatial_beams import SpatialLayout
from pliant.elements._spatial_two_node import block, stresses
from pliant.elements._sums import energy_of
from pliant.elements.beam_exact import planar_fibres, spatial_order
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.spatial import Point, rates, strains
from pliant.kernels.beam_points.spatial_sums import COLUMNS, Tangent, add_point, push_nodes
from pliant.kernels.fibres import respond
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import added, apply, apply_transposed, scaled
from pliant.kernels.triples import Vector, plus, times, vector


class Arrays(NamedTuple):
    """Arrays as in `spatial_order`, with the law of every Gauss point; stiffness applies to small strains."""

    dofs: np.ndarray
    slots: np.ndarray
    frames: np.ndarray
    order: np.ndarray
    length: np.ndarray
    stiffness: np.ndarray
    rest: np.ndarray
    mass: np.ndarray
    rotary: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    shape: np.ndarray
    slope: np.ndarray
    weight: np.ndarray
    damped: bool
    law: np.ndarray  # (n P, CONSTANTS)
    fibres: np.ndarray  # (n P, fibres, 3)
    stress_start: int = 0


meshes = planar_fibres.meshes


def pack(layout: SpatialLayout) -> Arrays:
    """Pack beams of Exact elements whose section has a law."""
    mine = meshes(layout)
    plain = spatial_order.arrays(layout, mine)
    law, fibres = _fibres.at_gauss_points(mine, plain.rest.shape[1], spatial=True)
    return Arrays(*plain[:-1], law=law, fibres=fibres)


stations, stress_size, gyroscopic = spatial_order.stations, _beams.rest_size, _spatial_beams.gyroscopic
pull, power = spatial_order.pull, spatial_order.power


@kernel
def answer(part: Arrays, e: int, g: int, at: Point, H: np.ndarray) -> tuple[float, Vector, Vector]:
    """Return energy per length, N and M at Gauss point g; write their derivative to H."""
    rest, k = part.rest[e, g], spatial_order.place(part, e, g)
    Gamma = 1.0 + at.Gamma[0] - rest[0], at.Gamma[1] - rest[1], at.Gamma[2] - rest[2]
    kappa = at.kappa[0] - rest[3], at.kappa[1] - rest[4], at.kappa[2] - rest[5]
    return respond(part.law[k], part.fibres[k], Gamma, kappa, H)


@kernel
def viscous(part: Arrays, e: int, g: int, rate: Vector, turning: Vector) -> tuple[Vector, Vector]:
    """Return the resultants of Kelvin-Voigt damping."""
    beta = part.beta[e]
    return stresses(part.stiffness, spatial_order.place(part, e, g), times(beta, rate), times(beta, turning))


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + C v + f(q) to r, ck K + cc C + cm M to s, and skew halves to w."""
    if part.length.size == 0:
        return  # before anything is allocated: most models have no such beams
    P, q, ck = part.rest.shape[1], now.q, into.ck
    nodes, H = np.empty((P + 1, COLUMNS)), np.empty((1, 6, 6))
    for e in range(part.length.size):
        L, damping = part.length[e], into.cc * part.beta[e]
        for g in range(part.order[e]):
            at = strains(part, e, g, q)
            _, N, M = answer(part, e, g, at, H[0])
            if part.damped:
                rate, turning = rates(part, e, g, q, now.v, at)
                force, moment = viscous(part, e, g, rate, turning)
                N, M = plus(N, force), plus(M, moment)
            push_nodes(part, e, g, q, at, (N, M), nodes, into.r)
            if ck == 0.0 and damping == 0.0:
                continue
            if mixed:
                k = part.stress_start + 6 * (P * e + g)
                N, M = vector(stress, k), vector(stress, k + 3)
            whole, C, k = part.weight[part.order[e], g] * L, part.stiffness, spatial_order.place(part, e, g)
            pushed, elastic, lossy = (times(ck * whole, N), times(ck * whole, M)), ck * whole, damping * whole
            tangent = Tangent(
                added(scaled(elastic, block(H, 0, 0, 0)), scaled(lossy, block(C, k, 0, 0))),
                added(scaled(elastic, block(H, 0, 0, 3)), scaled(lossy, block(C, k, 0, 3))),
                added(scaled(elastic, block(H, 0, 3, 3)), scaled(lossy, block(C, k, 3, 3))),
            )
            add_point(part, e, g, at, pushed, tangent, nodes, into.s)
        spatial_order.add_inertia(part, e, now, into)


@allocating_kernel
def element_energy(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return kinetic and elastic energy of element e."""
    potential, H = 0.0, np.empty((6, 6))
    for g in range(part.order[e]):
        density, _, _ = answer(part, e, g, strains(part, e, g, q), H)
        potential += part.weight[part.order[e], g] * part.length[e] * density
    return 0.5 * spatial_order.inertia_form(part, e, v), potential


energy = energy_of(element_energy)


@allocating_kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = N(q) + H B(q) dq."""
    P, H = part.rest.shape[1], np.empty((1, 6, 6))
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at, k = strains(part, e, g, q), part.stress_start + 6 * (P * e + g)
            _, N, M = answer(part, e, g, at, H[0])
            rate, turning = rates(part, e, g, q, dq, at)
            across = block(H, 0, 0, 3)
            N = plus(N, plus(apply(block(H, 0, 0, 0), rate), apply(across, turning)))
            M = plus(M, plus(apply_transposed(across, rate), apply(block(H, 0, 3, 3), turning)))
            stress[k], stress[k + 1], stress[k + 2] = N
            stress[k + 3], stress[k + 4], stress[k + 5] = M


@allocating_kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, Vy, Vz, T, My, Mz in the section's frame at `stations`, damping included."""
    row, H = 0, np.empty((6, 6))
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at = strains(part, e, g, q)
            _, N, M = answer(part, e, g, at, H)
            rate, turning = rates(part, e, g, q, v, at)
            force, moment = viscous(part, e, g, rate, turning)
            out[row, 0], out[row, 1], out[row, 2] = plus(N, force)
            out[row, 3], out[row, 4], out[row, 5] = plus(M, moment)
            row += 1
