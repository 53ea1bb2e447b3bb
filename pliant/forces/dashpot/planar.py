"""Dashpots to the ground at points ``r = x + R(theta) d`` of nodes: force ``-c r'``, moment ``-c_turn theta'``.

With the marker's Jacobian P the damping matrix is ``P^T c P``; in motion the turning arm adds an unsymmetric stiffness,
whose skew half goes to w.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.forces.dashpot import Dashpot
from pliant.jit import kernel
from pliant.kernels.marker import arm
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout


class Arrays(NamedTuple):
    """Arrays of dashpots, one entry a dashpot."""

    dofs: np.ndarray
    slots: np.ndarray
    offset: np.ndarray  # (n, 2)
    coefficient: np.ndarray  # (n, 3)


@packs_only(Dashpot)
def pack(layout: Layout) -> Arrays:
    """Pack the dashpots of the model."""
    dashpots = layout.forces(Dashpot)
    return Arrays(
        dofs=layout.dofs([layout.node(d.marker) for d in dashpots]),
        slots=np.empty((len(dashpots), 0), np.uint32),
        offset=np.array([layout.offset(d.marker)[:2] for d in dashpots], float).reshape(-1, 2),
        coefficient=np.array([(d.x, d.y, d.turn) for d in dashpots], float).reshape(-1, 3),
    )


def gyroscopic(part: Arrays) -> bool:
    """Return whether there are off-centre dashpots: their tangent is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.offset))


@kernel
def add(
    part: Arrays, q: np.ndarray, v: np.ndarray, ck: float, cc: float, r: np.ndarray, s: np.ndarray, w: np.ndarray
) -> None:
    """Add the resistance, and its derivatives by velocity and by the angle of the arm."""
    for e in range(part.coefficient.shape[0]):
        i, j, k = part.dofs[e, 0], part.dofs[e, 1], part.dofs[e, 2]
        slot = part.slots[e]
        cx, cy, turn = part.coefficient[e, 0], part.coefficient[e, 1], part.coefficient[e, 2]
        px, py = arm(q[k], part.offset[e, 0], part.offset[e, 1])
        omega = v[k]
        fx, fy = cx * (v[i] - py * omega), cy * (v[j] + px * omega)
        r[i] += fx
        r[j] += fy
        r[k] += px * fy - py * fx + turn * omega
        s[slot[0]] += cc * cx
        s[slot[2]] += cc * cy
        s[slot[3]] -= cc * py * cx
        s[slot[4]] += cc * px * cy
        s[slot[5]] += cc * (py * py * cx + px * px * cy + turn)
        x_theta, y_theta = -ck * cx * px * omega, -ck * cy * py * omega
        s[slot[3]] += 0.5 * x_theta
        w[slot[3]] -= 0.5 * x_theta
        s[slot[4]] += 0.5 * y_theta
        w[slot[4]] -= 0.5 * y_theta
        s[slot[5]] += px * y_theta - py * x_theta - ck * (px * fx + py * fy)


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the power lost in the dashpots."""
    dissipated = 0.0
    for e in range(part.coefficient.shape[0]):
        k = part.dofs[e, 2]
        px, py = arm(q[k], part.offset[e, 0], part.offset[e, 1])
        vx, vy = v[part.dofs[e, 0]] - py * v[k], v[part.dofs[e, 1]] + px * v[k]
        c = part.coefficient[e]
        dissipated += c[0] * vx * vx + c[1] * vy * vy + c[2] * v[k] * v[k]
    return 0.0, dissipated
