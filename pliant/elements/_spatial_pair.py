"""Two-node elements in space whose energy is a function of how the ends are seen from the section between them.

With the relative rotation ``exp(psi) = R1^T R2`` of the sections, the mean section ``R = R1 exp(psi/2)`` and
``s = R^T (x2 - x1)``, the energy is some W(s, psi): it depends on the ends only and not on how they got there, and no
rigid motion changes it. With the spins ``m -+ h`` of the ends in their own frames, ``t = tan(|psi|/4) psi/|psi|`` and
``G = g + (2 - g) psi psi^T/|psi|^2``, ``g = |psi|/sin(|psi|/2)``, the mean section has the spin ``w = m + t x h``, and

    s' = R^T (x2' - x1') + s x w,   psi' = G h + psi x w,   t' = (1 + t^2) h/2 + t x w.

Differentiated once more with m and h constant, that is along R exp(theta), they give the exact Hessian in the
exponential chart, which is symmetric. With ``N = W_s`` and ``M = W_psi``,

    N.s'' + M.psi'' = -2 (R^T d').(N x w) + w.(N s^T + psi M^T - N.s - psi.M) w + (t.c w.h - w.c t.h) + (M x psi).w t.h
        + w.(M x G h) + o [(M x psi).w psi.h - (M.psi) w.(psi x h)] + 4 g' (psi.h)(M.h) + 4 o' (M.psi)(psi.h)^2
        + o [g ((M.h)(psi.h) + (M.psi) h^2) + 2 o (M.psi)(psi.h)^2],    c = s x N,   o = (2 - g)/|psi|^2.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant._jit import inlined_kernel, kernel
from pliant.kernels.blocks import (
    add_block,
    add_diagonal_block,
    add_shared_spin,
    add_skew,
    add_transposed,
    add_vector,
    spinning,
)
from pliant.kernels.dyads import outer, product_skew, skew, skew_product, symmetric
from pliant.kernels.so3 import stretched_arc
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, product, rotation, scaled, transposed
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

SMALL = 0.1  # |psi|^2 below which series are used: (z/sin z - 1)/4z^2 with z = |psi|/2 has these coefficients
A1, A2, A3, A4, A5 = 1 / 24, 7 / 5760, 31 / 967680, 127 / 154828800, 73 / 3503554560
NONE = 0.0, 0.0, 0.0
IDENTITY = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0


class Pair(NamedTuple):
    """Mean section R, s, psi, t, cos(|psi|/2), and G = g + o psi psi^T."""

    R: Matrix
    s: Vector
    psi: Vector
    t: Vector
    cosine: float
    g: float
    o: float


class Derivatives(NamedTuple):
    """Of W: by s, by psi, twice by s, by both, twice by psi."""

    N: Vector
    M: Vector
    ss: Matrix
    sp: Matrix
    pp: Matrix


class Inertia(NamedTuple):
    """Masses times their factor, of an end and shared by both; and what `add_forces` returned."""

    own: float
    shared: float
    first: Matrix
    second: Matrix


@kernel
def sections(q: np.ndarray, dofs: np.ndarray, frames: np.ndarray, e: int) -> Pair:
    """How the ends of element e stand to each other."""
    i, j = frames[e, 0], frames[e, 1]
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
    square = dot(relative, relative)
    g = 2.0 * stretched_arc(square, cosine)
    y, near = g * g * square, 1.0 / (1.0 + cosine)
    o = (2.0 - g) / y if y > SMALL else -2.0 * (y * (y * (y * (y * A5 + A4) + A3) + A2) + A1)
    f = sqrt(0.5 * near)
    R = rotation(f * (w1 + w2), f * (x1 + x2), f * (y1 + y2), f * (z1 + z2))
    s = apply_transposed(R, minus(vector(q, dofs[e, 6]), vector(q, dofs[e, 0])))
    return Pair(R, s, times(g, relative), times(near, relative), cosine, g, o)


@kernel
def slopes(at: Pair) -> tuple[float, float]:
    """Derivatives g' and o' by |psi|^2."""
    y = dot(at.psi, at.psi)
    if y > SMALL:
        slope = 0.5 * at.g / y * (1.0 - 0.5 * at.g * at.cosine)
        return slope, -(slope + at.o) / y
    slope = 2.0 * (y * (y * (y * (y * 5.0 * A5 + 4.0 * A4) + 3.0 * A3) + 2.0 * A2) + A1)
    return slope, -2.0 * (y * (y * (y * 4.0 * A5 + 3.0 * A4) + 2.0 * A3) + A2)


@kernel
def curved(at: Pair, x: Vector) -> Vector:
    """G x"""
    return plus(times(at.g, x), times(at.o * dot(at.psi, x), at.psi))


@kernel
def rates(v: np.ndarray, dofs: np.ndarray, e: int, at: Pair) -> tuple[Vector, Vector]:
    """Rates of s and psi at velocity v, or their change over a small step v."""
    one, two = vector(v, dofs[e, 3]), vector(v, dofs[e, 9])
    h = times(0.5, minus(two, one))
    w = plus(plus(one, h), cross(at.t, h))
    moved = apply_transposed(at.R, minus(vector(v, dofs[e, 6]), vector(v, dofs[e, 0])))
    return plus(moved, cross(at.s, w)), plus(curved(at, h), cross(at.psi, w))


@kernel
def moments(at: Pair, N: Vector, M: Vector) -> tuple[Vector, Vector]:
    """Moments of N and M on the ends, in the frames of the ends."""
    common = plus(cross(N, at.s), cross(M, at.psi))
    opposite = plus(cross(common, at.t), curved(at, M))
    return times(0.5, minus(common, opposite)), times(0.5, plus(common, opposite))


@kernel
def add_resultants(dofs: np.ndarray, e: int, at: Pair, N: Vector, M: Vector, r: np.ndarray) -> None:
    """r += forces of N, M on the ends."""
    first, second = moments(at, N, M)
    force = apply(at.R, N)
    add_vector(r, dofs, e, 0, -1.0, force)
    add_vector(r, dofs, e, 3, 1.0, first)
    add_vector(r, dofs, e, 6, 1.0, force)
    add_vector(r, dofs, e, 9, 1.0, second)


@inlined_kernel
def add_forces(part: Any, e: int, at: Pair, N: Vector, M: Vector, now: Instant, into: Into) -> tuple[Matrix, Matrix]:
    """r += forces of N, M, of mass and rotary inertia (of the ends, shared by both) and damping of element e: `dofs`,
    `slots`, `mass`, `rotary` and `alpha` of the part.

    Of the tangent of the rotary inertia of the ends it adds the skew half to w, and returns the even half for both; of
    what they share it adds all.
    """
    dofs, mass, rotary, alpha = part.dofs, part.mass, part.rotary, part.alpha[e]
    v, a, r, ck, cc, cm = now.v, now.a, into.r, into.ck, into.cc, into.cm
    add_resultants(dofs, e, at, N, M, r)
    first, second, shared = mass[e, 0], mass[e, 1], mass[e, 2]
    one, two = vector(a, dofs[e, 0]), vector(a, dofs[e, 6])
    if alpha != 0.0:
        one, two = plus(one, times(alpha, vector(v, dofs[e, 0]))), plus(two, times(alpha, vector(v, dofs[e, 6])))
    spin1 = spinning(vector(rotary[e], 0), alpha, vector(v, dofs[e, 3]), vector(a, dofs[e, 3]), ck, cc, cm)
    spin2 = spinning(vector(rotary[e], 3), alpha, vector(v, dofs[e, 9]), vector(a, dofs[e, 9]), ck, cc, cm)
    add_vector(r, dofs, e, 0, 1.0, plus(times(first, one), times(shared, two)))
    add_vector(r, dofs, e, 3, 1.0, spin1.moment)
    add_vector(r, dofs, e, 6, 1.0, plus(times(second, two), times(shared, one)))
    add_vector(r, dofs, e, 9, 1.0, spin2.moment)
    add_skew(into.w, part.slots, e, 3, spin1.skew)
    add_skew(into.w, part.slots, e, 9, spin2.skew)
    if rotary[e, 6] != 0.0 or rotary[e, 7] != 0.0 or rotary[e, 8] != 0.0:
        add_shared_spin(part, e, (9, 3), vector(rotary[e], 6), alpha, now, into)
    return spin1.even, spin2.even


@kernel
def add_tangent(
    slots: np.ndarray, e: int, at: Pair, W: Derivatives, coupled: bool, inertia: Inertia, s: np.ndarray
) -> None:
    """s += Hessian of W (its mixed part left out unless coupled) in R^T d', w and h and then in the freedoms of the
    ends; and inertia.
    """
    N, M, stretching, coupling, bending = W
    psi, t, g, o, twist, swirl, arm = at.psi, at.t, at.g, at.o, dot(M, at.psi), cross(M, at.psi), cross(at.s, N)
    slope, steep = slopes(at)
    curving = added(scaled(g, bending), outer(times(o, apply(bending, psi)), psi, 0.0))
    force_w, moment_w = product_skew(stretching, at.s), product_skew(bending, psi)
    wh, force_h = scaled(-1.0, skew_product(psi, curving)), coupling
    if coupled:
        force_h = added(scaled(g, coupling), outer(times(o, apply(coupling, psi)), psi, 0.0))
        force_w = added(force_w, product_skew(coupling, psi))
        moment_w = added(moment_w, product_skew(transposed(coupling), at.s))
        wh = added(wh, scaled(-1.0, skew_product(at.s, force_h)))
    ww = scaled(-1.0, added(skew_product(at.s, force_w), skew_product(psi, moment_w)))
    ww = added(ww, added(symmetric(at.s, N, -dot(at.s, N) - twist), symmetric(psi, M, 0.0)))
    wh = added(wh, added(outer(times(0.5, minus(swirl, arm)), t, 0.5 * dot(t, arm)), outer(times(o, swirl), psi, 0.0)))
    wh = added(wh, skew(minus(times(0.5 * g, M), times(0.5 * o * twist, psi))))
    curl = plus(times(4.0 * slope + o * g, M), times(twist * (4.0 * steep + 2.0 * o * o), psi))
    hh = added(scaled(g, curving), outer(psi, times(o, apply_transposed(curving, psi)), 0.0))
    hh = added(hh, symmetric(psi, curl, o * g * twist))

    swung = product_skew(ww, t)  # from w to m and h
    mh, tilted = added(swung, wh), skew_product(t, added(scaled(0.5, swung), wh))
    hh = added(hh, scaled(-1.0, added(tilted, transposed(tilted))))
    common = product(at.R, added(force_w, skew(times(-1.0, N))))
    opposite = product_skew(common, t)
    if coupled:
        opposite = added(opposite, product(at.R, force_h))
    first, second = added(common, scaled(-1.0, opposite)), added(common, opposite)
    along = product(product(at.R, stretching), transposed(at.R))
    even, odd, both = added(ww, hh), added(ww, scaled(-1.0, hh)), added(mh, transposed(mh))
    massive = added(along, outer(t, NONE, inertia.own))
    add_diagonal_block(s, slots, e, 0, 1.0, massive)
    add_transposed(s, slots, e, 3, 0, -0.5, first)
    add_diagonal_block(s, slots, e, 3, 1.0, added(scaled(0.25, added(even, scaled(-1.0, both))), inertia.first))
    add_block(s, slots, e, 6, 0, 1.0, added(outer(t, NONE, inertia.shared), scaled(-1.0, along)))
    add_block(s, slots, e, 6, 3, 0.5, first)
    add_diagonal_block(s, slots, e, 6, 1.0, massive)
    add_transposed(s, slots, e, 9, 0, -0.5, second)
    add_block(s, slots, e, 9, 3, 0.25, added(odd, added(transposed(mh), scaled(-1.0, mh))))
    add_transposed(s, slots, e, 9, 6, 0.5, second)
    add_diagonal_block(s, slots, e, 9, 1.0, added(scaled(0.25, added(even, both)), inertia.second))


@kernel
def add_second_mass(slots: np.ndarray, e: int, mass: np.ndarray, massive: float, s: np.ndarray) -> None:
    """s += what the mass of the second end is more than that of the first, which `add_tangent` gave both."""
    if mass[e, 1] != mass[e, 0]:
        add_diagonal_block(s, slots, e, 6, massive * (mass[e, 1] - mass[e, 0]), IDENTITY)


@inlined_kernel
def inertia_form(part: Any, e: int, v: np.ndarray) -> float:
    """v^T M v of element e."""
    dofs, mass, rotary = part.dofs, part.mass, part.rotary
    one, two = vector(v, dofs[e, 0]), vector(v, dofs[e, 6])
    total = mass[e, 0] * dot(one, one) + mass[e, 1] * dot(two, two) + 2.0 * mass[e, 2] * dot(one, two)
    for i in range(3):
        first, second = v[dofs[e, 3 + i]], v[dofs[e, 9 + i]]
        total += rotary[e, i] * first * first + rotary[e, 3 + i] * second * second
        total += 2.0 * rotary[e, 6 + i] * first * second
    return total
