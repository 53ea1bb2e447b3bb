"""Functions of the state in the plane."""

from __future__ import annotations

import numpy as np

from pliant.forces.state_force.marker import Arrays, consult, kernels, pack, unsymmetric
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.marker import arm

__all__ = ["Arrays", "add", "pack", "power", "unsymmetric"]


@allocating_kernel
def wrench(
    part: Arrays, e: int, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray, P: np.ndarray
) -> np.ndarray:
    """Write force, moment and derivatives of force e (out: 3 + 18) and the Jacobian P (3, 3); return velocity (3)."""
    i, j, k = part.dofs[e, 0], part.dofs[e, 1], part.dofs[e, 2]
    px, py = arm(q[k], part.arm[e, 0], part.arm[e, 1])
    P[:] = np.eye(3)
    P[0, 2], P[1, 2] = -py, px
    pose = np.array([q[i] + px, q[j] + py, q[k] + part.turn[e, 0]])
    velocity = np.array([v[i] - py * v[k], v[j] + px * v[k], v[k]])
    consult(part.number[e], u[1], pose, velocity, out)
    return velocity


@kernel
def add_turning(part: Arrays, e: int, q: np.ndarray, out: np.ndarray, ck: float, s: np.ndarray, w: np.ndarray) -> None:
    """Add the tangent of the rotating arm."""
    px, py = arm(q[part.dofs[e, 2]], part.arm[e, 0], part.arm[e, 1])
    s[part.slots[e, 5]] += ck * (px * out[0] + py * out[1])


add, power = kernels(wrench, add_turning)
