"""Two-node elements in space whose energy depends on the poses of the ends relative to the section between them.

With the relative rotation ``exp(psi) = R1^T R2`` of the sections, the mean section ``R = R1 exp(psi/2)`` and
``s = R^T (x2 - x1)``, the energy is some W(s, psi): it depends on the ends only, not on their path, and is invariant
under rigid motion. With the spins ``m -+ h`` of the ends in their own frames, ``t = tan(|psi|/4) psi/|psi|`` and
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

from pliant.jit import flat_kernel, kernel
from pliant.kernels.blocks import add_vector
from pliant.kernels.dyads import outer, product_skew, skew, skew_product, symmetric
from pliant.kernels.so3 import Four, quaternion, stretched_arc
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, product, rotation, scaled, transposed
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

SMALL = 0.1  # |psi|^2 below which series are used: (z/sin z - 1)/4z^2 with z = |psi|/2 has these coefficients
A1, A2, A3, A4, A5 = 1 / 24, 7 / 5760, 31 / 967680, 127 / 154828800, 73 / 3503554560


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
    """Derivatives of W: by s, by psi, twice by s, by both, twice by psi."""

    N: Vector
    M: Vector
    ss: Matrix
    sp: Matrix
    pp: Matrix


class Hessian(NamedTuple):
    """Second derivatives of W: by the vector x2 - x1 twice, by it and the spin of either end, and by the spins."""

    along: Matrix
    first: Matrix
    second: Matrix
    spin11: Matrix
    spin21: Matrix
    spin22: Matrix


class Relation(NamedTuple):
    """Relation of two quaternions, the second with the sign nearer to the first: their sum, and the second relative to
    the first, by the cosine and the vector of their product.
    """

    both: Four
    cosine: float
    relative: Vector


@flat_kernel
def relation(p: Four, r: Four) -> Relation:
    """Return the relation of two rotations. Both signs of a quaternion are valid: the nearer one is taken."""
    cosine = p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3]
    sign = -1.0 if cosine < 0.0 else 1.0
    w, x, y, z = sign * r[0], sign * r[1], sign * r[2], sign * r[3]
    relative = (
        p[0] * x - w * p[1] - p[2] * z + p[3] * y,
        p[0] * y - w * p[2] - p[3] * x + p[1] * z,
        p[0] * z - w * p[3] - p[1] * y + p[2] * x,
    )
    return Relation((p[0] + w, p[1] + x, p[2] + y, p[3] + z), sign * cosine, relative)


@flat_kernel
def paired(at: Relation, arc: float, way: Vector) -> Pair:
    """Return the pair of ends a vector ``way`` apart; ``arc`` belongs to their sine and cosine (`stretched_arc`)."""
    g, near = 2.0 * arc, 1.0 / (1.0 + at.cosine)
    y = g * g * dot(at.relative, at.relative)
    series = -2.0 * (y * (y * (y * (y * A5 + A4) + A3) + A2) + A1)
    o = (2.0 - g) / y if y > SMALL else series
    f = sqrt(0.5 * near)
    R = rotation(f * at.both[0], f * at.both[1], f * at.both[2], f * at.both[3])
    return Pair(R, apply_transposed(R, way), times(g, at.relative), times(near, at.relative), at.cosine, g, o)


@kernel
def sections(q: np.ndarray, dofs: np.ndarray, frames: np.ndarray, e: int) -> Pair:
    """Return the pair of ends of element e."""
    at = relation(quaternion(q, frames[e, 0]), quaternion(q, frames[e, 1]))
    arc = stretched_arc(dot(at.relative, at.relative), at.cosine)
    return paired(at, arc, minus(vector(q, dofs[e, 6]), vector(q, dofs[e, 0])))


@flat_kernel
def slopes(at: Pair) -> tuple[float, float]:
    """Return the derivatives g' and o' by |psi|^2."""
    y = dot(at.psi, at.psi)
    large = 0.5 * at.g / y * (1.0 - 0.5 * at.g * at.cosine)
    small = 2.0 * (y * (y * (y * (y * 5.0 * A5 + 4.0 * A4) + 3.0 * A3) + 2.0 * A2) + A1)
    steep = -2.0 * (y * (y * (y * 4.0 * A5 + 3.0 * A4) + 2.0 * A3) + A2)
    return (large, -(large + at.o) / y) if y > SMALL else (small, steep)


@flat_kernel
def curved(at: Pair, x: Vector) -> Vector:
    """Return G x."""
    return plus(times(at.g, x), times(at.o * dot(at.psi, x), at.psi))


@flat_kernel
def rates(v: np.ndarray, dofs: np.ndarray, e: int, at: Pair) -> tuple[Vector, Vector]:
    """Return the rates of s and psi at velocity v, or their change over a small step v."""
    one, two = vector(v, dofs[e, 3]), vector(v, dofs[e, 9])
    h = times(0.5, minus(two, one))
    w = plus(plus(one, h), cross(at.t, h))
    moved = apply_transposed(at.R, minus(vector(v, dofs[e, 6]), vector(v, dofs[e, 0])))
    return plus(moved, cross(at.s, w)), plus(curved(at, h), cross(at.psi, w))


@flat_kernel
def moments(at: Pair, N: Vector, M: Vector) -> tuple[Vector, Vector]:
    """Return the moments of N and M on the ends, in the frames of the ends."""
    common = plus(cross(N, at.s), cross(M, at.psi))
    opposite = plus(cross(common, at.t), curved(at, M))
    return times(0.5, minus(common, opposite)), times(0.5, plus(common, opposite))


@kernel
def add_resultants(dofs: np.ndarray, e: int, at: Pair, N: Vector, M: Vector, r: np.ndarray) -> None:
    """Add the forces of N, M on the ends to r."""
    first, second = moments(at, N, M)
    force = apply(at.R, N)
    add_vector(r, dofs, e, 0, -1.0, force)
    add_vector(r, dofs, e, 3, 1.0, first)
    add_vector(r, dofs, e, 6, 1.0, force)
    add_vector(r, dofs, e, 9, 1.0, second)


@flat_kernel
def hessian(at: Pair, W: Derivatives) -> Hessian:
    """Return the second derivatives of W in R^T d', w and h, and then by the motion of the ends."""
    N, M, stretching, coupling, bending = W
    psi, t, g, o, twist, swirl, arm = at.psi, at.t, at.g, at.o, dot(M, at.psi), cross(M, at.psi), cross(at.s, N)
    slope, steep = slopes(at)
    curving = added(scaled(g, bending), outer(times(o, apply(bending, psi)), psi, 0.0))
    force_h = added(scaled(g, coupling), outer(times(o, apply(coupling, psi)), psi, 0.0))
    force_w = added(product_skew(stretching, at.s), product_skew(coupling, psi))
    moment_w = added(product_skew(bending, psi), product_skew(transposed(coupling), at.s))
    ww = scaled(-1.0, added(skew_product(at.s, force_w), skew_product(psi, moment_w)))
    ww = added(ww, added(symmetric(at.s, N, -dot(at.s, N) - twist), symmetric(psi, M, 0.0)))
    wh = scaled(-1.0, added(skew_product(psi, curving), skew_product(at.s, force_h)))
    wh = added(wh, added(outer(times(0.5, minus(swirl, arm)), t, 0.5 * dot(t, arm)), outer(times(o, swirl), psi, 0.0)))
    wh = added(wh, skew(minus(times(0.5 * g, M), times(0.5 * o * twist, psi))))
    curl = plus(times(4.0 * slope + o * g, M), times(twist * (4.0 * steep + 2.0 * o * o), psi))
    hh = added(scaled(g, curving), outer(psi, times(o, apply_transposed(curving, psi)), 0.0))
    hh = added(hh, symmetric(psi, curl, o * g * twist))

    swung = product_skew(ww, t)  # from w to m and h
    mh, tilted = added(swung, wh), skew_product(t, added(scaled(0.5, swung), wh))
    hh = added(hh, scaled(-1.0, added(tilted, transposed(tilted))))
    common = product(at.R, added(force_w, skew(times(-1.0, N))))
    opposite = added(product_skew(common, t), product(at.R, force_h))
    first, second = added(common, scaled(-1.0, opposite)), added(common, opposite)
    even, odd, both = added(ww, hh), added(ww, scaled(-1.0, hh)), added(mh, transposed(mh))
    return Hessian(
        along=product(product(at.R, stretching), transposed(at.R)),
        first=scaled(0.5, first),
        second=scaled(0.5, second),
        spin11=scaled(0.25, added(even, scaled(-1.0, both))),
        spin21=scaled(0.25, added(odd, added(transposed(mh), scaled(-1.0, mh)))),
        spin22=scaled(0.25, added(even, both)),
    )


@flat_kernel
def inertia_form(part: Any, e: int, v: np.ndarray) -> float:
    """Return v^T M v of element e."""
    mass, rotary, dofs = part.mass[e], part.rotary[e], part.dofs[e]
    x1, w1, x2, w2 = vector(v, dofs[0]), vector(v, dofs[3]), vector(v, dofs[6]), vector(v, dofs[9])
    total = mass[0] * dot(x1, x1) + mass[1] * dot(x2, x2) + 2.0 * mass[2] * dot(x1, x2)
    total += turning_form(rotary, 0, w1, w1) + turning_form(rotary, 3, w2, w2)
    return total + 2.0 * turning_form(rotary, 6, w1, w2)


@kernel
def turning_form(J: np.ndarray, k: int, w: Vector, x: Vector) -> float:
    """Return w . J x of principal moments of inertia, from entry k on."""
    return J[k] * w[0] * x[0] + J[k + 1] * w[1] * x[1] + J[k + 2] * w[2] * x[2]
