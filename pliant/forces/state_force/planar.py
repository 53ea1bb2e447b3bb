"""Force given by a Python function of time and of its marker's pose and velocity.

Costs seven calls of the function an iteration (some 5-20 microseconds); everything else is compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import objmode

from pliant._jit import allocating_kernel, python_kernel
from pliant.forces import StateForce
from pliant.forces.state_force import callbacks
from pliant.forces.state_force.callbacks import callback
from pliant.kernels.marker import arm

if TYPE_CHECKING:
    from pliant.system.layout import Layout


class Arrays(NamedTuple):
    """One entry a force."""

    dofs: np.ndarray
    slots: np.ndarray
    offset: np.ndarray  # (n, 3)
    number: np.ndarray  # uint32


def pack(layout: Layout) -> Arrays:
    """State forces of the model; their functions are registered for the callback."""
    forces = layout.forces(StateForce)
    return Arrays(
        dofs=layout.dofs([layout.node(f.marker) for f in forces]),
        slots=np.empty((len(forces), 0), np.uint32),
        offset=np.array([layout.offset(f.marker) for f in forces], float).reshape(-1, 3),
        number=np.array([callback(layout, f).number for f in forces], np.uint32),
    )


def unsymmetric(part: Arrays) -> bool:
    """Nothing is known of the function's symmetry."""
    return part.number.size > 0


@python_kernel
def call(number: int, time: float, pose: np.ndarray, velocity: np.ndarray, out: np.ndarray) -> None:
    """Evaluate a registered Python function."""
    with objmode():
        callbacks.evaluate(number, time, pose, velocity, out)


@allocating_kernel
def wrench(part: Arrays, e: int, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> tuple[float, float]:
    """Force, moment and derivatives of force e (out: 3 + 18), and the arm of its marker."""
    i, j, k = part.dofs[e, 0], part.dofs[e, 1], part.dofs[e, 2]
    px, py = arm(q[k], part.offset[e, 0], part.offset[e, 1])
    pose = np.array([q[i] + px, q[j] + py, q[k] + part.offset[e, 2]])
    velocity = np.array([v[i] - py * v[k], v[j] + px * v[k], v[k]])
    call(part.number[e], u[1], pose, velocity, out)
    return px, py


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
    """r -= P^T F and its derivative -P^T (ck F_pose + cc F_velocity) P, P the marker's Jacobian."""
    if part.number.size == 0:
        return
    out, shape, block = np.empty(21), np.eye(3), np.empty((3, 3))
    for e in range(part.number.size):
        px, py = wrench(part, e, q, v, u, out)
        shape[0, 2], shape[1, 2] = -py, px
        for i in range(3):
            for j in range(3):
                block[i, j] = 0.0
                for m in range(3):
                    for n in range(3):
                        slope = ck * out[3 + 6 * m + n] + cc * out[6 + 6 * m + n]
                        block[i, j] -= shape[m, i] * slope * shape[n, j]
            r[part.dofs[e, i]] -= shape[0, i] * out[0] + shape[1, i] * out[1] + shape[2, i] * out[2]
        block[2, 2] += ck * (px * out[0] + py * out[1])
        k = 0
        for i in range(3):
            for j in range(i + 1):
                s[part.slots[e, k]] += 0.5 * (block[i, j] + block[j, i])
                w[part.slots[e, k]] += 0.5 * (block[i, j] - block[j, i])
                k += 1


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Power fed in by the functions."""
    supplied = 0.0
    if part.number.size == 0:
        return 0.0, 0.0
    out = np.empty(21)
    for e in range(part.number.size):
        i, j, k = part.dofs[e, 0], part.dofs[e, 1], part.dofs[e, 2]
        px, py = wrench(part, e, q, v, u, out)
        supplied += out[0] * (v[i] - py * v[k]) + out[1] * (v[j] + px * v[k]) + out[2] * v[k]
    return supplied, 0.0
