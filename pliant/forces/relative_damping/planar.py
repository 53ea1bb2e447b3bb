"""Bodies in the plane, damped relative to their best rigid motion: ``rate M (v - T W)``, see kernels/rigid_motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.forces.relative_damping import RelativeDamping
from pliant.jit import kernel
from pliant.kernels.rigid_motion import planar as rigid
from pliant.kernels.rigid_motion.masses import Masses, Table
from pliant.kernels.rigid_motion.planar import Groups as Arrays
from pliant.kernels.rigid_motion.planar import coupling
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout

__all__ = ["Arrays", "add", "coupling", "pack", "power"]


@packs_only(RelativeDamping)
def pack(layout: Layout) -> Arrays:
    """Pack the groups of bodies of the model."""
    groups = []
    for damping in layout.forces(RelativeDamping):
        bodies = damping.bodies
        own = [np.array([getattr(body, key) for body in bodies], float) for key in ("mass", "inertia")]
        points, sections = (Table.of_blocks(each[:, None, None]) for each in own)
        nodes = [layout.body_node(body) for body in bodies]
        groups.append((layout.dofs(nodes), Masses(points, sections, plain=True), damping.rate))
    return rigid.arrays(groups)


@kernel
def add(part: Arrays, q: np.ndarray, v: np.ndarray, cc: float, cm: float, r: np.ndarray, s: np.ndarray) -> None:
    """Add rate (M v - B W) to r, and the diagonal of its derivative to s."""
    rigid.add(part, q, v, cc, cm, r, s)
    for b in range(part.alpha.size):
        for i in range(part.first[b], part.first[b + 1]):
            mass, inertia = part.alpha[b] * part.share[i], part.alpha[b] * part.rotary[i]
            r[part.dofs[i, 0]] += mass * v[part.dofs[i, 0]]
            r[part.dofs[i, 1]] += mass * v[part.dofs[i, 1]]
            r[part.dofs[i, 2]] += inertia * v[part.dofs[i, 2]]
            s[part.slots[i, 0]] += cc * mass
            s[part.slots[i, 2]] += cc * mass
            s[part.slots[i, 5]] += cc * inertia


@kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the power lost."""
    lost = rigid.power(part, q, v)[1]
    for b in range(part.alpha.size):
        for i in range(part.first[b], part.first[b + 1]):
            x, y, turn = v[part.dofs[i, 0]], v[part.dofs[i, 1]], v[part.dofs[i, 2]]
            lost += part.alpha[b] * (part.share[i] * (x * x + y * y) + part.rotary[i] * turn * turn)
    return 0.0, lost
