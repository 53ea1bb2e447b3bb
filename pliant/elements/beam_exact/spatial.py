"""Two-node geometrically exact beam in space (J.C. Simo, CMAME 49, 1985), one Gauss point.

With the mean section R, ``d = x2 - x1`` and the relative rotation psi of the sections, per unit of rest length L:

    strain       Gamma = R^T d/L - Gamma_rest,   kappa = psi/L - kappa_rest
    resultants   (N, M) = C (Gamma, kappa)                          (+ beta times their rates: Kelvin-Voigt)

In the plane this is `planar`. How the strains depend on the ends, and the exact Hessian: elements/_spatial_pair.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.elements import _spatial_beams
from pliant.elements._beams import empty_slots, ends
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
from pliant.elements.beam_exact import Exact
from pliant.kernels.tensors import Matrix, apply, apply_transposed, scaled
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector


class Arrays(NamedTuple):
    """One row per element."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray  # (n, 78)
    frames: np.ndarray  # (n, 2)
    length: np.ndarray
    stiffness: np.ndarray  # (n, 6, 6)
    rest: np.ndarray  # (n, 6) Gamma, kappa of the unstressed element
    mass: np.ndarray  # (n, 3) of the nodes, and shared by both
    rotary: np.ndarray  # (n, 6) of the nodes
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool  # whether any alpha or beta is not zero
    coupled: bool  # whether any section couples forces with curvatures
    stress_start: int


def meshes(layout: SpatialLayout) -> list[SpatialMesh]:
    """Beams whose options are Exact with order 1."""
    return [mesh for mesh in layout.beams if isinstance(mesh.options, Exact) and mesh.options.order == 1]


def pack(layout: SpatialLayout) -> Arrays:
    """Beams whose options are Exact with order 1."""
    rows = _spatial_beams.rows(meshes(layout))
    L = rows.length[:, None]
    mass, rotary = _spatial_beams.two_node_inertia(rows)
    return Arrays(
        dofs=layout.dofs(rows.nodes, 2),
        slots=empty_slots(len(L)),
        frames=layout.frames(rows.nodes, 2),
        length=rows.length,
        stiffness=rows.stiffness,
        rest=np.hstack(_spatial_beams.seen_ends(rows)) / L,
        mass=mass,
        rotary=rotary,
        alpha=rows.alpha,
        beta=rows.beta,
        damped=bool(np.any(rows.alpha) or np.any(rows.beta)),
        coupled=bool(np.any(rows.stiffness[:, :3, 3:])),
        stress_start=0,
    )


def stations(mesh: SpatialMesh) -> np.ndarray:
    """Both ends of every element: forces are its own, moments follow from its equilibrium."""
    return ends(mesh)


def stress_size(part: Arrays) -> int:
    """N, Vy, Vz, T, My, Mz per element."""
    return part.rest.size


def gyroscopic(part: Arrays) -> bool:
    """Spinning sections have a tangent that is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.rotary))


@kernel
def block(C: np.ndarray, e: int, row: int, column: int) -> Matrix:
    """A quarter of the section's stiffness."""
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
    """(N, M) = C (Gamma, kappa)."""
    across = block(C, e, 0, 3)
    N = plus(apply(block(C, e, 0, 0), Gamma), apply(across, kappa))
    return N, plus(apply_transposed(across, Gamma), apply(block(C, e, 3, 3), kappa))


@kernel
def strained(part: Arrays, e: int, at: Pair, factor: float, rate: Vector, turning: Vector) -> tuple[Vector, Vector]:
    """Strains, the rest shape's taken off, plus a factor times the rates of s and psi over the length."""
    f, rest = 1.0 / part.length[e], part.rest[e]
    Gamma = minus(times(f, plus(at.s, times(factor, rate))), vector(rest, 0))
    return Gamma, minus(times(f, plus(at.psi, times(factor, turning))), vector(rest, 3))


@kernel
def add(
    part: Arrays, q: np.ndarray, v: np.ndarray, a: np.ndarray, ck: float, cc: float, cm: float, r: np.ndarray,
    s: np.ndarray, w: np.ndarray, stress: np.ndarray, mixed: bool,
) -> None:  # fmt: skip
    """r += M a + C v + f(q), s += ck K + cc C + cm M, skew halves to w."""
    dofs, slots, C, mass = part.dofs, part.slots, part.stiffness, part.mass
    for e in range(part.length.size):
        at, alpha, beta = sections(q, dofs, part.frames, e), part.alpha[e], part.beta[e]
        rate, turning = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if part.damped:
            rate, turning = rates(v, dofs, e, at)
        Gamma, kappa = strained(part, e, at, beta, rate, turning)
        N, M = stresses(C, e, Gamma, kappa)
        even1, even2 = add_forces(dofs, slots, e, at, N, M, mass, part.rotary, alpha, v, a, ck, cc, cm, r, w)
        if ck == 0.0 and cc == 0.0 and cm == 0.0:
            continue  # only forces are wanted
        if mixed:
            k = part.stress_start + 6 * e
            N, M = vector(stress, k), vector(stress, k + 3)
        f, massive = (ck + cc * beta) / part.length[e], cm + cc * alpha
        stretching, coupling = scaled(f, block(C, e, 0, 0)), scaled(f, block(C, e, 0, 3))
        bending, own, shared = scaled(f, block(C, e, 3, 3)), massive * mass[e, 0], massive * mass[e, 2]
        N, M = times(ck, N), times(ck, M)
        add_tangent(slots, e, at, N, M, stretching, coupling, bending, part.coupled, own, shared, even1, even2, s)
        add_second_mass(slots, e, mass, massive, s)


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic and elastic energy."""
    kinetic, potential = 0.0, 0.0
    for e in range(part.length.size):
        at = sections(q, part.dofs, part.frames, e)
        Gamma, kappa = strained(part, e, at, 0.0, at.s, at.psi)
        N, M = stresses(part.stiffness, e, Gamma, kappa)
        potential += 0.5 * part.length[e] * (dot(N, Gamma) + dot(M, kappa))
        kinetic += 0.5 * inertia_form(part.dofs, e, part.mass, part.rotary, v)
    return kinetic, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Supplied (none) and dissipated power."""
    dissipated = 0.0
    if part.damped:
        for e in range(part.length.size):
            rate, turning = rates(v, part.dofs, e, sections(q, part.dofs, part.frames, e))
            N, M = stresses(part.stiffness, e, rate, turning)
            dissipated += part.beta[e] / part.length[e] * (dot(N, rate) + dot(M, turning))
            dissipated += part.alpha[e] * inertia_form(part.dofs, e, part.mass, part.rotary, v)
    return 0.0, dissipated


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """stress = C (strain(q) + B(q) dq)."""
    for e in range(part.length.size):
        at = sections(q, part.dofs, part.frames, e)
        rate, turning = rates(dq, part.dofs, e, at)
        Gamma, kappa = strained(part, e, at, 1.0, rate, turning)
        N, M = stresses(part.stiffness, e, Gamma, kappa)
        k = part.stress_start + 6 * e
        stress[k], stress[k + 1], stress[k + 2] = N
        stress[k + 3], stress[k + 4], stress[k + 5] = M


@kernel
def pull(part: Arrays, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
    """r += B(q)^T stress."""
    for e in range(part.length.size):
        k = part.stress_start + 6 * e
        add_resultants(
            part.dofs, e, sections(q, part.dofs, part.frames, e), vector(stress, k), vector(stress, k + 3), r
        )


@kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """N, Vy, Vz in the mean section's frame, T, My, Mz in the frames of the ends, at `stations`, damping included."""
    for e in range(part.length.size):
        at = sections(q, part.dofs, part.frames, e)
        rate, turning = rates(v, part.dofs, e, at)
        Gamma, kappa = strained(part, e, at, part.beta[e], rate, turning)
        N, M = stresses(part.stiffness, e, Gamma, kappa)
        first, second = moments(at, N, M)
        for k in range(2):
            out[2 * e + k, 0], out[2 * e + k, 1], out[2 * e + k, 2] = N
        out[2 * e, 3], out[2 * e, 4], out[2 * e, 5] = times(-1.0, first)
        out[2 * e + 1, 3], out[2 * e + 1, 4], out[2 * e + 1, 5] = second
