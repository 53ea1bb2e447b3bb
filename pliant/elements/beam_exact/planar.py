"""Two-node geometrically exact planar beam (E. Reissner, ZAMP 23, 1972; J.C. Simo, CMAME 49, 1985), one Gauss point.

With ``d = (x2 - x1)/L``, the mean angle t and ``E = R(t)^T d``, per unit of rest length L:

    strain       Gamma = E - E_rest,   kappa = (theta2 - theta1)/L - kappa_rest
    resultants   (N, V) = diag(EA, GA) Gamma,   M = EI kappa          (+ beta times their rates: Kelvin-Voigt)
    force        F = R (N, V),   moments   L/2 (N E2 - V E1) -+ M

One point integrates the strains (no shear or membrane locking); L is the arc length, so a curved beam has its full
mass. This is the hot loop of most models: residual, tangent and mass in one pass, no arrays per element.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.elements import _beams
from pliant.elements._beams import Layout
from pliant.elements._sums import power_of
from pliant.elements.beam_exact import Exact
from pliant.jit import inlined_kernel, kernel
from pliant.kernels.beam_points.planar import Resultants, Strains
from pliant.kernels.circle import LANES, cos_sin, cos_sins, lanes
from pliant.kernels.scatter import add_pair_force, add_pair_inertia, add_pair_tangent, pair_inertia_form
from pliant.kernels.sums import Instant, Into

Lanes = tuple[np.ndarray, np.ndarray, np.ndarray]  # mean angles, their cosines and sines


class Arrays(NamedTuple):
    """Arrays of elements, one row each."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray  # (n, 21)
    length: np.ndarray
    stiffness: np.ndarray  # (n, 3) EA, GA, EI
    rest: np.ndarray  # (n, 3) E1, E2, kappa of the unstressed element
    inertia: np.ndarray  # (n, 6) see kernels.scatter
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool  # True if any alpha or beta is not zero
    stress_start: int = 0


meshes = _beams.meshes_of(Exact, lambda options: options.order == 1)


def pack(layout: Layout) -> Arrays:
    """Pack beams whose options are Exact with order 1."""
    mine = meshes(layout)
    rows = _beams.rows(mine)
    x, y, theta = np.moveaxis(rows.pose, 2, 0)
    dx, dy, turn = (np.diff(values)[:, 0] / rows.length for values in (x, y, theta))
    c, s = np.cos(theta.mean(axis=1)), np.sin(theta.mean(axis=1))
    return Arrays(
        **_beams.two_node(rows),
        stiffness=rows.stiffness,
        rest=np.stack((c * dx + s * dy, c * dy - s * dx, turn), axis=1),
    )


stations, stress_size = _beams.ends, _beams.rest_size


@kernel
def strains(part: Arrays, e: int, q: np.ndarray) -> Strains:
    """Return the strains of element e."""
    c, s = cos_sin(0.5 * (q[part.dofs[e, 2]] + q[part.dofs[e, 5]]))
    return strained(part, e, q, c, s)


@kernel
def strained(part: Arrays, e: int, q: np.ndarray, c: float, s: float) -> Strains:
    """Return the strains of element e, whose mean angle has this cosine and sine."""
    dofs, per_length = part.dofs, 1.0 / part.length[e]
    dx = (q[dofs[e, 3]] - q[dofs[e, 0]]) * per_length
    dy = (q[dofs[e, 4]] - q[dofs[e, 1]]) * per_length
    return Strains(c, s, c * dx + s * dy, c * dy - s * dx, (q[dofs[e, 5]] - q[dofs[e, 2]]) * per_length)


@inlined_kernel
def in_turn(part: Arrays, e: int, q: np.ndarray, room: Lanes) -> Strains:
    """Return the strains of element e, with cosines and sines of LANES elements found at once; in order of e."""
    angles, cosines, sines = room
    k, last = e % LANES, part.length.size - 1
    if k == 0:
        for i in range(angles.size):
            one = min(e + i, last)
            angles[i] = 0.5 * (q[part.dofs[one, 2]] + q[part.dofs[one, 5]])
        cos_sins(angles, cosines, sines)
    return strained(part, e, q, cosines[k], sines[k])


@kernel
def rates(part: Arrays, e: int, v: np.ndarray, at: Strains) -> tuple[float, float, float]:
    """Return the rates of Gamma1, Gamma2 and kappa at velocity v (or their change over a small step v): B v."""
    dofs = part.dofs
    per_length = 1.0 / part.length[e]
    turn = 0.5 * (v[dofs[e, 2]] + v[dofs[e, 5]])
    dx = (v[dofs[e, 3]] - v[dofs[e, 0]]) * per_length
    dy = (v[dofs[e, 4]] - v[dofs[e, 1]]) * per_length
    g1, g2 = at.c * dx + at.s * dy + at.E2 * turn, at.c * dy - at.s * dx - at.E1 * turn
    return g1, g2, (v[dofs[e, 5]] - v[dofs[e, 2]]) * per_length


@kernel
def add_resultants(part: Arrays, e: int, at: Strains, x: Resultants, r: np.ndarray) -> tuple[float, float]:
    """Add the forces of N, V, M on the ends to r. Returns the force in global axes."""
    fx, fy, lever = at.c * x.N - at.s * x.V, at.s * x.N + at.c * x.V, 0.5 * part.length[e] * (x.N * at.E2 - x.V * at.E1)
    add_pair_force(r, part.dofs, e, fx, fy, lever - x.M, lever + x.M)
    return fx, fy


@kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + C v + f(q) to r, and ck K + cc C + cm M to s."""
    dofs, length, stiffness, rest, inertia = part.dofs, part.length, part.stiffness, part.rest, part.inertia
    ck, cc, cm, r, damped = into.ck, into.cc, into.cm, into.r, part.damped
    stiff = ck != 0.0 or cc != 0.0 or cm != 0.0
    room = lanes(), lanes(), lanes()
    for e in range(length.size):
        L = length[e]
        EA, GA, EI = stiffness[e, 0], stiffness[e, 1], stiffness[e, 2]
        at = in_turn(part, e, now.q, room)
        cosine, sine, E1, E2, turn = at
        N, V, M = EA * (E1 - rest[e, 0]), GA * (E2 - rest[e, 1]), EI * (turn - rest[e, 2])
        material, massive = ck, cm
        add_pair_inertia(r, dofs, e, inertia, 1.0, now.a)
        if damped:
            alpha, beta = part.alpha[e], part.beta[e]
            rate1, rate2, turning = rates(part, e, now.v, at)
            N, V, M = N + beta * EA * rate1, V + beta * GA * rate2, M + beta * EI * turning
            material, massive = ck + cc * beta, cm + cc * alpha
            add_pair_inertia(r, dofs, e, inertia, alpha, now.v)
        fx, fy = add_resultants(part, e, at, Resultants(N, V, M), r)
        if not stiff:
            continue
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
        add_pair_tangent(into.s, part.slots, e, A, ((bx, by), (bx, by)), (h + EI, h - EI, h + EI), mass, rotary)


@kernel
def density(part: Arrays, e: int, g1: float, g2: float, kappa: float) -> float:
    """Return strains times resultants."""
    return part.stiffness[e, 0] * g1 * g1 + part.stiffness[e, 1] * g2 * g2 + part.stiffness[e, 2] * kappa * kappa


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return kinetic and elastic energy."""
    kinetic, potential = 0.0, 0.0
    room = lanes(), lanes(), lanes()
    for e in range(part.length.size):
        at = in_turn(part, e, q, room)
        twice = density(part, e, at.E1 - part.rest[e, 0], at.E2 - part.rest[e, 1], at.turn - part.rest[e, 2])
        kinetic += 0.5 * pair_inertia_form(part.dofs, e, part.inertia, v)
        potential += 0.5 * part.length[e] * twice
    return kinetic, potential


@kernel
def dissipated(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> float:
    """Return the power that element e dissipates."""
    g1, g2, kappa = rates(part, e, v, strains(part, e, q))
    viscous = part.beta[e] * part.length[e] * density(part, e, g1, g2, kappa)
    return viscous + part.alpha[e] * pair_inertia_form(part.dofs, e, part.inertia, v)


power = power_of(dissipated)


@kernel
def stressed(part: Arrays, e: int, at: Strains, f: float, rate: tuple[float, float, float]) -> Resultants:
    """Return N, V, M of the strains less the rest shape's, plus f times their rates."""
    return Resultants(
        part.stiffness[e, 0] * (at.E1 - part.rest[e, 0] + f * rate[0]),
        part.stiffness[e, 1] * (at.E2 - part.rest[e, 1] + f * rate[1]),
        part.stiffness[e, 2] * (at.turn - part.rest[e, 2] + f * rate[2]),
    )


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = C (strain(q) + B(q) dq)."""
    for e in range(part.length.size):
        k, at = part.stress_start + 3 * e, strains(part, e, q)
        stress[k], stress[k + 1], stress[k + 2] = stressed(part, e, at, 1.0, rates(part, e, dq, at))


@kernel
def pull(part: Arrays, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
    """Add B(q)^T stress to r."""
    for e in range(part.length.size):
        k = part.stress_start + 3 * e
        x = Resultants(stress[k], stress[k + 1], stress[k + 2])
        add_resultants(part, e, strains(part, e, q), x, r)


@kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, V (in the frame of the mean section) and M at `stations`, damping included."""
    room = lanes(), lanes(), lanes()
    for e in range(part.length.size):
        at, rate = in_turn(part, e, q, room), (0.0, 0.0, 0.0)
        if part.damped:
            rate = rates(part, e, v, at)
        N, V, M = stressed(part, e, at, part.beta[e], rate)
        lever = 0.5 * part.length[e] * (N * at.E2 - V * at.E1)
        out[2 * e, 0], out[2 * e, 1], out[2 * e, 2] = N, V, M - lever
        out[2 * e + 1, 0], out[2 * e + 1, 1], out[2 * e + 1, 2] = N, V, M + lever
