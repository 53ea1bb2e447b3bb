"""Gap between a ball of radius rho at b and a surface of revolution at a.

In the surface's axes b's centre is at ``(x, y, h)``, ``s = sqrt(x^2 + y^2)`` from its axis. The distance from it is

    plane, cone    phi = (R - s) cos(slope) + h sin(slope)      (a plane is a cone of slope pi/2)
    ring           phi = sqrt((s - R)^2 + h^2)

and the gap is ``g = phi - rho``. phi is a distance: the normal ``n = phi_D`` is a unit vector, and ``g' = n . v`` with
the velocity v of b's material point relative to a's, both at the point of contact ``c = r_b - rho n``. Directions are
changes of (point, spin) of a's node, then of b's.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.dyads import outer
from pliant.kernels.tensors import Matrix, added, apply, apply_transposed, get, product, scaled, transposed, turned
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

AXIS = 1e-30  # m, in any model: on its axis a surface has no outward direction


class Touch(NamedTuple):
    """Contact of a ball and its surface, in global axes."""

    gap: float
    normal: Vector
    bend: Matrix  # Hessian of the gap by the place of the ball
    ball: float  # its radius
    from_a: Vector  # from a's node to the ball's centre
    from_b: Vector  # from b's node
    reach_a: Vector  # from a's node to the point of contact
    reach_b: Vector
    axes_a: Matrix  # of a's node
    axes_b: Matrix


@kernel
def distance(shape: np.ndarray, D: Vector) -> tuple[float, Vector, Matrix]:
    """Return phi, gradient, and Hessian ``kappa tau tau^T + phi_s / s b b^T``: tau along the surface, b around it."""
    s = sqrt(D[0] * D[0] + D[1] * D[1])
    x, y, around = 1.0, 0.0, 0.0
    if s > AXIS:
        x, y, around = D[0] / s, D[1] / s, 1.0 / s
    if shape[1] != 0.0 or shape[2] != 0.0:
        phi, by_s, by_h, kappa = (shape[0] - s) * shape[1] + D[2] * shape[2], -shape[1], shape[2], 0.0
    else:
        phi = max(AXIS, sqrt((s - shape[0]) ** 2 + D[2] * D[2]))
        by_s, by_h, kappa = (s - shape[0]) / phi, D[2] / phi, 1.0 / phi
    tau, b = (by_h * x, by_h * y, -by_s), (-y, x, 0.0)
    return (
        phi,
        (by_s * x, by_s * y, by_h),
        added(scaled(kappa, outer(tau, tau, 0.0)), scaled(by_s * around, outer(b, b, 0.0))),
    )


@kernel
def pose(planar: bool, first: int, frame: int, q: np.ndarray) -> tuple[Vector, Matrix]:
    """Return point and axes of the node whose freedoms and quaternion begin there, with planar nodes as in space."""
    if planar:
        c, s = cos(q[first + 2]), sin(q[first + 2])
        return (q[first], q[first + 1], 0.0), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
    return vector(q, first), turned(q, frame)


@kernel
def motion(planar: bool, first: int, v: np.ndarray, axes: Matrix) -> tuple[Vector, Vector]:
    """Return velocity and spin of a node, in global axes."""
    if planar:
        return (v[first], v[first + 1], 0.0), (0.0, 0.0, v[first + 2])
    return vector(v, first), apply(axes, vector(v, first + 3))


@kernel
def touch(part: Any, e: int, q: np.ndarray) -> Touch:
    """Return the contact of the ball of entry e with its surface."""
    dofs = part.dofs[e]
    planar, half = dofs.size == 6, dofs.size // 2
    xa, Ra = pose(planar, dofs[0], 0 if planar else part.frames[e, 0], q)
    xb, Rb = pose(planar, dofs[half], 0 if planar else part.frames[e, 1], q)
    from_b = apply(Rb, vector(part.arm[e], 0))
    from_a = plus(minus(xb, xa), from_b)
    S = product(Ra, get(part.surface, e, 0))
    D = apply_transposed(S, minus(from_a, apply(Ra, vector(part.surface[e], 9))))
    phi, slope, hessian = distance(part.shape[e], D)
    ball, normal = part.ball[e], apply(S, slope)
    down = times(-ball, normal)
    bend = product(product(S, hessian), transposed(S))
    return Touch(
        phi - ball, normal, bend, ball, from_a, from_b, plus(from_a, down), plus(from_b, down), Ra, Rb
    )  # fmt: skip


@kernel
def sliding(part: Any, e: int, at: Touch, v: np.ndarray) -> tuple[Vector, Vector, Vector]:
    """Return the velocity of b relative to a at the point of contact, and the spins of a and b."""
    dofs = part.dofs[e]
    planar, half = dofs.size == 6, dofs.size // 2
    va, spin_a = motion(planar, dofs[0], v, at.axes_a)
    vb, spin_b = motion(planar, dofs[half], v, at.axes_b)
    return minus(plus(vb, cross(spin_b, at.reach_b)), plus(va, cross(spin_a, at.reach_a))), spin_a, spin_b


@kernel
def unit(j: int, first: int) -> Vector:
    """Return the components of the j-th of twelve unit vectors in the three directions from ``first`` on."""
    return (
        1.0 if j == first else 0.0,
        1.0 if j == first + 1 else 0.0,
        1.0 if j == first + 2 else 0.0,
    )


@kernel
def across(n: Vector) -> tuple[Vector, Vector]:
    """Return two unit vectors across a normal and each other."""
    t = cross(n, (0.0, 0.0, 1.0) if abs(n[2]) < 0.7 else (1.0, 0.0, 0.0))
    t = times(1.0 / sqrt(dot(t, t)), t)
    return t, cross(n, t)
