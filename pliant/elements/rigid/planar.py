"""Mass m and rotary inertia J at a point ``p = R(theta) d`` of a planar node (d = 0 at a body's centre of mass).

``r += m (x'' + p' theta'' - p theta'^2)``, moment ``J theta'' + p x force``; for d = 0 the mass matrix is diagonal
and constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.marker import arm
from pliant.kernels.sums import Instant, Into

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout


class Arrays(NamedTuple):
    """Arrays of lumped inertias, one entry each."""

    dofs: np.ndarray
    slots: np.ndarray
    offset: np.ndarray  # (n, 2)
    mass: np.ndarray
    inertia: np.ndarray


def pack(layout: Layout) -> Arrays:
    """Pack bodies at their nodes, and point masses at their markers."""
    rows: list[tuple[int, float, float, float, float]] = []
    for body in layout.rigid_bodies:
        rows.append((layout.body_node(body), 0.0, 0.0, body.mass, body.inertia))
    for lump in layout.model.point_masses:
        dx, dy, _ = layout.offset(lump.marker)
        rows.append((layout.node(lump.marker), dx, dy, lump.mass, lump.inertia))
    table: Any = np.array(rows, dtype=float).reshape(-1, 5)
    return Arrays(
        dofs=layout.dofs(table[:, 0]),
        slots=np.empty((len(rows), 0), np.uint32),
        offset=np.ascontiguousarray(table[:, 1:3]),
        mass=np.ascontiguousarray(table[:, 3]),
        inertia=np.ascontiguousarray(table[:, 4]),
    )


def gyroscopic(part: Arrays) -> bool:
    """Return whether there are off-centre masses: their tangent is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.offset))


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add inertia forces and their derivatives; the skew half goes to w."""
    q, v, a = now.q, now.v, now.a
    ck, cc, cm, r, s, w = into
    for e in range(part.mass.size):
        i, j, k = part.dofs[e, 0], part.dofs[e, 1], part.dofs[e, 2]
        slot = part.slots[e]
        m = part.mass[e]
        s[slot[0]] += cm * m
        s[slot[2]] += cm * m
        s[slot[5]] += cm * part.inertia[e]
        px, py = arm(q[k], part.offset[e, 0], part.offset[e, 1])
        if px == 0.0 and py == 0.0:
            r[i] += m * a[i]
            r[j] += m * a[j]
            r[k] += part.inertia[e] * a[k]
            continue
        alpha, omega = a[k], v[k]
        fx = m * (a[i] - py * alpha - px * omega * omega)
        fy = m * (a[j] + px * alpha - py * omega * omega)
        r[i] += fx
        r[j] += fy
        r[k] += part.inertia[e] * alpha + px * fy - py * fx
        s[slot[3]] -= cm * m * py
        s[slot[4]] += cm * m * px
        fx_theta = ck * m * (-px * alpha + py * omega * omega) - cc * 2.0 * m * px * omega
        fy_theta = ck * m * (-py * alpha - px * omega * omega) - cc * 2.0 * m * py * omega
        s[slot[5]] += cm * m * (px * px + py * py) - ck * m * (px * a[i] + py * a[j])
        s[slot[3]] += 0.5 * fx_theta
        w[slot[3]] -= 0.5 * fx_theta
        s[slot[4]] += 0.5 * fy_theta
        w[slot[4]] -= 0.5 * fy_theta


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the kinetic energy; rigid inertia stores no potential energy (gravity is a force)."""
    kinetic = 0.0
    for e in range(part.mass.size):
        k = part.dofs[e, 2]
        px, py = arm(q[k], part.offset[e, 0], part.offset[e, 1])
        vx = v[part.dofs[e, 0]] - py * v[k]
        vy = v[part.dofs[e, 1]] + px * v[k]
        kinetic += 0.5 * (part.mass[e] * (vx * vx + vy * vy) + part.inertia[e] * v[k] * v[k])
    return kinetic, 0.0
