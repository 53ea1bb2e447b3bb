"""Mass m with its first moments S and inertia J about a node in space (S = 0 at a body's centre of mass); spins w in
the node's frame. At a point d of the node ``S = m d``, ``J = J_point - m skew(d)^2``.
With ``c = w' x S + w x (w x S)``,

    force  m x'' + R c,   moment  S x R^T x'' + J w' + w x J w

If sections of a beam have their mass off its axis, every node has the S and the products of inertia that its elements
lack, ``int N_i rho A c ds`` and so on.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.elements import _sections
from pliant.errors import ModelError, PliantWarning, warn
from pliant.jit import kernel
from pliant.kernels.blocks import add_cross_halves, add_diagonal_block, add_spin, add_transposed, add_vector, spin_form
from pliant.kernels.dyads import product_skew, skew, skew_product, symmetric
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import added, apply, apply_transposed, get, product, turned
from pliant.kernels.triples import cross, dot, plus, times, vector
from pliant.model import rotations

if TYPE_CHECKING:
    from pliant.system.numbering.spatial_layout import SpatialLayout


INERT = 0.01  # of a beam's inertia: largest increase by lumping without an error


class Arrays(NamedTuple):
    """Arrays of lumped inertias, one entry each."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray  # (n, 21)
    frames: np.ndarray  # (n, 1)
    mass: np.ndarray
    moment: np.ndarray  # (n, 3) S, in the node's frame
    inertia: np.ndarray  # (n, 9) about the node, in its frame


def pack(layout: SpatialLayout) -> Arrays:
    """Pack bodies at their nodes, point masses at their markers, and eccentric masses of beams."""
    nodes = [layout.body_node(body) for body in layout.rigid_bodies]
    nodes += [layout.node(lump.marker) for lump in layout.model.point_masses]
    rows = [np.array([body.mass, 0.0, 0.0, 0.0, *body.inertia_matrix.ravel()]) for body in layout.rigid_bodies]
    for lump in layout.model.point_masses:
        arm, R = layout.arm(lump.marker), rotations.matrix(layout.turn(lump.marker))
        inertia = R @ lump.inertia_matrix @ R.T + lump.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        rows.append(np.array([lump.mass, *(lump.mass * arm), *inertia.ravel()]))
    for mesh in layout.beams:
        if _sections.eccentric(mesh, mesh.options.order):
            nodes += mesh.nodes.tolist()
            rows += list(_eccentric(mesh))
    table = np.array(rows).reshape(-1, 13)
    return Arrays(
        dofs=layout.dofs(nodes),
        slots=np.empty((len(rows), 0), np.uint32),
        frames=layout.frames(nodes),
        mass=np.ascontiguousarray(table[:, 0]),
        moment=np.ascontiguousarray(table[:, 1:4]),
        inertia=np.ascontiguousarray(table[:, 4:]),
    )


def _eccentric(mesh: Any) -> np.ndarray:
    """Return (nodes, 13) the part of the mass of sections that a beam's elements lack."""
    if mesh.alpha:
        raise ModelError(
            f"{mesh.beam.owner}: its mass is off its axis, and damping in proportion to mass (alpha) is not known for "
            "that. Take damping in proportion to stiffness: Rayleigh(stiffness=...)."
        )
    if np.any(_sections.carried(mesh, mesh.options.order, attrgetter("mass_per_length")) < 0.0):
        raise ModelError(
            f"{mesh.beam.owner}: its mass is off its axis and changes so much along an element that it cannot be "
            "lumped at the nodes. Take more elements."
        )
    number = len(mesh.connectivity)
    excess = 2.0 / number**2  # of rho A L^3/12, by the trapezoidal rule
    if mesh.options.order == 1 and excess > INERT:
        warn(
            PliantWarning,
            f"{mesh.beam.owner}: its mass is off its axis and lumped at its nodes. With {number} elements of two nodes "
            f"it resists turning by {100.0 * excess:.2g} % too much (about its centre). Take "
            "elements=pl.Exact(n, order=2), which do not, or more of them.",
        )
    found = np.zeros((mesh.nodes.size, 13))
    found[:, 1:4] = mesh.carried_moment
    for i, j in ((1, 0), (2, 0), (2, 1)):
        product = mesh.carried(lambda section, i=i, j=j: section.rotary_about_axis[i, j])
        found[:, 4 + 3 * i + j] = found[:, 4 + 3 * j + i] = product
    return found


def gyroscopic(part: Arrays) -> bool:
    """Return whether there are spinning bodies: their tangent is unsymmetric in motion, symmetric at rest."""
    return bool(np.any(part.inertia))


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add inertia forces and their derivatives; the skew half goes to w."""
    q, v, a = now.q, now.v, now.a
    ck, cc, cm, r, s, w = into
    dofs, slots = part.dofs, part.slots
    for e in range(part.mass.size):
        m, S, first = part.mass[e], vector(part.moment[e], 0), dofs[e, 0]
        add_vector(r, dofs, e, 0, m, vector(a, first))
        add_diagonal_block(s, slots, e, 0, cm * m, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
        add_spin(part, e, 3, get(part.inertia, e, 0), 0.0, now, into)
        if S[0] == 0.0 and S[1] == 0.0 and S[2] == 0.0:
            continue
        R, spin = turned(q, part.frames[e, 0]), vector(v, first + 3)
        swirl, seen = cross(spin, S), apply_transposed(R, vector(a, first))
        c = plus(cross(vector(a, first + 3), S), cross(spin, swirl))
        add_vector(r, dofs, e, 0, 1.0, apply(R, c))
        add_vector(r, dofs, e, 3, 1.0, cross(S, seen))
        add_transposed(s, slots, e, 3, 0, -cm, product_skew(R, S))
        add_diagonal_block(s, slots, e, 3, ck, symmetric(seen, S, -dot(seen, S)))
        by_spin = added(skew(times(cc, swirl)), skew_product(times(cc, spin), skew(S)))
        add_cross_halves(s, w, slots, e, -1.0, product(R, added(by_spin, skew(times(ck, c)))))


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return the kinetic energy; rigid inertia stores no potential energy (gravity is a force)."""
    kinetic = 0.0
    for e in range(part.mass.size):
        first = part.dofs[e, 0]
        speed = vector(v, first)
        swirl = apply(turned(q, part.frames[e, 0]), cross(vector(v, first + 3), vector(part.moment[e], 0)))
        kinetic += 0.5 * part.mass[e] * dot(speed, speed) + dot(speed, swirl)
        kinetic += 0.5 * spin_form(part.dofs, e, 3, get(part.inertia, e, 0), v)
    return kinetic, 0.0
