"""The element in the plane. With the angles' mean m, ``s = R(m)^T (x2 - x1)`` and ``psi = theta2 - theta1``, its energy
is ``W = (EA (s_x - s0_x)^2 + 12 EI/L^2 (s_y - s0_y)^2 + EI (psi - psi0)^2) / 2 L``: s0, psi0 without stress.
"""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from pliant.extend import beams, kernel, scatter
from strange_parts.bernoulli import Bernoulli


class Arrays(NamedTuple):
    """One row per element."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray  # (n, 21)
    stiffness: np.ndarray  # (n, 3) by s_x, s_y, psi
    rest: np.ndarray  # (n, 3) s_x, s_y, psi without stress
    inertia: np.ndarray  # (n, 6) see pliant/kernels/scatter.py
    alpha: np.ndarray  # Rayleigh's damping, of mass
    beta: np.ndarray  # and of stiffness


class Ends(NamedTuple):
    """Cosine and sine of the mean section; s, psi."""

    c: float
    s: float
    x: float
    y: float
    psi: float


def meshes(layout):
    """Beams of these elements."""
    return [mesh for mesh in layout.beams if isinstance(mesh.options, Bernoulli)]


def pack(layout):
    """Beams of these elements as arrays."""
    mine = meshes(layout)
    rows = beams.rows(mine)
    EA, _, EI = rows.stiffness.T
    mean, way = rows.pose[:, :, 2].mean(axis=1), np.diff(rows.pose, axis=1)[:, 0]
    c, s = np.cos(mean), np.sin(mean)
    rest = np.stack((c * way[:, 0] + s * way[:, 1], c * way[:, 1] - s * way[:, 0], way[:, 2]), axis=1)
    return Arrays(
        dofs=rows.dofs,
        slots=beams.empty_slots(len(rows.length)),
        stiffness=np.stack((EA, 12.0 * EI / rows.length**2, EI), axis=1) / rows.length[:, None],
        rest=rest,
        inertia=beams.two_node_inertia(rows),
        alpha=rows.alpha,
        beta=rows.beta,
    )


@kernel
def ends(part, e, q):
    """Return the relative pose of the ends of element e."""
    d = part.dofs
    dx, dy, mean = q[d[e, 3]] - q[d[e, 0]], q[d[e, 4]] - q[d[e, 1]], 0.5 * (q[d[e, 2]] + q[d[e, 5]])
    c, s = cos(mean), sin(mean)
    return Ends(c, s, c * dx + s * dy, c * dy - s * dx, q[d[e, 5]] - q[d[e, 2]])


@kernel
def rates(part, e, v, at):
    """Rates of s_x, s_y, psi."""
    d = part.dofs
    dx, dy, spin = v[d[e, 3]] - v[d[e, 0]], v[d[e, 4]] - v[d[e, 1]], 0.5 * (v[d[e, 2]] + v[d[e, 5]])
    return at.c * dx + at.s * dy + at.y * spin, at.c * dy - at.s * dx - at.x * spin, v[d[e, 5]] - v[d[e, 2]]


@kernel
def add(part, now, into):
    """r += M a + C v + f(q), s += ck K + cc C + cm M"""
    ck, cc, r, s = into.ck, into.cc, into.r, into.s
    for e in range(part.dofs.shape[0]):
        at, k, rest, alpha, beta = ends(part, e, now.q), part.stiffness[e], part.rest[e], part.alpha[e], part.beta[e]
        dx, dy, turn = rates(part, e, now.v, at)
        N = k[0] * (at.x - rest[0] + beta * dx)
        V = k[1] * (at.y - rest[1] + beta * dy)
        M = k[2] * (at.psi - rest[2] + beta * turn)
        couple = N * at.y - V * at.x
        scatter.add_pair_force(
            r, part.dofs, e, at.c * N - at.s * V, at.s * N + at.c * V, 0.5 * couple - M, 0.5 * couple + M
        )
        scatter.add_pair_inertia(r, part.dofs, e, part.inertia, 1.0, now.a)
        scatter.add_pair_inertia(r, part.dofs, e, part.inertia, alpha, now.v)
        # derivatives by the way x2 - x1, by the mean angle, and by psi
        m = ck + cc * beta
        kx, ky = m * k[0], m * k[1]
        A = kx * at.c**2 + ky * at.s**2, (kx - ky) * at.c * at.s, kx * at.s**2 + ky * at.c**2
        along, across = kx * at.y - ck * V, ck * N - ky * at.x
        b = 0.5 * (at.c * along - at.s * across), 0.5 * (at.s * along + at.c * across)
        turned = 0.25 * (kx * at.y**2 + ky * at.x**2 - ck * (N * at.x + V * at.y))
        bent, massive, inertia = m * k[2], into.cm + cc * alpha, part.inertia[e]
        mass = massive * inertia[0], massive * inertia[1], massive * inertia[2]
        rotary = massive * inertia[3], massive * inertia[4], massive * inertia[5]
        scatter.add_pair_tangent(
            s, part.slots, e, A, (b, b), (turned + bent, turned - bent, turned + bent), mass, rotary
        )


@kernel
def energy(part, q, v):
    """Kinetic and elastic energy."""
    kinetic, potential = 0.0, 0.0
    for e in range(part.dofs.shape[0]):
        at, k, rest = ends(part, e, q), part.stiffness[e], part.rest[e]
        x, y, psi = at.x - rest[0], at.y - rest[1], at.psi - rest[2]
        potential += 0.5 * (k[0] * x * x + k[1] * y * y + k[2] * psi * psi)
        kinetic += 0.5 * scatter.pair_inertia_form(part.dofs, e, part.inertia, v)
    return kinetic, potential


@kernel
def power(part, q, v):
    """Supplied (none) and dissipated power."""
    lost = 0.0
    for e in range(part.dofs.shape[0]):
        x, y, psi = rates(part, e, v, ends(part, e, q))
        k = part.stiffness[e]
        lost += part.beta[e] * (k[0] * x * x + k[1] * y * y + k[2] * psi * psi)
        lost += part.alpha[e] * scatter.pair_inertia_form(part.dofs, e, part.inertia, v)
    return 0.0, lost


def stations(mesh):
    """Both ends of every element."""
    return beams.ends(mesh)


@kernel
def resultants(part, q, v, out):
    """N, V and M there."""
    for e in range(part.dofs.shape[0]):
        at, k, rest, beta = ends(part, e, q), part.stiffness[e], part.rest[e], part.beta[e]
        dx, dy, turn = rates(part, e, v, at)
        N, V = k[0] * (at.x - rest[0] + beta * dx), k[1] * (at.y - rest[1] + beta * dy)
        M, half = k[2] * (at.psi - rest[2] + beta * turn), 0.5 * (N * at.y - V * at.x)
        out[2 * e, 0], out[2 * e, 1], out[2 * e, 2] = N, V, M - half
        out[2 * e + 1, 0], out[2 * e + 1, 1], out[2 * e + 1, 2] = N, V, M + half
