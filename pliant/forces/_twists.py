"""The angle phi of marker b from marker a about an axis: the kernels that torsion springs and motors share.

With the quaternion ``p = (w, v)`` of b's frame as seen from a's, z along the axis, phi is the twist of p about z,
``w + i v_z = |.| exp(i phi/2)``: the angle of a pin exactly, and still well-defined where the axes are not quite
parallel. Spins alpha of a and beta of b, in those frames, make ``p' = (p beta - alpha p)/2``; as ``phi = 2 Im log(w + i
v_z)``, with g the gradient of phi and h that of ``log |w + i v_z|``,

    phi'' = -2 (h.) (g.) - Im((alpha p beta)_(w + i z) / (w + i v_z)).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.kernels.blocks import add_block, add_diagonal_block, add_vector
from pliant.kernels.scatter import add_both
from pliant.kernels.so3 import product as chained
from pliant.kernels.so3 import quaternion
from pliant.kernels.tensors import (
    Matrix,
    Vector,
    added,
    apply,
    apply_transposed,
    cross,
    minus,
    outer,
    plus,
    product,
    rotation,
    scaled,
    skew,
    symmetric,
    times,
    transposed,
)
from pliant.model import rotations

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout

UP = 0.0, 0.0, 1.0


class Twist(NamedTuple):
    """phi between -pi and pi, its gradient by the spins of a and b in their nodes' frames, and its Hessian's blocks."""

    angle: float
    by_a: Vector
    by_b: Vector
    aa: Matrix
    ba: Matrix
    bb: Matrix


def pairs(layout: SpatialLayout, parts: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n, 6) freedoms of rotation of a and b, (n, 2) places of their quaternions, (n, 8) axes of the part in both."""
    nodes = [(layout.node(part.a), layout.node(part.b)) for part in parts]
    axes = [
        (rotations.product(layout.turn(part.a), part.frame_a), rotations.product(layout.turn(part.b), part.frame_b))
        for part in parts
    ]
    turning = np.ascontiguousarray(layout.dofs(nodes, 2)[:, [3, 4, 5, 9, 10, 11]])
    return turning, layout.frames(nodes, 2), np.array(axes, float).reshape(-1, 8)


@kernel
def twist(q: np.ndarray, frames: np.ndarray, axes: np.ndarray) -> Twist:
    """Angle between the frames at two places of q."""
    a, b = quaternion(axes, 0), quaternion(axes, 4)
    first, second = chained(quaternion(q, frames[0]), a), chained(quaternion(q, frames[1]), b)
    w, x, y, z = chained((first[0], -first[1], -first[2], -first[3]), second)
    v, across, f = (x, y, z), (y, -x, 0.0), 1.0 / (w * w + z * z)
    # changes of w and v_z by alpha and beta
    w_a, w_b = times(0.5, v), times(-0.5, v)
    z_a, z_b = times(-0.5, plus((0.0, 0.0, w), across)), times(0.5, minus((0.0, 0.0, w), across))
    g_a, g_b = times(2.0 * f, minus(times(w, z_a), times(z, w_a))), times(2.0 * f, minus(times(w, z_b), times(z, w_b)))
    h_a, h_b = times(f, plus(times(w, w_a), times(z, z_a))), times(f, plus(times(w, w_b), times(z, z_b)))
    mixed = added(symmetric(times(-2.0 * w, v), UP, 2.0 * w * z), skew(minus(times(z, v), (0.0, 0.0, w * w))))
    ab = scaled(-1.0, added(scaled(0.5 * f, mixed), added(outer(h_a, g_b, 0.0), outer(g_a, h_b, 0.0))))
    A, B = rotation(a[0], a[1], a[2], a[3]), rotation(b[0], b[1], b[2], b[3])
    return Twist(
        2.0 * atan2(z, w) if w >= 0.0 else 2.0 * atan2(-z, -w),
        apply(A, g_a),
        apply(B, g_b),
        product(product(A, symmetric(times(-2.0, h_a), g_a, 0.0)), transposed(A)),
        product(product(B, transposed(ab)), transposed(A)),
        product(product(B, symmetric(times(-2.0, h_b), g_b, 0.0)), transposed(B)),
    )


@kernel
def turning_speed(at: Twist, v: np.ndarray, dofs: np.ndarray) -> float:
    """phi'"""
    a, b = at.by_a, at.by_b
    first = a[0] * v[dofs[0]] + a[1] * v[dofs[1]] + a[2] * v[dofs[2]]
    return first + b[0] * v[dofs[3]] + b[1] * v[dofs[4]] + b[2] * v[dofs[5]]


@kernel
def add_twist(
    at: Twist,
    dofs: np.ndarray,
    slots: np.ndarray,
    e: int,
    v: np.ndarray,
    moment: float,
    ck: float,
    stiff: float,
    late: float,
    r: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
) -> None:
    """r += moment phi_q of element e; tangent ``stiff phi_q phi_q^T + ck moment phi_qq + late phi_q phi'_q^T``."""
    add_vector(r, dofs, e, 0, moment, at.by_a)
    add_vector(r, dofs, e, 3, moment, at.by_b)
    add_diagonal_block(s, slots, e, 0, ck * moment, at.aa)
    add_block(s, slots, e, 3, 0, ck * moment, at.ba)
    add_diagonal_block(s, slots, e, 3, ck * moment, at.bb)
    k = dofs[e]
    one, two = (v[k[0]], v[k[1]], v[k[2]]), (v[k[3]], v[k[4]], v[k[5]])
    swing_a = plus(apply(at.aa, one), plus(apply_transposed(at.ba, two), times(0.5, cross(one, at.by_a))))
    swing_b = plus(apply(at.ba, one), plus(apply(at.bb, two), times(0.5, cross(two, at.by_b))))
    x = at.by_a[0], at.by_a[1], at.by_a[2], at.by_b[0], at.by_b[1], at.by_b[2]
    z = swing_a[0], swing_a[1], swing_a[2], swing_b[0], swing_b[1], swing_b[2]
    n = 0
    for i in range(6):
        for j in range(i + 1):
            lower, upper = late * x[i] * z[j], late * x[j] * z[i]
            both = stiff * x[i] * x[j] + 0.5 * (lower + upper)
            add_both(s, w, slots[e, n], k[i], k[j], i == j, both, 0.5 * (lower - upper))
            n += 1
