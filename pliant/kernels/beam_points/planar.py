"""Gauss point of a planar beam: strains ``E = R(theta)^T x'`` and ``theta'``, and forces of resultants."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.jit import inlined_kernel, kernel
from pliant.kernels.circle import cos_sin


class Strains(NamedTuple):
    """cos t, sin t, E1, E2, kappa + kappa_rest at a point."""

    c: float
    s: float
    E1: float
    E2: float
    turn: float


class Resultants(NamedTuple):
    """Normal force, shear force and bending moment at a point."""

    N: float
    V: float
    M: float


@inlined_kernel
def interpolated(part: Any, e: int, g: int, x: np.ndarray) -> tuple[float, float, float, float]:
    """Return the slopes of x and y, theta and its slope at Gauss point g from nodal coordinates or velocities."""
    p, per_length = part.order[e], 1.0 / part.length[e]
    dx, dy, theta, turn = 0.0, 0.0, 0.0, 0.0
    for i in range(p + 1):
        n, dn = part.shape[p, g, i], per_length * part.slope[p, g, i]
        dx += dn * x[part.dofs[e, 3 * i]]
        dy += dn * x[part.dofs[e, 3 * i + 1]]
        theta += n * x[part.dofs[e, 3 * i + 2]]
        turn += dn * x[part.dofs[e, 3 * i + 2]]
    return dx, dy, theta, turn


@kernel
def strains(part: Any, e: int, g: int, q: np.ndarray) -> Strains:
    """Return the strains at Gauss point g of element e."""
    dx, dy, theta, turn = interpolated(part, e, g, q)
    c, s = cos_sin(theta)
    return Strains(c, s, c * dx + s * dy, c * dy - s * dx, turn)


@kernel
def rates(part: Any, e: int, g: int, v: np.ndarray, at: Strains) -> tuple[float, float, float]:
    """Return the rates of Gamma1, Gamma2 and kappa at velocity v (or their change over a small step v): B v."""
    dx, dy, omega, turn = interpolated(part, e, g, v)
    return at.c * dx + at.s * dy + at.E2 * omega, at.c * dy - at.s * dx - at.E1 * omega, turn


@kernel
def add_resultants(part: Any, e: int, g: int, at: Strains, x: Resultants, r: np.ndarray) -> tuple[float, float]:
    """Add the forces of N, V, M at point g on the nodes to r. Return the point's share of the force in global axes."""
    p = part.order[e]
    w = part.weight[p, g]
    fx, fy = w * (at.c * x.N - at.s * x.V), w * (at.s * x.N + at.c * x.V)
    moment = w * part.length[e] * (x.N * at.E2 - x.V * at.E1)
    for i in range(p + 1):
        n, dn = part.shape[p, g, i], part.slope[p, g, i]
        r[part.dofs[e, 3 * i]] += dn * fx
        r[part.dofs[e, 3 * i + 1]] += dn * fy
        r[part.dofs[e, 3 * i + 2]] += n * moment + dn * w * x.M
    return fx, fy
