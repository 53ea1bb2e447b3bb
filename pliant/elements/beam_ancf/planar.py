"""Planar ANCF cable: cubic axis, axial strain and material curvature (J. Gerstmayr, H. Irschik, J. Sound Vib. 318, 2008).

With u = r' and w = r'' by the unstressed arc, ``t = u/|u|`` and its normal n, per unit of rest length

    strain       epsilon = |u| - |u_rest|,   kappa = (u x w)/|u|^2 - kappa_rest         (theta' of the axis)
    resultants   N = EA epsilon,   M = EI kappa          (+ beta times their rates: Kelvin-Voigt)

integrated at Gauss points of their own (`Ancf.integration`). In the coordinates z of `cubics` the mass matrix
``int rho A S_k S_l ds`` is constant; force f and tangent H of z become ``P^T f`` and ``P^T H P`` plus the curvature of
the coordinates, ``P = dz/dq``. Rotary inertia, and the mass that alpha damps, are those of linear interpolation.
"""

from __future__ import annotations

from math import sqrt
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, kernel
from pliant.elements import _beams, _sections
from pliant.elements._beams import BeamMesh, Layout
from pliant.elements.beam_ancf import Ancf
from pliant.elements.beam_ancf.cubics import acceleration, place, pull_back, shapes, velocity
from pliant.elements.beam_ancf.tangent import Rates, add_matrix
from pliant.kernels.beam_points.shapes import gauss
from pliant.kernels.scatter import add_pair_inertia, pair_inertia_form
from pliant.kernels.sums import Instant, Into

RULES = {"full": (5, 3), "reduced": (4, 2)}  # Gauss points of the axial strain, of the curvature
MASS_POINTS = 6  # cubics squared times an area of degree 4
stiffnesses = attrgetter("axial_stiffness", "bending_stiffness")


class Arrays(NamedTuple):
    """One row per element; points of axial strain first, then those of curvature, rows padded."""

    dofs: np.ndarray  # (n, 8) x, y, theta of both nodes, then their stretches
    slots: np.ndarray  # (n, 36)
    length: np.ndarray
    count: np.ndarray  # (n, 2) points of axial strain, and of all
    weight: np.ndarray  # (n, points) times the length
    slope: np.ndarray  # (n, points, 4) S_k'
    bend: np.ndarray  # (n, points, 4) S_k''
    stiffness: np.ndarray  # (n, points, 2) EA, EI
    rest: np.ndarray  # (n, points, 2) |u|, kappa of the unstressed element
    mass: np.ndarray  # (n, 4, 4)
    inertia: np.ndarray  # (n, 6) of linear interpolation, see kernels.scatter
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool


meshes = _beams.meshes_of(Ancf)


def pack(layout: Layout) -> Arrays:
    """Beams whose options are Ancf."""
    mine = meshes(layout)
    rows = _beams.rows(mine)
    most = sum(RULES["full"])
    tables = [_one_beam(mesh, most) for mesh in mine] or [_no_beam(most)]
    columns = [np.ascontiguousarray(np.concatenate(column)) for column in zip(*tables, strict=True)]
    stretch = [np.stack((mesh.stretch[:-1], mesh.stretch[1:]), axis=1) for mesh in mine]  # type: ignore[attr-defined]
    stretches = np.concatenate([np.zeros((0, 2), np.uint32), *stretch])
    return Arrays(
        np.ascontiguousarray(np.hstack((rows.dofs, stretches)), np.uint32),
        _beams.empty_slots(len(rows.length)),
        rows.length,
        *columns,
        _beams.two_node_inertia(rows),
        rows.alpha,
        rows.beta,
        rows.damped,
    )


def _one_beam(mesh: BeamMesh, most: int) -> tuple[np.ndarray, ...]:
    axial, bending = RULES[mesh.options.integration]
    (x1, w1), (x2, w2), (xm, wm) = gauss(axial), gauss(bending), gauss(MASS_POINTS)
    x, w, n = np.append(x1, x2), np.append(w1, w2), len(mesh.connectivity)
    count = np.tile(np.array([axial, axial + bending], np.uint32), (n, 1))
    weight, slope, bend = np.zeros((n, most)), np.zeros((n, most, 4)), np.zeros((n, most, 4))
    stiffness, rest, mass = np.zeros((n, most, 2)), np.zeros((n, most, 2)), np.zeros((n, 4, 4))
    stiffness[:, : x.size] = _sections.values(mesh, 1, x, stiffnesses)
    lines = _sections.values(mesh, 1, xm, attrgetter("mass_per_length"))
    pose = np.asarray(mesh.pose, float)
    direction = np.stack((np.cos(pose[:, 2]), np.sin(pose[:, 2])), axis=1)
    for e, L in enumerate(np.diff(np.asarray(mesh.s)) * mesh.beam.length):
        _, slope[e, : x.size], bend[e, : x.size] = shapes(x, L)
        weight[e, : x.size] = w * L
        z = np.stack((pose[e, :2], direction[e], pose[e + 1, :2], direction[e + 1]))
        u, b = slope[e, : x.size] @ z, bend[e, : x.size] @ z
        square = np.sum(u**2, axis=1)
        rest[e, : x.size] = np.stack((np.sqrt(square), (u[:, 0] * b[:, 1] - u[:, 1] * b[:, 0]) / square), axis=1)
        S = shapes(xm, L)[0]
        mass[e] = L * (S.T * (wm * lines[e])) @ S
    return count, weight, slope, bend, stiffness, rest, mass


def _no_beam(most: int) -> tuple[np.ndarray, ...]:
    sizes = ((most,), (most, 4), (most, 4), (most, 2), (most, 2), (4, 4))
    return np.zeros((0, 2), np.uint32), *(np.zeros((0, *size)) for size in sizes)


def stations(mesh: BeamMesh) -> np.ndarray:
    """The points of curvature of every element."""
    end = np.asarray(mesh.s)
    return (end[:-1, None] + np.diff(end)[:, None] * gauss(RULES[mesh.options.integration][1])[0]).ravel()


def gyroscopic(part: Arrays) -> bool:
    """The mass matrix turns with the nodes: the tangent is unsymmetric in motion."""
    return bool(part.length.size)


def alpha_masses(part: Arrays) -> np.ndarray:
    """(n, 8, 8) what alpha multiplies: mass and rotary inertia interpolated linearly, which no stretch moves."""
    found = np.zeros((part.length.size, 8, 8))
    for k in range(3):
        one, two, across = part.inertia[:, 3 * (k // 2) :][:, :3].T
        found[:, k, k], found[:, k + 3, k + 3] = one, two
        found[:, k, k + 3] = found[:, k + 3, k] = across
    return found


class Point(NamedTuple):
    """At a Gauss point: r', r'', the size of r', the curvature, and its derivatives by r' and r''."""

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
    """Of element e, Gauss point g."""
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
    """Rates of |r'| and kappa at z' = z."""
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
    """N and M, with their damping."""
    strain, kappa = at.size - part.rest[e, g, 0], at.kappa - part.rest[e, g, 1]
    if part.damped:
        stretching, turning = rates(part, e, g, at, zv)
        strain, kappa = strain + part.beta[e] * stretching, kappa + part.beta[e] * turning
    return part.stiffness[e, g, 0] * strain, part.stiffness[e, g, 1] * kappa


@allocating_kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """r += M a + C v + f(q), s and w += ck K + cc C + cm M."""
    q, v, a = now.q, now.v, now.a
    ck, cc, cm, r = into.ck, into.cc, into.cm, into.r
    z, zv, za, f = np.zeros((4, 2)), np.zeros((4, 2)), np.zeros((4, 2)), np.zeros((4, 2))
    H, T, D = np.zeros((8, 8)), np.zeros((8, 8)), np.zeros((8, 8))
    wanted = ck != 0.0 or cc != 0.0 or cm != 0.0
    for e in range(part.length.size):
        dofs, beta, alpha = part.dofs, part.beta[e], part.alpha[e]
        place(dofs, e, q, z)
        velocity(dofs, e, q, v, zv)
        acceleration(dofs, e, q, v, a, za)
        f[:] = 0.0
        H[:] = 0.0
        for g in range(part.count[e, 1]):
            at = point_of(part, e, g, z)
            N, M = resultants_at(part, e, g, at, zv)
            weight, material = part.weight[e, g], ck + cc * beta
            tx, ty = at.ux / at.size, at.uy / at.size
            if g < part.count[e, 0]:
                N, EA = weight * N, weight * material * part.stiffness[e, g, 0]
                for k in range(4):
                    f[k, 0] += part.slope[e, g, k] * N * tx
                    f[k, 1] += part.slope[e, g, k] * N * ty
                if wanted:
                    across = ck * N / at.size
                    xx, yy = EA * tx * tx + across * ty * ty, EA * ty * ty + across * tx * tx
                    xy = (EA - across) * tx * ty
                    add_slopes(part.slope[e, g], xx, xy, yy, H)
            else:
                M, EI = weight * M, weight * material * part.stiffness[e, g, 1]
                for k in range(4):
                    a_k, b_k = part.slope[e, g, k], part.bend[e, g, k]
                    f[k, 0] += M * (a_k * at.ku[0] + b_k * at.kw[0])
                    f[k, 1] += M * (a_k * at.ku[1] + b_k * at.kw[1])
                if wanted:
                    add_curvature(part.slope[e, g], part.bend[e, g], at, EI, ck * M, H)
        for k in range(4):
            for l in range(4):
                f[k, 0] += part.mass[e, k, l] * za[l, 0]
                f[k, 1] += part.mass[e, k, l] * za[l, 1]
        pull_back(dofs, e, q, f, r)
        rotary = part.inertia[e]
        for i, j in ((2, 3), (5, 4)):
            r[dofs[e, i]] += rotary[j] * a[dofs[e, i]] + rotary[5] * a[dofs[e, 7 - i]]
        add_pair_inertia(r, dofs, e, part.inertia, alpha, v)
        if wanted:
            add_matrix(part, e, Rates(now, ck, cc, cm, cc * alpha), f, H, D, T, into)


@kernel
def add_slopes(slope: np.ndarray, xx: float, xy: float, yy: float, H: np.ndarray) -> None:
    """H += of a Hessian by r'."""
    for k in range(4):
        for l in range(4):
            both = slope[k] * slope[l]
            H[2 * k, 2 * l] += both * xx
            H[2 * k, 2 * l + 1] += both * xy
            H[2 * k + 1, 2 * l] += both * xy
            H[2 * k + 1, 2 * l + 1] += both * yy


@kernel
def add_curvature(slope: np.ndarray, bend: np.ndarray, at: Point, EI: float, M: float, H: np.ndarray) -> None:
    """H += EI kappa_z kappa_z^T + M kappa_zz; with J w = (-w_y, w_x),

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
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic and elastic energy."""
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
        for g in range(part.count[e, 1]):
            at = point_of(part, e, g, z)
            strain, kappa = at.size - part.rest[e, g, 0], at.kappa - part.rest[e, g, 1]
            EA, EI = part.stiffness[e, g, 0], part.stiffness[e, g, 1]
            twice = EA * strain * strain if g < part.count[e, 0] else EI * kappa * kappa
            potential += 0.5 * part.weight[e, g] * twice
    return kinetic, potential


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Supplied (none) and dissipated power."""
    dissipated = 0.0
    if not part.damped:
        return 0.0, dissipated
    z, zv = np.zeros((4, 2)), np.zeros((4, 2))
    for e in range(part.length.size):
        place(part.dofs, e, q, z)
        velocity(part.dofs, e, q, v, zv)
        dissipated += part.alpha[e] * pair_inertia_form(part.dofs, e, part.inertia, v)
        for g in range(part.count[e, 1]):
            stretching, turning = rates(part, e, g, point_of(part, e, g, z), zv)
            EA, EI = part.stiffness[e, g, 0], part.stiffness[e, g, 1]
            rate = EA * stretching * stretching if g < part.count[e, 0] else EI * turning * turning
            dissipated += part.beta[e] * part.weight[e, g] * rate
    return 0.0, dissipated


@allocating_kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """N, V and M at `stations`, damping included; ``V = -M'/|r'|``, M linear along an element."""
    z, zv, row = np.zeros((4, 2)), np.zeros((4, 2)), 0
    for e in range(part.length.size):
        place(part.dofs, e, q, z)
        velocity(part.dofs, e, q, v, zv)
        first, last = part.count[e, 0], part.count[e, 1] - 1
        start = row
        for g in range(first, last + 1):
            out[row, 0], out[row, 2] = resultants_at(part, e, g, point_of(part, e, g, z), zv)
            row += 1
        between = apart(part.count[e, 1] - part.count[e, 0]) * part.length[e]
        for k in range(start, row):
            size = point_of(part, e, first + k - start, z).size
            out[k, 1] = -(out[row - 1, 2] - out[start, 2]) / (between * size)


@kernel
def apart(points: int) -> float:
    """From the first to the last of 2 or 3 Gauss points on [0, 1]."""
    return sqrt(1.0 / 3.0) if points == 2 else sqrt(0.6)


