"""Sections interpolated by quaternions at a Gauss point of a spatial beam: strains and their derivatives by spins.

Relative to the section at a Gauss point, ``Q_i = conj(P) P_i/|P|^2 = (pi_i, rho_i)`` and P itself is 1. Spins theta_i
of the nodes change it by ``da = -sum n_i rho_i.theta_i/2`` and ``dalpha = sum n_i A_i theta_i/2``, ``A_i = pi_i +
skew(rho_i)``, and P' = (k0, kappa/2) by db and dbeta with the slopes n_i' instead. To second order in these

    Gamma + dx' + 2 Gamma x dalpha - 2 dalpha x dx' + 2 da dalpha x Gamma + 2 dalpha x (dalpha x Gamma)
    kappa + 2 dbeta - da kappa - 2 k0 dalpha - dalpha x kappa + (da^2 - dalpha^2) kappa - 2 da dbeta - 2 db dalpha
          + 4 k0 da dalpha - 2 dalpha x dbeta + 2 da dalpha x kappa

and R exp(theta_i) adds ``-|theta_i|^2 P_i/8``: the Hessian in the exponential chart follows.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.dyads import outer, skew_product
from pliant.kernels.so3 import Four
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, rotation, scaled
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector


class Point(NamedTuple):
    """Section R at a Gauss point, its quaternion over its squared length, Gamma, kappa, k0."""

    R: Matrix
    scalar: float
    axis: Vector
    Gamma: Vector
    kappa: Vector
    k0: float


@kernel
def quaternion(part: Any, e: int, i: int, q: np.ndarray) -> Four:
    """Return the quaternion of node i with the sign nearer to the first node's."""
    k, first = part.frames[e, i], part.frames[e, 0]
    w, x, y, z = q[k], q[k + 1], q[k + 2], q[k + 3]
    if w * q[first] + x * q[first + 1] + y * q[first + 2] + z * q[first + 3] < 0.0:
        return -w, -x, -y, -z
    return w, x, y, z


@kernel
def strains(part: Any, e: int, g: int, q: np.ndarray) -> Point:
    """Return section and strain measures at Gauss point g of element e, including the strains of the rest shape."""
    p, per_length = part.order[e], 1.0 / part.length[e]
    w = x = y = z = dw = dx = dy = dz = 0.0
    chord = 0.0, 0.0, 0.0
    for i in range(p + 1):
        n, dn = part.shape[p, g, i], per_length * part.slope[p, g, i]
        a, b, c, d = quaternion(part, e, i, q)
        w, x, y, z = w + n * a, x + n * b, y + n * c, z + n * d
        dw, dx, dy, dz = dw + dn * a, dx + dn * b, dy + dn * c, dz + dn * d
        k = part.dofs[e, 6 * i]
        chord = plus(chord, (dn * q[k], dn * q[k + 1], dn * q[k + 2]))
    return measured((w, x, y, z), (dw, dx, dy, dz), chord)


@kernel
def measured(P: Four, change: Four, chord: Vector) -> Point:
    """Return section and strain measures from P, P' and x'."""
    (w, x, y, z), (dw, dx, dy, dz) = P, change
    f = 1.0 / (w * w + x * x + y * y + z * z)
    root = sqrt(f)
    R = rotation(root * w, root * x, root * y, root * z)
    axis = f * x, f * y, f * z
    turn = minus(times(f * w, (dx, dy, dz)), plus(times(dw, axis), cross(axis, (dx, dy, dz))))
    k0 = f * (w * dw + x * dx + y * dy + z * dz)
    return Point(R, f * w, axis, apply_transposed(R, chord), times(2.0, turn), k0)


@kernel
def seen(part: Any, e: int, i: int, q: np.ndarray, at: Point) -> tuple[float, Vector]:
    """Return the quaternion (pi, rho) of node i relative to the section at a Gauss point."""
    w, x, y, z = quaternion(part, e, i, q)
    u, own = at.axis, (x, y, z)
    return at.scalar * w + dot(u, own), minus(times(at.scalar, own), plus(times(w, u), cross(u, own)))


@kernel
def seen_turn(pi: float, rho: Vector) -> Matrix:
    """Return A = pi + skew(rho)."""
    return pi, -rho[2], rho[1], rho[2], pi, -rho[0], -rho[1], rho[0], pi


@kernel
def by_spin(n: float, dn: float, A: Matrix, rho: Vector, at: Point) -> tuple[Matrix, Matrix]:
    """Return the derivatives of Gamma and kappa by the spin of a node."""
    k = times(0.5 * n, at.kappa)
    bent = added(skew_product(k, A), outer(k, rho, 0.0))
    return skew_product(times(n, at.Gamma), A), added(scaled(dn - at.k0 * n, A), bent)


@kernel
def rates(part: Any, e: int, g: int, q: np.ndarray, v: np.ndarray, at: Point) -> tuple[Vector, Vector]:
    """Return the rates of Gamma and kappa at velocity v (or their change over a small step v): B v."""
    p, per_length = part.order[e], 1.0 / part.length[e]
    chord, Gamma, kappa = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(p + 1):
        n, dn = part.shape[p, g, i], per_length * part.slope[p, g, i]
        pi, rho = seen(part, e, i, q, at)
        sheared, bent = by_spin(n, dn, seen_turn(pi, rho), rho, at)
        k = part.dofs[e, 6 * i]
        spin = vector(v, k + 3)
        chord = plus(chord, times(dn, vector(v, k)))
        Gamma, kappa = plus(Gamma, apply(sheared, spin)), plus(kappa, apply(bent, spin))
    return plus(apply_transposed(at.R, chord), Gamma), kappa


@kernel
def turning_moment(at: Point, N: Vector, M: Vector) -> Vector:
    """Return half the moment of the resultants on dalpha: ``N x Gamma - k0 M + M x kappa/2``."""
    return plus(cross(N, at.Gamma), plus(times(-at.k0, M), times(0.5, cross(M, at.kappa))))
