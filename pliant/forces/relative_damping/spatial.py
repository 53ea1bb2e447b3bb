"""Bodies in space, damped relative to their best rigid motion: ``rate M (v - T W)``, see kernels/rigid_motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.forces.relative_damping import RelativeDamping
from pliant.jit import kernel
from pliant.kernels.blocks import add_halves
from pliant.kernels.dyads import skew
from pliant.kernels.rigid_motion import spatial as rigid
from pliant.kernels.rigid_motion.masses import Masses, Table
from pliant.kernels.rigid_motion.spatial import Groups as Arrays
from pliant.kernels.rigid_motion.spatial import coupling
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import added, apply, get, scaled
from pliant.kernels.triples import dot, times, vector
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "coupling", "pack", "power"]


@packs_only(RelativeDamping)
def pack(layout: SpatialLayout) -> Arrays:
    """Pack the groups of bodies of the model."""
    groups = []
    for damping in layout.forces(RelativeDamping):
        points = Table.of_blocks(np.array([body.mass for body in damping.bodies], float)[:, None, None])
        sections = Table.of_blocks(np.array([body.inertia_matrix for body in damping.bodies], float))
        nodes = [layout.body_node(body) for body in damping.bodies]
        groups.append((nodes, Masses(points, sections, plain=True), damping.rate))
    return rigid.arrays(layout, groups)


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add rate (M v - B W) to r, and the blocks of single bodies of its derivative to s."""
    v, (ck, cc, cm, r, s, w) = now.v, into
    rigid.add(part, now.q, v, cc, cm, r, s)
    for b in range(part.alpha.size):
        for i in range(part.first[b], part.first[b + 1]):
            k, mass, J = part.dofs[i, 0], part.alpha[b] * part.share[i], scaled(part.alpha[b], get(part.rotary, i, 0))
            moment = apply(J, vector(v, k + 3))
            for j in range(3):
                r[k + j] += mass * v[k + j]
                r[k + 3 + j] += moment[j]
                s[part.slots[i, j * (j + 3) // 2]] += cc * mass
            add_halves(s, w, part.slots, i, 3, 1.0, added(scaled(cc, J), skew(times(-0.5 * ck, moment))))


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the power lost."""
    lost = rigid.power(part, q, v)[1]
    for b in range(part.alpha.size):
        for i in range(part.first[b], part.first[b + 1]):
            speed, turn = vector(v, part.dofs[i, 0]), vector(v, part.dofs[i, 0] + 3)
            lost += part.alpha[b] * (part.share[i] * dot(speed, speed) + dot(turn, apply(get(part.rotary, i, 0), turn)))
    return 0.0, lost
