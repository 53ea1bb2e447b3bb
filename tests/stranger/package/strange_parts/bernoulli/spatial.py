"""The element in space: the energy of the plane, with bending in two planes and torsion. What the ends feel of a
function W(s, psi) of how they stand to each other is pliant's (elements/_spatial_pair.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.extend import beams, kernel, lanes, spatial_beams, triples
from pliant.extend import spatial_pair as pairs
from pliant.extend import spatial_two_node as two_node
from strange_parts.bernoulli.planar import meshes, stations

__all__ = ["meshes", "stations"]

dot, minus, plus, times, vector = triples.dot, triples.minus, triples.plus, triples.times, triples.vector

NONE = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


class Arrays(NamedTuple):
    """One row per element."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray  # (n, 78)
    frames: np.ndarray  # (n, 2) places of the quaternions
    stiffness: np.ndarray  # (n, 6) by s, psi
    rest: np.ndarray  # (n, 6) s, psi without stress
    mass: np.ndarray  # (n, 3) of the nodes, and shared by both
    rotary: np.ndarray  # (n, 9) of the nodes, and shared by both
    alpha: np.ndarray
    beta: np.ndarray


def pack(layout):
    """Beams of these elements as arrays."""
    rows = spatial_beams.rows(meshes(layout))
    L = rows.length[:, None]
    mass, rotary = spatial_beams.two_node_inertia(rows)
    EA, _, _, GJ, EIy, EIz = np.diagonal(rows.stiffness, axis1=1, axis2=2).T
    across = 12.0 / rows.length**2
    return Arrays(
        dofs=layout.dofs(rows.nodes, 2),
        slots=beams.empty_slots(len(L)),
        frames=layout.frames(rows.nodes, 2),
        stiffness=np.stack((EA, across * EIz, across * EIy, GJ, EIy, EIz), axis=1) / L,
        rest=np.column_stack(spatial_beams.seen_ends(rows)),
        mass=mass,
        rotary=rotary,
        alpha=rows.alpha,
        beta=rows.beta,
    )


def gyroscopic(part):
    """Spinning sections have a tangent that is unsymmetric in motion."""
    return bool(np.any(part.rotary))


@kernel
def scaled(k, first, x):
    """Stiffnesses, from one on, times x."""
    return k[first] * x[0], k[first + 1] * x[1], k[first + 2] * x[2]


@kernel
def diagonal(f, k, first):
    """A matrix of f times stiffnesses."""
    return f * k[first], 0.0, 0.0, 0.0, f * k[first + 1], 0.0, 0.0, 0.0, f * k[first + 2]


@kernel
def stretched(part, e, at):
    """s and psi less those without stress."""
    return minus(at.s, vector(part.rest[e], 0)), minus(at.psi, vector(part.rest[e], 3))


@kernel
def forces(part, e, at, v):
    """Derivatives of W by s and psi, damping included."""
    s, psi = stretched(part, e, at)
    moved, turned = pairs.rates(v, part.dofs, e, at)
    k, beta = part.stiffness[e], part.beta[e]
    return scaled(k, 0, plus(s, times(beta, moved))), scaled(k, 3, plus(psi, times(beta, turned)))


@kernel
def add(part, now, into):
    """r += M a + C v + f(q), s += ck K + cc C + cm M, skew halves to w; four elements abreast"""
    rows, ck, cc = two_node.room(), into.ck, into.cc
    for first in range(0, part.alpha.size, lanes.LANES):
        two_node.relate(part, first, now.q, rows)
        for lane in range(lanes.LANES):
            e, at = two_node.nearest(part, first, lane), two_node.pair_from(rows, lane)
            two_node.keep_pair(rows, lane, at)
            two_node.put_forces(part, e, at, forces(part, e, at, now.v), now, (rows, lane))
        two_node.add_forces(part, first, rows, into.r)
        for lane in range(lanes.LANES):
            e, at = two_node.nearest(part, first, lane), two_node.kept_pair(rows, lane)
            k, m, (N, M) = part.stiffness[e], ck + cc * part.beta[e], forces(part, e, at, now.v)
            W = pairs.Derivatives(times(ck, N), times(ck, M), diagonal(m, k, 0), NONE, diagonal(m, k, 3))
            two_node.put_tangent(part, e, pairs.hessian(at, W), now, into, (rows, lane))
        two_node.add_tangents(part, first, rows, into.s, into.w)


@kernel
def energy(part, q, v):
    """Kinetic and elastic energy."""
    kinetic, potential = 0.0, 0.0
    for e in range(part.dofs.shape[0]):
        s, psi = stretched(part, e, pairs.sections(q, part.dofs, part.frames, e))
        k = part.stiffness[e]
        potential += 0.5 * (dot(s, scaled(k, 0, s)) + dot(psi, scaled(k, 3, psi)))
        kinetic += 0.5 * pairs.inertia_form(part, e, v)
    return kinetic, potential


@kernel
def power(part, q, v):
    """Supplied (none) and dissipated power."""
    lost = 0.0
    for e in range(part.dofs.shape[0]):
        moved, turned = pairs.rates(v, part.dofs, e, pairs.sections(q, part.dofs, part.frames, e))
        k = part.stiffness[e]
        lost += part.beta[e] * (dot(moved, scaled(k, 0, moved)) + dot(turned, scaled(k, 3, turned)))
        lost += part.alpha[e] * pairs.inertia_form(part, e, v)
    return 0.0, lost


@kernel
def resultants(part, q, v, out):
    """N, Vy, Vz in the mean section's frame, T, My, Mz in the frames of the ends."""
    for e in range(part.dofs.shape[0]):
        at = pairs.sections(q, part.dofs, part.frames, e)
        N, M = forces(part, e, at, v)
        first, second = pairs.moments(at, N, M)
        for k in range(2):
            out[2 * e + k, 0], out[2 * e + k, 1], out[2 * e + k, 2] = N
        out[2 * e, 3], out[2 * e, 4], out[2 * e, 5] = times(-1.0, first)
        out[2 * e + 1, 3], out[2 * e + 1, 4], out[2 * e + 1, 5] = second
