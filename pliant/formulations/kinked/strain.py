"""Strain energy of an element, eq. 4 of the paper, with its gradient and Hessian.

    V = 1/2 int EA u'^2 + EI w''^2 + c3 EA u' w'^2 + c4 EA w'^4 / 4  dx

c3 and c4 are 1 or 0; with both it is ``EA (u' + w'^2 / 2)^2 + EI w''^2``, von Karman's strain. The integrand is of degree
8 at most: five Gauss points.
"""

from __future__ import annotations

import numpy as np

from pliant._jit import kernel
from pliant.formulations.kinked.tree import Tree

_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
XI, WEIGHT = 0.5 * (_PLACES + 1.0), 0.5 * _WEIGHTS
SLOPE = np.array([-6.0 * XI + 6.0 * XI**2, 1.0 - 4.0 * XI + 3.0 * XI**2, 6.0 * XI - 6.0 * XI**2, 3.0 * XI**2 - 2.0 * XI])
BEND = np.array([-6.0 + 12.0 * XI, -4.0 + 6.0 * XI, 6.0 - 12.0 * XI, 6.0 * XI - 2.0])


@kernel
def strain(tree: Tree, q: np.ndarray, r: np.ndarray, stiffness: np.ndarray, hessian: bool) -> float:
    """Add V_Q to r and, if asked, V_QQ to ``stiffness``. Returns V. Springs at joints are included."""
    energy = 0.0 * q[0]
    c3, c4 = tree.order[0], tree.order[1]
    for e in range(tree.beam.shape[0]):
        i, j = tree.freedom[tree.nodes[e, 0]], tree.freedom[tree.nodes[e, 1]]
        length, axial, bending = tree.beam[e, 0], tree.beam[e, 2], tree.beam[e, 3]
        stretch = (q[j] - q[i]) / length
        for g in range(5):
            slope, bend = 0.0 * stretch, 0.0 * stretch
            for a in range(4):
                at = i + 1 + a if a < 2 else j - 1 + a
                unit = 1.0 / length if a % 2 == 0 else 1.0  # displacements turn by 1 / l, rotations by 1
                slope += SLOPE[a, g] * unit * q[at]
                bend += BEND[a, g] * unit / length * q[at]
            weight = length * WEIGHT[g]
            square = slope * slope
            energy += 0.5 * weight * (
                axial * (stretch * stretch + c3 * stretch * square + 0.25 * c4 * square * square)
                + bending * bend * bend
            )
            pull = weight * axial * (stretch + 0.5 * c3 * square) / length
            tilt = weight * axial * (c3 * stretch + 0.5 * c4 * square) * slope
            moment = weight * bending * bend
            r[i] -= pull
            r[j] += pull
            for a in range(4):
                at = i + 1 + a if a < 2 else j - 1 + a
                unit = 1.0 / length if a % 2 == 0 else 1.0
                r[at] += unit * (tilt * SLOPE[a, g] + moment * BEND[a, g] / length)
            if not hessian:
                continue
            along = weight * axial / (length * length)
            stiffness[i, i] += along
            stiffness[j, j] += along
            stiffness[i, j] -= along
            stiffness[j, i] -= along
            mixed = weight * axial * c3 * slope / length
            across, curved = weight * axial * (c3 * stretch + 1.5 * c4 * square), weight * bending / (length * length)
            for a in range(4):
                at = i + 1 + a if a < 2 else j - 1 + a
                unit = 1.0 / length if a % 2 == 0 else 1.0
                coupling = mixed * unit * SLOPE[a, g]
                stiffness[i, at] -= coupling
                stiffness[at, i] -= coupling
                stiffness[j, at] += coupling
                stiffness[at, j] += coupling
                for b in range(4):
                    to, other = i + 1 + b if b < 2 else j - 1 + b, 1.0 / length if b % 2 == 0 else 1.0
                    both = across * SLOPE[a, g] * SLOPE[b, g] + curved * BEND[a, g] * BEND[b, g]
                    stiffness[at, to] += unit * other * both
    for i in range(tree.spring.shape[0] - 3):
        if tree.spring[i, 0] != 0.0:
            turn = q[i] - tree.spring[i, 1]
            energy += 0.5 * tree.spring[i, 0] * turn * turn
            r[i] += tree.spring[i, 0] * turn
            if hessian:
                stiffness[i, i] += tree.spring[i, 0]
    return energy
