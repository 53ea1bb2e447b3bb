"""Force given by a Python function of time and of its marker's pose and velocity in space.

With the marker's Jacobian P, ``(r', w) = P (x', w_node)``, force and moment f are ``P^T f`` on the node; the tangent is
``-P^T (ck f_pose + cc f_velocity) P``, and as of a dead load where P turns. Costs thirteen calls of the function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import allocating_kernel
from pliant.forces import StateForce
from pliant.forces.state_force.callbacks import callback
from pliant.forces.state_force.planar import call
from pliant.kernels.blocks import add_diagonal_block, add_halves
from pliant.kernels.tensors import apply_transposed, dot, skew, symmetric, turned, vector

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """One entry a force."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 1)
    arm: np.ndarray  # (n, 3)
    turn: np.ndarray  # (n, 4) from the marker's axes to the node's
    number: np.ndarray  # uint32


def pack(layout: SpatialLayout) -> Arrays:
    """State forces of the model; their functions are registered for the callback."""
    forces = layout.forces(StateForce)
    nodes = [layout.node(f.marker) for f in forces]
    return Arrays(
        dofs=layout.dofs(nodes),
        slots=np.empty((len(forces), 0), np.uint32),
        frames=layout.frames(nodes),
        arm=np.array([layout.arm(f.marker) for f in forces], float).reshape(-1, 3),
        turn=np.array([layout.turn(f.marker) for f in forces], float).reshape(-1, 4),
        number=np.array([callback(layout, f).number for f in forces], np.uint32),
    )


def unsymmetric(part: Arrays) -> bool:
    """Nothing is known of the function's symmetry."""
    return part.number.size > 0


@allocating_kernel
def wrench(
    part: Arrays, e: int, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray, P: np.ndarray
) -> np.ndarray:
    """Force, moment and derivatives of force e (out: 6 + 72) and the Jacobian P (6, 6); returns the velocity (6)."""
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
    call(part.number[e], u[1], pose, velocity, out)
    return velocity


@allocating_kernel
def add(
    part: Arrays,
    q: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    ck: float,
    cc: float,
    r: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
) -> None:
    """r -= P^T f, and its derivative."""
    if part.number.size == 0:
        return
    out, P, block = np.empty(78), np.empty((6, 6)), np.empty((6, 6))
    for e in range(part.number.size):
        wrench(part, e, q, v, u, out, P)
        for i in range(6):
            for j in range(6):
                block[i, j] = 0.0
                for m in range(6):
                    for n in range(6):
                        slope = ck * out[6 + 12 * m + n] + cc * out[12 + 12 * m + n]
                        block[i, j] -= P[m, i] * slope * P[n, j]
            for m in range(6):
                r[part.dofs[e, i]] -= P[m, i] * out[m]
        k = 0
        for i in range(6):
            for j in range(i + 1):
                s[part.slots[e, k]] += 0.5 * (block[i, j] + block[j, i])
                w[part.slots[e, k]] += 0.5 * (block[i, j] - block[j, i])
                k += 1
        R, d = turned(q, part.frames[e, 0]), vector(part.arm[e], 0)
        force, moment = apply_transposed(R, vector(out, 0)), apply_transposed(R, vector(out, 3))
        add_diagonal_block(s, part.slots, e, 3, -ck, symmetric(force, d, -dot(force, d)))
        add_halves(s, w, part.slots, e, 3, -0.5 * ck, skew(moment))


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Power fed in by the functions."""
    supplied = 0.0
    if part.number.size == 0:
        return 0.0, 0.0
    out, P = np.empty(78), np.empty((6, 6))
    for e in range(part.number.size):
        velocity = wrench(part, e, q, v, u, out, P)
        for i in range(6):
            supplied += out[i] * velocity[i]
    return supplied, 0.0
