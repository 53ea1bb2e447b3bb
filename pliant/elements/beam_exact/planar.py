"""Two-node geometrically exact planar beam (E. Reissner, ZAMP 23, 1972; J.C. Simo, CMAME 49, 1985), one Gauss point.

With ``d = (x2 - x1)/L``, the mean angle t and ``E = R(t)^T d``, per unit of rest length L:

    strain       Gamma = E - E_rest,   kappa = (theta2 - theta1)/L - kappa_rest
    resultants   (N, V) = diag(EA, GA) Gamma,   M = EI kappa          (+ beta times their rates: Kelvin-Voigt)
    force        F = R (N, V),   moments   L/2 (N E2 - V E1) -+ M

One point integrates the strains (no shear or membrane locking); L is the arc length, so a curved beam keeps its mass.
This is the hot loop of most models: residual, tangent and mass in one pass, no arrays per element.
"""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.elements import _beams
from pliant.elements._beams import BeamMesh, Layout
from pliant.elements.beam_exact import Exact
from pliant.kernels.scatter import add_pair_force, add_pair_inertia, add_pair_tangent, pair_inertia_form


class Arrays(NamedTuple):
    """One row per element."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray  # (n, 21)
    length: np.ndarray
    stiffness: np.ndarray  # (n, 3) EA, GA, EI
    rest: np.ndarray  # (n, 3) E1, E2, kappa of the unstressed element
    inertia: np.ndarray  # (n, 6) see kernels.scatter
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool  # whether any alpha or beta is not zero
    stress_start: int


def meshes(layout: Layout) -> list[BeamMesh]:
    """Beams whose options are Exact with order 1."""
    return [mesh for mesh in layout.beams if isinstance(mesh.options, Exact) and mesh.options.order == 1]


def pack(layout: Layout) -> Arrays:
    """Beams whose options are Exact with order 1."""
    mine = meshes(layout)
    rows = _beams.rows(mine)
    x, y, theta = np.moveaxis(rows.pose, 2, 0)
    dx, dy, turn = (np.diff(values)[:, 0] / rows.length for values in (x, y, theta))
    c, s = np.cos(theta.mean(axis=1)), np.sin(theta.mean(axis=1))
    return Arrays(
        dofs=rows.dofs,
        slots=_beams.empty_slots(len(rows.length)),
        length=rows.length,
        stiffness=rows.stiffness,
        rest=np.stack((c * dx + s * dy, c * dy - s * dx, turn), axis=1),
        inertia=_beams.two_node_inertia(rows),
        alpha=rows.alpha,
        beta=rows.beta,
        damped=bool(np.any(rows.alpha) or np.any(rows.beta)),
        stress_start=0,
    )


def stations(mesh: BeamMesh) -> np.ndarray:
    """Both ends of every element: N and V are its own, M follows from moment equilibrium of the element."""
    return _beams.ends(mesh)


def stress_size(part: Arrays) -> int:
    """N, V, M per element."""
    return 3 * len(part.length)


@kernel
def strains(part: Arrays, e: int, q: np.ndarray) -> tuple[float, float, float, float, float]:
    """cos t, sin t, E1, E2, kappa + kappa_rest of element e."""
    dofs = part.dofs
    per_length = 1.0 / part.length[e]
    theta1, theta2 = q[dofs[e, 2]], q[dofs[e, 5]]
    c, s = cos(0.5 * (theta1 + theta2)), sin(0.5 * (theta1 + theta2))
    dx = (q[dofs[e, 3]] - q[dofs[e, 0]]) * per_length
    dy = (q[dofs[e, 4]] - q[dofs[e, 1]]) * per_length
    return c, s, c * dx + s * dy, c * dy - s * dx, (theta2 - theta1) * per_length


@kernel
def rates(part: Arrays, e: int, v: np.ndarray, c: float, s: float, E1: float, E2: float) -> tuple[float, float, float]:
    """Rates of Gamma1, Gamma2 and kappa at velocity v (or their change over a small step v): B v."""
    dofs = part.dofs
    per_length = 1.0 / part.length[e]
    turn = 0.5 * (v[dofs[e, 2]] + v[dofs[e, 5]])
    dx = (v[dofs[e, 3]] - v[dofs[e, 0]]) * per_length
    dy = (v[dofs[e, 4]] - v[dofs[e, 1]]) * per_length
    return c * dx + s * dy + E2 * turn, c * dy - s * dx - E1 * turn, (v[dofs[e, 5]] - v[dofs[e, 2]]) * per_length


@kernel
def add_resultants(
    part: Arrays, e: int, c: float, s: float, E1: float, E2: float, N: float, V: float, M: float, r: np.ndarray
) -> tuple[float, float]:
    """r += forces of N, V, M on the ends. Returns the force in global axes."""
    fx, fy, lever = c * N - s * V, s * N + c * V, 0.5 * part.length[e] * (N * E2 - V * E1)
    add_pair_force(r, part.dofs, e, fx, fy, lever - M, lever + M)
    return fx, fy


@kernel
def add(
    part: Arrays, q: np.ndarray, v: np.ndarray, a: np.ndarray, ck: float, cc: float, cm: float, r: np.ndarray,
    s: np.ndarray, stress: np.ndarray, mixed: bool,
) -> None:  # fmt: skip
    """r += M a + C v + f(q), s += ck K + cc C + cm M."""
    dofs, length, stiffness, rest, inertia = part.dofs, part.length, part.stiffness, part.rest, part.inertia
    damped = part.damped
    for e in range(length.size):
        L = length[e]
        EA, GA, EI = stiffness[e, 0], stiffness[e, 1], stiffness[e, 2]
        cosine, sine, E1, E2, turn = strains(part, e, q)
        N, V, M = EA * (E1 - rest[e, 0]), GA * (E2 - rest[e, 1]), EI * (turn - rest[e, 2])
        material, massive = ck, cm
        add_pair_inertia(r, dofs, e, inertia, 1.0, a)
        if damped:
            alpha, beta = part.alpha[e], part.beta[e]
            rate1, rate2, turning = rates(part, e, v, cosine, sine, E1, E2)
            N, V, M = N + beta * EA * rate1, V + beta * GA * rate2, M + beta * EI * turning
            material, massive = ck + cc * beta, cm + cc * alpha
            add_pair_inertia(r, dofs, e, inertia, alpha, v)
        fx, fy = add_resultants(part, e, cosine, sine, E1, E2, N, V, M, r)
        if mixed:
            N, V = stress[part.stress_start + 3 * e], stress[part.stress_start + 3 * e + 1]
            fx, fy = cosine * N - sine * V, sine * N + cosine * V
        EA, GA, EI = material * EA, material * GA, material * EI / L
        bx = 0.5 * (cosine * EA * E2 + sine * GA * E1 - ck * fy)
        by = 0.5 * (sine * EA * E2 - cosine * GA * E1 + ck * fx)
        h = 0.25 * L * (EA * E2 * E2 + GA * E1 * E1 - ck * (N * E1 + V * E2))
        A = (
            (EA * cosine * cosine + GA * sine * sine) / L,
            (EA - GA) * cosine * sine / L,
            (EA * sine * sine + GA * cosine * cosine) / L,
        )
        mass = (massive * inertia[e, 0], massive * inertia[e, 1], massive * inertia[e, 2])
        rotary = (massive * inertia[e, 3], massive * inertia[e, 4], massive * inertia[e, 5])
        add_pair_tangent(s, part.slots, e, A, (bx, by), (bx, by), (h + EI, h - EI, h + EI), mass, rotary)


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic and elastic energy."""
    kinetic, potential = 0.0, 0.0
    for e in range(part.length.size):
        _, _, E1, E2, turn = strains(part, e, q)
        g1, g2, kappa = E1 - part.rest[e, 0], E2 - part.rest[e, 1], turn - part.rest[e, 2]
        density = part.stiffness[e, 0] * g1 * g1 + part.stiffness[e, 1] * g2 * g2 + part.stiffness[e, 2] * kappa * kappa
        potential += 0.5 * part.length[e] * density
        kinetic += 0.5 * pair_inertia_form(part.dofs, e, part.inertia, v)
    return kinetic, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Supplied (none) and dissipated power."""
    dissipated = 0.0
    if part.damped:
        for e in range(part.length.size):
            c, s, E1, E2, _ = strains(part, e, q)
            g1, g2, kappa = rates(part, e, v, c, s, E1, E2)
            EA, GA, EI = part.stiffness[e, 0], part.stiffness[e, 1], part.stiffness[e, 2]
            dissipated += part.alpha[e] * pair_inertia_form(part.dofs, e, part.inertia, v)
            dissipated += part.beta[e] * part.length[e] * (EA * g1 * g1 + GA * g2 * g2 + EI * kappa * kappa)
    return 0.0, dissipated


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """stress = C (strain(q) + B(q) dq)."""
    for e in range(part.length.size):
        c, s, E1, E2, turn = strains(part, e, q)
        g1, g2, kappa = rates(part, e, dq, c, s, E1, E2)
        k = part.stress_start + 3 * e
        stress[k] = part.stiffness[e, 0] * (E1 - part.rest[e, 0] + g1)
        stress[k + 1] = part.stiffness[e, 1] * (E2 - part.rest[e, 1] + g2)
        stress[k + 2] = part.stiffness[e, 2] * (turn - part.rest[e, 2] + kappa)


@kernel
def pull(part: Arrays, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
    """r += B(q)^T stress."""
    for e in range(part.length.size):
        k = part.stress_start + 3 * e
        c, s, E1, E2, _ = strains(part, e, q)
        add_resultants(part, e, c, s, E1, E2, stress[k], stress[k + 1], stress[k + 2], r)


@kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """N, V (in the frame of the mean section) and M at `stations`, damping included."""
    for e in range(part.length.size):
        c, s, E1, E2, turn = strains(part, e, q)
        g1, g2, kappa = rates(part, e, v, c, s, E1, E2)
        beta = part.beta[e]
        N = part.stiffness[e, 0] * (E1 - part.rest[e, 0] + beta * g1)
        V = part.stiffness[e, 1] * (E2 - part.rest[e, 1] + beta * g2)
        M = part.stiffness[e, 2] * (turn - part.rest[e, 2] + beta * kappa)
        lever = 0.5 * part.length[e] * (N * E2 - V * E1)
        out[2 * e, 0], out[2 * e, 1], out[2 * e, 2] = N, V, M - lever
        out[2 * e + 1, 0], out[2 * e + 1, 1], out[2 * e + 1, 2] = N, V, M + lever
