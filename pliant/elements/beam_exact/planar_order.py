"""Geometrically exact planar beam of any order p: p + 1 equally spaced nodes, p Gauss points for the strains.

The mechanics is as in `planar` at every Gauss point g with weight w: ``E = R(theta)^T x'``, and per node i with shape
``n_i`` and slope ``n_i'`` the force is ``L w (n_i' F, n_i (N E2 - V E1) + n_i' M)``. p points avoid locking and
preserve the order 2p of the error at nodes. Beams of several orders share arrays, padded to the highest, P.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from pliant.elements import _beams, _sections
from pliant.elements._beams import BeamMesh, Layout
from pliant.elements._sums import energy_of, power_of
from pliant.elements.beam_exact import Exact
from pliant.jit import allocating_kernel, inlined_kernel, kernel
from pliant.kernels.beam_points.planar import Resultants, Strains, add_resultants, rates, strains
from pliant.kernels.beam_points.shapes import gauss, tables
from pliant.kernels.sums import Instant, Into


class Arrays(NamedTuple):
    """Arrays of elements, one row each; shape, slope and weight are tables by order, slopes with respect to s/L."""

    dofs: np.ndarray  # (n, 3 (P + 1)); padded with the ground's
    slots: np.ndarray
    order: np.ndarray  # (n) uint32
    length: np.ndarray
    stiffness: np.ndarray  # (n, P, 3) EA, GA, EI at the Gauss points
    rest: np.ndarray  # (n, P, 3) E1, E2, kappa at the Gauss points of the unstressed element
    mass: np.ndarray  # (n, P + 1, P + 1)
    rotary: np.ndarray  # (n, P + 1, P + 1)
    alpha: np.ndarray
    beta: np.ndarray
    shape: np.ndarray  # (P + 1, P, P + 1) by order, Gauss point, node
    slope: np.ndarray
    weight: np.ndarray  # (P + 1, P)
    damped: bool
    stress_start: int = 0


meshes = _beams.meshes_of(Exact, lambda options: options.order > 1)


def pack(layout: Layout) -> Arrays:
    """Pack beams whose options are Exact with order above 1."""
    mine = meshes(layout)
    return arrays(mine, ground=layout.ground)


def arrays(meshes: Sequence[BeamMesh], *, ground: int) -> Arrays:
    """Pack meshes of any order, also 1."""
    P, shape, slope, weight = tables([mesh.options.order for mesh in meshes])
    packed = partial(_beams_of_any_order, P=P, ground=ground, shape=shape, slope=slope)
    columns = _beams.once_of(meshes, (P, ground), packed) if meshes else _no_beam(P)
    dofs, order, length, stiffness, rest, mass, rotary, alpha, beta = columns
    damped = bool(np.any(alpha) or np.any(beta))
    slots = _beams.empty_slots(len(length))
    return Arrays(dofs, slots, order, length, stiffness, rest, mass, rotary, alpha, beta, shape, slope, weight, damped)


def _beams_of_any_order(meshes: Sequence[BeamMesh], **tables: Any) -> tuple[np.ndarray, ...]:
    """Return the columns of `Arrays`; consecutive beams of equal order are packed together."""
    alike = groupby(meshes, key=lambda mesh: mesh.options.order)
    parts = [_beams_of_order(list(mine), p, **tables) for p, mine in alike]
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _beams_of_order(
    meshes: Sequence[BeamMesh], p: int, *, P: int, ground: int, shape: np.ndarray, slope: np.ndarray
) -> tuple[np.ndarray, ...]:
    rows = _beams.gathered(meshes, p)
    n = len(rows.length)
    dofs = np.tile(np.tile(3 * ground + np.arange(3, dtype=np.uint32), P + 1), (n, 1)).astype(np.uint32)
    dofs[:, : 3 * (p + 1)] = rows.dofs
    x, y, theta = np.moveaxis(rows.pose, 2, 0)
    n_i, dn_i = shape[p, :p, : p + 1].T, slope[p, :p, : p + 1].T
    dx, dy, turn = (values @ dn_i / rows.length[:, None] for values in (x, y, theta))
    c, s = np.cos(theta @ n_i), np.sin(theta @ n_i)
    rest = np.zeros((n, P, 3))
    rest[:, :p] = np.stack((c * dx + s * dy, c * dy - s * dx, turn), axis=2)
    stiffness = np.zeros((n, P, 3))
    stiffness[:, :p] = _sections.stiffness(meshes, p, _beams.stiffnesses)
    mass, rotary = inertia = np.zeros((2, n, P + 1, P + 1))
    inertia[:, :, : p + 1, : p + 1] = np.moveaxis(rows.inertia, 1, 0)
    order = np.full(n, p, np.uint32)
    return dofs, order, rows.length, stiffness, rest, mass, rotary, rows.alpha, rows.beta


def _no_beam(P: int) -> tuple[np.ndarray, ...]:
    shapes = ((P, 3), (P, 3), (P + 1, P + 1), (P + 1, P + 1), (), ())
    zeros = [np.zeros((0, *shape)) for shape in shapes]
    return np.zeros((0, 3 * (P + 1)), np.uint32), np.zeros(0, np.uint32), np.zeros(0), *zeros


def stations(mesh: BeamMesh) -> np.ndarray:
    """Return the Gauss points of every element."""
    p = mesh.options.order
    end = np.asarray(mesh.s)[::p]
    return (end[:-1, None] + np.diff(end)[:, None] * gauss(p)[0]).ravel()


stress_size = _beams.rest_size


@kernel
def inertia_form(part: Any, e: int, v: np.ndarray) -> float:
    """Return v^T M v of element e."""
    total = 0.0
    for i in range(part.order[e] + 1):
        for j in range(part.order[e] + 1):
            for k in range(3):
                m = part.rotary[e, i, j] if k == 2 else part.mass[e, i, j]
                total += m * v[part.dofs[e, 3 * i + k]] * v[part.dofs[e, 3 * j + k]]
    return total


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + C v + f(q) to r, and ck K + cc C + cm M to s."""
    if part.length.size == 0:
        return  # before anything is allocated: most models have no such beams
    P, ck, cc, cm = part.rest.shape[1], into.ck, into.cc, into.cm
    points = np.empty((P, 7))  # tangent at each Gauss point of one element
    stiff = ck != 0.0 or cc != 0.0 or cm != 0.0
    for e in range(part.length.size):
        p, L = part.order[e], part.length[e]
        alpha, beta = part.alpha[e], part.beta[e]
        material, massive = ck + cc * beta, cm + cc * alpha
        for g in range(p):
            EA, GA, EI = part.stiffness[e, g, 0], part.stiffness[e, g, 1], part.stiffness[e, g, 2]
            at = strains(part, e, g, now.q)
            c, sn, E1, E2, turn = at
            N, V, M = EA * (E1 - part.rest[e, g, 0]), GA * (E2 - part.rest[e, g, 1]), EI * (turn - part.rest[e, g, 2])
            if part.damped:
                rate1, rate2, turning = rates(part, e, g, now.v, at)
                N, V, M = N + beta * EA * rate1, V + beta * GA * rate2, M + beta * EI * turning
            w = part.weight[p, g]
            fx, fy = add_resultants(part, e, g, at, Resultants(N, V, M), into.r)
            if not stiff:
                continue
            if mixed:
                k = part.stress_start + 3 * (P * e + g)
                N, V = stress[k], stress[k + 1]
                fx, fy = w * (c * N - sn * V), w * (sn * N + c * V)
            EA, GA, EI = w * material * EA, w * material * GA, w * material * EI
            points[g, 0] = (EA * c * c + GA * sn * sn) / L
            points[g, 1] = (EA - GA) * c * sn / L
            points[g, 2] = (EA * sn * sn + GA * c * c) / L
            points[g, 3] = c * EA * E2 + sn * GA * E1 - ck * fy
            points[g, 4] = sn * EA * E2 - c * GA * E1 + ck * fx
            points[g, 5] = L * (EA * E2 * E2 + GA * E1 * E1 - ck * w * (N * E1 + V * E2))
            points[g, 6] = EI / L
        _add_inertia(part, e, now, into.r)
        if stiff:
            _add_pairs(part, e, points, massive, into.s)


@inlined_kernel
def _add_inertia(part: Arrays, e: int, now: Instant, r: np.ndarray) -> None:
    """Add M (a + alpha v) of element e to r, pair by pair of nodes i >= j."""
    dofs, v, a, alpha = part.dofs, now.v, now.a, part.alpha[e]
    for i in range(part.order[e] + 1):
        for j in range(i + 1):
            for k in range(3):
                m = part.rotary[e, i, j] if k == 2 else part.mass[e, i, j]
                di3, dj3 = dofs[e, 3 * i + k], dofs[e, 3 * j + k]
                r[di3] += m * (a[dj3] + alpha * v[dj3])
                if i != j:
                    r[dj3] += m * (a[di3] + alpha * v[di3])


@inlined_kernel
def _add_pairs(part: Arrays, e: int, points: np.ndarray, massive: float, s: np.ndarray) -> None:
    """Add tangent and mass of every pair of nodes i >= j of element e, summed over the Gauss points."""
    p, slots = part.order[e], part.slots
    for i in range(p + 1):
        for j in range(i + 1):
            xx, yx, yy, xt, yt, tx, ty, tt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for g in range(p):
                ni, nj, di, dj = part.shape[p, g, i], part.shape[p, g, j], part.slope[p, g, i], part.slope[p, g, j]
                xx += di * dj * points[g, 0]
                yx += di * dj * points[g, 1]
                yy += di * dj * points[g, 2]
                xt += di * nj * points[g, 3]
                yt += di * nj * points[g, 4]
                tx += ni * dj * points[g, 3]
                ty += ni * dj * points[g, 4]
                tt += ni * nj * points[g, 5] + di * dj * points[g, 6]
            mass, rotary = part.mass[e, i, j], part.rotary[e, i, j]
            x = 3 * i * (3 * i + 1) // 2 + 3 * j  # first place of the block's three rows
            y, t = x + 3 * i + 1, x + 6 * i + 3
            s[slots[e, x]] += xx + massive * mass
            s[slots[e, y]] += yx
            s[slots[e, y + 1]] += yy + massive * mass
            s[slots[e, t]] += tx
            s[slots[e, t + 1]] += ty
            s[slots[e, t + 2]] += tt + massive * rotary
            if i != j:
                s[slots[e, x + 1]] += yx
                s[slots[e, x + 2]] += xt
                s[slots[e, y + 2]] += yt


@kernel
def density(part: Arrays, e: int, g: int, strain: tuple[float, float, float]) -> float:
    """Return strains times resultants at Gauss point g, over its share of the length."""
    EA, GA, EI = part.stiffness[e, g, 0], part.stiffness[e, g, 1], part.stiffness[e, g, 2]
    g1, g2, kappa = strain
    return part.weight[part.order[e], g] * part.length[e] * (EA * g1 * g1 + GA * g2 * g2 + EI * kappa * kappa)


@kernel
def element_energy(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return kinetic and elastic energy of element e."""
    potential = 0.0
    for g in range(part.order[e]):
        at, rest = strains(part, e, g, q), part.rest[e, g]
        potential += 0.5 * density(part, e, g, (at.E1 - rest[0], at.E2 - rest[1], at.turn - rest[2]))
    return 0.5 * inertia_form(part, e, v), potential


@kernel
def dissipated(part: Arrays, e: int, q: np.ndarray, v: np.ndarray) -> float:
    """Return the power that element e dissipates."""
    total = part.alpha[e] * inertia_form(part, e, v)
    for g in range(part.order[e]):
        total += part.beta[e] * density(part, e, g, rates(part, e, g, v, strains(part, e, g, q)))
    return total


energy, power = energy_of(element_energy), power_of(dissipated)


@kernel
def stressed(part: Arrays, e: int, g: int, at: Strains, f: float, rate: tuple[float, float, float]) -> Resultants:
    """Return N, V, M of the strains less the rest shape's, plus f times their rates."""
    stiffness, rest = part.stiffness[e, g], part.rest[e, g]
    N, V = stiffness[0] * (at.E1 - rest[0] + f * rate[0]), stiffness[1] * (at.E2 - rest[1] + f * rate[1])
    return Resultants(N, V, stiffness[2] * (at.turn - rest[2] + f * rate[2]))


@kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = C (strain(q) + B(q) dq)."""
    P = part.rest.shape[1]
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at, k = strains(part, e, g, q), part.stress_start + 3 * (P * e + g)
            stress[k], stress[k + 1], stress[k + 2] = stressed(part, e, g, at, 1.0, rates(part, e, g, dq, at))


@kernel
def pull(part: Arrays, q: np.ndarray, stress: np.ndarray, r: np.ndarray) -> None:
    """Add B(q)^T stress to r."""
    for e in range(part.length.size):
        for g in range(part.order[e]):
            k = part.stress_start + 3 * (part.rest.shape[1] * e + g)
            x = Resultants(stress[k], stress[k + 1], stress[k + 2])
            add_resultants(part, e, g, strains(part, e, g, q), x, r)


@kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, V, M in the section's frame at `stations`, damping included."""
    row = 0
    for e in range(part.length.size):
        for g in range(part.order[e]):
            at, rate = strains(part, e, g, q), (0.0, 0.0, 0.0)
            if part.damped:
                rate = rates(part, e, g, v, at)
            out[row, 0], out[row, 1], out[row, 2] = stressed(part, e, g, at, part.beta[e], rate)
            row += 1
