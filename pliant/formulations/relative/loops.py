"""Compiled: conditions of the joints at which loops are cut, in the coordinates of a tree.

With the rows g of these joints only (joints/rows), N^T (M (N Q'' + b) + f + G^T lambda) = 0 and A = G N. As many free
coordinates depend on the others as there are independent conditions. Complete pivoting of A chooses them anew for every
step: the columns of its pivots (R. A. Wehage, E. J. Haug, J. Mech. Des. 104, 1982). D for dependent, I for independent,

    g(Q_D, Q_I) = 0,   A_D Q'_D = -g_t - A_I Q'_I,   A_D Q''_D = -c - A_I Q''_I,   Z = [-A_D^-1 A_I; 1]

and Z^T times the equations of the tree determines Q''_I without lambda. Q_I and Q'_I are given; Newton finds Q_D near
its integrated values (dynamics.settle). Rotations about three axes are increments since the step began
(kernels/charts.py).
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.joints.rows import Rows
from pliant.linalg import elimination

BETTER = 0.1  # of ``regular``: limit of the pivots in a new choice, so that a step can begin where the last one ended
FINE, DEAD_CENTRE, NOT_CLOSED, NO_MASS = 0, 1, 2, 3


class Loops(Bundle):
    """Conditions of the joints at which loops are cut."""

    rows: Rows
    number: np.ndarray  # (rows) numbers among all rows of the system
    widths: np.ndarray  # (rows) units of the conditions
    rank: int  # number of independent conditions
    regular: float  # last pivot of A without units below which a pose is a dead centre


class Closure(Bundle):
    """Working arrays of the conditions."""

    jacobian: np.ndarray  # (rows, size) G
    matrix: np.ndarray  # (rows, active) A
    pivoted: np.ndarray  # (rows, free) A without units, eliminated
    lines: np.ndarray  # (rows) order of the conditions: independent ones first
    places: np.ndarray  # (free) order of the coordinates: dependent ones first
    factors: np.ndarray  # (rank, rank) factors of A_D without units
    order: np.ndarray  # (rank) order of the rows of A_D
    basis: np.ndarray  # (rank, degrees) A_D^-1 A_I
    pushed: np.ndarray  # (rank, degrees) H_DI - H_DD A_D^-1 A_I
    units: np.ndarray  # (degrees) units of the independent coordinates
    change: np.ndarray  # (degrees) change of the independent coordinates
    step: np.ndarray  # (free) change of all free coordinates
    right: np.ndarray  # (rank)
    found: np.ndarray  # (rank) change of the dependent coordinates
    still: np.ndarray  # (size) velocities of nodes at rest
    base: np.ndarray  # (coordinates) pose at which the independent coordinates were chosen
    gap: np.ndarray  # (rows) g
    target: np.ndarray  # (rows) g', then c + A Q''
    pull: np.ndarray  # (rows) lambda
    why: np.ndarray  # (1) FINE, or the reason why there is no acceleration
    drift: np.ndarray  # (1) largest gap of closed loops
    pivot: np.ndarray  # (1) last pivot of A without units, at the last pose


def closure(loops: Loops, active: int, free: int, sizes: tuple[int, int]) -> Closure:
    """Return fresh working arrays; ``sizes``: length of a configuration of the nodes, length of Q."""
    rows, rank = loops.number.size, max(loops.rank, 0)
    return Closure(
        jacobian=np.zeros((rows, sizes[0])),
        matrix=np.zeros((rows, active)),
        pivoted=np.zeros((rows, free)),
        lines=np.arange(rows),
        places=np.arange(free),
        factors=np.zeros((rank, rank)),
        order=np.arange(rank),
        basis=np.zeros((rank, free - rank)),
        pushed=np.zeros((rank, free - rank)),
        step=np.zeros(free),
        still=np.zeros(sizes[0]),
        base=np.zeros(sizes[1]),
        why=np.zeros(1, np.int64),
        **{name: np.zeros(free - rank) for name in ("units", "change")},
        **{name: np.zeros(rank) for name in ("right", "found")},
        **{name: np.zeros(rows) for name in ("gap", "target", "pull")},
        **{name: np.zeros(1) for name in ("drift", "pivot")},
    )


@linked_kernel
def pivot(loops: Loops, closure: Closure, scales: np.ndarray) -> bool:
    """Choose the dependent coordinates by the pivots of A. Returns whether the pose is regular."""
    for k in range(closure.lines.size):
        for c in range(closure.places.size):
            closure.pivoted[k, c] = closure.matrix[k, c] * scales[c] / loops.widths[k]
    share = elimination.reveal(closure.pivoted, loops.rank, closure.lines, closure.places)
    closure.pivot[0] = share * abs(closure.pivoted[closure.lines[0], closure.places[0]])
    for c in range(closure.units.size):
        closure.units[c] = scales[closure.places[loops.rank + c]]
    if closure.pivot[0] > BETTER * loops.regular:
        return True
    closure.why[0] = DEAD_CENTRE
    return False


@kernel
def factorise(loops: Loops, closure: Closure, scales: np.ndarray) -> bool:
    """Factorise A_D. Returns whether the pose is regular."""
    for k in range(loops.rank):
        line = closure.lines[k]
        for i in range(loops.rank):
            place = closure.places[i]
            closure.factors[k, i] = closure.matrix[line, place] * scales[place] / loops.widths[line]
    closure.pivot[0] = elimination.factor(closure.factors, loops.rank, closure.order)
    if closure.pivot[0] > 0.0:
        least = np.inf
        for k in range(loops.rank):
            least = min(least, abs(closure.factors[k, k]))
        closure.pivot[0] = least
    if closure.pivot[0] > loops.regular:
        return True
    closure.why[0] = DEAD_CENTRE
    return False


@kernel
def dependent(loops: Loops, closure: Closure, scales: np.ndarray, values: np.ndarray) -> float:
    """Solve A_D x = values for ``found``. Returns the largest entry of x without units; NaN is passed on."""
    size = 0.0
    for k in range(loops.rank):
        closure.right[k] = values[closure.lines[k]] / loops.widths[closure.lines[k]]
    elimination.solve(closure.factors, loops.rank, closure.order, closure.right, closure.found)
    for i in range(loops.rank):
        if not abs(closure.found[i]) <= size:
            size = abs(closure.found[i])
        closure.found[i] *= scales[closure.places[i]]
    return size


@kernel
def span(loops: Loops, closure: Closure, scales: np.ndarray) -> None:
    """Compute A_D^-1 A_I."""
    for c in range(closure.units.size):
        dependent(loops, closure, scales, closure.matrix[:, closure.places[loops.rank + c]])
        for i in range(loops.rank):
            closure.basis[i, c] = closure.found[i]


@kernel
def entry(matrix: np.ndarray, i: int, j: int) -> float:
    """Return an entry of a symmetric matrix whose lower triangle is stored."""
    return matrix[i, j] if i >= j else matrix[j, i]


@linked_kernel
def reduce(loops: Loops, closure: Closure, matrix: np.ndarray, out: np.ndarray) -> None:
    """Compute the lower triangle of Z^T H Z, given the lower triangle of H."""
    places, basis, rank = closure.places, closure.basis, loops.rank
    for c in range(closure.units.size):
        for k in range(rank):
            total = entry(matrix, places[k], places[rank + c])
            for n in range(rank):
                total -= entry(matrix, places[k], places[n]) * basis[n, c]
            closure.pushed[k, c] = total
        for e in range(c, closure.units.size):
            total = entry(matrix, places[rank + e], places[rank + c])
            for n in range(rank):
                total -= entry(matrix, places[rank + e], places[n]) * basis[n, c] + basis[n, e] * closure.pushed[n, c]
            out[e, c] = total


@kernel
def gather(loops: Loops, closure: Closure, forces: np.ndarray) -> None:
    """Compute ``change`` = Z^T forces."""
    for c in range(closure.units.size):
        closure.change[c] = forces[closure.places[loops.rank + c]]
        for k in range(loops.rank):
            closure.change[c] -= closure.basis[k, c] * forces[closure.places[k]]


@kernel
def scatter(loops: Loops, closure: Closure) -> None:
    """Compute ``step`` = Z ``change``."""
    for k in range(loops.rank):
        closure.step[closure.places[k]] = 0.0
    for c in range(closure.units.size):
        closure.step[closure.places[loops.rank + c]] = closure.change[c]
        for k in range(loops.rank):
            closure.step[closure.places[k]] -= closure.basis[k, c] * closure.change[c]


@kernel
def hold(loops: Loops, closure: Closure, scales: np.ndarray, forces: np.ndarray) -> None:
    """Add the multipliers that balance the forces on dependent coordinates, zero for redundant conditions, and subtract
    their effect from the forces on driven coordinates.
    """
    for i in range(loops.rank):
        closure.right[i] = forces[closure.places[i]] * scales[closure.places[i]]
    elimination.solve_transposed(closure.factors, loops.rank, closure.order, closure.right, closure.found)
    for k in range(loops.rank):
        line = closure.lines[k]
        pull = closure.found[k] / loops.widths[line]
        closure.pull[line] += pull
        for d in range(closure.places.size, closure.matrix.shape[1]):
            forces[d] -= closure.matrix[line, d] * pull
