"""Two-node co-rotational Timoshenko beam in space: small strain in the frame of the mean section, turned to the chord.

The chord ``s = (x, y, z)`` of length l, in the frame of the mean section (elements/_spatial_pair.py), has the angles
``gamma = (y, z) f`` with it, ``f = atan2(rho, x)/rho``, ``rho^2 = y^2 + z^2``; psi is the rotation from one end to the
other. With L the arc length, and less the values of the rest shape,

    strains      eps = (l - l0)/L + bow (12 gamma^2 + 5 (psi_y^2 + psi_z^2))/4,   gamma,   psi/L
    resultants   C (eps, gamma, psi/L)                              (+ beta times their rates: Kelvin-Voigt)

bow = 1/30 is the von Karman term averaged over the cubic, 0 omits it. The moment of a shear force V grows linearly
along the element, so that C has the flexibility of the section plus ``L^2/12`` times the flexibility of bending at V:
the exact Timoshenko stiffness; if the section changes, flexibility is integrated along the element
(elements/_sections.py). In the plane this is `planar`, whose angles to the chord are ``-gamma -+ psi/2``.

Chord of an element in its mean section: length, the two angles between them, and their derivatives.
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from pliant.elements import _sections, _spatial_beams
from pliant.elements._beams import ends, meshes_of, per_element, rest_size
from pliant.elements._spatial_beams import SpatialLayout
from pliant.elements._spatial_pair import Pair, rates
from pliant.elements._spatial_two_node import block, kernels
from pliant.elements.beam_corotational import Corotational
from pliant.jit import kernel
from pliant.kernels.dyads import outer, symmetric
from pliant.kernels.tensors import Matrix, added, product, rows, scaled, transposed
from pliant.kernels.triples import Vector, dot, minus, plus, times, vector


class Chord(NamedTuple):
    """Chord s, its length, f, its derivatives -1/l^2, k (y, z), and k' with k_(y, z) = k' (y, z)."""

    s: Vector
    length: float
    f: float
    k: float
    slope: float


@kernel
def chord(s: Vector) -> Chord:
    """Return the angles of the chord to the mean section; small: ``x f = 1 - u/3 + u^2/5 - ...``, ``u = rho^2/x^2``."""
    x, square = s[0], s[1] * s[1] + s[2] * s[2]
    length = sqrt(x * x + square)
    u = square / (x * x)
    if x > 0.0 and u < 0.01:
        c = 1.0 / x
        f = c * (1.0 - u * (1 / 3 - u * (1 / 5 - u * (1 / 7 - u * (1 / 9 - u * (1 / 11 - u * (1 / 13 - u / 15)))))))
        k = 2 / 3 - u * (4 / 5 - u * (6 / 7 - u * (8 / 9 - u * (10 / 11 - u * (12 / 13 - u * 14 / 15)))))
        slope = 8 / 5 - u * (24 / 7 - u * (48 / 9 - u * (80 / 11 - u * (120 / 13 - u * 168 / 15))))
        return Chord(s, length, f, -c * c * c * k, c * c * c * c * c * slope)
    rho, inverse = sqrt(square), 1.0 / (length * length)
    f = atan2(rho, x) / rho
    k = (x * inverse - f) / square
    return Chord(s, length, f, k, -(2.0 * x * inverse * inverse + 3.0 * k) / square)


@kernel
def by_chord(at: Chord) -> tuple[Vector, Vector, Vector]:
    """Return the derivatives of l and of both angles gamma by s."""
    y, z, inverse = at.s[1], at.s[2], 1.0 / (at.length * at.length)
    mixed = at.k * y * z
    return (
        times(1.0 / at.length, at.s),
        (-y * inverse, at.f + at.k * y * y, mixed),
        (-z * inverse, mixed, at.f + at.k * z * z),
    )


class Arrays(NamedTuple):
    """Arrays of elements, one row each."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray  # (n, 78)
    frames: np.ndarray  # (n, 2)
    length: np.ndarray
    stiffness: np.ndarray  # (n, 6, 6) with the flexibility of bending at shear
    rest: np.ndarray  # (n, 6) l/L plus the term of bow, gamma, psi/L of the unstressed element
    bow: np.ndarray  # 1/30 or 0
    mass: np.ndarray  # (n, 3) of the nodes, and shared by both
    rotary: np.ndarray  # (n, 9) of the nodes, and shared by both
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool  # True if any alpha or beta is not zero
    stress_start: int = 0


meshes = meshes_of(Corotational)


def pack(layout: SpatialLayout) -> Arrays:
    """Pack beams whose options are Corotational."""
    mine = meshes(layout)
    table = _spatial_beams.rows(mine)
    L = table.length[:, None]
    bow = per_element(mine, [1 / 30 if mesh.options.von_karman else 0.0 for mesh in mine])
    stiffness = np.concatenate([np.zeros((0, 6, 6)), *map(_sections.chord_stiffness, mine)])
    s, psi = _spatial_beams.seen_ends(table)
    across = np.hypot(s[:, 1], s[:, 2])
    f = np.where(across > 0.0, np.arctan2(across, s[:, 0]) / np.where(across > 0.0, across, 1.0), 1.0 / s[:, 0])
    gamma = f[:, None] * s[:, 1:]
    bowed = bow * (3.0 * np.sum(gamma**2, axis=1) + 1.25 * np.sum(psi[:, 1:] ** 2, axis=1))
    eps = np.linalg.norm(s, axis=1) / table.length + bowed
    return Arrays(
        **_spatial_beams.two_node(layout, table),
        stiffness=stiffness,
        rest=np.column_stack((eps, gamma, psi / L)),
        bow=bow,
    )


stations, stress_size, gyroscopic = ends, rest_size, _spatial_beams.gyroscopic


@kernel
def strained(part: Arrays, e: int, pair: Pair, at: Chord) -> tuple[Vector, Vector]:
    """Return the strains, less the rest shape's."""
    bow, f, psi, rest = part.bow[e], 1.0 / part.length[e], pair.psi, part.rest[e]
    y, z = at.f * at.s[1], at.f * at.s[2]
    bowed = bow * (3.0 * (y * y + z * z) + 1.25 * (psi[1] * psi[1] + psi[2] * psi[2]))
    return minus((f * at.length + bowed, y, z), vector(rest, 0)), minus(times(f, psi), vector(rest, 3))


@kernel
def strain_rates(part: Arrays, e: int, v: np.ndarray, pair: Pair, at: Chord) -> tuple[Vector, Vector]:
    """Return the rates of the strains at velocity v (or their change over a small step v): B v."""
    moved, turning = rates(v, part.dofs, e, pair)
    along, first, second = by_chord(at)
    f, y, z = 1.0 / part.length[e], dot(first, moved), dot(second, moved)
    bowed = 6.0 * at.f * (at.s[1] * y + at.s[2] * z) + 2.5 * (pair.psi[1] * turning[1] + pair.psi[2] * turning[2])
    return (f * dot(along, moved) + part.bow[e] * bowed, y, z), times(f, turning)


@kernel
def pushes(part: Arrays, e: int, pair: Pair, at: Chord, N: Vector, M: Vector) -> tuple[Vector, Vector]:
    """Return the derivatives of the energy by s and psi: the forces of the resultants."""
    along, first, second = by_chord(at)
    L, bent = part.length[e], part.bow[e] * N[0]
    y, z = N[1] + 6.0 * bent * at.f * at.s[1], N[2] + 6.0 * bent * at.f * at.s[2]
    force = plus(times(N[0], along), times(L, plus(times(y, first), times(z, second))))
    return force, plus(M, times(2.5 * L * bent, (0.0, pair.psi[1], pair.psi[2])))


@kernel
def curvatures(
    part: Arrays, e: int, pair: Pair, at: Chord, N: Vector, material: float
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the second derivatives of the energy by s, by s and psi, by psi, with the resultants N."""
    L, bow, C, psi, s = part.length[e], part.bow[e], part.stiffness, pair.psi, at.s
    along, first, second = by_chord(at)
    bend = times(6.0 * bow * at.f, plus(times(s[1], first), times(s[2], second)))
    stretch = plus(times(1.0 / L, along), bend)
    B = rows(stretch, first, second)
    bowed = times(2.5 * bow, (0.0, psi[1], psi[2]))  # eps by psi
    stiff, coupling = scaled(L * material, block(C, e, 0, 0)), scaled(material, block(C, e, 0, 3))
    column = stiff[0], stiff[3], stiff[6]
    mixed = added(coupling, outer(column, bowed, 0.0))
    bending = added(scaled(material / L, block(C, e, 3, 3)), outer(times(stiff[0], bowed), bowed, 0.0))
    row = coupling[0], coupling[1], coupling[2]
    bending = added(bending, symmetric(times(2.0, row), bowed, 0.0))
    bent = 2.5 * L * bow * N[0]
    bending = added(bending, (0.0, 0.0, 0.0, 0.0, bent, 0.0, 0.0, 0.0, bent))
    # curvature of l and gamma with the current resultants
    inverse, swell = 1.0 / at.length, 6.0 * L * bow * N[0]
    pull = L * N[1] + swell * at.f * s[1], L * N[2] + swell * at.f * s[2]
    square, whole = inverse * inverse, pull[0] * s[1] + pull[1] * s[2]
    slant = times(2.0 * whole * square * square, s)
    yy, yz, zz = (
        whole * (at.k + at.slope * s[1] * s[1]),
        whole * at.slope * s[1] * s[2],
        whole * (at.k + at.slope * s[2] * s[2]),
    )
    curved = slant[0], slant[1], slant[2], slant[1], yy, yz, slant[2], yz, zz
    by_f = -2.0 * square, 2.0 * at.k * s[1], 2.0 * at.k * s[2]
    curved = added(curved, symmetric((0.0, pull[0], pull[1]), by_f, 0.0))
    curved = added(curved, added(outer(times(swell, first), first, 0.0), outer(times(swell, second), second, 0.0)))
    curved = added(curved, outer(times(-N[0] * inverse, along), along, N[0] * inverse))
    return added(product(product(transposed(B), stiff), B), curved), product(transposed(B), mixed), bending


add, energy, power, stretch, pull, resultants = kernels(chord, strained, strain_rates, pushes, curvatures)
