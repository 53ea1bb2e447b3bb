"""Measures of a law in space: see kernels/measures/spatial.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.forces._law.spread import Arrays, Measured, take_in
from pliant.forces._turns import about, frames_of, within
from pliant.jit import linked_kernel
from pliant.kernels.measures import ANGLE, DISTANCE, PLACE, TURNED
from pliant.kernels.measures import spatial as measures
from pliant.kernels.so3 import quaternion, rotate
from pliant.kernels.triples import cross, minus, plus, vector
from pliant.model import rotations

if TYPE_CHECKING:
    from pliant.forces._law import PointLaw
    from pliant.system.numbering.spatial_layout import SpatialLayout

SAME = np.arange(78, dtype=np.uint32).reshape(1, -1)


def frames(layout: SpatialLayout, nodes: list[tuple[int, int]]) -> np.ndarray:
    """Return the places of the quaternions."""
    return layout.frames(nodes, 2)


def direction(layout: SpatialLayout, word: str, part: PointLaw) -> tuple[float, ...]:
    """Return the axis of a in its node's axes; for rotations, their reference pose."""
    a, b = part.ends
    if word == "distance":
        return ()
    if word == "angle":
        return about(layout, part, a, b, getattr(part, part.angle_around) if part.angle_around else 0.0)
    if word in ("rx", "ry", "rz"):
        return about(layout, part, a, b, axis="xyz".index(word[1]))
    return tuple(rotations.matrix(frames_of(layout, part, a, b)[0])[:, "xyz".index(word)])


@linked_kernel
def evaluate(part: Arrays, e: int, q: np.ndarray, v: np.ndarray, at: Measured) -> None:
    """Compute all measures of part e."""
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
        elif kind >= ANGLE:
            kept = quaternion(along, 3)
            p = measures.departure(measures.seen(pa, pb), kept)
            f = measures.turned(p, n) if kind == TURNED else measures.twist(p, n)
            level = measures.level(p, n, f) if kind == TURNED else 0.0
            slope = measures.of_quaternion(p, kept, n, f)
            measures.add_turns(hessian, SAME, 0, 1.0, measures.of_quaternion_turns(p, kept, n, f, level))
        elif kind == PLACE:
            slope = measures.place(pa, pb, da, db, n, D)
            measures.add_turns(hessian, SAME, 0, 1.0, measures.place_turns(pa, pb, da, db, n))
        else:
            slope = measures.turning_place(pa, pb, da, db, n, D)
            measures.add_turns(hessian, SAME, 0, 1.0, measures.turning_place_turns(pa, pb, da, db, n, D))
            measures.add_shifts(hessian, SAME, 0, 1.0, measures.turning_place_shifts(pa, n))
        at.x[k] = within(slope.value, along[7]) if kind == ANGLE else slope.value
        measures.add_gradient(gradient, SAME, 0, 1.0, slope, kind < ANGLE)
    take_in(part, e, v, at)
    for k in range(part.kinds.size):  # spins are measured in axes that turn
        for first in (3, 9):
            spin = v[dofs[e, first]], v[dofs[e, first + 1]], v[dofs[e, first + 2]]
            turned = cross(spin, vector(at.gradient[k], first))
            for i in range(3):
                at.swing[k, first + i] += 0.5 * turned[i]
