"""Planar ANCF cable: cubic axis, axial strain, material curvature (J. Gerstmayr, H. Irschik, J. Sound Vib. 318, 2008).

With u = r' and w = r'' by the unstressed arc, ``t = u/|u|`` and its normal n, per unit of rest length

    strain       epsilon = |u| - |u_rest|,   kappa = (u x w)/|u|^2 - kappa_rest         (theta' of the axis)
    resultants   N = EA epsilon,   M = EI kappa          (+ beta times their rates: Kelvin-Voigt)

each integrated at its points (`Ancf.integration`). In the coordinates z of `cubics` the mass matrix
``int rho A S_k S_l ds`` is constant; force f and tangent H of z become ``P^T f`` and ``P^T H P`` plus the curvature of
the coordinates, ``P = dz/dq``. Rotary inertia, and the mass that alpha damps, use linear interpolation.
"""

from __future__ import annotations

from math import sqrt
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from pliant.elements import _beams, _sections
from pliant.elements._beams import BeamMesh, Layout
from pliant.elements.beam_ancf import Ancf
from pliant.elements.beam_ancf.cubics import acceleration, place, pull_back, shapes, velocity
from pliant.elements.beam_ancf.tangent import Rates, add_matrix
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.shapes import gauss
from pliant.kernels.scatter import add_pair_inertia, pair_inertia_form
from pliant.kernels.sums import Instant, Into

Rule = tuple[np.ndarray, np.ndarray]
LOBATTO: Rule = np.array([0.0, 0.5, 1.0]), np.array([1.0, 4.0, 1.0]) / 6.0
RULES: dict[str, tuple[Rule, Rule]] = {"mixed": (LOBATTO, gauss(2)), "full": (gauss(5), gauss(3))}
MOST = 8  # points of an element
MASS_POINTS = 6  # cubics squared times an area of degree 4
stiffnesses = attrgetter("axial_stiffness", "bending_stiffness")


class Arrays(NamedTuple):
    """Arrays of elements, one row each; points of axial strain first, then points of curvature, rows padded."""

    dofs: np.ndarray  # (n, 8) x, y, theta of both nodes, then their stretches
    slots: np.ndarray  # (n, 36)
    length: np.ndarray
    points: np.ndarray  # (n, 2) points of axial strain, and of all
    weight: np.ndarray  # (n, points) times the length
    slope: np.ndarray  # (n, points, 4) S_k'
    bend: np.ndarray  # (n, points, 4) S_k''
    stiffness: np.ndarray  # (n, points, 2) EA, EI
    rest: np.ndarray  # (n, points, 2) |u|, kappa of the unstressed element
    through: np.ndarray  # (n, points, 3) polynomials through the points of curvature, at the points of axial strain
    steep: np.ndarray  # (n, points, 3) their slopes
    mass: np.ndarray  # (n, 4, 4)
    inertia: np.ndarray  # (n, 6) of linear interpolation, see kernels.scatter
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool
    stress_start: int = 0


meshes = _beams.meshes_of(Ancf)


def pack(layout: Layout) -> Arrays:
    """Pack beams whose options are Ancf."""
    mine = meshes(layout)
    rows = _beams.rows(mine)
    tables = [_one_beam(mesh, MOST) for mesh in mine] or [_no_beam(MOST)]
    names = "points", "weight", "slope", "bend", "stiffness", "rest", "through", "steep", "mass"
    columns = [np.ascontiguousarray(np.concatenate(column)) for column in zip(*tables, strict=True)]
    stretches = [np.stack((mesh.stretch[:-1], mesh.stretch[1:]), axis=1) for mesh in mine]
    dofs = np.hstack((rows.dofs, np.concatenate([np.zeros((0, 2), np.uint32), *stretches])))
    return Arrays(
        dofs=np.ascontiguousarray(dofs, np.uint32),
        slots=_beams.empty_slots(len(rows.length)),
        length=rows.length,
        **dict(zip(names, columns, strict=True)),  # type: ignore[arg-type]
        inertia=_beams.two_node_inertia(rows),
        alpha=rows.alpha,
        beta=rows.beta,
        damped=rows.damped,
    )


def _one_beam(mesh: BeamMesh, most: int) -> tuple[np.ndarray, ...]:
    ((x1, w1), (x2, w2)), (xm, wm) = RULES[mesh.options.integration], gauss(MASS_POINTS)
    x, w, n = np.append(x1, x2), np.append(w1, w2), len(mesh.connectivity)
    count = np.tile(np.array([x1.size, x.size], np.uint32), (n, 1))
    weight, slope, bend = np.zeros((n, most)), np.zeros((n, most, 4)), np.zeros((n, most, 4))
    stiffness, rest, mass = np.zeros((n, most, 2)), np.zeros((n, most, 2)), np.zeros((n, 4, 4))
    through, steep = np.zeros((2, n, most, 3))
    through[:, : x1.size, : x2.size], unit = _polynomials(x2, x1)
    stiffness[:, : x.size] = _sections.values([mesh], 1, x, stiffnesses)
    if mesh.options.integration == "mixed":
        stiffness[:, x1.size : x.size] = _sections.stiffness([mesh], 1, stiffnesses, x2.size)
    lines = _sections.values([mesh], 1, xm, attrgetter("mass_per_length"))
    pose = np.asarray(mesh.pose, float)
    direction = np.stack((np.cos(pose[:, 2]), np.sin(pose[:, 2])), axis=1)
    for e, L in enumerate(np.diff(np.asarray(mesh.s)) * mesh.beam.length):
        _, slope[e, : x.size], bend[e, : x.size] = shapes(x, L)
        weight[e, : x.size] = w * L
        steep[e, : x1.size, : x2.size] = unit / L
        z = np.stack((pose[e, :2], direction[e], pose[e + 1, :2], direction[e + 1]))
        u, b = slope[e, : x.size] @ z, bend[e, : x.size] @ z
        square = np.sum(u**2, axis=1)
        rest[e, : x.size] = np.stack((np.sqrt(square), (u[:, 0] * b[:, 1] - u[:, 1] * b[:, 0]) / square), axis=1)
        S = shapes(xm, L)[0]
        mass[e] = L * (S.T * (wm * lines[e])) @ S
    return count, weight, slope, bend, stiffness, rest, through, steep, mass


def _polynomials(nodes: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (x, nodes) values and slopes of the polynomials that are one at a node and zero at the others."""
    others = [np.delete(nodes, k) for k in range(nodes.size)]
    shapes = [np.poly1d(rest, r=True) / np.prod(node - rest) for node, rest in zip(nodes, others, strict=True)]
    return np.stack([each(x) for each in shapes], axis=1), np.stack([each.deriv()(x) for each in shapes], axis=1)


def _no_beam(most: int) -> tuple[np.ndarray, ...]:
    sizes = ((most,), (most, 4), (most, 4), (most, 2), (most, 2), (most, 3), (most, 3), (4, 4))
    return np.zeros((0, 2), np.uint32), *(np.zeros((0, *size)) for size in sizes)


def stations(mesh: BeamMesh) -> np.ndarray:
    """Return the points of axial strain of every element."""
    end = np.asarray(mesh.s)
    return (end[:-1, None] + np.diff(end)[:, None] * RULES[mesh.options.integration][0][0]).ravel()


def stress_size(part: Arrays) -> int:
    """Return the number of stresses, N or M at every point."""
    return int(MOST * part.length.size)


def gyroscopic(part: Arrays) -> bool:
    """Return whether there are elements: their mass matrix turns with the nodes and is unsymmetric in motion."""
    return bool(part.length.size)


def alpha_masses(part: Arrays) -> np.ndarray:
    """Return (n, 8, 8) the matrix of alpha: linearly interpolated mass and rotary inertia, without stretches."""
    found = np.zeros((part.length.size, 8, 8))
    for k in range(3):
        one, two, across = part.inertia[:, 3 * (k // 2) :][:, :3].T
        found[:, k, k], found[:, k + 3, k + 3] = one, two
        found[:, k, k + 3] = found[:, k + 3, k] = across
    return found


class Point(NamedTuple):
    """State at a Gauss point: r', r'', |r'|, the curvature, and its derivatives by r' and r''."""

    ux: float
    uy: float
    wx: float
    wy: float
    size: float
    kappa: float
    ku: tuple[float, float]
    kw: tuple[float, float]


@kernel
def point_of(part: Arrays, e: int, g: int, z: np.ndarray) -> Point:
    """Return the state at Gauss point g of element e."""
    ux = uy = wx = wy = 0.0
    for k in range(4):
        ux += part.slope[e, g, k] * z[k, 0]
        uy += part.slope[e, g, k] * z[k, 1]
        wx += part.bend[e, g, k] * z[k, 0]
        wy += part.bend[e, g, k] * z[k, 1]
    square = ux * ux + uy * uy
    kappa = (ux * wy - uy * wx) / square
    ku = (wy - 2.0 * kappa * ux) / square, (-wx - 2.0 * kappa * uy) / square
    return Point(ux, uy, wx, wy, sqrt(square), kappa, ku, (-uy / square, ux / square))


@kernel
def rates(part: Arrays, e: int, g: int, at: Point, z: np.ndarray) -> tuple[float, float]:
    """Return the rates of |r'| and kappa at z' = z."""
    ux = uy = wx = wy = 0.0
    for k in range(4):
        ux += part.slope[e, g, k] * z[k, 0]
        uy += part.slope[e, g, k] * z[k, 1]
        wx += part.bend[e, g, k] * z[k, 0]
        wy += part.bend[e, g, k] * z[k, 1]
    turning = at.ku[0] * ux + at.ku[1] * uy + at.kw[0] * wx + at.kw[1] * wy
    return (at.ux * ux + at.uy * uy) / at.size, turning


@kernel
def resultants_at(part: Arrays, e: int, g: int, at: Point, zv: np.ndarray) -> tuple[float, float]:
    """Return N and M, with their damping."""
    strain, kappa = at.size - part.rest[e, g, 0], at.kappa - part.rest[e, g, 1]
    if part.damped:
        stretching, turning = rates(part, e, g, at, zv)
        strain, kappa = strain + part.beta[e] * stretching, kappa + part.beta[e] * turning
    return part.stiffness[e, g, 0] * strain, part.stiffness[e, g, 1] * kappa


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into, stress: np.ndarray, mixed: bool) -> None:
    """Add M a + C v + f(q) to r, the tangent to s and w; ``mixed``: with the geometric stiffness of the stresses."""
    q, v, a, dofs = now.q, now.v, now.a, part.dofs
    ck, cc, cm, r = into.ck, into.cc, into.cm, into.r
    z, zv, za, f = np.zeros((4, 2)), np.zeros((4, 2)), np.zeros((4, 2)), np.zeros((4, 2))
    bent, H, T, D = np.zeros((4, 2)), np.zeros((8, 8)), np.zeros((8, 8)), np.zeros((8, 8))
    wanted = ck != 0.0 or cc != 0.0 or cm != 0.0
    for e in range(part.length.size):
        material = ck + cc * part.beta[e]
        place(dofs, e, q, z)
        velocity(dofs, e, q, v, zv)
        acceleration(dofs, e, q, v, a, za)
        inertia_of(part, e, za, f)
        bent[:], H[:] = f, 0.0
        for g in range(part.points[e, 1]):
            at, weight = point_of(part, e, g, z), part.weight[e, g]
            N, M = resultants_at(part, e, g, at, zv)
            axial, held = g < part.points[e, 0], stress[part.stress_start + MOST * e + g]
            add_resultant(part, e, g, at, N if axial else M, f)
            if not mixed:
                held = N if axial else M
            add_resultant(part, e, g, at, held, bent)
            if not wanted:
                continue
            if axial:
                add_axial(part.slope[e, g], at, weight * material * part.stiffness[e, g, 0], ck * weight * held, H)
            else:
                EI = weight * material * part.stiffness[e, g, 1]
                add_curvature(part.slope[e, g], part.bend[e, g], at, EI, ck * weight * held, H)
        pull_back(dofs, e, q, f, r)
        for i, j in ((2, 3), (5, 4)):
            r[dofs[e, i]] += part.inertia[e, j] * a[dofs[e, i]] + part.inertia[e, 5] * a[dofs[e, 7 - i]]
        add_pair_inertia(r, dofs, e, part.inertia, part.alpha[e], v)
        if wanted:
            add_matrix(part, e, Rates(now, ck, cc, cm, cc * part.alpha[e]), bent, H, D, T, into)


@kernel
def inertia_of(part: Arrays, e: int, za: np.ndarray, f: np.ndarray) -> None:
    """Write f = m z'' of element e."""
    for k in range(4):
        f[k, 0] = f[k, 1] = 0.0
        for l in range(4):
            f[k, 0] += part.mass[e, k, l] * za[l, 0]
            f[k, 1] += part.mass[e, k, l] * za[l, 1]


@kernel
def add_resultant(part: Arrays, e: int, g: int, at: Point, resultant: float, f: np.ndarray) -> None:
    """Add the force of N at a point of axial strain, or of M at a point of curvature, to f."""
    held = part.weight[e, g] * resultant
    for k in range(4):
        a_k, b_k = held * part.slope[e, g, k], held * part.bend[e, g, k]
        if g < part.points[e, 0]:
            f[k, 0] += a_k * at.ux / at.size
            f[k, 1] += a_k * at.uy / at.size
        else:
            f[k, 0] += a_k * at.ku[0] + b_k * at.kw[0]
            f[k, 1] += a_k * at.ku[1] + b_k * at.kw[1]


@kernel
def add_axial(slope: np.ndarray, at: Point, EA: float, N: float, H: np.ndarray) -> None:
    """Add EA t t^T + N/|u| n n^T, by r', to H."""
    tx, ty, across = at.ux / at.size, at.uy / at.size, N / at.size
    xx, yy, xy = EA * tx * tx + across * ty * ty, EA * ty * ty + across * tx * tx, (EA - across) * tx * ty
    for k in range(4):
        for l in range(4):
            both = slope[k] * slope[l]
            H[2 * k, 2 * l] += both * xx
            H[2 * k, 2 * l + 1] += both * xy
            H[2 * k + 1, 2 * l] += both * xy
            H[2 * k + 1, 2 * l + 1] += both * yy


@kernel
def add_curvature(slope: np.ndarray, bend: np.ndarray, at: Point, EI: float, M: float, H: np.ndarray) -> None:
    """Add EI kappa_z kappa_z^T + M kappa_zz to H; with J w = (-w_y, w_x),

    kappa_uu = 2 (J w u^T + u (J w)^T + 4 kappa u u^T)/|u|^4 - 2 kappa/|u|^2,
    kappa_wu = J/|u|^2 - 2 (J u) u^T/|u|^4
    """
    square = at.size * at.size
    ux, uy, wx, wy, kappa = at.ux, at.uy, at.wx, at.wy, at.kappa
    f2, f4 = M / square, 2.0 * M / (square * square)
    uu_xx = f4 * (-2.0 * wy * ux + 4.0 * kappa * ux * ux) - 2.0 * kappa * f2
    uu_yy = f4 * (2.0 * wx * uy + 4.0 * kappa * uy * uy) - 2.0 * kappa * f2
    uu_xy = f4 * (-wy * uy + ux * wx + 4.0 * kappa * ux * uy)
    wu_xx, wu_xy = f4 * uy * ux, -f2 + f4 * uy * uy
    wu_yx, wu_yy = f2 - f4 * ux * ux, -f4 * ux * uy
    for k in range(4):
        for l in range(4):
            a_k, b_k, a_l, b_l = slope[k], bend[k], slope[l], bend[l]
            kx, ky = a_k * at.ku[0] + b_k * at.kw[0], a_k * at.ku[1] + b_k * at.kw[1]
            lx, ly = a_l * at.ku[0] + b_l * at.kw[0], a_l * at.ku[1] + b_l * at.kw[1]
            aa, ba, ab = a_k * a_l, b_k * a_l, a_k * b_l
            H[2 * k, 2 * l] += EI * kx * lx + aa * uu_xx + (ba + ab) * wu_xx
            H[2 * k, 2 * l + 1] += EI * kx * ly + aa * uu_xy + ba * wu_xy + ab * wu_yx
            H[2 * k + 1, 2 * l] += EI * ky * lx + aa * uu_xy + ba * wu_yx + ab * wu_xy
            H[2 * k + 1, 2 * l + 1] += EI * ky * ly + aa * uu_yy + (ba + ab) * wu_yy


@allocating_kernel
def stretch(part: Arrays, q: np.ndarray, dq: np.ndarray, stress: np.ndarray) -> None:
    """Write stress = C (strain(q) + B(q) dq)."""
    z, dz = np.zeros((4, 2)), np.zeros((4, 2))
    for e in range(part.length.size):
        place(part.dofs, e, q, z)
        velocity(part.dofs, e, q, dq, dz)
        for g in range(part.points[e, 1]):
            at, axial = point_of(part, e, g, z), g < part.points[e, 0]
            more, turn = rates(part, e, g, at, dz)
            strain = at.size - part.rest[e, g, 0] + more if axial else at.kappa - part.rest[e, g, 1] + turn
            stress[part.stress_start + MOST * e + g] = strain * part.stiffness[e, g, 0 if axial else 1]


@allocating_kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return kinetic and elastic energy."""
    z, zv = np.zeros((4, 2)), np.zeros((4, 2))
    kinetic, potential = 0.0, 0.0
    for e in range(part.length.size):
        place(part.dofs, e, q, z)
        velocity(part.dofs, e, q, v, zv)
        for k in range(4):
            for l in range(4):
                kinetic += 0.5 * part.mass[e, k, l] * (zv[k, 0] * zv[l, 0] + zv[k, 1] * zv[l, 1])
        one, two, across = part.inertia[e, 3], part.inertia[e, 4], part.inertia[e, 5]
        first, second = v[part.dofs[e, 2]], v[part.dofs[e, 5]]
        kinetic += 0.5 * (one * first * first + two * second * second) + across * first * second
        for g in range(part.points[e, 1]):
            at = point_of(part, e, g, z)
            strain, kappa = at.size - part.rest[e, g, 0], at.kappa - part.rest[e, g, 1]
            EA, EI = part.stiffness[e, g, 0], part.stiffness[e, g, 1]
            twice = EA * strain * strain if g < part.points[e, 0] else EI * kappa * kappa
            potential += 0.5 * part.weight[e, g] * twice
    return kinetic, potential


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return supplied (zero) and dissipated power."""
    dissipated = 0.0
    if not part.damped:
        return 0.0, dissipated
    z, zv = np.zeros((4, 2)), np.zeros((4, 2))
    for e in range(part.length.size):
        place(part.dofs, e, q, z)
        velocity(part.dofs, e, q, v, zv)
        dissipated += part.alpha[e] * pair_inertia_form(part.dofs, e, part.inertia, v)
        for g in range(part.points[e, 1]):
            stretching, turning = rates(part, e, g, point_of(part, e, g, z), zv)
            EA, EI = part.stiffness[e, g, 0], part.stiffness[e, g, 1]
            rate = EA * stretching * stretching if g < part.points[e, 0] else EI * turning * turning
            dissipated += part.beta[e] * part.weight[e, g] * rate
    return 0.0, dissipated


@allocating_kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N, V and M at `stations`, damping included. M is the polynomial through the points of curvature, where the
    curvature is most accurate; V is its slope along the element, ``V = -M'/|r'|``, accurate in the middle.
    """
    z, zv, row = np.zeros((4, 2)), np.zeros((4, 2)), 0
    for e in range(part.length.size):
        place(part.dofs, e, q, z)
        velocity(part.dofs, e, q, v, zv)
        first, bends = part.points[e, 0], part.points[e, 1] - part.points[e, 0]
        for g in range(first):
            at, M, slope = point_of(part, e, g, z), 0.0, 0.0
            for k in range(bends):
                there = point_of(part, e, first + k, z)
                moment = resultants_at(part, e, first + k, there, zv)[1]
                M += part.through[e, g, k] * moment
                slope += part.steep[e, g, k] * moment
            out[row, 0], out[row, 1], out[row, 2] = resultants_at(part, e, g, at, zv)[0], -slope / at.size, M
            row += 1
