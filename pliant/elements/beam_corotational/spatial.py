"""Two-node co-rotational Timoshenko beam in space: small strain in the frame of the mean section, turned to the chord.

The chord ``s = (x, y, z)`` of length l, seen from the mean section (elements/_spatial_pair.py), makes the angles
``gamma = (y, z) f`` with it, ``f = atan2(rho, x)/rho``, ``rho^2 = y^2 + z^2``; psi is the rotation from one end to the
other. With L the arc length and what belongs to the rest shape taken off,

    strains      eps = (l - l0)/L + bow (12 gamma^2 + 5 (psi_y^2 + psi_z^2))/4,   gamma,   psi/L
    resultants   C (eps, gamma, psi/L)                              (+ beta times their rates: Kelvin-Voigt)

bow = 1/30 is the von Karman term averaged over the cubic, 0 leaves it out. The moment of a shear force V grows linearly
along the element, so that C has the flexibility of the section plus ``L^2/12`` times that of bending at V: the exact
Timoshenko stiffness; where the section changes, flexibility is integrated along the element (elements/_sections.py). In
the plane this is `planar`, whose angles to the chord are ``-gamma -+ psi/2``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.elements import _sections, _spatial_beams
from pliant.elements._beams import empty_slots, ends, per_element
from pliant.elements._spatial_beams import SpatialLayout, SpatialMesh
from pliant.elements._spatial_pair import (
    Pair,
    add_forces,
    add_resultants,
    add_second_mass,
    add_tangent,
    inertia_form,
    moments,
    rates,
    sections,
)
from pliant.elements.beam_corotational import Corotational
from pliant.elements.beam_corotational.chords import Chord, by_chord, chord
from pliant.elements.beam_exact.spatial import block, stresses
from pliant.kernels.dyads import outer, symmetric
from pliant.kernels.tensors import Matrix, added, product, rows, scaled, transposed
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector


class Arrays(NamedTuple):
    """One row per element."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray  # (n, 78)
    frames: np.ndarray  # (n, 2)
    length: np.ndarray
    stiffness: np.ndarray  # (n, 6, 6) with the flexibility of bending at shear
    rest: np.ndarray  # (n, 6) l/L and what bow adds, gamma, psi/L of the unstressed element
    bow: np.ndarray  # 1/30 or 0
    mass: np.ndarray  # (n, 3) of the nodes, and shared by both
    rotary: np.ndarray  # (n, 6) of the nodes
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool  # whether any alpha or beta is not zero
    coupled: bool  # whether any section couples forces with curvatures, or bow is not zero
    stress_start: int


def meshes(layout: SpatialLayout) -> list[SpatialMesh]:
    """Beams whose options are Corotational."""
    return [mesh for mesh in layout.beams if isinstance(mesh.options, Corotational)]


def pack(layout: SpatialLayout) -> Arrays:
    """Beams whose options are Corotational."""
    mine = meshes(layout)
    table = _spatial_beams.rows(mine)
    L = table.length[:, None]
    mass, rotary = _spatial_beams.two_node_inertia(table)
    bow = per_element(mine, [1 / 30 if mesh.options.von_karman else 0.0 for mesh in mine])
    stiffness = np.concatenate([np.zeros((0, 6, 6)), *map(_sections.chord_stiffness, mine)])
    s, psi = _spatial_beams.seen_ends(table)
    across = np.hypot(s[:, 1], s[:, 2])
    f = np.where(across > 0.0, np.arctan2(across, s[:, 0]) / np.where(across > 0.0, across, 1.0), 1.0 / s[:, 0])
    gamma = f[:, None] * s[:, 1:]
    bowed = bow * (3.0 * np.sum(gamma**2, axis=1) + 1.25 * np.sum(psi[:, 1:] ** 2, axis=1))
    eps = np.linalg.norm(s, axis=1) / table.length + bowed
    return Arrays(
        dofs=layout.dofs(table.nodes, 2),
        slots=empty_slots(len(L)),
        frames=layout.frames(table.nodes, 2),
        length=table.length,
        stiffness=stiffness,
        rest=np.column_stack((eps, gamma, psi / L)),
        bow=bow,
        mass=mass,
        rotary=rotary,
        alpha=table.alpha,
        beta=table.beta,
        damped=bool(np.any(table.alpha) or np.any(table.beta)),
        coupled=bool(np.any(stiffness[:, :3, 3:]) or np.any(bow)),
        stress_start=0,
    )


def stations(mesh: SpatialMesh) -> np.ndarray:
    """Both ends of every element."""
    return ends(mesh)


def stress_size(part: Arrays) -> int:
    """N, Vy, Vz, T, My, Mz (without von Karman's share) per element."""
    return part.rest.size


def gyroscopic(part: Arrays) -> bool:
    """Spinning sections have a tangent that is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.rotary))


@kernel
def strained(part: Arrays, e: int, pair: Pair, at: Chord) -> tuple[Vector, Vector]:
    """Strains, the rest shape's taken off."""
    bow, f, psi, rest = part.bow[e], 1.0 / part.length[e], pair.psi, part.rest[e]
    y, z = at.f * at.s[1], at.f * at.s[2]
    bowed = bow * (3.0 * (y * y + z * z) + 1.25 * (psi[1] * psi[1] + psi[2] * psi[2]))
    return minus((f * at.length + bowed, y, z), vector(rest, 0)), minus(times(f, psi), vector(rest, 3))


@kernel
def strain_rates(part: Arrays, e: int, v: np.ndarray, pair: Pair, at: Chord) -> tuple[Vector, Vector]:
    """Rates of the strains at velocity v (or their change over a small step v): B v."""
    moved, turning = rates(v, part.dofs, e, pair)
    along, first, second = by_chord(at)
    f, y, z = 1.0 / part.length[e], dot(first, moved), dot(second, moved)
    bowed = 6.0 * at.f * (at.s[1] * y + at.s[2] * z) + 2.5 * (pair.psi[1] * turning[1] + pair.psi[2] * turning[2])
    return (f * dot(along, moved) + part.bow[e] * bowed, y, z), times(f, turning)


@kernel
def pushes(part: Arrays, e: int, pair: Pair, at: Chord, N: Vector, M: Vector) -> tuple[Vector, Vector]:
    """Derivatives of the energy by s and psi: what the resultants do there."""
    along, first, second = by_chord(at)
    L, bent = part.length[e], part.bow[e] * N[0]
    y, z = N[1] + 6.0 * bent * at.f * at.s[1], N[2] + 6.0 * bent * at.f * at.s[2]
    force = plus(times(N[0], along), times(L, plus(times(y, first), times(z, second))))
    return force, plus(M, times(2.5 * L * bent, (0.0, pair.psi[1], pair.psi[2])))


@kernel
def curvatures(
    part: Arrays, e: int, pair: Pair, at: Chord, N: Vector, material: float
) -> tuple[Matrix, Matrix, Matrix]:
    """Second derivatives of the energy by s, by s and psi, by psi, with the resultants N."""
    L, bow, C, psi, s = part.length[e], part.bow[e], part.stiffness, pair.psi, at.s
    along, first, second = by_chord(at)
    bend = times(6.0 * bow * at.f, plus(times(s[1], first), times(s[2], second)))
    stretch = plus(times(1.0 / L, along), bend)
    B = rows(stretch, first, second)
    bowed = times(2.5 * bow, (0.0, psi[1], psi[2]))  # eps by psi
    stiff, coupling = scaled(L * material, block(C, e, 0, 0)), scaled(material, block(C, e, 0, 3))
    column = stiff[0], stiff[3], stiff[6]
    mixed = added(coupling, outer(column, bowed, 0.0))
    bending = added(scaled(material / L, block(C, e, 3, 3)), outer(times(stiff[0], bowed), bowed, 0.0))
    row = coupling[0], coupling[1], coupling[2]
    bending = added(bending, symmetric(times(2.0, row), bowed, 0.0))
    bent = 2.5 * L * bow * N[0]
    bending = added(bending, (0.0, 0.0, 0.0, 0.0, bent, 0.0, 0.0, 0.0, bent))
    # curvature of l and gamma with the resultants at hand
    inverse, swell = 1.0 / at.length, 6.0 * L * bow * N[0]
    pull = L * N[1] + swell * at.f * s[1], L * N[2] + swell * at.f * s[2]
    square, whole = inverse * inverse, pull[0] * s[1] + pull[1] * s[2]
    slant = times(2.0 * whole * square * square, s)
    yy, yz, zz = (
        whole * (at.k + at.slope * s[1] * s[1]),
        whole * at.slope * s[1] * s[2],
        whole * (at.k + at.slope * s[2] * s[2]),
    )
    curved = slant[0], slant[1], slant[2], slant[1], yy, yz, slant[2], yz, zz
    by_f = -2.0 * square, 2.0 * at.k * s[1], 2.0 * at.k * s[2]
    curved = added(curved, symmetric((0.0, pull[0], pull[1]), by_f, 0.0))
    curved = added(curved, added(outer(times(swell, first), first, 0.0), outer(times(swell, second), second, 0.0)))
    curved = added(curved, outer(times(-N[0] * inverse, along), along, N[0] * inverse))
    return added(product(product(transposed(B), stiff), B), curved), product(transposed(B), mixed), bending


@kernel
def add(
    part: Arrays, q: np.ndarray, v: np.ndarray, a: np.ndarray, ck: float, cc: float, cm: float, r: np.ndarray,
    s: np.ndarray, w: np.ndarray, stress: np.ndarray, mixed: bool,
) -> None:  # fmt: skip
    """r += M a + C v + f(q), s += ck K + cc C + cm M, skew halves to w."""
    dofs, slots, C, mass = part.dofs, part.slots, part.stiffness, part.mass
    for e in range(part.length.size):
        pair, alpha, beta = sections(q, dofs, part.frames, e), part.alpha[e], part.beta[e]
        at = chord(pair.s)
        gamma, kappa = strained(part, e, pair, at)
        if part.damped:
            rate, turning = strain_rates(part, e, v, pair, at)
            gamma, kappa = plus(gamma, times(beta, rate)), plus(kappa, times(beta, turning))
        N, M = stresses(C, e, gamma, kappa)
        force, moment = pushes(part, e, pair, at, N, M)
        even1, even2 = add_forces(dofs, slots, e, pair, force, moment, mass, part.rotary, alpha, v, a, ck, cc, cm, r, w)
        if ck == 0.0 and cc == 0.0 and cm == 0.0:
            continue  # only forces are wanted
        if mixed:
            k = part.stress_start + 6 * e
            N, M = vector(stress, k), vector(stress, k + 3)
            force, moment = pushes(part, e, pair, at, N, M)
        force, moment, massive = times(ck, force), times(ck, moment), cm + cc * alpha
        ss, sp, pp = curvatures(part, e, pair, at, times(ck, N), ck + cc * beta)
        own, shared = massive * mass[e, 0], massive * mass[e, 2]
        add_tangent(slots, e, pair, force, moment, ss, sp, pp, part.coupled, own, shared, even1, even2, s)
        add_second_mass(slots, e, mass, massive, s)


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic and elastic energy."""
    kinetic, potential = 0.0, 0.0
    for e in range(part.length.size):
        pair = sections(q, part.dofs, part.frames, e)
        gamma, kappa = strained(part, e, pair, chord(pair.s))
        N, M = stresses(part.stiffness, e, gamma, kappa)
        potential += 0.5 * part.length[e] * (dot(N, gamma) + dot(M, kappa))
        kinetic += 0.5 * inertia_form(part.dofs, e, part.mass, part.rotary, v)
    return kinetic, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Supplied (none) and dissipated power."""
    dissipated = 0.0
    if part.damped:
        for e in range(part.length.size):
            pair = sections(q, part.dofs, part.frames, e)
            rate, turning = strain_rates(part, e, v, pair, chord(pair.s))
            N, M = stresses(part.stiffness, e, rate, turning)
            dissipated += part.beta[e] * part.length[e] * (dot(N, rate) + dot(M, turning))
            dissipated += part.alpha[e] * inertia_form(part.dofs, e, part.mass, part.rotary, v)
    return 0.0, dissipated


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """stress = C (strain(q) + B(q) dq)."""
    for e in range(part.length.size):
        pair = sections(q, part.dofs, part.frames, e)
        at = chord(pair.s)
        gamma, kappa = strained(part, e, pair, at)
        rate, turning = strain_rates(part, e, dq, pair, at)
        N, M = stresses(part.stiffness, e, plus(gamma, rate), plus(kappa, turning))
        k = part.stress_start + 6 * e
        stress[k], stress[k + 1], stress[k + 2] = N
        stress[k + 3], stress[k + 4], stress[k + 5] = M


@kernel
def pull(part: Arrays, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
    """r += B(q)^T stress."""
    for e in range(part.length.size):
        k, pair = part.stress_start + 6 * e, sections(q, part.dofs, part.frames, e)
        force, moment = pushes(part, e, pair, chord(pair.s), vector(stress, k), vector(stress, k + 3))
        add_resultants(part.dofs, e, pair, force, moment, r)


@kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """N, Vy, Vz in the mean section's frame, T, My, Mz in the frames of the ends, at `stations`, damping included."""
    for e in range(part.length.size):
        pair = sections(q, part.dofs, part.frames, e)
        at, beta = chord(pair.s), part.beta[e]
        gamma, kappa = strained(part, e, pair, at)
        rate, turning = strain_rates(part, e, v, pair, at)
        N, M = stresses(part.stiffness, e, plus(gamma, times(beta, rate)), plus(kappa, times(beta, turning)))
        force, moment = pushes(part, e, pair, at, N, M)
        first, second = moments(pair, force, moment)
        for k in range(2):
            out[2 * e + k, 0], out[2 * e + k, 1], out[2 * e + k, 2] = force
        out[2 * e, 3], out[2 * e, 4], out[2 * e, 5] = times(-1.0, first)
        out[2 * e + 1, 3], out[2 * e + 1, 4], out[2 * e + 1, 5] = second
