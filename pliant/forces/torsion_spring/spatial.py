"""Torsional spring-damper about an axis between two markers in space: moment ``k (phi - phi0) + c phi'``.

phi is taken within half a turn of the rest angle phi0. Tangent ``k g g^T + m phi_qq`` and from the damper
``c g phi'_q``, whose skew half goes to w.
"""

from __future__ import annotations

from math import floor, pi
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.forces import TorsionSpring
from pliant.forces._twists import Twist, add_twist, pairs, turning_speed, twist

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """One entry a spring; its freedoms are the spins of a and b."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 2)
    axes: np.ndarray  # (n, 8) quaternions from the spring's frame to the nodes'
    stiffness: np.ndarray
    rest_angle: np.ndarray
    damping: np.ndarray


def pack(layout: SpatialLayout) -> Arrays:
    """Torsional springs of the model."""
    springs = layout.forces(TorsionSpring)
    dofs, frames, axes = pairs(layout, springs)
    return Arrays(
        dofs=dofs,
        slots=np.empty((len(springs), 0), np.uint32),
        frames=frames,
        axes=axes,
        stiffness=np.array([s.stiffness for s in springs], float),
        rest_angle=np.array([s.rest_angle for s in springs], float),
        damping=np.array([s.damping for s in springs], float),
    )


@kernel
def wound(part: Arrays, e: int, at: Twist) -> float:
    """phi - phi0, within half a turn."""
    turn = at.angle - part.rest_angle[e]
    return turn - 2.0 * pi * floor(turn / (2.0 * pi) + 0.5)


@kernel
def add(
    part: Arrays,
    q: np.ndarray,
    v: np.ndarray,
    ck: float,
    cc: float,
    r: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
) -> None:
    """Moments on a and b."""
    for e in range(part.stiffness.size):
        at, k, c = twist(q, part.frames[e], part.axes[e]), part.stiffness[e], part.damping[e]
        moment = k * wound(part, e, at) + c * turning_speed(at, v, part.dofs[e])
        add_twist(at, part.dofs, part.slots, e, v, moment, ck, ck * k + cc * c, ck * c, r, s, w)


@kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Elastic energy of the springs."""
    potential = 0.0
    for e in range(part.stiffness.size):
        turn = wound(part, e, twist(q, part.frames[e], part.axes[e]))
        potential += 0.5 * part.stiffness[e] * turn * turn
    return 0.0, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Power lost in the dampers."""
    dissipated = 0.0
    for e in range(part.stiffness.size):
        if part.damping[e] != 0.0:
            speed = turning_speed(twist(q, part.frames[e], part.axes[e]), v, part.dofs[e])
            dissipated += part.damping[e] * speed * speed
    return 0.0, dissipated
