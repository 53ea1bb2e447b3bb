"""The equations of motion in independent coordinates, compiled.

Of the coordinates of all bodies, as many depend on the others as the joints have independent conditions. Complete
pivoting of G = g_q tells which: those of its pivots (R. A. Wehage, E. J. Haug, J. Mech. Des. 104, 1982). At a pose

    g(q_D, q_I) = 0,   G_D v_D = -g_t - G_I v_I,   N = [-G_D^-1 G_I; 1],   v = N v_I + ...
    G_D b_D = -(v^T g_qq v + g_tt),   b_I = 0,   a = N y'' + b,   (N^T M N) y'' = -N^T (M b + f)

What is given is q_I and v_I; Newton finds q_D, near the values that the integration has for them. In space coordinates
of rotations are increments since the step began (kernels/charts.py), T = d(rotation) / d(increment).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.joints import rows as joints
from pliant.joints.rows import in_space
from pliant.kernels import charts
from pliant.kernels.sums import Instant, Into
from pliant.kernels.triples import times, vector
from pliant.linalg import dense, elimination
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused

ITERATIONS = 15
CONVERGED = 1e-13  # last Newton increment, in lengths of the model and radians
NEARLY = 1e-8  # where rounding ends the iteration earlier: increments from here on need not fall
CORRECTION = 0.3  # of an increment against the one before: more, and another branch may be near
WEIGHTLESS = 1e-13  # of the inertia of a coordinate: what is left of it when those before are held
FINE, DEAD_CENTRE, NOT_CLOSED, NO_MASS = 0, 1, 2, 3
BEST = -1  # no coordinate is given
BETTER = 0.1  # pivots may fall to this part where coordinates are chosen anew, so that a step can begin where one ended


class Mechanism(NamedTuple):
    """What compiled code needs of a system."""

    equations: Equations
    rank: int  # conditions that do not depend on each other
    units: np.ndarray  # (n) of the coordinates, so that they compare
    widths: np.ndarray  # (rows) units of the conditions
    massless: np.ndarray  # angles that neither mass nor joint determines: given a unit of inertia
    powers: bool
    regular: float  # last pivot of G over the first, below which a pose counts as a dead centre


class Work(NamedTuple):
    """Working arrays of one evaluation."""

    scratch: Scratch
    base: np.ndarray  # (size) pose at which the independent coordinates were chosen
    jacobian: np.ndarray  # (rows, size) G
    matrix: np.ndarray  # (rows, n) G without units, eliminated
    lines: np.ndarray  # (rows) order of the conditions: those that do not depend on each other first
    places: np.ndarray  # (n) order of the coordinates: those that depend on the others first
    factors: np.ndarray  # (rank, rank) of G_D without units
    order: np.ndarray  # (rank) of its rows
    basis: np.ndarray  # (n, freedoms) N, in units
    pushed: np.ndarray  # (n, freedoms) M N
    reduced: np.ndarray  # (freedoms, freedoms) factors of N^T M N
    implicit: np.ndarray  # (freedoms, freedoms) factors of N^T (M + g C + g^2 K) N
    change: np.ndarray  # (size) of the acceleration
    gap: np.ndarray  # (rows)
    right: np.ndarray  # (n)
    found: np.ndarray  # (n)
    why: np.ndarray  # (1) FINE, or why there is no acceleration
    drift: np.ndarray  # (1) largest gap that was left
    pivot: np.ndarray  # (1) last pivot of G over the first, at the last pose


@linked_kernel
def choose(mechanism: Mechanism, work: Work, q: np.ndarray, u: np.ndarray, given: int) -> bool:
    """Choose the independent coordinates at a pose: one that is given (-1: none), and the best others. Returns whether
    the pose is regular; how much so is left in ``pivot``.
    """
    for i in range(q.size):
        work.base[i] = q[i]
    joints.jacobian_dense(mechanism.equations.rows, q, u, work.jacobian)
    for k in range(work.gap.size):
        for i in range(mechanism.units.size):
            work.matrix[k, i] = 0.0 if i == given else work.jacobian[k, i] * mechanism.units[i] / mechanism.widths[k]
    work.pivot[0] = elimination.reveal(work.matrix, mechanism.rank, work.lines, work.places)
    if work.pivot[0] > BETTER * mechanism.regular:
        return True
    work.why[0] = DEAD_CENTRE
    return False


@kernel
def factorise(mechanism: Mechanism, work: Work, q: np.ndarray, u: np.ndarray, turns: bool) -> bool:
    """G at a pose, and the factors of its dependent columns; ``turns``: of those of increments, in space. Returns
    whether it is regular.
    """
    rows, n = mechanism.equations.rows, mechanism.units.size
    joints.jacobian_dense(rows, q, u, work.jacobian)
    if turns:
        for i in range(3, n, 6):
            back = times(-1.0, vector(q, i))
            for k in range(work.gap.size):
                charts.set_vector(work.jacobian[k], i, charts.spin(back, vector(work.jacobian[k], i)))
    for k in range(mechanism.rank):
        line = work.lines[k]
        for i in range(mechanism.rank):
            place = work.places[i]
            work.factors[k, i] = work.jacobian[line, place] * mechanism.units[place] / mechanism.widths[line]
    work.pivot[0] = elimination.factor(work.factors, mechanism.rank, work.order)
    if work.pivot[0] > mechanism.regular:
        return True
    work.why[0] = DEAD_CENTRE
    return False


@kernel
def dependent(mechanism: Mechanism, work: Work) -> None:
    """x_D with G_D x_D = ``gap``, in units, in ``found``."""
    for k in range(mechanism.rank):
        work.right[k] = work.gap[work.lines[k]] / mechanism.widths[work.lines[k]]
    elimination.solve(work.factors, mechanism.rank, work.order, work.right, work.found)


@linked_kernel
def restore(mechanism: Mechanism, work: Work, q: np.ndarray, u: np.ndarray, careful: bool) -> bool:
    """Close the joints by Newton along the dependent coordinates; ``careful``: only as long as its increments fall
    quickly, so that no other branch is met. Returns whether they are closed; factors of G_D are those of the end.
    """
    equations, space, before = mechanism.equations, in_space(mechanism.equations.rows), np.inf
    for _ in range(ITERATIONS):
        if space:
            charts.orient(work.base, equations.frames, equations.turning, q)
        joints.residual(equations.rows, q, u, work.gap)
        if not factorise(mechanism, work, q, u, space):
            return False
        dependent(mechanism, work)
        size = 0.0
        for i in range(mechanism.rank):
            if not abs(work.found[i]) <= size:  # NaN is passed on
                size = abs(work.found[i])
        if not size < np.inf or (careful and size > max(CORRECTION * before, NEARLY)):
            break
        part = 1.0 if size <= 1.0 else 1.0 / size
        for i in range(mechanism.rank):
            q[work.places[i]] -= part * work.found[i] * mechanism.units[work.places[i]]
        if size <= CONVERGED or (size <= NEARLY and size > CORRECTION * before):
            if space:
                charts.orient(work.base, equations.frames, equations.turning, q)
            return closed(mechanism, work, q, u) and (not space or factorise(mechanism, work, q, u, False))
        before = size
    work.why[0] = NOT_CLOSED
    return False


@kernel
def closed(mechanism: Mechanism, work: Work, q: np.ndarray, u: np.ndarray) -> bool:
    """Whether redundant conditions are kept too."""
    joints.residual(mechanism.equations.rows, q, u, work.gap)
    for k in range(work.gap.size):
        work.drift[0] = max(work.drift[0], abs(work.gap[k]))
        if not abs(work.gap[k]) <= NEARLY * mechanism.widths[k]:
            work.why[0] = NOT_CLOSED
            return False
    return True


@kernel
def follow(mechanism: Mechanism, work: Work, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray) -> None:
    """Velocities of the dependent coordinates, given those of the others."""
    joints.velocity(mechanism.equations.rows, q, v, u, rate, work.gap)
    dependent(mechanism, work)
    for i in range(mechanism.rank):
        v[work.places[i]] -= work.found[i] * mechanism.units[work.places[i]]


@kernel
def span(mechanism: Mechanism, work: Work) -> None:
    """N"""
    rank, units = mechanism.rank, mechanism.units
    for c in range(units.size - rank):
        place = work.places[rank + c]
        for i in range(units.size):
            work.basis[i, c] = 0.0
        for k in range(rank):
            line = work.lines[k]
            work.right[k] = -work.jacobian[line, place] * units[place] / mechanism.widths[line]
        elimination.solve(work.factors, rank, work.order, work.right, work.found)
        for i in range(rank):
            work.basis[work.places[i], c] = work.found[i] * units[work.places[i]]
        work.basis[place, c] = units[place]


@kernel
def multiply(mechanism: Mechanism, work: Work, reduced: np.ndarray) -> None:
    """``pushed`` = S N and ``reduced`` = N^T S N of the symmetric matrix in the scratch."""
    pattern, s, n, freedoms = mechanism.equations.pattern, work.scratch.s, mechanism.units.size, work.basis.shape[1]
    basis, pushed = work.basis, work.pushed
    for i in range(n):
        for c in range(freedoms):
            pushed[i, c] = s[i] * basis[i, c]
    size = pattern.order.size
    for e in range(pattern.row.size):
        value, i, j = s[size + e], pattern.row[e], pattern.column[e]
        if value != 0.0 and i < n and j < n:
            for c in range(freedoms):
                pushed[i, c] += value * basis[j, c]
                pushed[j, c] += value * basis[i, c]
    for b in range(freedoms):
        for c in range(b + 1):
            total = 0.0
            for i in range(n):
                total += basis[i, b] * pushed[i, c]
            reduced[b, c] = total


@kernel
def positive(work: Work) -> bool:
    """Factorise N^T M N. Returns whether mass moves with every independent coordinate."""
    freedoms = work.reduced.shape[0]
    for c in range(freedoms):
        work.right[c] = work.reduced[c, c]
    fine = dense.factor(work.reduced, freedoms)
    for c in range(freedoms):
        if not (fine and 0.0 < WEIGHTLESS * work.right[c] * work.reduced[c, c] < 1.0):
            work.why[0] = NO_MASS
            return False
    return True


@linked_kernel
def settle(mechanism: Mechanism, work: Work, now: Instant, rate: np.ndarray, second: np.ndarray) -> bool:
    """Bring positions, velocities and accelerations of the dependent coordinates after those of the others, and form N.
    Returns whether the joints could be closed.
    """
    q, v, a, u = now
    rows, n = mechanism.equations.rows, mechanism.units.size
    work.why[0] = FINE
    if not restore(mechanism, work, q, u, True):
        return False
    follow(mechanism, work, q, v, u, rate)
    joints.bias(rows, q, v, u, second, work.gap)
    for k in range(work.gap.size):
        for i in range(n):
            work.gap[k] += work.jacobian[k, i] * a[i]
    dependent(mechanism, work)
    for i in range(mechanism.rank):
        a[work.places[i]] -= work.found[i] * mechanism.units[work.places[i]]
    span(mechanism, work)
    return True


@linked_kernel
def load(mechanism: Mechanism, work: Work, now: Instant, coefficients: tuple[float, float, float]) -> None:
    """M a + f in r, and ck K + cc C + cm M of all parts in s."""
    parts, scratch = mechanism.equations.parts, work.scratch
    ck, cc, cm = coefficients
    scratch.r[:] = 0.0
    scratch.s[:] = 0.0
    fused.add(parts, now, Into(ck, cc, cm, scratch.r, scratch.s, scratch.w), scratch.stress, False)
    for i in range(mechanism.massless.size):
        scratch.s[mechanism.massless[i]] += cm
        scratch.r[mechanism.massless[i]] += now.a[mechanism.massless[i]]


@linked_kernel
def accelerate(
    mechanism: Mechanism, work: Work, now: Instant, rate: np.ndarray, second: np.ndarray, lam: np.ndarray
) -> bool:
    """Close the joints of a state along its dependent coordinates and find its accelerations and multipliers, all in
    place. Returns False where they are not determined, and leaves the reason in ``why``.
    """
    now.a[:] = 0.0
    if not settle(mechanism, work, now, rate, second):
        return False
    load(mechanism, work, now, (0.0, 0.0, 1.0))
    multiply(mechanism, work, work.reduced)
    if not positive(work):
        return False
    along(mechanism, work, work.reduced)
    for i in range(mechanism.units.size):
        now.a[i] += work.change[i]
        for c in range(work.basis.shape[1]):
            work.scratch.r[i] += work.pushed[i, c] * work.right[c]
    hold(mechanism, work, lam)
    return True


@kernel
def along(mechanism: Mechanism, work: Work, factors: np.ndarray) -> None:
    """``change`` = -N (factors)^-1 N^T r, and the part without N in ``right``."""
    n, freedoms = mechanism.units.size, work.basis.shape[1]
    for c in range(freedoms):
        work.right[c] = 0.0
        for i in range(n):
            work.right[c] -= work.basis[i, c] * work.scratch.r[i]
    dense.solve(factors, freedoms, work.right)
    for i in range(n):
        work.change[i] = 0.0
        for c in range(freedoms):
            work.change[i] += work.basis[i, c] * work.right[c]


@kernel
def hold(mechanism: Mechanism, work: Work, lam: np.ndarray) -> None:
    """Multipliers that hold the dependent coordinates against r; none of redundant conditions."""
    rank = mechanism.rank
    lam[:] = 0.0
    for i in range(rank):
        work.right[i] = -work.scratch.r[work.places[i]] * mechanism.units[work.places[i]]
    elimination.solve_transposed(work.factors, rank, work.order, work.right, work.found)
    for k in range(rank):
        lam[work.lines[k]] = work.found[k] / mechanism.widths[work.lines[k]]
