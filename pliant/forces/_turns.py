"""Angle of marker b relative to marker a about an axis: the kernels that torsion springs, motors and stops share.

Freedoms are the angles of both nodes in the plane, and their spins in space, where the angle is the twist of
kernels/measures/spatial.py, taken within half a turn of a centre.
"""

from __future__ import annotations

from math import floor, pi
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.kernels.blocks import add_block, add_diagonal_block, add_vector
from pliant.kernels.measures import spatial as measures
from pliant.kernels.measures.arcs import Arc
from pliant.kernels.scatter import add_both
from pliant.kernels.so3 import Four, quaternion
from pliant.kernels.sums import Along, Into
from pliant.kernels.tensors import apply, apply_transposed
from pliant.kernels.triples import Vector, cross, dot, plus, times, vector
from pliant.model import rotations

PLANE, SPACE = [2, 5], [3, 4, 5, 9, 10, 11]  # rotational freedoms of two nodes


def turning(layout: Any, nodes: Any) -> np.ndarray:
    """Return (n, 2 or 6) rotational freedoms of pairs of nodes."""
    return np.ascontiguousarray(layout.dofs(nodes, 2)[:, SPACE if layout.space.quaternions else PLANE])


def about(layout: Any, part: Any, a: Any, b: Any, centre: float = 0.0, axis: int = 2) -> tuple[float, ...]:
    """Return the reference of a rotation. In the plane: the angle between the markers when their nodes are parallel. In
    space: the axis on a's node, b's node axes relative to a's when the markers are parallel, and the centre.
    """
    if not layout.space.quaternions:
        return (layout.turn(b) - (0.0 if a is None else layout.turn(a)),)
    frame_a, frame_b = frames_of(layout, part, a, b)
    return (*rotations.matrix(frame_a)[:, axis], *rotations.product(frame_b, rotations.conjugate(frame_a)), centre)


def frames_of(layout: Any, part: Any, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the quaternions of a part's axes on the nodes of its markers; marker None has the ground's axes."""
    ends = ((a, "frame_a"), (b, "frame_b"))
    turns = [(rotations.IDENTITY if m is None else layout.turn(m), getattr(part, key, None)) for m, key in ends]
    first, second = (turn if frame is None else rotations.product(turn, frame) for turn, frame in turns)
    return first, second


# --- in the plane ---


@kernel
def planar_angle(part: Any, e: int, q: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Return the angle of part e, and its gradient."""
    return q[part.dofs[e, 1]] - q[part.dofs[e, 0]] + part.directions[e, 0, 0], (-1.0, 1.0)


@kernel
def planar_rate(part: Any, e: int, v: np.ndarray, at: tuple[float, float]) -> float:
    """Return the rate of the angle."""
    return v[part.dofs[e, 1]] - v[part.dofs[e, 0]]


@kernel
def planar_spread(part: Any, e: int, at: tuple[float, float], v: np.ndarray, push: Along, into: Into) -> None:
    """Add force and tangent as `spatial_spread`; in the plane angles have no second derivatives."""
    slots, r, s = part.slots, into.r, into.s
    r[part.dofs[e, 0]] -= push.force
    r[part.dofs[e, 1]] += push.force
    s[slots[e, 0]] += push.stiff
    s[slots[e, 1]] -= push.stiff
    s[slots[e, 2]] += push.stiff


@kernel
def planar_gradient(at: tuple[float, float]) -> tuple[float, float]:
    """Return the gradient of the angle by the freedoms."""
    return at


# --- in space ---


class Turn(NamedTuple):
    """Rotation since the reference pose, that pose, the axis, the angle as a function of it, its gradient."""

    p: Four
    kept: Four
    axis: Vector
    arc: Arc
    a: Vector
    b: Vector


@linked_kernel
def spatial_angle(part: Any, e: int, q: np.ndarray) -> tuple[float, Turn]:
    """Return the angle of part e, and the data of its derivatives."""
    x = part.directions[e, 0]
    axis, kept = vector(x, 0), quaternion(x, 3)
    p = measures.departure(measures.seen(quaternion(q, part.frames[e, 0]), quaternion(q, part.frames[e, 1])), kept)
    arc = measures.twist(p, axis)
    slope = measures.of_quaternion(p, kept, axis, arc)
    return within(arc.value, x[7]), Turn(p, kept, axis, arc, slope.a, slope.b)


@kernel
def within(angle: float, centre: float) -> float:
    """Return the angle less whole turns, within half a turn of a centre."""
    return angle - 2.0 * pi * floor((angle - centre) / (2.0 * pi) + 0.5)


@kernel
def spins(part: Any, e: int, v: np.ndarray) -> tuple[Vector, Vector]:
    """Return the spins of the two nodes."""
    k = part.dofs[e]
    return (v[k[0]], v[k[1]], v[k[2]]), (v[k[3]], v[k[4]], v[k[5]])


@kernel
def spatial_rate(part: Any, e: int, v: np.ndarray, at: Turn) -> float:
    """Return the rate of the angle."""
    one, two = spins(part, e, v)
    return dot(at.a, one) + dot(at.b, two)


@kernel
def spatial_gradient(at: Turn) -> tuple[float, float, float, float, float, float]:
    """Return the gradient of the angle by the freedoms."""
    return at.a[0], at.a[1], at.a[2], at.b[0], at.b[1], at.b[2]


@linked_kernel
def spatial_spread(part: Any, e: int, at: Turn, v: np.ndarray, push: Along, into: Into) -> None:
    """Add force x_q of part e to r, x its angle; tangent ``stiff x_q x_q^T + geometric x_qq + late x_q x'_q^T``."""
    dofs, slots, r, s, w = part.dofs, part.slots, into.r, into.s, into.w
    force, geometric, stiff, late = push
    add_vector(r, dofs, e, 0, force, at.a)
    add_vector(r, dofs, e, 3, force, at.b)
    by = measures.of_quaternion_turns(at.p, at.kept, at.axis, at.arc, 0.0)
    add_diagonal_block(s, slots, e, 0, geometric, by.aa)
    add_block(s, slots, e, 3, 0, geometric, by.ba)
    add_diagonal_block(s, slots, e, 3, geometric, by.bb)
    if stiff == 0.0 and late == 0.0:
        return
    one, two = spins(part, e, v)  # spins are measured in axes that turn
    swing_a = plus(apply(by.aa, one), plus(apply_transposed(by.ba, two), times(0.5, cross(one, at.a))))
    swing_b = plus(apply(by.ba, one), plus(apply(by.bb, two), times(0.5, cross(two, at.b))))
    x, n = spatial_gradient(at), 0
    z = swing_a[0], swing_a[1], swing_a[2], swing_b[0], swing_b[1], swing_b[2]
    for i in range(6):
        for j in range(i + 1):
            lower, upper = late * x[i] * z[j], late * x[j] * z[i]
            both = stiff * x[i] * x[j] + 0.5 * (lower + upper)
            add_both(s, w, slots[e, n], dofs[e, i], dofs[e, j], i == j, both, 0.5 * (lower - upper))
            n += 1


IN_PLANE = planar_angle, planar_rate, planar_spread, planar_gradient
IN_SPACE = spatial_angle, spatial_rate, spatial_spread, spatial_gradient
