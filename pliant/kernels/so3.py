"""Rotations as unit quaternions (w, x, y, z), which map the axes of a node to global ones; scalars in, tuples out.

Coordinates of spatial systems end with one quaternion a node (see docs/notation.md). The three rotational coordinates
of a node are a pending increment in the node's own axes; `take_up` applies it: ``R <- R exp(theta)``, ``theta <- 0``.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np

from pliant.jit import kernel, lazy_kernel
from pliant.kernels.triples import Vector, dot

Four = tuple[float, float, float, float]

NEAR = 0.1  # square of an angle: sine and cosine are series below, exact to rounding
NEARER = 0.01  # sin^2 of an angle: series below, arcsin(x)/x = 1 + S1 x^2 + S2 x^4 + ...
S1, S2, S3, S4, S5, S6, S7 = 1 / 6, 3 / 40, 5 / 112, 35 / 1152, 63 / 2816, 231 / 13312, 143 / 10240


@kernel
def rotate(p: Four, v: Vector) -> Vector:
    """Return R(p) v."""
    w, x, y, z = p
    a, b, c = v
    s, t, r = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * s + y * r - z * t, b + w * t + z * s - x * r, c + w * r + x * t - y * s


@kernel
def rotate_back(p: Four, v: Vector) -> Vector:
    """Return R(p)^T v."""
    return rotate((p[0], -p[1], -p[2], -p[3]), v)


@kernel
def product(p: Four, r: Four) -> Four:
    """Return the quaternion of R(p) R(r): the rotation r followed, in the outer axes, by p."""
    return (
        p[0] * r[0] - p[1] * r[1] - p[2] * r[2] - p[3] * r[3],
        p[0] * r[1] + p[1] * r[0] + p[2] * r[3] - p[3] * r[2],
        p[0] * r[2] - p[1] * r[3] + p[2] * r[0] + p[3] * r[1],
        p[0] * r[3] + p[1] * r[2] - p[2] * r[1] + p[3] * r[0],
    )


@kernel
def exponential(v: Vector) -> Four:
    """Return the quaternion of the rotation vector v."""
    y = dot(v, v)
    if y < NEAR:
        s = y * (y * (y * (y / 185794560.0 - 1.0 / 645120.0) + 1.0 / 3840.0) - 1.0 / 48.0) + 0.5
        c = y * (y * (y * (y * (1.0 / 10321920.0 - y / 3715891200.0) - 1.0 / 46080.0) + 1.0 / 384.0) - 0.125) + 1.0
    else:
        angle = sqrt(y)
        s, c = sin(0.5 * angle) / angle, cos(0.5 * angle)
    return c, s * v[0], s * v[1], s * v[2]


@kernel
def stretched_arc(sine_squared: float, cosine: float) -> float:
    """Return phi / sin(phi) for phi up to a right angle from sin^2 and cos; a fast series for small angles."""
    y = sine_squared
    if y < NEARER:
        return y * (y * (y * (y * (y * (y * (y * S7 + S6) + S5) + S4) + S3) + S2) + S1) + 1.0
    sine = sqrt(y)
    return atan2(sine, cosine) / sine


@kernel
def logarithm(p: Four) -> Vector:
    """Return the rotation vector, at most half a turn long."""
    w, x, y, z = p
    s = 2.0 * stretched_arc(x * x + y * y + z * z, abs(w))
    if w < 0.0:
        s = -s
    return s * x, s * y, s * z


@kernel
def quaternion(q: np.ndarray, place: int) -> Four:
    """Return the quaternion stored at a place of the coordinates."""
    return q[place], q[place + 1], q[place + 2], q[place + 3]


@kernel
def take_up(q: np.ndarray, frames: int, nodes: int) -> None:
    """Apply pending increments to the quaternions of the first ``nodes`` nodes, stored from ``frames`` on."""
    if nodes > 0:
        _take_up(q, frames, nodes)


@lazy_kernel
def _take_up(q: np.ndarray, frames: int, nodes: int) -> None:
    """Apply the increments; compiled only when there are spatial nodes."""
    for k in range(nodes):
        i, j = 6 * k + 3, frames + 4 * k
        if q[i] == 0.0 and q[i + 1] == 0.0 and q[i + 2] == 0.0:
            continue
        w, x, y, z = product(quaternion(q, j), exponential((q[i], q[i + 1], q[i + 2])))
        size = 1.0 / sqrt(w * w + x * x + y * y + z * z)
        q[j], q[j + 1], q[j + 2], q[j + 3] = size * w, size * x, size * y, size * z
        q[i], q[i + 1], q[i + 2] = 0.0, 0.0, 0.0


@kernel
def turned(before: np.ndarray, after: np.ndarray, frames: int, node: int) -> Vector:
    """Return the increment, in the node's axes before, that turns a node from one configuration to another."""
    p = quaternion(before, frames + 4 * node)
    back = p[0], -p[1], -p[2], -p[3]
    return logarithm(product(back, quaternion(after, frames + 4 * node)))


@kernel
def apart(before: np.ndarray, after: np.ndarray, frames: int, nodes: int, out: np.ndarray) -> None:
    """Compute the increment of all freedoms from one configuration to another; rotations in the nodes' axes."""
    for i in range(out.size):
        out[i] = after[i] - before[i]
    for k in range(nodes):
        i = 6 * k + 3
        out[i], out[i + 1], out[i + 2] = turned(before, after, frames, k)
