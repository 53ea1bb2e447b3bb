"""Compiled loops over a recorded motion: all instants in one call."""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.kernels.so3 import quaternion, rotate
from pliant.kernels.sums import Instant, Into
from pliant.system.equations import Scratch
from pliant.system.packing import fused


@kernel
def energies(parts: fused.Parts, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Compute kinetic and potential energy at every instant, in the first two columns of ``out``."""
    for t in range(q.shape[0]):
        out[t, 0], out[t, 1] = fused.energy(parts, q[t], v[t], u[t])


@kernel
def squares(v: np.ndarray, weight: np.ndarray, sums: np.ndarray) -> tuple[float, float]:
    """Return sums over instants and weighted freedoms of (w v)^2 and of its second differences squared. ``sums`` (2,
    freedoms) are zeros: one sum per freedom, for vectorisation.
    """
    size, bent = 0.0, 0.0
    for t in range(v.shape[0]):
        for i in range(weight.size):
            sums[0, i] += v[t, i] * v[t, i]
        if 0 < t < v.shape[0] - 1:
            for i in range(weight.size):
                y = v[t - 1, i] - 2.0 * v[t, i] + v[t + 1, i]
                sums[1, i] += y * y
    for i in range(weight.size):
        size += weight[i] * weight[i] * sums[0, i]
        bent += weight[i] * weight[i] * sums[1, i]
    return size, bent


@kernel
def extremes(q: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Compute the smallest and the largest value of every column."""
    for i in range(low.size):
        low[i] = high[i] = q[0, i]
    for t in range(1, q.shape[0]):
        for i in range(low.size):
            x = q[t, i]
            low[i] = x if x < low[i] else low[i]
            high[i] = x if x > high[i] else high[i]


@kernel
def momenta(
    parts: fused.Parts, q: np.ndarray, v: np.ndarray, u: np.ndarray, nodes: int, scratch: Scratch, out: np.ndarray
) -> None:
    """Compute the total linear momentum and angular momentum about the origin: sums of M v and of (-y, x, 1) M v.

    M v is the change of the residual at rest due to a = v; only coordinates of moving nodes take part in a rigid
    motion.
    """
    r, s, w, rest = scratch.r, scratch.s, scratch.w, scratch.rest
    n = 3 * nodes
    for t in range(q.shape[0]):
        for sign in range(2):
            for i in range(n):
                r[i] = 0.0
            a = v[t] if sign == 0 else rest
            fused.add(parts, Instant(q[t], rest, a, u[t]), Into(0.0, 0.0, 0.0, r, s, w), scratch.stress, False)
            for i in range(0, n, 3):
                turn = q[t, i] * r[i + 1] - q[t, i + 1] * r[i] + r[i + 2]
                out[t, 0] += r[i] if sign == 0 else -r[i]
                out[t, 1] += r[i + 1] if sign == 0 else -r[i + 1]
                out[t, 2] += turn if sign == 0 else -turn


@kernel
def momenta_in_space(
    parts: fused.Parts,
    q: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    frames: int,
    nodes: int,
    scratch: Scratch,
    out: np.ndarray,
) -> None:
    """Compute the momenta in space: sums of the forces f in M v, and of x x f + R m with its moments m."""
    r, s, w, rest = scratch.r, scratch.s, scratch.w, scratch.rest
    for t in range(q.shape[0]):
        for sign in (1.0, -1.0):
            for i in range(6 * nodes):
                r[i] = 0.0
            a = v[t] if sign > 0.0 else rest
            fused.add(parts, Instant(q[t], rest, a, u[t]), Into(0.0, 0.0, 0.0, r, s, w), scratch.stress, False)
            for k in range(nodes):
                i = 6 * k
                turned = rotate(quaternion(q[t], frames + 4 * k), (r[i + 3], r[i + 4], r[i + 5]))
                out[t, 3] += sign * (q[t, i + 1] * r[i + 2] - q[t, i + 2] * r[i + 1] + turned[0])
                out[t, 4] += sign * (q[t, i + 2] * r[i] - q[t, i] * r[i + 2] + turned[1])
                out[t, 5] += sign * (q[t, i] * r[i + 1] - q[t, i + 1] * r[i] + turned[2])
                for j in range(3):
                    out[t, j] += sign * r[i + j]
