"""Two-node geometrically exact beam in space (J.C. Simo, CMAME 49, 1985), one Gauss point.

With the relative rotation ``exp(psi) = R1^T R2`` of the sections, the mean section ``R = R1 exp(psi/2)`` and
``d = x2 - x1``, per unit of rest length L:

    strain       Gamma = R^T d/L - Gamma_rest,   kappa = psi/L - kappa_rest
    resultants   (N, M) = C (Gamma, kappa)                          (+ beta times their rates: Kelvin-Voigt)

The strains depend on the end sections only and not on how they got there, and no rigid motion changes them; in the
plane this is `planar`. Let ``m -+ h`` be the spins of the ends in their own frames, ``t = tan(|psi|/4) psi/|psi|``, and
``G = g + (2 - g) psi psi^T/|psi|^2`` with ``g = |psi|/sin(|psi|/2)``. The mean section has the spin ``w = m + t x h``,

    Gamma' = R^T d'/L + Gamma x w,   psi' = G h + psi x w,   t' = (1 + t^2) h/2 + t x w.

Differentiated once more with m and h constant, that is along R exp(theta), they give the exact Hessian in the
exponential chart, which is symmetric. Rotary inertia is lumped at the nodes.
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.elements import _spatial_beams
from pliant.elements._beams import empty_slots, ends
from pliant.elements._spatial_beams import SpatialLayout, SpatialMesh, conjugate_product, seen_from
from pliant.elements.beam_exact import Exact
from pliant.kernels.blocks import (
    add_block,
    add_diagonal_block,
    add_skew,
    add_transposed,
    add_vector,
    spin_form,
    spinning,
)
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
    vector,
)

SMALL = 0.1  # |psi|^2 below which series are used: (z/sin z - 1)/4z^2 with z = |psi|/2 has these coefficients
A1, A2, A3, A4, A5 = 1 / 24, 7 / 5760, 31 / 967680, 127 / 154828800, 73 / 3503554560
NONE = 0.0, 0.0, 0.0


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
    coupled: bool  # whether any section couples forces with curvatures
    stress_start: int


class Strain(NamedTuple):
    """Mean section R, R^T d/L, psi, t, cos(|psi|/2), and G = g + outer psi psi^T."""

    R: Matrix
    Gamma: Vector
    psi: Vector
    t: Vector
    cosine: float
    g: float
    outer: float


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
def strains(part: Arrays, e: int, q: np.ndarray) -> Strain:
    """Strain measures of element e, those of its rest shape not taken off."""
    i, j = part.frames[e, 0], part.frames[e, 1]
    w1, x1, y1, z1 = q[i], q[i + 1], q[i + 2], q[i + 3]
    w2, x2, y2, z2 = q[j], q[j + 1], q[j + 2], q[j + 3]
    cosine = w1 * w2 + x1 * x2 + y1 * y2 + z1 * z2
    if cosine < 0.0:  # both quaternions of a rotation are right: take the near one
        cosine, w2, x2, y2, z2 = -cosine, -w2, -x2, -y2, -z2
    relative = (
        w1 * x2 - w2 * x1 - y1 * z2 + z1 * y2,
        w1 * y2 - w2 * y1 - z1 * x2 + x1 * z2,
        w1 * z2 - w2 * z1 - x1 * y2 + y1 * x2,
    )
    sine = sqrt(dot(relative, relative))
    g = 2.0 * atan2(sine, cosine) / sine if sine > 1e-9 else 2.0
    psi, near = times(g, relative), 1.0 / (1.0 + cosine)
    y = g * g * sine * sine
    outer = (2.0 - g) / y if y > SMALL else -2.0 * (y * (y * (y * (y * A5 + A4) + A3) + A2) + A1)
    f = sqrt(0.5 * near)
    R = rotation(f * (w1 + w2), f * (x1 + x2), f * (y1 + y2), f * (z1 + z2))
    chord = per_length(part, e, q)
    return Strain(R, apply_transposed(R, chord), psi, times(near, relative), cosine, g, outer)


@kernel
def slopes(at: Strain) -> tuple[float, float]:
    """Derivatives of g and of (2 - g)/|psi|^2 by |psi|^2."""
    y = dot(at.psi, at.psi)
    if y > SMALL:
        slope = 0.5 * at.g / y * (1.0 - 0.5 * at.g * at.cosine)
        return slope, -(slope + at.outer) / y
    slope = 2.0 * (y * (y * (y * (y * 5.0 * A5 + 4.0 * A4) + 3.0 * A3) + 2.0 * A2) + A1)
    return slope, -2.0 * (y * (y * (y * 4.0 * A5 + 3.0 * A4) + 2.0 * A3) + A2)


@kernel
def per_length(part: Arrays, e: int, x: np.ndarray) -> Vector:
    """Difference of the ends, over the length."""
    i, j, f = part.dofs[e, 0], part.dofs[e, 6], 1.0 / part.length[e]
    return f * (x[j] - x[i]), f * (x[j + 1] - x[i + 1]), f * (x[j + 2] - x[i + 2])


@kernel
def curved(at: Strain, x: Vector) -> Vector:
    """G x"""
    return plus(times(at.g, x), times(at.outer * dot(at.psi, x), at.psi))


@kernel
def rates(part: Arrays, e: int, v: np.ndarray, at: Strain) -> tuple[Vector, Vector]:
    """Rates of Gamma and kappa at velocity v (or their change over a small step v): B v."""
    one, two = vector(v, part.dofs[e, 3]), vector(v, part.dofs[e, 9])
    h = times(0.5, minus(two, one))
    w = plus(plus(one, h), cross(at.t, h))
    Gamma = plus(apply_transposed(at.R, per_length(part, e, v)), cross(at.Gamma, w))
    return Gamma, times(1.0 / part.length[e], plus(curved(at, h), cross(at.psi, w)))


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
    common = plus(times(L, cross(N, at.Gamma)), cross(M, at.psi))
    opposite = plus(cross(common, at.t), curved(at, M))
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
        at, alpha, beta = strains(part, e, q), part.alpha[e], part.beta[e]
        rate, turning = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if part.damped:
            rate, turning = rates(part, e, v, at)
        N, M = strained(part, e, at, beta, rate, turning)
        first, second = moments(part.length[e], at, N, M)
        force = apply(at.R, N)
        one, two = vector(a, dofs[e, 0]), vector(a, dofs[e, 6])
        if part.damped:
            one, two = plus(one, times(alpha, vector(v, dofs[e, 0]))), plus(two, times(alpha, vector(v, dofs[e, 6])))
        own, shared, J = part.mass[e, 0], part.mass[e, 1], vector(part.rotary[e], 0)
        spin1 = spinning(J, alpha, vector(v, dofs[e, 3]), vector(a, dofs[e, 3]), ck, cc, cm)
        spin2 = spinning(J, alpha, vector(v, dofs[e, 9]), vector(a, dofs[e, 9]), ck, cc, cm)
        add_vector(r, dofs, e, 0, 1.0, minus(plus(times(own, one), times(shared, two)), force))
        add_vector(r, dofs, e, 3, 1.0, plus(first, spin1.moment))
        add_vector(r, dofs, e, 6, 1.0, plus(plus(times(own, two), times(shared, one)), force))
        add_vector(r, dofs, e, 9, 1.0, plus(second, spin2.moment))
        add_skew(w, part.slots, e, 3, spin1.skew)
        add_skew(w, part.slots, e, 9, spin2.skew)
        if mixed:
            k = part.stress_start + 6 * e
            N, M = vector(stress, k), vector(stress, k + 3)
        massive = cm + cc * alpha
        mass = massive * own, massive * shared
        add_tangent(part, e, at, times(ck, N), times(ck, M), ck + cc * beta, mass, spin1.even, spin2.even, s)


@kernel
def add_tangent(
    part: Arrays,
    e: int,
    at: Strain,
    N: Vector,
    M: Vector,
    material: float,
    mass: tuple[float, float],
    even1: Matrix,
    even2: Matrix,
    s: np.ndarray,
) -> None:
    """Hessian of the energy with the resultants N, M, in (R^T d)', w and h, then in the freedoms of the ends.

    To it are added the mass of an end and that shared by both, and what the rotary inertia of the ends gives.
    """
    L, slots, C, psi, t = part.length[e], part.slots, part.stiffness, at.psi, at.t
    Gamma, twist, swirl = at.Gamma, dot(M, psi), cross(M, psi)
    lever, arm, bent = times(L, Gamma), times(L, cross(Gamma, N)), times(1.0 / L, psi)
    slope, steep = slopes(at)
    stretching, bending = scaled(material, block(C, e, 0, 0)), scaled(material / L, block(C, e, 3, 3))
    curving = added(scaled(at.g, bending), outer(times(at.outer, apply(bending, psi)), psi, 0.0))
    force_w, moment_w = product_skew(stretching, Gamma), product_skew(bending, psi)
    wh = scaled(-1.0, skew_product(psi, curving))
    if part.coupled:
        across = scaled(material, block(C, e, 0, 3))
        force_h = added(scaled(at.g / L, across), outer(times(at.outer / L, apply(across, psi)), psi, 0.0))
        force_w = added(force_w, product_skew(across, bent))
        moment_w = added(moment_w, product_skew(transposed(across), Gamma))
        wh = added(wh, scaled(-1.0, skew_product(lever, force_h)))
    ww = scaled(-1.0, added(skew_product(lever, force_w), skew_product(psi, moment_w)))
    ww = added(ww, added(symmetric(lever, N, -dot(lever, N) - twist), symmetric(psi, M, 0.0)))
    wh = added(
        wh, added(outer(times(0.5, minus(swirl, arm)), t, 0.5 * dot(t, arm)), outer(times(at.outer, swirl), psi, 0.0))
    )
    wh = added(wh, skew(minus(times(0.5 * at.g, M), times(0.5 * at.outer * twist, psi))))
    curl = plus(times(4.0 * slope + at.outer * at.g, M), times(twist * (4.0 * steep + 2.0 * at.outer * at.outer), psi))
    hh = added(scaled(at.g, curving), outer(psi, times(at.outer, apply_transposed(curving, psi)), 0.0))
    hh = added(hh, symmetric(psi, curl, at.outer * at.g * twist))

    swung = product_skew(ww, t)
    across_t = skew_product(t, added(scaled(0.5, swung), wh))
    hh = added(hh, scaled(-1.0, added(across_t, transposed(across_t))))
    mh = added(swung, wh)
    common = product(at.R, added(force_w, skew(times(-1.0, N))))
    opposite = product_skew(common, t)
    if part.coupled:
        opposite = added(opposite, product(at.R, force_h))
    first, second = added(common, scaled(-1.0, opposite)), added(common, opposite)
    along = product(product(at.R, scaled(1.0 / L, stretching)), transposed(at.R))
    own, shared = outer(t, NONE, mass[0]), outer(t, NONE, mass[1])
    even, odd, both = added(ww, hh), added(ww, scaled(-1.0, hh)), added(mh, transposed(mh))
    add_diagonal_block(s, slots, e, 0, 1.0, added(along, own))
    add_transposed(s, slots, e, 3, 0, -0.5, first)
    add_diagonal_block(s, slots, e, 3, 1.0, added(scaled(0.25, added(even, scaled(-1.0, both))), even1))
    add_block(s, slots, e, 6, 0, 1.0, added(shared, scaled(-1.0, along)))
    add_block(s, slots, e, 6, 3, 0.5, first)
    add_diagonal_block(s, slots, e, 6, 1.0, added(along, own))
    add_transposed(s, slots, e, 9, 0, -0.5, second)
    add_block(s, slots, e, 9, 3, 0.25, added(odd, added(transposed(mh), scaled(-1.0, mh))))
    add_transposed(s, slots, e, 9, 6, 0.5, second)
    add_diagonal_block(s, slots, e, 9, 1.0, added(scaled(0.25, added(even, both)), even2))


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
