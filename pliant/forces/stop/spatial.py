"""Stops of angles in space: ``g = side (phi - end)`` with the angle phi of _twists.py, within half a turn of the middle
of the way that is allowed.
"""

from __future__ import annotations

from math import floor, pi
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.errors import ModelError
from pliant.forces import Stop
from pliant.forces._twists import Twist, add_twist, pairs, turning_speed, twist
from pliant.forces.contact.law import push, stored

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """One entry an end of a stop; its freedoms are the spins of a and b."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray
    frames: np.ndarray  # (n, 2)
    axes: np.ndarray  # (n, 8) quaternions from the joint's frame to the nodes'
    middle: np.ndarray  # of the way allowed
    end: np.ndarray
    side: np.ndarray  # 1 where the angle stays above the end, -1 where below
    law: np.ndarray  # (n, 3) stiffness, exponent, damping
    owner: np.ndarray  # number of the stop


def touches(layout: SpatialLayout) -> list[Stop]:
    """Stops of angles, in the order of their readings."""
    return [stop for stop in layout.forces(Stop) if not stop.slides]


def pack(layout: SpatialLayout) -> Arrays:
    """Stops of the model."""
    for stop in touches(layout):
        if stop.width >= 2.0 * pi:
            raise ModelError(
                f"{stop.owner}: from lower to upper it is {stop.width:.6g} rad, but in space an angle is known up to "
                "whole turns. Bring them nearer than a turn, or leave one out."
            )
    ends = [(k, stop, *each) for k, stop in enumerate(touches(layout)) for each in stop.ends()]
    dofs, frames, axes = pairs(layout, [stop for _, stop, _, _ in ends])
    return Arrays(
        dofs=dofs,
        slots=np.empty((len(ends), 0), np.uint32),
        frames=frames,
        axes=axes,
        middle=np.array([stop.middle for _, stop, _, _ in ends], float),
        end=np.array([end for _, _, end, _ in ends], float),
        side=np.array([side for _, _, _, side in ends], float),
        law=np.array([stop.law for _, stop, _, _ in ends], float).reshape(-1, 3),
        owner=np.array([k for k, _, _, _ in ends], np.uint32),
    )


@kernel
def gap(part: Arrays, e: int, at: Twist) -> float:
    """How far end e is."""
    turn = at.angle - part.middle[e]
    turn -= 2.0 * pi * floor(turn / (2.0 * pi) + 0.5)
    return part.side[e] * (turn + part.middle[e] - part.end[e])


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
    """Moments where an end is passed."""
    for e in range(part.end.size):
        at, side = twist(q, part.frames[e], part.axes[e]), part.side[e]
        g = gap(part, e, at)
        if g < 0.0 and part.law[e, 0] != 0.0:
            x = push(part.law[e], g, side * turning_speed(at, v, part.dofs[e]))
            stiff, late = -ck * x.by_gap - cc * x.by_rate, -ck * x.by_rate
            add_twist(at, part.dofs, part.slots, e, v, -side * x.force, ck, stiff, late, r, s, w)


@kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Elastic energy of the stops."""
    potential = 0.0
    for e in range(part.end.size):
        potential += stored(part.law[e], gap(part, e, twist(q, part.frames[e], part.axes[e])))
    return 0.0, potential


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Power lost by damping."""
    dissipated = 0.0
    for e in range(part.end.size):
        at = twist(q, part.frames[e], part.axes[e])
        g, speed = gap(part, e, at), part.side[e] * turning_speed(at, v, part.dofs[e])
        if g < 0.0:
            x = push(part.law[e], g, speed)
            dissipated += (x.elastic - x.force) * speed
    return 0.0, dissipated


@kernel
def touching(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Of every stop the gap of the nearer end (rad), and the moment."""
    for e in range(part.end.size):
        at, k = twist(q, part.frames[e], part.axes[e]), part.owner[e]
        g = gap(part, e, at)
        out[k, 0] = min(out[k, 0], g)
        if g < 0.0:
            out[k, 1] += push(part.law[e], g, part.side[e] * turning_speed(at, v, part.dofs[e])).force


@kernel
def survey(part: Arrays, q: np.ndarray, gaps: np.ndarray, rows: np.ndarray) -> None:
    """Gaps of all ends, and (n, 1, 6) their rates by the freedoms."""
    for e in range(part.end.size):
        at = twist(q, part.frames[e], part.axes[e])
        gaps[e] = gap(part, e, at)
        for i in range(3):
            rows[e, 0, i], rows[e, 0, 3 + i] = part.side[e] * at.by_a[i], part.side[e] * at.by_b[i]
