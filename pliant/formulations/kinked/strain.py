"""Strain energy of an element, eq. 4 of the paper, with its gradient and Hessian.

    V = 1/2 int EA u'^2 + EI w''^2 + c3 EA u' w'^2 + c4 EA w'^4 / 4  dx  +  c5 EA (int w'^2 dx)^2 / (8 l)

c3, c4 and c5 are 1 or 0. With c3 and c4 it is ``EA (u' + w'^2 / 2)^2 + EI w''^2``, von Karman's; a linear u cannot
follow its w'^2, so that elements that bend are too stiff (membrane locking). With c3 and c5 the axial strain is the
mean over the element, and nothing locks. With c3 alone the energy is not bounded below: u' = -w'^2 / 2 leaves
``-EA w'^4 / 8``. The integrand is of degree 8 at most: five Gauss points.
"""

from __future__ import annotations

import numpy as np

from pliant._jit import kernel
from pliant.formulations.kinked.tree import Tree

_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
XI, WEIGHT = 0.5 * (_PLACES + 1.0), 0.5 * _WEIGHTS
_DOWN, _UP = 6.0 * XI**2 - 6.0 * XI, 6.0 * XI - 6.0 * XI**2
SLOPE = np.array([_DOWN, 1.0 - 4.0 * XI + 3.0 * XI**2, _UP, 3.0 * XI**2 - 2.0 * XI])
BEND = np.array([-6.0 + 12.0 * XI, -4.0 + 6.0 * XI, 6.0 - 12.0 * XI, 6.0 * XI - 2.0])


@kernel
def strain(tree: Tree, q: np.ndarray, r: np.ndarray, stiffness: np.ndarray, hessian: bool) -> float:
    """Add V_Q to r and, if asked, V_QQ to ``stiffness``. Returns V. Springs at joints are included."""
    energy = 0.0 * q[0]
    for e in range(tree.beam.shape[0]):
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
def strain_element(tree: Tree, e: int, q: np.ndarray, r: np.ndarray, stiffness: np.ndarray, hessian: bool) -> float:
    """The same for an element."""
    c3, c4, c5 = tree.order[0], tree.order[1], tree.order[2]
    i, j = tree.freedom[tree.nodes[e, 0]], tree.freedom[tree.nodes[e, 1]]
    length, axial, bending = tree.beam[e, 0], tree.beam[e, 2], tree.beam[e, 3]
    at = (i + 1, i + 2, j + 1, j + 2)
    unit = (1.0 / length, 1.0, 1.0 / length, 1.0)  # displacements turn by 1 / l, rotations by 1
    place = (unit[0] * q[at[0]], q[at[1]], unit[2] * q[at[2]], q[at[3]])
    stretch = (q[j] - q[i]) / length
    mean, l0, l1, l2, l3 = 0.0 * stretch, 0.0 * stretch, 0.0 * stretch, 0.0 * stretch, 0.0 * stretch
    for g in range(5):
        slope = SLOPE[0, g] * place[0] + SLOPE[1, g] * place[1] + SLOPE[2, g] * place[2] + SLOPE[3, g] * place[3]
        mean += WEIGHT[g] * slope * slope
        l0 += WEIGHT[g] * slope * SLOPE[0, g]
        l1 += WEIGHT[g] * slope * SLOPE[1, g]
        l2 += WEIGHT[g] * slope * SLOPE[2, g]
        l3 += WEIGHT[g] * slope * SLOPE[3, g]
    lean = (l0, l1, l2, l3)  # half the gradient of the mean
    energy = 0.125 * c5 * axial * length * mean * mean
    for g in range(5):
        slope = SLOPE[0, g] * place[0] + SLOPE[1, g] * place[1] + SLOPE[2, g] * place[2] + SLOPE[3, g] * place[3]
        bend = BEND[0, g] * place[0] + BEND[1, g] * place[1] + BEND[2, g] * place[2] + BEND[3, g] * place[3]
        square, weight = slope * slope, length * WEIGHT[g]
        pull = stretch * stretch + c3 * stretch * square + 0.25 * c4 * square * square
        energy += 0.5 * weight * (axial * pull + bending * bend * bend / (length * length))
        tilt = weight * axial * (c3 * stretch + 0.5 * c4 * square + 0.5 * c5 * mean) * slope
        moment = weight * bending * bend / (length * length)
        force = weight * axial * (stretch + 0.5 * c3 * square) / length
        r[i] -= force
        r[j] += force
        for a in range(4):
            r[at[a]] += unit[a] * (tilt * SLOPE[a, g] + moment * BEND[a, g])
        if not hessian:
            continue
        along, mixed = weight * axial / (length * length), weight * axial * c3 * slope / length
        across = weight * axial * (c3 * stretch + 1.5 * c4 * square + 0.5 * c5 * mean)
        curved = weight * bending / (length * length)
        stiffness[i, i] += along
        stiffness[j, j] += along
        stiffness[i, j] -= along
        stiffness[j, i] -= along
        for a in range(4):
            coupling = mixed * unit[a] * SLOPE[a, g]
            stiffness[i, at[a]] -= coupling
            stiffness[at[a], i] -= coupling
            stiffness[j, at[a]] += coupling
            stiffness[at[a], j] += coupling
            for b in range(4):
                both = across * SLOPE[a, g] * SLOPE[b, g] + curved * BEND[a, g] * BEND[b, g]
                stiffness[at[a], at[b]] += unit[a] * unit[b] * both
    if hessian:
        for a in range(4):
            for b in range(4):
                stiffness[at[a], at[b]] += c5 * axial * length * unit[a] * unit[b] * lean[a] * lean[b]
    return energy
