"""Motor torque about an axis between two markers in space: T on the angle phi of b from a (see _twists).

On a pin that is T about its axis on b, and minus the same on a. Its tangent ``-T phi_qq`` is symmetric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.forces import Motor
from pliant.forces._twists import pairs, turning_speed, twist
from pliant.kernels.blocks import add_block, add_diagonal_block, add_vector

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """One entry a motor; its freedoms are the spins of a and b."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 2)
    axes: np.ndarray  # (n, 8) quaternions from the motor's frame to the nodes'
    signals: np.ndarray


def pack(layout: SpatialLayout) -> Arrays:
    """Motors of the model."""
    motors = layout.forces(Motor)
    dofs, frames, axes = pairs(layout, motors)
    signals = np.array([layout.signal(motor.torque, motor, "torque") for motor in motors], np.uint32)
    return Arrays(dofs, np.empty((len(motors), 0), np.uint32), frames, axes, signals)


@kernel
def add(part: Arrays, q: np.ndarray, u: np.ndarray, ck: float, r: np.ndarray, s: np.ndarray) -> None:
    """Moments on a and b."""
    for e in range(part.signals.size):
        at, torque = twist(q, part.frames[e], part.axes[e]), u[part.signals[e]]
        add_vector(r, part.dofs, e, 0, -torque, at.by_a)
        add_vector(r, part.dofs, e, 3, -torque, at.by_b)
        add_diagonal_block(s, part.slots, e, 0, -ck * torque, at.aa)
        add_block(s, part.slots, e, 3, 0, -ck * torque, at.ba)
        add_diagonal_block(s, part.slots, e, 3, -ck * torque, at.bb)


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Power of the motors; a torque has no potential where it may turn round and round."""
    supplied = 0.0
    for e in range(part.signals.size):
        at = twist(q, part.frames[e], part.axes[e])
        supplied += u[part.signals[e]] * turning_speed(at, v, part.dofs[e])
    return supplied, 0.0
