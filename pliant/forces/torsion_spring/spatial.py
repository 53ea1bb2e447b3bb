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
from pliant.forces._twists import Twist, pairs, turning_speed, twist
from pliant.kernels.blocks import add_block, add_diagonal_block, add_vector
from pliant.kernels.scatter import add_both
from pliant.kernels.tensors import apply, apply_transposed, cross, plus, times

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
        at, dofs, slots = twist(q, part.frames[e], part.axes[e]), part.dofs[e], part.slots[e]
        k, c = part.stiffness[e], part.damping[e]
        moment = k * wound(part, e, at) + c * turning_speed(at, v, dofs)
        add_vector(r, part.dofs, e, 0, moment, at.by_a)
        add_vector(r, part.dofs, e, 3, moment, at.by_b)
        add_diagonal_block(s, part.slots, e, 0, ck * moment, at.aa)
        add_block(s, part.slots, e, 3, 0, ck * moment, at.ba)
        add_diagonal_block(s, part.slots, e, 3, ck * moment, at.bb)
        one, two = (v[dofs[0]], v[dofs[1]], v[dofs[2]]), (v[dofs[3]], v[dofs[4]], v[dofs[5]])
        swing_a = plus(apply(at.aa, one), plus(apply_transposed(at.ba, two), times(0.5, cross(one, at.by_a))))
        swing_b = plus(apply(at.ba, one), plus(apply(at.bb, two), times(0.5, cross(two, at.by_b))))
        x = at.by_a[0], at.by_a[1], at.by_a[2], at.by_b[0], at.by_b[1], at.by_b[2]
        z = swing_a[0], swing_a[1], swing_a[2], swing_b[0], swing_b[1], swing_b[2]
        stiff, late, n = ck * k + cc * c, ck * c, 0
        for i in range(6):
            for j in range(i + 1):
                lower, upper = late * x[i] * z[j], late * x[j] * z[i]
                both = stiff * x[i] * x[j] + 0.5 * (lower + upper)
                add_both(s, w, slots[n], dofs[i], dofs[j], i == j, both, 0.5 * (lower - upper))
                n += 1


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
