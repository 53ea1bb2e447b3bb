"""Geometrically exact beam in space of any order p: p + 1 equally spaced nodes, p Gauss points for the strains.

Sections are interpolated by their quaternions, ``P = sum n_i P_i``, not of unit length between the nodes (I. Romero,
Comp. Mech. 34, 2004; S.R. Eugster, J. Harsch, GAMM-Mitt. 46, 2023):

    Gamma = R(P)^T x' - rest,   kappa = 2 vec(conj(P) P')/|P|^2 - rest

A rigid rotation multiplies all quaternions from the left and changes nothing; the nodes alone determine the strains. p
points avoid locking and preserve the order 2p of the error at nodes. In the plane, where `planar_order` interpolates
the angle, the two agree to that order. Derivatives: kernels/beam_points. Beams of several orders share the arrays: rows
are padded to the highest, P.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pliant.elements import _sections, _spatial_beams
from pliant.elements._beams import empty_slots, once, rest_size
from pliant.elements._spatial_beams import SpatialLayout, SpatialMesh
from pliant.elements._spatial_two_node import block, stresses
from pliant.elements._sums import energy_of, power_of
from pliant.elements.beam_exact import planar_order
from pliant.jit import allocating_kernel, inlined_kernel, kernel
from pliant.kernels.beam_points.shapes import tables
from pliant.kernels.beam_points.spatial import Point, rates, seen, seen_turn, strains
from pliant.kernels.beam_points.spatial_element import (
    Element,
    add_point,
    add_pushes,
    begin,
    couples,
    element,
    move,
    pushes,
    rates_at,
    spread_force,
    spread_stiffness,
    strains_at,
)
from pliant.kernels.beam_points.spatial_sums import Tangent, add_resultants
from pliant.kernels.blocks import (
    add_shared_spin,
    add_spin,
    spin_form,
)
from pliant.kernels.sums import Instant, Into
from pliant.kernels.tensors import Matrix, scaled
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector
from pliant.model import rotations


class Arrays(NamedTuple):
    """Arrays of elements, one row each; shape, slope and weight are tables by order, slopes with respect to s/L."""

    dofs: np.ndarray  # (n, 6 (P + 1)); padded with the ground's
    slots: np.ndarray
    frames: np.ndarray  # (n, P + 1)
    order: np.ndarray  # (n) uint32
    length: np.ndarray
    stiffness: np.ndarray  # (n P, 6, 6) at the Gauss points
    rest: np.ndarray  # (n, P, 6) Gamma, kappa at the Gauss points of the unstressed element
    mass: np.ndarray  # (n, P + 1, P + 1)
    rotary: np.ndarray  # (n, P + 1, 3 (P + 1)) of nodes i and j from column 3 j on
    alpha: np.ndarray
    beta: np.ndarray
    shape: np.ndarray  # (P + 1, P, P + 1) by order, Gauss point, node
    slope: np.ndarray
    weight: np.ndarray  # (P + 1, P)
    damped: bool
    stress_start: int = 0


meshes = planar_order.meshes


def pack(layout: SpatialLayout) -> Arrays:
    """Pack beams whose options are Exact with order above 1."""
    return arrays(layout, meshes(layout))


def arrays(layout: SpatialLayout, mine: Sequence[SpatialMesh]) -> Arrays:
    """Pack meshes of any order, also 1."""
    P, shape, slope, weight = tables([mesh.options.order for mesh in mine])
    parts = [
        once(mesh, (P, layout.ground), partial(_one_beam, mesh, P, layout.ground, shape, slope)) for mesh in mine
    ] or [_no_beam(P)]
    columns = [np.ascontiguousarray(np.concatenate(column)) for column in zip(*parts, strict=True)]
    nodes, order, length, stiffness, rest, mass, rotary, alpha, beta = columns
    slots, damped = empty_slots(len(length)), bool(np.any(alpha) or np.any(beta))
    dofs, frames, stiffness = layout.dofs(nodes, P + 1), layout.frames(nodes, P + 1), stiffness.reshape(-1, 6, 6)
    return Arrays(
        dofs, slots, frames, order, length, stiffness, rest, mass, rotary, alpha, beta, shape, slope, weight, damped
    )


def _one_beam(mesh: SpatialMesh, P: int, ground: int, shape: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, ...]:
    p = mesh.options.order
    rows = _spatial_beams.rows([mesh], p)
    n = len(rows.length)
    nodes, rest = np.full((n, P + 1), ground), np.zeros((n, P, 6))
    nodes[:, : p + 1] = rows.nodes
    n_i, dn_i = shape[p, :p, : p + 1], slope[p, :p, : p + 1]
    quaternion, change, tangent = (
        np.einsum("gi,eik->egk", table, values) / length
        for table, values, length in (
            (n_i, rows.turn, 1.0),
            (dn_i, rows.turn, rows.length[:, None, None]),
            (dn_i, rows.place, rows.length[:, None, None]),
        )
    )
    size = np.linalg.norm(quaternion, axis=2, keepdims=True)
    back = rotations.conjugate(quaternion / size)
    rest[:, :p, :3] = rotations.rotate(back, tangent)
    rest[:, :p, 3:] = 2.0 * rotations.product(back, change / size)[:, :, 1:]
    stiffness = np.zeros((n, P, 6, 6))
    stiffness[:, :p] = _sections.stiffness([mesh], p, attrgetter("stiffness"))
    mass, rotary = np.zeros((n, P + 1, P + 1)), np.zeros((n, P + 1, 3 * P + 3))
    mass[:, : p + 1, : p + 1] = rows.mass
    rotary[:, : p + 1, : 3 * p + 3] = rows.rotary.reshape(n, p + 1, -1)
    order = np.full(n, p, np.uint32)
    return nodes, order, rows.length, stiffness, rest, mass, rotary, rows.alpha, rows.beta


def _no_beam(P: int) -> tuple[np.ndarray, ...]:
    shapes = ((P, 6, 6), (P, 6), (P + 1, P + 1), (P + 1, 3 * P + 3), (), ())
    zeros = [np.zeros((0, *shape)) for shape in shapes]
    return np.zeros((0, P + 1), np.int64), np.zeros(0, np.uint32), np.zeros(0), *zeros


stations = planar_order.stations


stress_size = rest_size


gyroscopic = _spatial_beams.gyroscopic


@kernel
def place(part: Any, e: int, g: int) -> int:
    """Return the number of Gauss point g of element e among all."""
    return part.rest.shape[1] * e + g


@kernel
def strained(
    part: Arrays, e: int, g: int, at: Point, factor: float, rate: Vector, turning: Vector
) -> tuple[Vector, Vector]:
    """Return the resultants of the strains less the rest shape's, plus a factor times their rates."""
    rest = part.rest[e, g]
    Gamma = plus(minus(at.Gamma, vector(rest, 0)), times(factor, rate))
    kappa = plus(minus(at.kappa, vector(rest, 3)), times(factor, turning))
    return stresses(part.stiffness, place(part, e, g), Gamma, kappa)


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + C v + f(q) to r, ck K + cc C + cm M to s, and skew halves to w."""
    if part.length.size > 0:  # before anything is allocated: most models have no such beams
        add_elements(part, now, into, stress, mixed, element(part.shape.shape[2]))


@kernel
def add_elements(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool, here: Element) -> None:
    """Add all elements with scratch arrays; split off so that this kernel has no reference counting."""
    q, ck, C, coupled = now.q, into.ck, part.stiffness, couples(part.stiffness)
    for e in range(part.length.size):
        p, beta = part.order[e], part.beta[e]
        stiff = ck != 0.0 or into.cc * beta != 0.0
        begin(part, e, q, here, stiff)
        if part.damped:
            move(part, e, now.v, here)
        for g in range(p):
            at, whole, k = strains_at(part, e, g, here), part.weight[p, g] * part.length[e], place(part, e, g)
            rate, turning = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if part.damped:
                rate, turning = rates_at(part, e, g, here, at)
            N, M = strained(part, e, g, at, beta, rate, turning)
            add_pushes(part, e, g, whole, pushes(at, N, M), here.force)
            if not stiff:
                continue
            if mixed:
                first = part.stress_start + 6 * k
                N, M = vector(stress, first), vector(stress, first + 3)
            pushed, material = (times(ck * whole, N), times(ck * whole, M)), (ck + into.cc * beta) * whole
            stretching, across = scaled(material, block(C, k, 0, 0)), scaled(material, block(C, k, 0, 3))
            tangent = Tangent(stretching, across, scaled(material, block(C, k, 3, 3)))
            add_point(part, (e, g), at, pushed, tangent, coupled, here)
        spread_force(part.dofs, e, p + 1, here, here.force, into.r)
        if stiff:
            spread_stiffness(part.slots, e, p + 1, here, into.s)
        add_inertia(part, e, now, into)


@inlined_kernel
def add_inertia(part: Any, e: int, now: Instant, into: Into) -> None:
    """Add mass and rotary inertia, of the interpolation or lumped."""
    dofs, slots, alpha, v, a, r, s = part.dofs, part.slots, part.alpha[e], now.v, now.a, into.r, into.s
    massive = into.cm + into.cc * alpha
    for i in range(part.order[e] + 1):
        add_spin(part, e, 6 * i + 3, inertia(part, e, i), alpha, now, into)
        for j in range(i):
            J = vector(part.rotary[e, i], 3 * j)
            if J[0] != 0.0 or J[1] != 0.0 or J[2] != 0.0:
                add_shared_spin(part, e, (6 * i + 3, 6 * j + 3), J, alpha, now, into)
        for j in range(part.order[e] + 1):
            mass = part.mass[e, i, j]
            for k in range(3):
                row, column = 6 * i + k, 6 * j + k
                r[dofs[e, row]] += mass * (a[dofs[e, column]] + alpha * v[dofs[e, column]])
                if j <= i:
                    s[slots[e, row * (row + 1) // 2 + column]] += massive * mass


@kernel
def inertia(part: Any, e: int, i: int) -> Matrix:
    """Return the rotary inertia of node i."""
    x, y, z = vector(part.rotary[e, i], 3 * i)
    return x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z


@kernel
def inertia_form(part: Any, e: int, v: np.ndarray) -> float:
    """Return v^T M v of element e."""
    total = 0.0
    for i in range(part.order[e] + 1):
        total += spin_form(part.dofs, e, 6 * i + 3, inertia(part, e, i), v)
        for j in range(part.order[e] + 1):
            one, two = vector(v, part.dofs[e, 6 * i]), vector(v, part.dofs[e, 6 * j])
            total += part.mass[e, i, j] * dot(one, two)
            if j < i:
                w, x = vector(v, part.dofs[e, 6 * i + 3]), vector(v, part.dofs[e, 6 * j + 3])
                J = vector(part.rotary[e, i], 3 * j)
                total += 2.0 * (J[0] * w[0] * x[0] + J[1] * w[1] * x[1] + J[2] * w[2] * x[2])
    return total


@kernel
def form(part: Arrays, e: int, g: int, Gamma: Vector, kappa: Vector) -> float:
    """Return strains times resultants at Gauss point g, over its share of the length."""
    N, M = stresses(part.stiffness, place(part, e, g), Gamma, kappa)
    return part.weight[part.order[e], g] * part.length[e] * (dot(N, Gamma) + dot(M, kappa))


@kernel
def element_energy(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return kinetic and elastic energy of element e."""
    potential = 0.0
    for g in range(part.order[e]):
        at, rest = strains(part, e, g, q), part.rest[e, g]
        potential += 0.5 * form(part, e, g, minus(at.Gamma, vector(rest, 0)), minus(at.kappa, vector(rest, 3)))
    return 0.5 * inertia_form(part, e, v), potential


@kernel
def dissipated(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> float:
    """Return the power that element e dissipates."""
    total = part.alpha[e] * inertia_form(part, e, v)
    for g in range(part.order[e]):
        rate, turning = rates(part, e, g, q, v, strains(part, e, g, q))
        total += part.beta[e] * form(part, e, g, rate, turning)
    return total


energy, power = energy_of(element_energy), power_of(dissipated)


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = C (strain(q) + B(q) dq)."""
    P = part.rest.shape[1]
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at = strains(part, e, g, q)
            rate, turning = rates(part, e, g, q, dq, at)
            N, M = strained(part, e, g, at, 1.0, rate, turning)
            k = part.stress_start + 6 * (P * e + g)
            stress[k], stress[k + 1], stress[k + 2] = N
            stress[k + 3], stress[k + 4], stress[k + 5] = M


@kernel
def pull(part: Arrays, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
    """Add B(q)^T stress to r."""
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at, k = strains(part, e, g, q), part.stress_start + 6 * (part.rest.shape[1] * e + g)
            N, M = vector(stress, k), vector(stress, k + 3)
            for i in range(part.order[e] + 1):
                pi, rho = seen(part, e, i, q, at)
                add_resultants(part, (e, g, i), at, N, M, (seen_turn(pi, rho), rho), r)


@kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, Vy, Vz, T, My, Mz in the section's frame at `stations`, damping included."""
    row = 0
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at = strains(part, e, g, q)
            rate, turning = rates(part, e, g, q, v, at)
            N, M = strained(part, e, g, at, part.beta[e], rate, turning)
            out[row, 0], out[row, 1], out[row, 2] = N
            out[row, 3], out[row, 4], out[row, 5] = M
            row += 1
