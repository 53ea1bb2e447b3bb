"""Measures of a law in the plane: see kernels/measures/planar.py."""

from __future__ import annotations

from math import cos, sin
from typing import TYPE_CHECKING

import numpy as np

from pliant.forces._law.spread import Arrays, Measured, take_in
from pliant.forces._turns import about
from pliant.jit import linked_kernel
from pliant.kernels.marker import arm
from pliant.kernels.measures import ANGLE, DISTANCE, PLACE
from pliant.kernels.measures import planar as measures

if TYPE_CHECKING:
    from pliant.forces._law import PointLaw
    from pliant.system.numbering.planar_layout import Layout

SAME = np.arange(21, dtype=np.uint32).reshape(1, -1)  # places of a term's own gradient and Hessian


def frames(layout: Layout, nodes: list[tuple[int, int]]) -> np.ndarray:
    """Return zeros: there are no quaternions in the plane."""
    return np.zeros((len(nodes), 2), np.uint32)


def direction(layout: Layout, word: str, part: PointLaw) -> tuple[float, ...]:
    """Return the axis of a in its node's axes; for an angle, its reference."""
    a, b = part.ends
    if word in ("angle", "rz"):
        return about(layout, part, a, b)
    angle = 0.0 if a is None else layout.turn(a)
    return {"x": (cos(angle), sin(angle)), "y": (-sin(angle), cos(angle)), "distance": ()}[word]


@linked_kernel
def evaluate(part: Arrays, e: int, q: np.ndarray, v: np.ndarray, at: Measured) -> None:
    """Compute all measures of part e."""
    dofs, arms = part.dofs, part.arms
    theta_a, theta_b = q[dofs[e, 2]], q[dofs[e, 5]]
    pa, pb = arm(theta_a, arms[e, 0], arms[e, 1]), arm(theta_b, arms[e, 2], arms[e, 3])
    D = q[dofs[e, 3]] + pb[0] - q[dofs[e, 0]] - pa[0], q[dofs[e, 4]] + pb[1] - q[dofs[e, 1]] - pa[1]
    at.gradient[:] = 0.0
    at.hessian[:] = 0.0
    for k in range(part.kinds.size):
        along, kind = part.directions[e, k], part.kinds[k]
        if kind == DISTANCE:
            m = measures.distance(D, pa, pb)
        elif kind == ANGLE:
            m = measures.angle(theta_a, theta_b + along[0])
        elif kind == PLACE:
            m = measures.place(D, pa, pb, (along[0], along[1]))
        else:
            m = measures.turning_place(D, pa, pb, arm(theta_a, along[0], along[1]))
        at.x[k] = m.value
        measures.add_gradient(at.gradient[k], SAME, 0, 1.0, m)
        measures.add_hessian(at.hessian[k], SAME, 0, 1.0, 0.0, m)
    take_in(part, e, v, at)
