"""Strain energy of an element, eq. 4 of the paper, with its gradient and Hessian.

    V = 1/2 int EA u'^2 + c3 EA u' w'^2 + c4 EA w'^4 / 4  dx  +  c5 EA (int w'^2 dx)^2 / (8 l)  +  1/2 t k t

t are the rotations of the ends relative to the chord and k is the inverse of the flexibility in bending and shear,
which is the paper's ``1/2 int EI w''^2 dx`` for a uniform beam without shear. EA belongs to the element as a whole. c3,
c4 and c5 are 1 or 0. With c3 and c4 it is ``EA (u' + w'^2 / 2)^2``, von Karman's; a linear u cannot follow its w'^2, so
that elements that bend are too stiff (membrane locking). With c3 and c5 the axial strain is the mean over the element,
without locking. With c3 alone the energy is not bounded below: u' = -w'^2 / 2 leaves ``-EA w'^4 / 8``. The integrand is
of degree 8 at most: five Gauss points. Shapes: see recursion.py.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant_papers.kinked.tree import Tree

_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
XI, WEIGHT = 0.5 * (_PLACES + 1.0), 0.5 * _WEIGHTS
_DOWN, _UP = 6.0 * XI**2 - 6.0 * XI, 6.0 * XI - 6.0 * XI**2
SLOPE = np.array([_DOWN, 1.0 - 4.0 * XI + 3.0 * XI**2, _UP, 3.0 * XI**2 - 2.0 * XI])
SHEARED = np.array([-np.ones(5), 0.5 - XI, np.ones(5), XI - 0.5])  # times phi
AGAINST_CHORD = np.array([[1.0, 1.0, -1.0, 0.0], [1.0, 0.0, -1.0, 1.0]])


@kernel
def strain(tree: Tree, q: np.ndarray, r: np.ndarray, stiffness: np.ndarray, hessian: bool) -> float:
    """Add V_Q to r and, if ``hessian``, V_QQ to ``stiffness``. Returns V. Springs at joints are included."""
    energy = 0.0 * q[0]
    for e in range(tree.length.size):
        energy += strain_element(tree, e, q, r, stiffness, hessian)
    for i in range(tree.spring.shape[0] - 3):
        if tree.spring[i, 0] != 0.0:
            turn = q[i] - tree.spring[i, 1]
            energy += 0.5 * tree.spring[i, 0] * turn * turn
            r[i] += tree.spring[i, 0] * turn
            if hessian:
                stiffness[i, i] += tree.spring[i, 0]
    return energy


@kernel
def slopes(g: int, phi: float) -> tuple[float, float, float, float]:
    """Return w' at a Gauss point for unit w/l and phi of the first and of the second node."""
    if phi == 0.0:
        return SLOPE[0, g], SLOPE[1, g], SLOPE[2, g], SLOPE[3, g]
    f = 1.0 / (1.0 + phi)
    return (
        f * (SLOPE[0, g] + phi * SHEARED[0, g]),
        f * (SLOPE[1, g] + phi * SHEARED[1, g]),
        f * (SLOPE[2, g] + phi * SHEARED[2, g]),
        f * (SLOPE[3, g] + phi * SHEARED[3, g]),
    )


@kernel
def strain_element(tree: Tree, e: int, q: np.ndarray, r: np.ndarray, stiffness: np.ndarray, hessian: bool) -> float:
    """Add V_Q, and V_QQ, of an element. Returns V."""
    c3, c4, c5 = tree.order[0], tree.order[1], tree.order[2]
    i, j = tree.freedom[tree.nodes[e, 0]], tree.freedom[tree.nodes[e, 1]]
    length, axial, phi = tree.length[e], tree.beam[e, 0], tree.beam[e, 4]
    at = (i + 1, i + 2, j + 1, j + 2)
    unit = (1.0 / length, 1.0, 1.0 / length, 1.0)  # displacements turn by 1 / l, rotations by 1
    place = (unit[0] * q[at[0]], q[at[1]], unit[2] * q[at[2]], q[at[3]])
    stretch = (q[j] - q[i]) / length
    mean, l0, l1, l2, l3 = 0.0 * stretch, 0.0 * stretch, 0.0 * stretch, 0.0 * stretch, 0.0 * stretch
    for g in range(5):
        by = slopes(g, phi)
        slope = by[0] * place[0] + by[1] * place[1] + by[2] * place[2] + by[3] * place[3]
        mean += WEIGHT[g] * slope * slope
        l0 += WEIGHT[g] * slope * by[0]
        l1 += WEIGHT[g] * slope * by[1]
        l2 += WEIGHT[g] * slope * by[2]
        l3 += WEIGHT[g] * slope * by[3]
    lean = (l0, l1, l2, l3)  # half the gradient of the mean
    energy = 0.125 * c5 * axial * length * mean * mean
    energy += bend_element(tree, e, place, at, unit, r, stiffness, hessian)
    for g in range(5):
        by = slopes(g, phi)
        slope = by[0] * place[0] + by[1] * place[1] + by[2] * place[2] + by[3] * place[3]
        square, weight = slope * slope, length * WEIGHT[g]
        energy += 0.5 * weight * axial * (stretch * stretch + c3 * stretch * square + 0.25 * c4 * square * square)
        tilt = weight * axial * (c3 * stretch + 0.5 * c4 * square + 0.5 * c5 * mean) * slope
        force = weight * axial * (stretch + 0.5 * c3 * square) / length
        r[i] -= force
        r[j] += force
        for a in range(4):
            r[at[a]] += unit[a] * tilt * by[a]
        if not hessian:
            continue
        along, mixed = weight * axial / (length * length), weight * axial * c3 * slope / length
        across = weight * axial * (c3 * stretch + 1.5 * c4 * square + 0.5 * c5 * mean)
        stiffness[i, i] += along
        stiffness[j, j] += along
        stiffness[i, j] -= along
        stiffness[j, i] -= along
        for a in range(4):
            coupling = mixed * unit[a] * by[a]
            stiffness[i, at[a]] -= coupling
            stiffness[at[a], i] -= coupling
            stiffness[j, at[a]] += coupling
            stiffness[at[a], j] += coupling
            for b in range(4):
                stiffness[at[a], at[b]] += unit[a] * unit[b] * across * by[a] * by[b]
    if hessian:
        for a in range(4):
            for b in range(4):
                stiffness[at[a], at[b]] += c5 * axial * length * unit[a] * unit[b] * lean[a] * lean[b]
    return energy


@kernel
def bend_element(
    tree: Tree, e: int, place: tuple[float, ...], at: tuple[int, ...], unit: tuple[float, ...], r: np.ndarray,
    stiffness: np.ndarray, hessian: bool,
) -> float:  # fmt: skip
    """Add bending and shear: moments ``m = k t`` at the ends. Returns the energy."""
    k11, k12, k22 = tree.beam[e, 1], tree.beam[e, 2], tree.beam[e, 3]
    t1, t2 = place[1] + place[0] - place[2], place[3] + place[0] - place[2]
    m1, m2 = k11 * t1 + k12 * t2, k12 * t1 + k22 * t2
    for a in range(4):
        b1, b2 = AGAINST_CHORD[0, a], AGAINST_CHORD[1, a]
        r[at[a]] += unit[a] * (b1 * m1 + b2 * m2)
        if hessian:
            row1, row2 = b1 * k11 + b2 * k12, b1 * k12 + b2 * k22
            for b in range(4):
                stiffness[at[a], at[b]] += unit[a] * unit[b] * (row1 * AGAINST_CHORD[0, b] + row2 * AGAINST_CHORD[1, b])
    return 0.5 * (m1 * t1 + m2 * t2)
