"""Rotations as coordinates within a step: R = R_0 exp(theta), with theta in the axes of the node at the step's start.

For a node with angular velocity w in its own axes,

    theta' = w + theta x w / 2 + c theta x (theta x w),   c = (1 - (phi/2) cot(phi/2)) / phi^2,   phi = |theta|

(Iserles, Munthe-Kaas, Norsett, Zanna, Lie-group methods, Acta Numerica 9, 2000, section 4: the differential of the
exponential map, inverted), so that theta is integrated as any other coordinate. After the step it is applied to the
quaternion.
"""

from __future__ import annotations

from math import cos, sin, sqrt, tan

import numpy as np

from pliant.jit import kernel, lazy_kernel
from pliant.kernels.so3 import exponential, product, quaternion
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

NEAR = 0.1  # square of an angle: series below, exact to rounding
FAR = 2.25  # square of the largest rotation in a step (1.5 rad); beyond, its sense is ambiguous


@kernel
def cotangent(y: float) -> tuple[float, float]:
    """Return c at y = phi^2 and its derivative by y."""
    if y < NEAR:
        c = 1 / 12 + y * (1 / 720 + y * (1 / 30240 + y * (1 / 1209600 + y * (1 / 47900160 + y * 691 / 1307674368000))))
        slope = 1 / 720 + y * (1 / 15120 + y * (1 / 403200 + y * (1 / 11975040 + y * 691 / 261534873600)))
        return c, slope
    phi = sqrt(y)
    half = 0.5 * phi
    part = half / tan(half)
    c = (1.0 - part) / y
    steep = 0.25 * (1.0 / tan(half) - half / sin(half) ** 2) / phi  # of part, by y
    return c, -(steep + c) / y


@kernel
def rate(theta: Vector, w: Vector) -> Vector:
    """Return theta'."""
    across = cross(theta, w)
    return plus(plus(w, times(0.5, across)), times(cotangent(dot(theta, theta))[0], cross(theta, across)))


@kernel
def bend(theta: Vector, turn: Vector, w: Vector, push: Vector) -> Vector:
    """Return theta'' from theta' (turn), w and w' (push)."""
    c, slope = cotangent(dot(theta, theta))
    across = cross(theta, w)
    more = plus(times(0.5, cross(turn, w)), times(2.0 * slope * dot(theta, turn), cross(theta, across)))
    return plus(plus(rate(theta, push), more), times(c, plus(cross(turn, across), cross(theta, cross(turn, w)))))


@kernel
def spin(theta: Vector, turn: Vector) -> Vector:
    """Return w from theta' (turn): ``w = turn - a theta x turn + b theta x (theta x turn)``."""
    y = dot(theta, theta)
    if y < NEAR:
        a = 0.5 - y * (1 / 24 - y * (1 / 720 - y * (1 / 40320 - y / 3628800)))
        b = 1 / 6 - y * (1 / 120 - y * (1 / 5040 - y * (1 / 362880 - y / 39916800)))
    else:
        phi = sqrt(y)
        a, b = (1.0 - cos(phi)) / y, (phi - sin(phi)) / (y * phi)
    across = cross(theta, turn)
    return plus(plus(turn, times(-a, across)), times(b, cross(theta, across)))


@kernel
def set_vector(x: np.ndarray, i: int, v: Vector) -> None:
    """Set three entries from i on."""
    x[i], x[i + 1], x[i + 2] = v


@lazy_kernel
def orient(begin: np.ndarray, frames: int, nodes: int, q: np.ndarray) -> None:
    """Set the quaternions of a configuration with increments since ``begin``."""
    for k in range(nodes):
        j = frames + 4 * k
        a, b, c, d = product(quaternion(begin, j), exponential(vector(q, 6 * k + 3)))
        size = 1.0 / sqrt(a * a + b * b + c * c + d * d)
        q[j], q[j + 1], q[j + 2], q[j + 3] = size * a, size * b, size * c, size * d


@lazy_kernel
def rates(nodes: int, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Compute q' of all freedoms."""
    for k in range(nodes):
        i = 6 * k
        set_vector(out, i, vector(v, i))
        set_vector(out, i + 3, rate(vector(q, i + 3), vector(v, i + 3)))


@lazy_kernel
def follow(nodes: int, q: np.ndarray, v: np.ndarray, g: float, used: np.ndarray) -> None:
    """Update q = q* + g ``used`` to q* + g q', and store q' of the new velocities in ``used``."""
    for k in range(nodes):
        i = 6 * k
        for j in range(i, i + 3):
            q[j] += g * (v[j] - used[j])
            used[j] = v[j]
        theta = vector(q, i + 3)
        turn, before = rate(theta, vector(v, i + 3)), vector(used, i + 3)
        set_vector(q, i + 3, plus(theta, times(g, minus(turn, before))))
        set_vector(used, i + 3, turn)


@lazy_kernel
def shift(q: np.ndarray, nodes: int, moved: np.ndarray) -> None:
    """Add displacements of all freedoms; rotations are in the nodes' present axes."""
    for k in range(nodes):
        i = 6 * k
        set_vector(q, i, plus(vector(q, i), vector(moved, i)))
        set_vector(q, i + 3, plus(vector(q, i + 3), rate(vector(q, i + 3), vector(moved, i + 3))))


@lazy_kernel
def land(q: np.ndarray, nodes: int) -> None:
    """Set to zero the increments that the quaternions already contain."""
    for k in range(nodes):
        set_vector(q, 6 * k + 3, (0.0, 0.0, 0.0))


@lazy_kernel
def too_far(q: np.ndarray, nodes: int) -> bool:
    """Return whether a node has turned further than allowed in a step."""
    for k in range(nodes):
        theta = vector(q, 6 * k + 3)
        if not dot(theta, theta) <= FAR:
            return True
    return False


@lazy_kernel
def bends(nodes: int, q: np.ndarray, turns: np.ndarray, v: np.ndarray, a: np.ndarray, out: np.ndarray) -> None:
    """Compute the second derivatives of all coordinates."""
    for k in range(nodes):
        i = 6 * k
        j = i + 3
        set_vector(out, i, vector(a, i))
        set_vector(out, j, bend(vector(q, j), vector(turns, j), vector(v, j), vector(a, j)))


@lazy_kernel
def spins(q: np.ndarray, v: np.ndarray, nodes: int) -> None:
    """Replace the rates of increments in v by angular velocities."""
    for k in range(nodes):
        j = 6 * k + 3
        set_vector(v, j, spin(vector(q, j), vector(v, j)))
