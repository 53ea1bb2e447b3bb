"""Linear two-node planar Timoshenko beam: ``f = (K + K_g)(q - q_rest)`` with the constant matrices of `matrices`.

The element lies on the chord between its unstressed nodes. Rayleigh damping is ``alpha M + beta K``: K_g is not
material stiffness and does not damp.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from pliant.elements import _beams, _sections
from pliant.elements._beams import BeamMesh, Layout
from pliant.elements.beam_linear import Linear, matrices
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.beam_points.shapes import gauss
from pliant.kernels.sums import Instant, Into

POINTS = 6  # of Gauss, along an element whose mass changes: cubics squared times an area of degree 4


class Arrays(NamedTuple):
    """One row per element; matrices in global axes, lower triangles row by row."""

    dofs: np.ndarray  # (n, 6)
    slots: np.ndarray  # (n, 21)
    rest: np.ndarray  # (n, 6)
    axis: np.ndarray  # (n, 2) cosine and sine of the chord
    axial_force: np.ndarray
    stiffness: np.ndarray  # (n, 21)
    geometric: np.ndarray  # (n, 21)
    mass: np.ndarray  # (n, 21)
    alpha: np.ndarray
    beta: np.ndarray


meshes = _beams.meshes_of(Linear)


def pack(layout: Layout) -> Arrays:
    """Pack beams whose options are Linear."""
    mine = meshes(layout)
    rows = _beams.rows(mine)
    dx, dy = np.diff(rows.pose[:, :, :2], axis=1)[:, 0].T
    chord = np.hypot(dx, dy)
    axis = np.stack((dx / chord, dy / chord), axis=1)
    packed, e = np.zeros((3, len(chord), 21)), 0
    for mesh in mine:
        for local in _matrices(mesh, chord[e : e + len(mesh.connectivity)]):
            packed[:, e] = [_turned(matrix, axis[e]) for matrix in local]
            e += 1
    return Arrays(
        dofs=rows.dofs,
        slots=_beams.empty_slots(len(chord)),
        rest=rows.pose.reshape(-1, 6),
        axis=axis,
        axial_force=_beams.per_element(mine, [mesh.options.axial_force for mesh in mine]),
        stiffness=packed[0],
        geometric=packed[1],
        mass=packed[2],
        alpha=rows.alpha,
        beta=rows.beta,
    )


def _matrices(mesh: BeamMesh, chord: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield stiffness, geometric stiffness and mass of the elements of a beam, in the axes of their chords.

    They are textbook matrices of the mean flexibility and the mass at the middle, plus the changes along the section;
    "exact" has the flexibility of the whole element.
    """
    options, rows, (x, weight) = mesh.options, _beams.rows([mesh]), gauss(POINTS)
    shear = _sections.values([mesh], 1, gauss(2)[0], attrgetter("shear_stiffness"))
    lines = _sections.values([mesh], 1, x, attrgetter("mass_per_length"))
    exact = _sections.bending(mesh, chord)
    for e, L in enumerate(chord):
        section = mesh.beam.section_at(float(np.mean(mesh.s[e : e + 2])))
        if options.integration == "exact":
            stiffness = matrices.exact_stiffness(L, *exact[e])
        else:
            EA, GA, EI = rows.stiffness[e]
            GA = GA if options.integration == "reduced" else section.shear_stiffness
            stiffness = matrices.stiffness(L, _beams.Stiffness(EA, GA, EI), options.integration)
        if options.integration == "full":
            stiffness += matrices.shear_change(L, shear[e] - section.shear_stiffness)
        mass = matrices.pair_mass(*rows.inertia[e])
        if options.mass == "hermite":
            mass = matrices.mass(L, section, "hermite")
            mass += matrices.hermite_change(L, x, weight, lines[e] - section.mass_per_length)
            mass *= rows.length[e] / L
        yield stiffness, matrices.geometric_stiffness(L, section, options.axial_force, options.integration), mass


def _turned(matrix: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return the lower triangle of T^T matrix T, T from global to element axes (thesis 5.34, 5.35)."""
    c, s = axis
    T = np.kron(np.eye(2), np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))
    turned: np.ndarray = T.T @ matrix @ T
    return turned[np.tril_indices(6)]


stations = _beams.ends


@kernel
def add(part: Arrays, now: Instant, into: Into) -> None:
    """Add M a + C v + (K + K_g)(q - q_rest) to r, and ck (K + K_g) + cc C + cm M to s."""
    dofs, slots, rest, q, v, a = part.dofs, part.slots, part.rest, now.q, now.v, now.a
    ck, cc, cm, r, s = into.ck, into.cc, into.cm, into.r, into.s
    for e in range(part.alpha.size):
        alpha, beta = part.alpha[e], part.beta[e]
        k = 0
        for i in range(6):
            row = dofs[e, i]
            for j in range(i + 1):
                column = dofs[e, j]
                K, M = part.stiffness[e, k], part.mass[e, k]
                C, total = alpha * M + beta * K, K + part.geometric[e, k]
                s[slots[e, k]] += ck * total + cc * C + cm * M
                r[row] += total * (q[column] - rest[e, j]) + C * v[column] + M * a[column]
                if i != j:
                    r[column] += total * (q[row] - rest[e, i]) + C * v[row] + M * a[row]
                k += 1


@kernel
def energy(part: Arrays, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Return kinetic and elastic energy (the preload has its geometric part)."""
    kinetic, potential = 0.0, 0.0
    for e in range(part.alpha.size):
        k = 0
        for i in range(6):
            row = part.dofs[e, i]
            for j in range(i + 1):
                column = part.dofs[e, j]
                half = 0.5 if i == j else 1.0
                stretch = (q[row] - part.rest[e, i]) * (q[column] - part.rest[e, j])
                potential += half * (part.stiffness[e, k] + part.geometric[e, k]) * stretch
                kinetic += half * part.mass[e, k] * v[row] * v[column]
                k += 1
    return kinetic, potential


@kernel
def power(part: Arrays, v: np.ndarray) -> tuple[float, float]:
    """Return supplied (zero) and dissipated power."""
    dissipated = 0.0
    for e in range(part.alpha.size):
        k = 0
        for i in range(6):
            for j in range(i + 1):
                twice = 1.0 if i == j else 2.0
                C = part.alpha[e] * part.mass[e, k] + part.beta[e] * part.stiffness[e, k]
                dissipated += twice * C * v[part.dofs[e, i]] * v[part.dofs[e, j]]
                k += 1
    return 0.0, dissipated


@allocating_kernel
def resultants(part: Arrays, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Write N (preload included), V (along and across the rest chord) and M at `stations`, damping included."""
    f = np.empty(6)
    for e in range(part.alpha.size):
        f[:] = 0.0
        for i in range(6):
            for j in range(6):
                k = i * (i + 1) // 2 + j if i >= j else j * (j + 1) // 2 + i
                change = q[part.dofs[e, j]] - part.rest[e, j]
                rate = part.beta[e] * v[part.dofs[e, j]]
                f[i] += part.stiffness[e, k] * (change + rate) + part.geometric[e, k] * change
        c, s = part.axis[e, 0], part.axis[e, 1]
        N, V = part.axial_force[e] + c * f[3] + s * f[4], c * f[4] - s * f[3]
        out[2 * e, 0], out[2 * e, 1], out[2 * e, 2] = N, V, -f[2]
        out[2 * e + 1, 0], out[2 * e + 1, 1], out[2 * e + 1, 2] = N, V, f[5]
