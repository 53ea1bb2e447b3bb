"""Mass m and inertia at a point d of a node in space (d = 0 at a body's centre of mass); spins w in the node's frame.

With ``J = J_point - m skew(d)^2`` about the node and ``c = w' x d + w x (w x d)``,

    force  m (x'' + R c),   moment  m d x R^T x'' + J w' + w x J w
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.kernels.blocks import add_cross_halves, add_diagonal_block, add_spin, add_transposed, add_vector, spin_form
from pliant.kernels.dyads import product_skew, skew, skew_product, symmetric
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import added, apply, apply_transposed, get, product, turned
from pliant.kernels.triples import cross, dot, plus, times, vector
from pliant.model import rotations

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout


class Arrays(NamedTuple):
    """One entry a lumped inertia."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray  # (n, 21)
    frames: np.ndarray  # (n, 1)
    arm: np.ndarray  # (n, 3)
    mass: np.ndarray
    inertia: np.ndarray  # (n, 9) about the node, in its frame


def pack(layout: SpatialLayout) -> Arrays:
    """Bodies at their nodes, point masses at their markers."""
    nodes = [layout.body_node(body) for body in layout.rigid_bodies]
    nodes += [layout.node(lump.marker) for lump in layout.model.point_masses]
    rows = [np.array([0.0, 0.0, 0.0, body.mass, *body.inertia_matrix.ravel()]) for body in layout.rigid_bodies]
    for lump in layout.model.point_masses:
        arm, R = layout.arm(lump.marker), rotations.matrix(layout.turn(lump.marker))
        inertia = R @ lump.inertia_matrix @ R.T + lump.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        rows.append(np.array([*arm, lump.mass, *inertia.ravel()]))
    table = np.array(rows).reshape(-1, 13)
    return Arrays(
        dofs=layout.dofs(nodes),
        slots=np.empty((len(rows), 0), np.uint32),
        frames=layout.frames(nodes),
        arm=np.ascontiguousarray(table[:, :3]),
        mass=np.ascontiguousarray(table[:, 3]),
        inertia=np.ascontiguousarray(table[:, 4:]),
    )


def gyroscopic(part: Arrays) -> bool:
    """Spinning bodies have a tangent that is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.inertia))


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Inertia forces and their derivatives; the skew half goes to w."""
    q, v, a = now.q, now.v, now.a
    ck, cc, cm, r, s, w = into
    dofs, slots = part.dofs, part.slots
    for e in range(part.mass.size):
        m, d, first = part.mass[e], vector(part.arm[e], 0), dofs[e, 0]
        pushed = times(m, vector(a, first))
        add_vector(r, dofs, e, 0, 1.0, pushed)
        add_diagonal_block(s, slots, e, 0, cm * m, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
        add_spin(part, e, 3, get(part.inertia, e, 0), 0.0, now, into)
        if dot(d, d) == 0.0:
            continue
        R, spin = turned(q, part.frames[e, 0]), vector(v, first + 3)
        swirl, seen = cross(spin, d), apply_transposed(R, pushed)
        c = plus(cross(vector(a, first + 3), d), cross(spin, swirl))
        add_vector(r, dofs, e, 0, m, apply(R, c))
        add_vector(r, dofs, e, 3, 1.0, cross(d, seen))
        add_transposed(s, slots, e, 3, 0, -cm * m, product_skew(R, d))
        add_diagonal_block(s, slots, e, 3, ck, symmetric(seen, d, -dot(seen, d)))
        by_spin = added(skew(times(cc, swirl)), skew_product(times(cc, spin), skew(d)))
        add_cross_halves(s, w, slots, e, -m, product(R, added(by_spin, skew(times(ck, c)))))


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic energy; rigid inertia stores no potential energy (gravity is a force)."""
    kinetic = 0.0
    for e in range(part.mass.size):
        first = part.dofs[e, 0]
        speed = vector(v, first)
        swirl = apply(turned(q, part.frames[e, 0]), cross(vector(v, first + 3), vector(part.arm[e], 0)))
        kinetic += part.mass[e] * (0.5 * dot(speed, speed) + dot(speed, swirl))
        kinetic += 0.5 * spin_form(part.dofs, e, 3, get(part.inertia, e, 0), v)
    return kinetic, 0.0
