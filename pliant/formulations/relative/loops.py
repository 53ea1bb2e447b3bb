"""Compiled: the conditions of joints at which loops are cut, on top of the coordinates of a tree.

    N^T (M (N Q'' + b) + f + G^T lambda) = 0,   A Q'' + c = 0,   A = G N,   c = G b + v^T g_qq v + g_tt

with rows g of these joints only (joints/rows). H being the matrix at hand, N^T M N or that of an implicit stage,
lambda solves (A H^-1 A^T) lambda = c + A Q''_0 of the accelerations Q''_0 without it. Where rows depend on each other
in every pose all are softened, A H^-1 A^T + s D with D of the size of its largest entry, and refinement takes the
softness out again: of a direction sigma of A it leaves (1 + sigma^2 / s)^-4. So rows that nearly depend on each other
push little at a dead centre, and the motion passes it. Where no mass moves with some coordinate but loops determine it,
H + gamma A^T W A and -gamma A^T W c besides the forces lead to the same (F. E. Udwadia, A. D. Schutte, J. Appl. Mech.
77, 2010).
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.joints import rows as joints
from pliant.joints.rows import Rows, in_space, planar, spatial
from pliant.linalg import dense

REFINEMENTS = 3


class Loops(Bundle):
    """What is known of the conditions."""

    rows: Rows
    number: np.ndarray  # (rows) among all rows of the system
    widths: np.ndarray  # (rows) units of the conditions
    rank: int  # how many do not depend on each other
    soft: float  # s, where not all do; else 0
    dead: float  # part of its term in A H^-1 A^T below which the pivot of a row tells of a dead centre


class Knot(Bundle):
    """Room to work in."""

    slopes: np.ndarray  # (terms, 6 or 12) gradients of the terms
    matrix: np.ndarray  # (rows, active) A
    answers: np.ndarray  # (rows, free) H^-1 A^T
    schur: np.ndarray  # (rows, rows) factors of A H^-1 A^T
    right: np.ndarray  # (rows)
    push: np.ndarray  # (rows) what `tie` has found
    gap: np.ndarray  # (rows) g
    speed: np.ndarray  # (rows) g'
    target: np.ndarray  # (rows) c
    pull: np.ndarray  # (rows) lambda
    gamma: np.ndarray  # (1)


def knot(loops: Loops, active: int, free: int) -> Knot:
    """Fresh room."""
    rows = loops.number.size
    return Knot(
        slopes=np.zeros(loops.rows.dofs.shape),
        matrix=np.zeros((rows, active)),
        answers=np.zeros((rows, free)),
        schur=np.zeros((rows, rows)),
        gamma=np.zeros(1),
        **{name: np.zeros(rows) for name in ("right", "push", "gap", "speed", "target", "pull")},
    )


@kernel
def slope(loops: Loops, knot: Knot, q: np.ndarray) -> None:
    """Gradients of all terms at a pose of the nodes."""
    if in_space(loops.rows):
        spatial.gradients(loops.rows, q, knot.slopes)
    else:
        planar.gradients(loops.rows, q, knot.slopes)


@kernel
def column(loops: Loops, knot: Knot, c: int, x: np.ndarray) -> None:
    """A's column c, with N's column x."""
    rows = loops.rows
    for t in range(rows.row.size):
        for i in range(rows.dofs.shape[1]):
            knot.matrix[rows.row[t], c] += knot.slopes[t, i] * x[rows.dofs[t, i]]


@linked_kernel
def measure(loops: Loops, knot: Knot, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray) -> None:
    """g and g' at a state of the nodes."""
    joints.residual(loops.rows, q, u, knot.gap)
    joints.velocity(loops.rows, q, v, u, rate, knot.speed)


@linked_kernel
def aim(
    loops: Loops, knot: Knot, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray, second: np.ndarray
) -> None:
    """c + A Q'' of the accelerations there are, in ``target``."""
    rows = loops.rows
    joints.bias(rows, q, v, u, second, knot.target)
    slope(loops, knot, q)
    for t in range(rows.row.size):
        for i in range(rows.dofs.shape[1]):
            knot.target[rows.row[t]] += knot.slopes[t, i] * a[rows.dofs[t, i]]


@kernel
def support(loops: Loops, knot: Knot, gamma: float, matrix: np.ndarray) -> None:
    """Add gamma A^T W A to the lower triangle of H."""
    knot.gamma[0] = gamma
    for k in range(loops.number.size):
        weight = gamma / loops.widths[k] ** 2
        for c in range(knot.answers.shape[1]):
            for n in range(c + 1):
                matrix[c, n] += weight * knot.matrix[k, c] * knot.matrix[k, n]


@kernel
def lean(loops: Loops, knot: Knot, right: np.ndarray) -> None:
    """Add -gamma A^T W times ``target`` to forces on the free coordinates."""
    for k in range(loops.number.size if knot.gamma[0] > 0.0 else 0):
        push = knot.gamma[0] * knot.target[k] / loops.widths[k] ** 2
        for c in range(knot.answers.shape[1]):
            right[c] -= push * knot.matrix[k, c]


@linked_kernel
def tighten(loops: Loops, knot: Knot, factors: np.ndarray) -> bool:
    """Factorise A H^-1 A^T with the factors of H at hand. Returns whether the pose is regular."""
    rows, free = knot.answers.shape
    largest = 0.0
    for k in range(rows):
        for c in range(free):
            knot.answers[k, c] = knot.matrix[k, c]
        dense.solve(factors, free, knot.answers[k])
        for n in range(k + 1):
            total = 0.0
            for c in range(free):
                total += knot.matrix[n, c] * knot.answers[k, c]
            knot.schur[k, n] = total
        largest = max(largest, knot.schur[k, k] / loops.widths[k] ** 2)
    for k in range(rows):
        knot.schur[k, k] += loops.soft * largest * loops.widths[k] ** 2
        knot.right[k] = knot.schur[k, k]
    if not dense.factor(knot.schur, rows):
        return False
    regular = True
    for k in range(rows):
        regular = regular and 0.0 <= loops.dead * knot.right[k] * knot.schur[k, k] < 1.0
    return regular


@kernel
def tie(loops: Loops, knot: Knot, values: np.ndarray, x: np.ndarray) -> None:
    """Change x, of the free coordinates, by -H^-1 A^T m so that values + A x = 0; m is left in ``push``."""
    rows, free = knot.answers.shape
    knot.push[:] = 0.0
    for _ in range(1 + REFINEMENTS if loops.soft > 0.0 else 1):
        for k in range(rows):
            knot.right[k] = values[k]
            for c in range(free):
                knot.right[k] += knot.matrix[k, c] * x[c]
        dense.solve(knot.schur, rows, knot.right)
        for k in range(rows):
            knot.push[k] += knot.right[k]
            for c in range(free):
                x[c] -= knot.answers[k, c] * knot.right[k]


@kernel
def pulled(knot: Knot) -> None:
    """Add the multipliers that `tie` has found."""
    for k in range(knot.pull.size):
        knot.pull[k] += knot.push[k]
