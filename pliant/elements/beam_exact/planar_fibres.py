"""Geometrically exact planar beam of any order for large strains, with fibres in its section (kernels/fibres.py).

Nodes, interpolation and inertia are as in `planar_order`; N, V, M and their derivatives at a Gauss point come from the
stored energy, and Kelvin-Voigt damping uses the stiffness of small strains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.elements import _beams, _fibres
from pliant.elements._beams import Layout
from pliant.elements._sums import energy_of
from pliant.elements.beam_exact import Exact, planar_order
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.planar import Resultants, Strains, add_resultants, rates, strains
from pliant.kernels.beam_points.planar_sums import add_point, note_across
from pliant.kernels.fibres import respond
from pliant.kernels.sums import Instant, Into


class Arrays(NamedTuple):
    """Arrays as in `planar_order`, with the law of every Gauss point; stiffness applies to small strains."""

    dofs: np.ndarray
    slots: np.ndarray
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


meshes = _beams.meshes_of(Exact, hyperelastic=True)


def pack(layout: Layout) -> Arrays:
    """Pack beams of Exact elements whose section has a law."""
    mine = meshes(layout)
    plain = planar_order.arrays(mine, ground=layout.ground)
    law, fibres = _fibres.at_gauss_points(mine, plain.rest.shape[1], spatial=False)
    return Arrays(*plain[:-1], law=law, fibres=fibres)


stations, stress_size, pull, power = (
    planar_order.stations,
    _beams.rest_size,
    planar_order.pull,
    planar_order.power,
)


@kernel
def answer(part: Arrays, e: int, g: int, at: Strains, H: np.ndarray) -> tuple[float, Resultants]:
    """Return energy per length and resultants at Gauss point g; write their derivative by all six strains to H."""
    rest, k = part.rest[e, g], part.rest.shape[1] * e + g
    Gamma, kappa = (1.0 + at.E1 - rest[0], at.E2 - rest[1], 0.0), (0.0, 0.0, at.turn - rest[2])
    energy, N, M = respond(part.law[k], part.fibres[k], Gamma, kappa, H)
    return energy, Resultants(N[0], N[1], M[2])


@kernel
def damped(part: Arrays, e: int, g: int, x: Resultants, rate: tuple[float, float, float]) -> Resultants:
    """Return the resultants with Kelvin-Voigt damping."""
    beta, C = part.beta[e], part.stiffness[e, g]
    return Resultants(x.N + beta * C[0] * rate[0], x.V + beta * C[1] * rate[1], x.M + beta * C[2] * rate[2])


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + C v + f(q) to r, and ck K + cc C + cm M to s."""
    if part.length.size == 0:
        return  # before anything is allocated: most models have no such beams
    P, ck = part.rest.shape[1], into.ck
    H, C, B = np.empty((6, 6)), np.empty((3, 3)), np.empty((3, part.dofs.shape[1]))
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at = strains(part, e, g, now.q)
            _, x = answer(part, e, g, at, H)
            if part.damped:
                x = damped(part, e, g, x, rates(part, e, g, now.v, at))
            fx, fy = add_resultants(part, e, g, at, x, into.r)
            viscous, w = into.cc * part.beta[e], part.weight[part.order[e], g]
            if ck == 0.0 and viscous == 0.0:
                continue
            if mixed:
                k = part.stress_start + 3 * (P * e + g)
                x = Resultants(stress[k], stress[k + 1], stress[k + 2])
                fx, fy = w * (at.c * x.N - at.s * x.V), w * (at.s * x.N + at.c * x.V)
            whole = w * part.length[e]
            for i in range(3):
                for j in range(3):
                    C[i, j] = ck * whole * H[5 if i == 2 else i, 5 if j == 2 else j]
                C[i, i] += viscous * whole * part.stiffness[e, g, i]
            note_across(part, e, g, at, (1.0, 0.0, 0.0), B[0])
            note_across(part, e, g, at, (0.0, 1.0, 0.0), B[1])
            note_across(part, e, g, at, (0.0, 0.0, 1.0), B[2])
            bow = ck * whole * (x.N * at.E1 + x.V * at.E2)
            add_point(part, e, g, C, B, (-ck * fy, ck * fx, bow), into.s)
        add_inertia(part, e, now, into)


@kernel
def add_inertia(part: Arrays, e: int, now: Instant, into: Into) -> None:
    """Add mass and rotary inertia."""
    alpha, n = part.alpha[e], 0
    massive = into.cm + into.cc * alpha
    for row in range(3 * (part.order[e] + 1)):
        for column in range(3 * (part.order[e] + 1)):
            i, j = row // 3, column // 3
            if row % 3 == column % 3:
                m = part.rotary[e, i, j] if row % 3 == 2 else part.mass[e, i, j]
                k = part.dofs[e, column]
                into.r[part.dofs[e, row]] += m * (now.a[k] + alpha * now.v[k])
                if column <= row:
                    into.s[part.slots[e, n + column]] += massive * m
        n += row + 1


@allocating_kernel
def element_energy(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return kinetic and elastic energy of element e."""
    potential, H = 0.0, np.empty((6, 6))
    for g in range(part.order[e]):
        density, _ = answer(part, e, g, strains(part, e, g, q), H)
        potential += part.weight[part.order[e], g] * part.length[e] * density
    return 0.5 * planar_order.inertia_form(part, e, v), potential


energy = energy_of(element_energy)


@allocating_kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = N(q) + H B(q) dq."""
    H = np.empty((6, 6))
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at, k = strains(part, e, g, q), part.stress_start + 3 * (part.rest.shape[1] * e + g)
            _, (N, V, M) = answer(part, e, g, at, H)
            d1, d2, turn = rates(part, e, g, dq, at)
            stress[k] = N + H[0, 0] * d1 + H[0, 1] * d2 + H[0, 5] * turn
            stress[k + 1] = V + H[1, 0] * d1 + H[1, 1] * d2 + H[1, 5] * turn
            stress[k + 2] = M + H[5, 0] * d1 + H[5, 1] * d2 + H[5, 5] * turn


@allocating_kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, V, M in the section's frame at `stations`, damping included."""
    row, H = 0, np.empty((6, 6))
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at = strains(part, e, g, q)
            _, x = answer(part, e, g, at, H)
            out[row, 0], out[row, 1], out[row, 2] = damped(part, e, g, x, rates(part, e, g, v, at))
            row += 1
