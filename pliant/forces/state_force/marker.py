"""Force given by a Python function of time and of its marker's pose and velocity, in the plane or in space.

With the marker's Jacobian P, ``(r', w) = P (x', w_node)``, force and moment f are ``P^T f`` on the node; the tangent is
``-P^T (ck f_pose + cc f_velocity) P``, plus the terms of a dead load for the rotation of P. It calls the function seven
times an iteration (some 5-20 microseconds), in space thirteen times; everything else is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import objmode

from pliant.forces import StateForce
from pliant.forces.state_force import callbacks
from pliant.forces.state_force.callbacks import callback
from pliant.jit import allocating_kernel, python_kernel
from pliant.kernels.sums import Instant, Into
from pliant.model.kinds import packs_only


class Arrays(NamedTuple):
    """Arrays of state forces, one entry a force."""

    dofs: np.ndarray  # (n, 3), in space (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 0), in space (n, 1)
    arm: np.ndarray  # (n, 2), in space (n, 3)
    turn: np.ndarray  # (n, 1), in space (n, 4): from the marker's axes to the node's
    number: np.ndarray  # uint32


@packs_only(StateForce)
def pack(layout: Any) -> Arrays:
    """Pack the state forces of the model and register their functions for the callback."""
    forces = layout.forces(StateForce)
    nodes, count = [layout.node(f.marker) for f in forces], len(forces)
    return Arrays(
        dofs=layout.dofs(nodes),
        slots=np.empty((count, 0), np.uint32),
        frames=layout.frames(nodes),
        arm=np.array([layout.arm(f.marker) for f in forces], float).reshape(count, len(layout.space.axes)),
        turn=np.array([layout.turn(f.marker) for f in forces], float).reshape(
            count, 4 if layout.space.quaternions else 1
        ),
        number=np.array([callback(layout, f).number for f in forces], np.uint32),
    )


def unsymmetric(part: Arrays) -> bool:
    """Return True if there are forces: the symmetry of their functions is unknown."""
    return part.number.size > 0


@python_kernel
def consult(number: int, time: float, pose: np.ndarray, velocity: np.ndarray, out: np.ndarray) -> None:
    """Evaluate a registered Python function."""
    with objmode():
        callbacks.evaluate(number, time, pose, velocity, out)


def kernels(wrench: Any, add_turning: Any) -> tuple[Callable[..., None], Callable[..., tuple[float, float]]]:
    """Build `add` and `power` of the plane or of space.

    wrench       kernel (part, e, q, v, u, out, P) -> velocity: the function's force and its derivatives, and P
    add_turning  kernel (part, e, q, out, ck, s, w) that adds the tangent of the rotation of P
    """

    @allocating_kernel
    def add(part: Arrays, now: Instant, into: Into) -> None:
        """Subtract P^T f from r and add its derivative."""
        n, q, ck, cc, r, s, w = part.dofs.shape[1], now.q, into.ck, into.cc, into.r, into.s, into.w
        out, P, block = np.empty(n + 2 * n * n), np.empty((n, n)), np.empty((n, n))
        for e in range(part.number.size):
            wrench(part, e, q, now.v, now.u, out, P)
            for i in range(n):
                for j in range(n):
                    block[i, j] = 0.0
                    for l in range(n):
                        for m in range(n):
                            slope = ck * out[n + 2 * n * l + m] + cc * out[2 * n + 2 * n * l + m]
                            block[i, j] -= P[l, i] * slope * P[m, j]
                for l in range(n):
                    r[part.dofs[e, i]] -= P[l, i] * out[l]
            k = 0
            for i in range(n):
                for j in range(i + 1):
                    s[part.slots[e, k]] += 0.5 * (block[i, j] + block[j, i])
                    w[part.slots[e, k]] += 0.5 * (block[i, j] - block[j, i])
                    k += 1
            add_turning(part, e, q, out, ck, s, w)

    @allocating_kernel
    def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
        """Return the power that the functions feed in."""
        n, supplied = part.dofs.shape[1], 0.0
        out, P = np.empty(n + 2 * n * n), np.empty((n, n))
        for e in range(part.number.size):
            velocity = wrench(part, e, q, v, u, out, P)
            for i in range(n):
                supplied += out[i] * velocity[i]
        return supplied, 0.0

    return add, power
