"""Two-node geometrically exact beam in space (J.C. Simo, CMAME 49, 1985), one Gauss point.

With the relative rotation ``exp(psi) = R1^T R2`` of the sections, the mean section ``R = R1 exp(psi/2)`` and
``d = x2 - x1``, per unit of rest length L:

    strain       Gamma = R^T d/L - Gamma_rest,   kappa = psi/L - kappa_rest
    resultants   (N, M) = C (Gamma, kappa)                          (+ beta times their rates: Kelvin-Voigt)

The strains depend on the end sections only and not on how they got there, and no rigid motion changes them; in the
plane this is `planar`. With the spins ``m -+ h`` of the ends in their own frames, ``t = tan(|psi|/4) psi/|psi|``,
``c = (1 - |psi|/2 cot(|psi|/2))/|psi|^2`` and ``w = m + t x h`` the spin of the mean section,

    Gamma' = R^T d'/L + Gamma x w,   psi' = 2 (1 + c skew(psi)^2) h + psi x m,   t' = (1 - t^2) h/2 + t t.h + t x m

(T^-1 of the exponential map: A. Ibrahimbegovic, CMAME 122, 1995). Differentiated once more with m and h constant, that
is along R exp(theta), they give the exact Hessian in the exponential chart, which is symmetric. Rotary inertia is
lumped at the nodes.
"""

from __future__ import annotations

from math import atan, sqrt
from typing import NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.elements import _spatial_beams
from pliant.elements._beams import empty_slots, ends
from pliant.elements._spatial_beams import SpatialLayout, SpatialMesh, conjugate_product, seen_from
from pliant.elements.beam_exact import Exact
from pliant.kernels.blocks import add_block, add_diagonal_block, add_spin, add_transposed, add_vector, spin_form
from pliant.kernels.tensors import (
    Matrix,
    Vector,
    added,
    apply,
    apply_transposed,
    cross,
    dot,
    minus,
    outer,
    plus,
    product,
    product_skew,
    rotation,
    scaled,
    skew,
    skew_product,
    symmetric,
    times,
    transposed,
)


class Arrays(NamedTuple):
    """One row per element."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray  # (n, 78)
    frames: np.ndarray  # (n, 2)
    length: np.ndarray
    stiffness: np.ndarray  # (n, 6, 6)
    rest: np.ndarray  # (n, 6) Gamma, kappa of the unstressed element
    mass: np.ndarray  # (n, 2) of each node, and shared by both
    rotary: np.ndarray  # (n, 3) of each node
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool  # whether any alpha or beta is not zero
    stress_start: int


class Strain(NamedTuple):
    """Mean section R, R^T d/L, psi, t, and c with its derivative by |psi|^2."""

    R: Matrix
    Gamma: Vector
    psi: Vector
    t: Vector
    c: float
    slope: float


def meshes(layout: SpatialLayout) -> list[SpatialMesh]:
    """Beams whose options are Exact with order 1."""
    return [mesh for mesh in layout.beams if isinstance(mesh.options, Exact) and mesh.options.order == 1]


def pack(layout: SpatialLayout) -> Arrays:
    """Beams whose options are Exact with order 1."""
    rows = _spatial_beams.rows(meshes(layout))
    L = rows.length[:, None]
    relative = conjugate_product(rows.turn[:, 0], rows.turn[:, 1])
    sine = np.linalg.norm(relative[:, 1:], axis=1, keepdims=True)
    bend = np.where(sine > 0.0, 2.0 * np.arctan2(sine, relative[:, :1]) / np.where(sine > 0.0, sine, 1.0), 2.0)
    whole = (rows.density * rows.length)[:, None]
    return Arrays(
        dofs=layout.dofs(rows.nodes, 2),
        slots=empty_slots(len(L)),
        frames=layout.frames(rows.nodes, 2),
        length=rows.length,
        stiffness=rows.stiffness,
        rest=np.hstack(
            (seen_from(rows.turn.sum(axis=1), np.diff(rows.place, axis=1)[:, 0] / L), bend * relative[:, 1:] / L)
        ),
        mass=np.ascontiguousarray(whole * rows.shares[:, 0]),
        rotary=np.ascontiguousarray(rows.rotary[:, 0]),
        alpha=rows.alpha,
        beta=rows.beta,
        damped=bool(np.any(rows.alpha) or np.any(rows.beta)),
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
def bending(y: float, x: float) -> tuple[float, float]:
    """c and its derivative by y, for y = |psi|^2 and x = tan(|psi|/4)."""
    if y < 0.25:  # Bernoulli numbers: 1/12 + y/720 + y^2/30240 + ...
        c = 1 / 12 + y * (1 / 720 + y * (1 / 30240 + y * (1 / 1209600 + y * (1 / 47900160 + y * 5.284e-10))))
        slope = 1 / 720 + y * (1 / 15120 + y * (1 / 403200 + y * (1 / 11975040 + y * 2.642e-9)))
        return c, slope
    angle = sqrt(y)
    cotangent = 0.5 * (1.0 - x * x) / x
    sine = 2.0 * x / (1.0 + x * x)
    c = (1.0 - 0.5 * angle * cotangent) / y
    return c, (0.125 / (sine * sine) - 0.25 * cotangent / angle - c) / y


@kernel
def strains(part: Arrays, e: int, q: np.ndarray) -> Strain:
    """Strain measures of element e, those of its rest shape not taken off."""
    dofs, i, j = part.dofs, part.frames[e, 0], part.frames[e, 1]
    w1, x1, y1, z1 = q[i], q[i + 1], q[i + 2], q[i + 3]
    w2, x2, y2, z2 = q[j], q[j + 1], q[j + 2], q[j + 3]
    cosine = w1 * w2 + x1 * x2 + y1 * y2 + z1 * z2
    if cosine < 0.0:  # both quaternions of a rotation are right: take the near one
        cosine, w2, x2, y2, z2 = -cosine, -w2, -x2, -y2, -z2
    f = 1.0 / (1.0 + cosine)
    t = (
        f * (w1 * x2 - w2 * x1 - y1 * z2 + z1 * y2),
        f * (w1 * y2 - w2 * y1 - z1 * x2 + x1 * z2),
        f * (w1 * z2 - w2 * z1 - x1 * y2 + y1 * x2),
    )
    x = sqrt(dot(t, t))
    psi = times(4.0 * atan(x) / x if x > 1e-9 else 4.0, t)
    c, slope = bending(dot(psi, psi), x)
    f = sqrt(0.5 * f)
    R = rotation(f * (w1 + w2), f * (x1 + x2), f * (y1 + y2), f * (z1 + z2))
    f = 1.0 / part.length[e]
    chord = (
        f * (q[dofs[e, 6]] - q[dofs[e, 0]]),
        f * (q[dofs[e, 7]] - q[dofs[e, 1]]),
        f * (q[dofs[e, 8]] - q[dofs[e, 2]]),
    )
    return Strain(R, apply_transposed(R, chord), psi, t, c, slope)


@kernel
def halves(part: Arrays, e: int, v: np.ndarray) -> tuple[Vector, Vector]:
    """Half the sum m and half the difference h of the end's spins."""
    i, j, k = part.dofs[e, 3], part.dofs[e, 4], part.dofs[e, 5]
    x, y, z = part.dofs[e, 9], part.dofs[e, 10], part.dofs[e, 11]
    m = 0.5 * (v[i] + v[x]), 0.5 * (v[j] + v[y]), 0.5 * (v[k] + v[z])
    return m, (0.5 * (v[x] - v[i]), 0.5 * (v[y] - v[j]), 0.5 * (v[z] - v[k]))


@kernel
def rates(part: Arrays, e: int, v: np.ndarray, at: Strain) -> tuple[Vector, Vector]:
    """Rates of Gamma and kappa at velocity v (or their change over a small step v): B v."""
    dofs, f = part.dofs, 1.0 / part.length[e]
    m, h = halves(part, e, v)
    chord = (
        f * (v[dofs[e, 6]] - v[dofs[e, 0]]),
        f * (v[dofs[e, 7]] - v[dofs[e, 1]]),
        f * (v[dofs[e, 8]] - v[dofs[e, 2]]),
    )
    Gamma = plus(apply_transposed(at.R, chord), cross(at.Gamma, plus(m, cross(at.t, h))))
    bent = plus(h, times(at.c, cross(at.psi, cross(at.psi, h))))
    return Gamma, times(f, plus(times(2.0, bent), cross(at.psi, m)))


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
def strained(part: Arrays, e: int, at: Strain, factor: float, rate: Vector, turning: Vector) -> tuple[Vector, Vector]:
    """Resultants of the strains, the rest shape's taken off, plus a factor times their rates."""
    rest, f = part.rest, 1.0 / part.length[e]
    Gamma = plus(minus(at.Gamma, (rest[e, 0], rest[e, 1], rest[e, 2])), times(factor, rate))
    kappa = plus(minus(times(f, at.psi), (rest[e, 3], rest[e, 4], rest[e, 5])), times(factor, turning))
    return stresses(part.stiffness, e, Gamma, kappa)


@kernel
def moments(L: float, at: Strain, N: Vector, M: Vector) -> tuple[Vector, Vector]:
    """Moments of the resultants on the ends, in the frames of the ends."""
    lever = times(L, cross(N, at.Gamma))
    common = plus(lever, cross(M, at.psi))
    bent = plus(M, times(at.c, cross(at.psi, cross(at.psi, M))))
    opposite = plus(cross(lever, at.t), times(2.0, bent))
    return times(0.5, minus(common, opposite)), times(0.5, plus(common, opposite))


@kernel
def add(
    part: Arrays,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    ck: float,
    cc: float,
    cm: float,
    r: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
    stress: np.ndarray,
    mixed: bool,
) -> None:
    """r += M a + C v + f(q), s += ck K + cc C + cm M, skew halves to w."""
    dofs = part.dofs
    for e in range(part.length.size):
        L = part.length[e]
        at = strains(part, e, q)
        beta, rate, turning = part.beta[e], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if part.damped:
            rate, turning = rates(part, e, v, at)
        N, M = strained(part, e, at, beta, rate, turning)
        first, second = moments(L, at, N, M)
        force = apply(at.R, N)
        add_vector(r, dofs, e, 0, -1.0, force)
        add_vector(r, dofs, e, 3, 1.0, first)
        add_vector(r, dofs, e, 6, 1.0, force)
        add_vector(r, dofs, e, 9, 1.0, second)
        if mixed:
            k = part.stress_start + 6 * e
            N, M = (stress[k], stress[k + 1], stress[k + 2]), (stress[k + 3], stress[k + 4], stress[k + 5])
        add_tangent(part, e, at, times(ck, N), times(ck, M), ck + cc * beta, s)
        add_inertia(part, e, v, a, ck, cc, cm, r, s, w)


@kernel
def add_tangent(part: Arrays, e: int, at: Strain, N: Vector, M: Vector, material: float, s: np.ndarray) -> None:
    """Hessian of the energy with the resultants N, M; in (R^T d)', m and h, then in the freedoms."""
    L, slots, C = part.length[e], part.slots, part.stiffness
    R, Gamma, psi, t, c, y = at.R, at.Gamma, at.psi, at.t, at.c, dot(at.psi, at.psi)
    stretching = scaled(material, block(C, e, 0, 0))
    across, bending = scaled(material, block(C, e, 0, 3)), scaled(material, block(C, e, 3, 3))
    lever = outer(t, Gamma, -dot(Gamma, t))  # Gamma' = lever h
    S = outer(times(2.0 * c, psi), psi, 2.0 * (1.0 - c * y))  # psi' = S h
    by_m, by_h = times(1.0 / L, psi), scaled(1.0 / L, S)
    force_m = added(product_skew(stretching, Gamma), product_skew(across, by_m))
    force_h = added(product(stretching, lever), product(across, by_h))
    moment_m = added(product_skew(transposed(across), Gamma), product_skew(bending, by_m))
    moment_h = added(product(transposed(across), lever), product(bending, by_h))
    mm = scaled(-1.0, added(skew_product(times(L, Gamma), force_m), skew_product(psi, moment_m)))
    mh = scaled(-1.0, added(skew_product(times(L, Gamma), force_h), skew_product(psi, moment_h)))
    hh = added(product(scaled(L, transposed(lever)), force_h), product(S, moment_h))

    arm, twist = times(L, cross(Gamma, N)), dot(M, psi)
    swing = symmetric(times(L, N), Gamma, -L * dot(N, Gamma))
    swung = product_skew(swing, t)
    mm = added(mm, added(swing, symmetric(psi, M, -twist)))
    mh = added(mh, added(swung, outer(times(-0.5, arm), t, 0.5 * dot(t, arm))))
    mh = added(
        mh,
        added(
            skew(minus(times(1.0 - c * y, M), times(c * twist, psi))), outer(times(2.0 * c, cross(M, psi)), psi, 0.0)
        ),
    )
    hh = added(hh, scaled(-1.0, added(skew_product(t, swung), symmetric(t, cross(arm, t), 0.0))))
    curl = plus(times(8.0 * twist * (at.slope + c * c), psi), times(-8.0 * at.slope * y - 4.0 * c * (1.0 + c * y), M))
    hh = added(hh, symmetric(psi, curl, 4.0 * twist * c * (1.0 - c * y)))
    force_m = added(force_m, skew(times(-1.0, N)))
    force_h = added(force_h, outer(times(-1.0, t), N, dot(N, t)))

    along = product(product(R, scaled(1.0 / L, stretching)), transposed(R))
    first = product(R, added(force_m, scaled(-1.0, force_h)))
    second = product(R, added(force_m, force_h))
    even, odd = added(mm, hh), added(mm, scaled(-1.0, hh))
    hm = transposed(mh)
    add_diagonal_block(s, slots, e, 0, 1.0, along)
    add_transposed(s, slots, e, 3, 0, -0.5, first)
    add_diagonal_block(s, slots, e, 3, 0.25, added(even, scaled(-1.0, added(mh, hm))))
    add_block(s, slots, e, 6, 0, -1.0, along)
    add_block(s, slots, e, 6, 3, 0.5, first)
    add_diagonal_block(s, slots, e, 6, 1.0, along)
    add_transposed(s, slots, e, 9, 0, -0.5, second)
    add_block(s, slots, e, 9, 3, 0.25, added(odd, added(hm, scaled(-1.0, mh))))
    add_transposed(s, slots, e, 9, 6, 0.5, second)
    add_diagonal_block(s, slots, e, 9, 0.25, added(even, added(mh, hm)))


@kernel
def add_inertia(
    part: Arrays,
    e: int,
    v: np.ndarray,
    a: np.ndarray,
    ck: float,
    cc: float,
    cm: float,
    r: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
) -> None:
    """Mass of linear interpolation or lumped, rotary inertia at the nodes."""
    dofs, slots, alpha = part.dofs, part.slots, part.alpha[e]
    own, shared = part.mass[e, 0], part.mass[e, 1]
    massive = cm + cc * alpha
    for i in range(3):
        one, two = dofs[e, i], dofs[e, i + 6]
        first, second = a[one] + alpha * v[one], a[two] + alpha * v[two]
        r[one] += own * first + shared * second
        r[two] += own * second + shared * first
        s[slots[e, i * (i + 3) // 2]] += massive * own
        s[slots[e, (i + 6) * (i + 7) // 2 + i]] += massive * shared
        s[slots[e, (i + 6) * (i + 9) // 2]] += massive * own
    J = inertia(part, e)
    add_spin(dofs, slots, e, 3, J, alpha, v, a, ck, cc, cm, r, s, w)
    add_spin(dofs, slots, e, 9, J, alpha, v, a, ck, cc, cm, r, s, w)


@kernel
def inertia(part: Arrays, e: int) -> Matrix:
    """Rotary inertia of a node."""
    return part.rotary[e, 0], 0.0, 0.0, 0.0, part.rotary[e, 1], 0.0, 0.0, 0.0, part.rotary[e, 2]


@kernel
def inertia_form(part: Arrays, e: int, v: np.ndarray) -> float:
    """v^T M v of element e."""
    dofs, own, shared = part.dofs, part.mass[e, 0], part.mass[e, 1]
    total = spin_form(dofs, e, 3, inertia(part, e), v) + spin_form(dofs, e, 9, inertia(part, e), v)
    for i in range(3):
        first, second = v[dofs[e, i]], v[dofs[e, i + 6]]
        total += own * (first * first + second * second) + 2.0 * shared * first * second
    return total


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic and elastic energy."""
    kinetic, potential = 0.0, 0.0
    for e in range(part.length.size):
        at, rest = strains(part, e, q), part.rest
        Gamma = minus(at.Gamma, (rest[e, 0], rest[e, 1], rest[e, 2]))
        kappa = minus(times(1.0 / part.length[e], at.psi), (rest[e, 3], rest[e, 4], rest[e, 5]))
        N, M = stresses(part.stiffness, e, Gamma, kappa)
        potential += 0.5 * part.length[e] * (dot(N, Gamma) + dot(M, kappa))
        kinetic += 0.5 * inertia_form(part, e, v)
    return kinetic, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Supplied (none) and dissipated power."""
    dissipated = 0.0
    if part.damped:
        for e in range(part.length.size):
            rate, turning = rates(part, e, v, strains(part, e, q))
            N, M = stresses(part.stiffness, e, rate, turning)
            dissipated += part.beta[e] * part.length[e] * (dot(N, rate) + dot(M, turning))
            dissipated += part.alpha[e] * inertia_form(part, e, v)
    return 0.0, dissipated


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """stress = C (strain(q) + B(q) dq)."""
    for e in range(part.length.size):
        at = strains(part, e, q)
        rate, turning = rates(part, e, dq, at)
        N, M = strained(part, e, at, 1.0, rate, turning)
        k = part.stress_start + 6 * e
        stress[k], stress[k + 1], stress[k + 2] = N
        stress[k + 3], stress[k + 4], stress[k + 5] = M


@kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """N, Vy, Vz in the mean section's frame, T, My, Mz in the frames of the ends, at `stations`, damping included."""
    for e in range(part.length.size):
        at = strains(part, e, q)
        rate, turning = rates(part, e, v, at)
        N, M = strained(part, e, at, part.beta[e], rate, turning)
        first, second = moments(part.length[e], at, N, M)
        for k in range(2):
            out[2 * e + k, 0], out[2 * e + k, 1], out[2 * e + k, 2] = N
        out[2 * e, 3], out[2 * e, 4], out[2 * e, 5] = times(-1.0, first)
        out[2 * e + 1, 3], out[2 * e + 1, 4], out[2 * e + 1, 5] = second
