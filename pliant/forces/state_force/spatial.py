"""Functions of the state in space."""

from __future__ import annotations

import numpy as np

from pliant.forces.state_force.marker import Arrays, consult, kernels, pack, unsymmetric
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.blocks import add_diagonal_block, add_halves
from pliant.kernels.dyads import skew, symmetric
from pliant.kernels.tensors import apply_transposed, turned
from pliant.kernels.triples import dot, vector

__all__ = ["Arrays", "add", "pack", "power", "unsymmetric"]


@allocating_kernel
def wrench(
    part: Arrays, e: int, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray, P: np.ndarray
) -> np.ndarray:
    """Write force, moment and derivatives of force e (out: 6 + 72) and the Jacobian P (6, 6); return velocity (6)."""
    R, frame, first = turned(q, part.frames[e, 0]), part.frames[e, 0], part.dofs[e, 0]
    d = part.arm[e]
    pose, motion, velocity = np.empty(7), v[first : first + 6], np.empty(6)
    P[:] = np.eye(6)
    for i in range(3):
        a, b, c = R[3 * i], R[3 * i + 1], R[3 * i + 2]
        pose[i] = q[first + i] + a * d[0] + b * d[1] + c * d[2]
        P[i, 3], P[i, 4], P[i, 5] = c * d[1] - b * d[2], a * d[2] - c * d[0], b * d[0] - a * d[1]
        P[3 + i, 3], P[3 + i, 4], P[3 + i, 5] = a, b, c
    w, x, y, z = q[frame], q[frame + 1], q[frame + 2], q[frame + 3]
    W, X, Y, Z = part.turn[e]
    pose[3] = w * W - x * X - y * Y - z * Z
    pose[4] = w * X + x * W + y * Z - z * Y
    pose[5] = w * Y + y * W + z * X - x * Z
    pose[6] = w * Z + z * W + x * Y - y * X
    for i in range(6):
        velocity[i] = 0.0
        for j in range(6):
            velocity[i] += P[i, j] * motion[j]
    consult(part.number[e], u[1], pose, velocity, out)
    return velocity


@kernel
def add_turning(part: Arrays, e: int, q: np.ndarray, out: np.ndarray, ck: float, s: np.ndarray, w: np.ndarray) -> None:
    """Add the tangent of the rotating arm, and of the axes of the moment."""
    R, d = turned(q, part.frames[e, 0]), vector(part.arm[e], 0)
    force, moment = apply_transposed(R, vector(out, 0)), apply_transposed(R, vector(out, 3))
    add_diagonal_block(s, part.slots, e, 3, -ck, symmetric(force, d, -dot(force, d)))
    add_halves(s, w, part.slots, e, 3, -0.5 * ck, skew(moment))


add, power = kernels(wrench, add_turning)
