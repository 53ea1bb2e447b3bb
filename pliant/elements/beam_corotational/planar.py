"""Two-node co-rotational planar Timoshenko beam (thesis 5.5-5.9; Crisfield, Non-linear Finite Element Analysis, 7).

Natural deformations in the frame of the chord, of length l and angle b (l0 and rest_i when unstressed):

    u = (l^2 - l0^2)/(l + l0),   tau_i = theta_i - b,   t_i = tau_i - rest_i
    axial strain   eps = u/L + bow (G(tau) - G(rest)),   G = 2 tau1^2 - tau1 tau2 + 2 tau2^2

bow = 1/30 is the von Karman term averaged over the cubic (constant axial strain), 0 omits it. Bending and shear follow
the exact Timoshenko stiffness ``k = EI/(L (1 + phi)) [4 + phi, 2 - phi; 2 - phi, 4 + phi]`` (thesis 5.32, ERRATA 11),
the inverse of the flexibility integrated along the element (elements/_sections.py). Force and tangent are the first two
derivatives of ``EA L eps^2/2 + t k t/2``, including the rotation of the chord.
"""

from __future__ import annotations

from math import atan2, floor, pi, sqrt
from typing import NamedTuple

import numpy as np

from pliant.elements import _beams, _sections
from pliant.elements._beams import Layout
from pliant.elements._sums import energy_of, power_of
from pliant.elements.beam_corotational import Corotational
from pliant.jit import kernel
from pliant.kernels.scatter import add_pair_force, add_pair_inertia, add_pair_tangent, pair_inertia_form
from pliant.kernels.sums import Instant, Into


class Strains(NamedTuple):
    """Chord's cosine, sine and length, axial strain, t1, t2, and the slopes a1, a2 of bow G with respect to tau."""

    c: float
    s: float
    chord: float
    strain: float
    t1: float
    t2: float
    a1: float
    a2: float


class Arrays(NamedTuple):
    """Arrays of elements, one row each."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray  # (n, 21)
    length: np.ndarray  # arc length L
    stiffness: np.ndarray  # (n, 4) EA, k11, k12, k22
    rest: np.ndarray  # (n, 3) chord l0, angles of the sections to the chord
    bow: np.ndarray  # 1/30 or 0
    inertia: np.ndarray  # (n, 6) see kernels.scatter
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool  # True if any alpha or beta is not zero
    stress_start: int = 0


meshes = _beams.meshes_of(Corotational)


def pack(layout: Layout) -> Arrays:
    """Pack beams whose options are Corotational."""
    mine = meshes(layout)
    rows = _beams.rows(mine)
    dx, dy = np.diff(rows.pose[:, :, :2], axis=1)[:, 0].T
    theta1, theta2 = rows.pose[:, :, 2].T
    angle = np.arctan2(dy, dx)
    angle = angle + 2 * pi * np.round((0.5 * (theta1 + theta2) - angle) / (2 * pi))
    return Arrays(
        **_beams.two_node(rows),
        stiffness=np.concatenate([np.zeros((0, 4)), *map(_sections.bending, mine)]),
        rest=np.stack((np.hypot(dx, dy), theta1 - angle, theta2 - angle), axis=1),
        bow=_beams.per_element(mine, [1 / 30 if mesh.options.von_karman else 0.0 for mesh in mine]),
    )


stations, stress_size = _beams.ends, _beams.rest_size


@kernel
def strains(part: Arrays, e: int, q: np.ndarray) -> Strains:
    """Return the strains of element e."""
    dofs, rest, bow = part.dofs, part.rest, part.bow[e]
    dx = q[dofs[e, 3]] - q[dofs[e, 0]]
    dy = q[dofs[e, 4]] - q[dofs[e, 1]]
    theta1, theta2 = q[dofs[e, 2]], q[dofs[e, 5]]
    l0, rest1, rest2 = rest[e, 0], rest[e, 1], rest[e, 2]
    chord, angle = sqrt(dx * dx + dy * dy), atan2(dy, dx)
    angle += 2.0 * pi * floor((0.5 * (theta1 + theta2 - rest1 - rest2) - angle) / (2.0 * pi) + 0.5)
    tau1, tau2 = theta1 - angle, theta2 - angle
    bowed = 2.0 * tau1 * tau1 - tau1 * tau2 + 2.0 * tau2 * tau2
    bowed -= 2.0 * rest1 * rest1 - rest1 * rest2 + 2.0 * rest2 * rest2
    strain = (dx * dx + dy * dy - l0 * l0) / ((chord + l0) * part.length[e]) + bow * bowed
    a1, a2 = bow * (4.0 * tau1 - tau2), bow * (4.0 * tau2 - tau1)
    return Strains(dx / chord, dy / chord, chord, strain, tau1 - rest1, tau2 - rest2, a1, a2)


@kernel
def rates(part: Arrays, e: int, v: np.ndarray, at: Strains) -> tuple[float, float, float]:
    """Return the rates of the axial strain, t1 and t2 at velocity v (or their change over a small step v): B v."""
    dofs = part.dofs
    dx, dy = v[dofs[e, 3]] - v[dofs[e, 0]], v[dofs[e, 4]] - v[dofs[e, 1]]
    turn = (at.c * dy - at.s * dx) / at.chord
    t1, t2 = v[dofs[e, 2]] - turn, v[dofs[e, 5]] - turn
    return (at.c * dx + at.s * dy) / part.length[e] + at.a1 * t1 + at.a2 * t2, t1, t2


@kernel
def stresses(part: Arrays, e: int, strain: float, t1: float, t2: float) -> tuple[float, float, float]:
    """Return N and the bending moments m1, m2."""
    EA, k11, k12, k22 = part.stiffness[e, 0], part.stiffness[e, 1], part.stiffness[e, 2], part.stiffness[e, 3]
    return EA * strain, k11 * t1 + k12 * t2, k12 * t1 + k22 * t2


@kernel
def end_forces(part: Arrays, e: int, at: Strains, N: float, m1: float, m2: float) -> tuple[float, float, float]:
    """Return the shear force and end moments of N, m1, m2."""
    m1, m2 = m1 + N * part.length[e] * at.a1, m2 + N * part.length[e] * at.a2
    return -(m1 + m2) / at.chord, m1, m2


@kernel
def add_resultants(part: Arrays, e: int, at: Strains, N: float, m1: float, m2: float, r: np.ndarray) -> float:
    """Add the forces of N, m1, m2 on the ends to r. Returns the shear force."""
    V, m1, m2 = end_forces(part, e, at, N, m1, m2)
    add_pair_force(r, part.dofs, e, at.c * N - at.s * V, at.s * N + at.c * V, m1, m2)
    return V


@kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + C v + f(q) to r, and ck K + cc C + cm M to s."""
    dofs, inertia, damped = part.dofs, part.inertia, part.damped
    ck, cc, cm, r = into.ck, into.cc, into.cm, into.r
    for e in range(part.length.size):
        L, at = part.length[e], strains(part, e, now.q)
        c, sn, chord, strain, t1, t2, a1, a2 = at
        material, massive = ck, cm
        add_pair_inertia(r, dofs, e, inertia, 1.0, now.a)
        if damped:
            alpha, beta = part.alpha[e], part.beta[e]
            rate, rate1, rate2 = rates(part, e, now.v, at)
            strain, t1, t2 = strain + beta * rate, t1 + beta * rate1, t2 + beta * rate2
            material, massive = ck + cc * beta, cm + cc * alpha
            add_pair_inertia(r, dofs, e, inertia, alpha, now.v)
        N, m1, m2 = stresses(part, e, strain, t1, t2)
        V = add_resultants(part, e, at, N, m1, m2, r)
        if mixed:
            k = part.stress_start + 3 * e
            N = stress[k]
            V = -(stress[k + 1] + stress[k + 2] + N * L * (a1 + a2)) / chord
        # natural stiffness in (u, t1, t2): material part, then the curvature of the axial strain
        EA = material * part.stiffness[e, 0]
        k11, k12 = material * part.stiffness[e, 1], material * part.stiffness[e, 2]
        k22 = material * part.stiffness[e, 3]
        curved = ck * N * L * part.bow[e]
        ku, ku1, ku2 = EA / L, EA * a1, EA * a2
        h11 = k11 + EA * L * a1 * a1 + 4.0 * curved
        h21 = k12 + EA * L * a1 * a2 - curved
        h22 = k22 + EA * L * a2 * a2 + 4.0 * curved
        # A = ku e e^T + cross (e n^T + n e^T) + across n n^T with e along and n across the chord
        cross = -(ku1 + ku2 + ck * V) / chord
        across = (h11 + 2.0 * h21 + h22) / (chord * chord) + ck * N / chord
        A = (
            ku * c * c - 2.0 * cross * c * sn + across * sn * sn,
            (ku - across) * c * sn + cross * (c * c - sn * sn),
            ku * sn * sn + 2.0 * cross * c * sn + across * c * c,
        )
        n1, n2 = (h11 + h21) / chord, (h21 + h22) / chord
        b1 = (c * ku1 + sn * n1, sn * ku1 - c * n1)
        b2 = (c * ku2 + sn * n2, sn * ku2 - c * n2)
        mass = (massive * inertia[e, 0], massive * inertia[e, 1], massive * inertia[e, 2])
        rotary = (massive * inertia[e, 3], massive * inertia[e, 4], massive * inertia[e, 5])
        add_pair_tangent(into.s, part.slots, e, A, (b1, b2), (h11, h21, h22), mass, rotary)


@kernel
def form(part: Arrays, e: int, strain: float, t1: float, t2: float) -> float:
    """Return strains times resultants of element e."""
    N, m1, m2 = stresses(part, e, strain, t1, t2)
    return part.length[e] * N * strain + m1 * t1 + m2 * t2


@kernel
def element_energy(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return kinetic and elastic energy of element e."""
    at = strains(part, e, q)
    return 0.5 * pair_inertia_form(part.dofs, e, part.inertia, v), 0.5 * form(part, e, at.strain, at.t1, at.t2)


@kernel
def dissipated(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> float:
    """Return the power that element e dissipates."""
    rate, rate1, rate2 = rates(part, e, v, strains(part, e, q))
    viscous = part.beta[e] * form(part, e, rate, rate1, rate2)
    return viscous + part.alpha[e] * pair_inertia_form(part.dofs, e, part.inertia, v)


energy, power = energy_of(element_energy), power_of(dissipated)


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = C (strain(q) + B(q) dq)."""
    for e in range(part.length.size):
        at, k = strains(part, e, q), part.stress_start + 3 * e
        rate, rate1, rate2 = rates(part, e, dq, at)
        N, m1, m2 = stresses(part, e, at.strain + rate, at.t1 + rate1, at.t2 + rate2)
        stress[k], stress[k + 1], stress[k + 2] = N, m1, m2


@kernel
def pull(part: Arrays, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
    """Add B(q)^T stress to r."""
    for e in range(part.length.size):
        k = part.stress_start + 3 * e
        add_resultants(part, e, strains(part, e, q), stress[k], stress[k + 1], stress[k + 2], r)


@kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, V (along and across the chord) and M at `stations`, damping included."""
    for e in range(part.length.size):
        at, beta = strains(part, e, q), part.beta[e]
        rate, rate1, rate2 = rates(part, e, v, at)
        N, m1, m2 = stresses(part, e, at.strain + beta * rate, at.t1 + beta * rate1, at.t2 + beta * rate2)
        V, m1, m2 = end_forces(part, e, at, N, m1, m2)
        out[2 * e, 0], out[2 * e, 1], out[2 * e, 2] = N, V, -m1
        out[2 * e + 1, 0], out[2 * e + 1, 1], out[2 * e + 1, 2] = N, V, m2
