"""Measures of a law in space: see kernels/measures/spatial.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant._jit import linked_kernel
from pliant.forces._law.spread import Arrays, Measured, take_in
from pliant.kernels.measures import ANGLE, DISTANCE, PLACE
from pliant.kernels.measures import spatial as measures
from pliant.kernels.so3 import quaternion, rotate
from pliant.kernels.tensors import cross, minus, plus, vector
from pliant.model import rotations

if TYPE_CHECKING:
    from pliant.model import Marker
    from pliant.system.spatial_layout import SpatialLayout

WORDS = ("x", "y", "z", "distance", "angle")
SAME = np.arange(78, dtype=np.uint32).reshape(1, -1)


def frames(layout: SpatialLayout, nodes: list[tuple[int, int]]) -> np.ndarray:
    """Places of the quaternions."""
    return layout.frames(nodes, 2)


def direction(layout: SpatialLayout, word: str, a: Marker | None, b: Marker) -> tuple[float, ...]:
    """Axis of a, in its node's axes; of an angle about z the axes x and y of a and x of b."""
    axes = np.eye(3) if a is None else rotations.matrix(layout.turn(a))
    if word == "distance":
        return ()
    if word == "angle":
        return (*axes[:, 0], *axes[:, 1], *rotations.matrix(layout.turn(b))[:, 0])
    return tuple(axes[:, "xyz".index(word)])


@linked_kernel
def evaluate(part: Arrays, e: int, q: np.ndarray, v: np.ndarray, at: Measured) -> None:
    """All measures of part e."""
    dofs = part.dofs
    pa, pb = quaternion(q, part.frames[e, 0]), quaternion(q, part.frames[e, 1])
    da, db = vector(part.arms[e], 0), vector(part.arms[e], 3)
    D = plus(minus(vector(q, dofs[e, 6]), vector(q, dofs[e, 0])), minus(rotate(pb, db), rotate(pa, da)))
    at.gradient[:] = 0.0
    at.hessian[:] = 0.0
    for k in range(part.kinds.size):
        gradient, hessian, along, kind = at.gradient[k], at.hessian[k], part.directions[e, k], part.kinds[k]
        n = along[0], along[1], along[2]
        if kind == DISTANCE:
            slope = measures.distance(pa, pb, da, db, D)
            measures.add_turns(hessian, SAME, 0, 1.0, measures.distance_turns(pa, pb, da, db, D))
            measures.add_shifts(hessian, SAME, 0, 1.0, measures.distance_shifts(pa, pb, da, db, D))
        elif kind == ANGLE:
            p = measures.seen(pa, pb)
            f = measures.about(p, along)
            slope = measures.of_cosines(p, along, f)
            measures.add_turns(hessian, SAME, 0, 1.0, measures.of_cosines_turns(p, along, f))
        elif kind == PLACE:
            slope = measures.place(pa, pb, da, db, n, D)
            measures.add_turns(hessian, SAME, 0, 1.0, measures.place_turns(pa, pb, da, db, n))
        else:
            slope = measures.turning_place(pa, pb, da, db, n, D)
            measures.add_turns(hessian, SAME, 0, 1.0, measures.turning_place_turns(pa, pb, da, db, n, D))
            measures.add_shifts(hessian, SAME, 0, 1.0, measures.turning_place_shifts(pa, n))
        at.x[k] = slope.value
        measures.add_gradient(gradient, SAME, 0, 1.0, slope, kind != ANGLE)
    take_in(part, e, v, at)
    for k in range(part.kinds.size):  # spins are measured in axes that turn
        for first in (3, 9):
            spin = v[dofs[e, first]], v[dofs[e, first + 1]], v[dofs[e, first + 2]]
            turned = cross(spin, vector(at.gradient[k], first))
            for i in range(3):
                at.swing[k, first + i] += 0.5 * turned[i]
