"""Rotations as unit quaternions (w, x, y, z), which map the axes of a node to global ones; scalars in, tuples out.

Coordinates of spatial systems end with one quaternion a node (see docs/notation.md). The three rotational coordinates
of a node are an increment in the node's own axes that waits to be taken up: ``R <- R exp(theta)``, ``theta <- 0``.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np

from pliant._jit import kernel
from pliant.kernels.tensors import Vector, dot

Four = tuple[float, float, float, float]


@kernel
def rotate(p: Four, v: Vector) -> Vector:
    """R(p) v"""
    w, x, y, z = p
    a, b, c = v
    s, t, r = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * s + y * r - z * t, b + w * t + z * s - x * r, c + w * r + x * t - y * s


@kernel
def rotate_back(p: Four, v: Vector) -> Vector:
    """R(p)^T v"""
    return rotate((p[0], -p[1], -p[2], -p[3]), v)


@kernel
def product(p: Four, r: Four) -> Four:
    """The rotation r followed, in the outer axes, by p: R(p) R(r)."""
    return (
        p[0] * r[0] - p[1] * r[1] - p[2] * r[2] - p[3] * r[3],
        p[0] * r[1] + p[1] * r[0] + p[2] * r[3] - p[3] * r[2],
        p[0] * r[2] - p[1] * r[3] + p[2] * r[0] + p[3] * r[1],
        p[0] * r[3] + p[1] * r[2] - p[2] * r[1] + p[3] * r[0],
    )


@kernel
def exponential(v: Vector) -> Four:
    """Quaternion of the rotation vector v."""
    square = dot(v, v)
    if square < 1e-8:
        s = 0.5 - square / 48.0
        return 1.0 - square / 8.0 + square * square / 384.0, s * v[0], s * v[1], s * v[2]
    angle = sqrt(square)
    s = sin(0.5 * angle) / angle
    return cos(0.5 * angle), s * v[0], s * v[1], s * v[2]


@kernel
def logarithm(p: Four) -> Vector:
    """Rotation vector, at most half a turn long."""
    w, x, y, z = p
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = sqrt(x * x + y * y + z * z)
    s = 2.0 / w * (1.0 - size * size / (3.0 * w * w)) if size < 1e-4 else 2.0 * atan2(size, w) / size
    return s * x, s * y, s * z


@kernel
def quaternion(q: np.ndarray, place: int) -> Four:
    """The quaternion stored at a place of the coordinates."""
    return q[place], q[place + 1], q[place + 2], q[place + 3]


@kernel
def take_up(q: np.ndarray, frames: int, nodes: int) -> None:
    """Turn the quaternions of the first ``nodes`` nodes, stored from ``frames`` on, by the increments that wait."""
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
    """Increment, in the node's axes before, that turns a node from one configuration to another."""
    p = quaternion(before, frames + 4 * node)
    back = p[0], -p[1], -p[2], -p[3]
    return logarithm(product(back, quaternion(after, frames + 4 * node)))


@kernel
def apart(before: np.ndarray, after: np.ndarray, frames: int, nodes: int, out: np.ndarray) -> None:
    """Increment of all freedoms from one configuration to another: differences, and rotations in the nodes' axes."""
    for i in range(out.size):
        out[i] = after[i] - before[i]
    for k in range(nodes):
        i = 6 * k + 3
        out[i], out[i + 1], out[i + 2] = turned(before, after, frames, k)
