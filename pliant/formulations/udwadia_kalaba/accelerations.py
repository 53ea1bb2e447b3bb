"""Constrained accelerations, compiled: the fast route to the fundamental equation.

    x'' = a + M^-1/2 (A M^-1/2)^+ (b - A a)   is the x'' of   [M, A^T; A, 0] (x'', lambda) = (Q, b)

with a = M^-1 Q, A = g_q and b = -(v^T g_qq v + g_tt), to which Baumgarte adds -2 zeta omega g' - omega^2 g. The pattern
of this matrix is constant; its factorisation costs time in proportion to the number of links, and no square root of M
is formed. Other properties of the pseudo-inverse are reproduced as follows:

- redundant rows: they are softened slightly in the matrix, and refinement removes the effect of the softness;
- no mass in some direction: M + gamma A^T W A and Q + gamma A^T W b replace M and Q (Udwadia, Schutte 2010);
- friction of joints: C is added to Q, which gives M^-1/2 (I - B^+ B) M^-1/2 C, B = A M^-1/2 (Udwadia, Kalaba 2001).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.formulations.udwadia_kalaba import spatial
from pliant.jit import inlined_kernel, kernel
from pliant.joints.rows import Rows, in_space, rubbing
from pliant.joints.rows import planar as rows_of_plane
from pliant.joints.rows import spatial as rows_of_space
from pliant.joints.rows.planar import Ends
from pliant.kernels.circle import cos_sin
from pliant.kernels.measures import TURNING
from pliant.kernels.measures import planar as measures
from pliant.kernels.measures.planar import Pair
from pliant.kernels.sums import Instant, Into
from pliant.linalg import ldl
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused

SOFTNESS = 1e-9  # relative, of all rows at an instant at which they are dependent
REFINEMENTS = 3
SETTLED, AGREED = 1e-12, 1e-6  # relative change of the friction between two iterations: target, and largest permitted
PATIENCE = 60  # iterations between friction and the reactions that it depends on


class Inputs(NamedTuple):
    """Signals and their first two derivatives (of those that drive joints) at a time."""

    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray


class Constraints(NamedTuple):
    """Arguments of compiled code for a system."""

    equations: Equations
    massless: np.ndarray  # (n) angles that neither mass nor joint determines: they receive a unit of inertia
    redundant: bool
    powers: bool
    mixed: bool = False
    dead: float = 0.0  # smallest pivot of a row, relative to its terms, away from a dead centre


class Stabilisation(NamedTuple):
    """Baumgarte's feedback of g and g'; zero for none."""

    omega: float
    zeta: float


class Work(NamedTuple):
    """Working arrays of one evaluation."""

    scratch: Scratch
    jacobian: np.ndarray  # (terms, 6 or 12) of the constraints
    gap: np.ndarray  # (rows) g
    speed: np.ndarray  # (rows) g'
    target: np.ndarray  # (rows) b
    turn: np.ndarray  # (nodes, 2) cos and sin of the angle, in the plane
    drag: np.ndarray  # (size) C, of friction
    change: np.ndarray  # (size) of x'' in an iteration


@kernel
def constrain(rows: Rows, q: np.ndarray, v: np.ndarray, inputs: Inputs, stabilise: Stabilisation, work: Work) -> None:
    """Write A, g, g' and b of every row."""
    for k in range(rows.offset.size):
        work.gap[k] = -rows.offset[k] - rows.gain[k] * inputs.u[rows.signal[k]]
        work.speed[k] = -rows.gain[k] * inputs.rate[rows.signal[k]]
        work.target[k] = rows.gain[k] * inputs.second[rows.signal[k]]
    if in_space(rows):
        spatial.constrain(rows, q, v, work.jacobian, work.gap, work.speed, work.target)
    else:
        add_planar(rows, q, v, work)
    slow, stiff = 2.0 * stabilise.zeta * stabilise.omega, stabilise.omega * stabilise.omega
    for k in range(rows.offset.size):
        work.target[k] -= slow * work.speed[k] + stiff * work.gap[k]


@inlined_kernel
def add_planar(rows: Rows, q: np.ndarray, v: np.ndarray, work: Work) -> None:
    """Add the terms of all rows, in the plane."""
    turn = work.turn
    for i in range(turn.shape[0]):
        turn[i, 0], turn[i, 1] = cos_sin(q[3 * i + 2])
    for t in range(rows.row.size):
        k, c = rows.row[t], rows.factor[t]
        x = rows_of_plane.measured(rows.kind[t], ends(rows, t, q, turn))
        jacobian = rows_of_plane.gradient(x)
        for i in range(6):
            work.jacobian[t, i] = c * jacobian[i]
        work.gap[k] += c * x.value
        work.speed[k] += c * measures.rate(x, v, rows.dofs, t)
        work.target[k] -= c * measures.curvature(x, v, rows.dofs, t)


@kernel
def ends(rows: Rows, t: int, q: np.ndarray, turn: np.ndarray) -> Ends:
    """Return the pose of the nodes of term t, given the cosines and sines of all nodes: many rows share nodes."""
    dofs, d = rows.dofs[t], rows.offsets[t]
    a, b = dofs[0] // 3, dofs[3] // 3
    pa, pb = turned(turn, a, d[0], d[1]), turned(turn, b, d[2], d[3])
    n = rows.direction[t, 0], rows.direction[t, 1]
    if rows.kind[t] == TURNING:
        n = turned(turn, a, n[0], n[1])
    return Ends(pa, pb, n, rows_of_plane.way(dofs, q, pa, pb), (q[dofs[2]], q[dofs[5]]))


@kernel
def turned(turn: np.ndarray, node: int, x: float, y: float) -> Pair:
    """Return a vector of a node's frame in global axes."""
    c, s = turn[node, 0], turn[node, 1]
    return c * x - s * y, s * x + c * y


@inlined_kernel
def assemble(
    constraints: Constraints,
    q: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    soft: float,
    work: Work,
) -> bool:
    """Factorise [M, A^T; A, 0]; ``r`` is left with -Q. Returns whether this succeeded."""
    equations, scratch = constraints.equations, work.scratch
    rows, r, s = equations.rows, scratch.r, scratch.s
    r[:] = 0.0
    s[:] = 0.0
    fused.add(
        equations.parts,
        Instant(q, v, scratch.rest, u),
        Into(0.0, 0.0, 1.0, r, s, scratch.w),
        scratch.stress,
        constraints.mixed,
    )
    for i in range(constraints.massless.size):
        s[constraints.massless[i]] += 1.0
    if in_space(rows):
        add_rows(rows, work.jacobian, equations.gamma, soft, 12, s)
        if equations.gamma > 0.0:
            rows_of_space.add_pairs(rows, q, equations.gamma, s)
    else:
        add_rows(rows, work.jacobian, equations.gamma, soft, 6, s)
        if equations.gamma > 0.0:
            rows_of_plane.add_pairs(rows, q, equations.gamma, s)
    status, _ = ldl.factor(equations.pattern, s, scratch.factors)
    return status == ldl.OK


@kernel
def add_rows(rows: Rows, jacobians: np.ndarray, gamma: float, soft: float, width: int, s: np.ndarray) -> None:
    """Add A, gamma A^T W A and the softness of rows, for terms with ``width`` freedoms."""
    for t in range(rows.row.size):
        jacobian, slots, k = jacobians[t], rows.jacobian_slots, rows.row[t]
        for i in range(width):
            s[slots[t, i]] += jacobian[i]
        stiff = gamma * rows.weight[k]
        if stiff > 0.0:
            n = 0
            for i in range(width):
                for j in range(i + 1):
                    s[rows.slots[t, n]] += stiff * jacobian[i] * jacobian[j]
                    n += 1
        softness = max(soft, rows.softness[k])
        if softness > 0.0:
            s[rows.diagonal[k]] -= softness * flexibility(rows.slots[t], jacobian, width, s)


@kernel
def flexibility(slots: np.ndarray, jacobian: np.ndarray, width: int, s: np.ndarray) -> float:
    """Estimate how far a term moves under a unit force along it: sum of J_i^2 / A_ii over its unknowns."""
    dump, total = s.size - 1, 0.0
    for i in range(width):
        slot = slots[i * (i + 3) // 2]
        if slot != dump and s[slot] != 0.0:
            total += jacobian[i] * jacobian[i] / abs(s[slot])
    return total


@kernel
def at_dead_centre(constraints: Constraints, work: Work) -> bool:
    """Return whether some row nearly depends on the others here, by the pivots of the available factors.

    Branches of the motion meet at such a pose (a flat parallelogram may go on crossed). A pivot is about sigma^2 for a
    row that is independent by sigma; a gap g of a joint turns the motion by g / sigma^2, onto any branch.
    """
    n, factors, s = constraints.equations.freedoms, work.scratch.factors, work.scratch.s
    worst = 0.0
    for k in range(n, n + work.gap.size):
        worst = max(worst, factors.terms[k] * abs(s[k]))  # s holds 1 / pivot
    return constraints.dead * worst > 1.0


@kernel
def correct(
    constraints: Constraints, top: np.ndarray, a: np.ndarray, work: Work, da: np.ndarray, lam: np.ndarray
) -> None:
    """Add to (da, lambda) the solution for the residuals: ``top`` of the forces, b - A a of the rows."""
    equations, scratch, n = constraints.equations, work.scratch, constraints.equations.freedoms
    rows, right = equations.rows, scratch.step
    for i in range(n):
        right[i] = top[i]
    for k in range(rows.offset.size):
        right[n + k] = work.target[k]
    for t in range(rows.row.size):
        for i in range(rows.dofs.shape[1]):
            right[n + rows.row[t]] -= work.jacobian[t, i] * a[rows.dofs[t, i]]
    push_apart(constraints, work.jacobian, right)
    ldl.solve(equations.pattern, scratch.s, scratch.factors, right)
    for i in range(n):
        da[i] += right[i]
    for k in range(rows.offset.size):
        lam[k] += right[n + k]


@kernel
def push_apart(constraints: Constraints, jacobian: np.ndarray, right: np.ndarray) -> None:
    """Add gamma A^T W times the lower part of a right-hand side, the residual of the rows, to its upper part."""
    equations, n = constraints.equations, constraints.equations.freedoms
    rows = equations.rows
    for t in range(rows.row.size):
        push = equations.gamma * rows.weight[rows.row[t]] * right[n + rows.row[t]]
        if push != 0.0:
            for i in range(rows.dofs.shape[1]):
                if rows.dofs[t, i] < n:
                    right[rows.dofs[t, i]] += push * jacobian[t, i]


@kernel
def balance(
    constraints: Constraints,
    q: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    work: Work,
    a: np.ndarray,
    lam: np.ndarray,
    da: np.ndarray,
) -> None:
    """Add to (da, lambda) the solution for the residual of (a, lambda), with the available factors.

    With da = a this is refinement, which removes the effect of softened rows.
    """
    equations, scratch = constraints.equations, work.scratch
    rows, r = equations.rows, scratch.r
    r[:] = 0.0
    fused.add(
        equations.parts,
        Instant(q, v, a, u),
        Into(0.0, 0.0, 0.0, r, scratch.s, scratch.w),
        scratch.stress,
        constraints.mixed,
    )
    for i in range(constraints.massless.size):
        r[constraints.massless[i]] += a[constraints.massless[i]]
    for t in range(rows.row.size):
        for i in range(rows.dofs.shape[1]):
            r[rows.dofs[t, i]] += lam[rows.row[t]] * work.jacobian[t, i]
    for i in range(r.size):
        r[i] = work.drag[i] - r[i]
    correct(constraints, r, a, work, da, lam)


@inlined_kernel
def slide(
    constraints: Constraints, q: np.ndarray, v: np.ndarray, u: np.ndarray, work: Work, a: np.ndarray, lam: np.ndarray
) -> bool:
    """Iterate friction and the reactions that it depends on until they agree. Returns whether they do."""
    work.scratch.rubbed.force[:] = 0.0
    change = 1.0
    for _ in range(PATIENCE):
        change = rub(constraints, q, v, lam, work)
        if change < SETTLED:
            return True
        balance(constraints, q, v, u, work, a, lam, a)
    return change < AGREED


@kernel
def rub(constraints: Constraints, q: np.ndarray, v: np.ndarray, lam: np.ndarray, work: Work) -> float:
    """Compute C of the friction in all joints for the normal forces in lambda. Returns its relative change."""
    rough, rubbed = constraints.equations.rubbing, work.scratch.rubbed
    change = rubbing.rub(rough, q, v, lam, rubbed)
    work.drag[:] = 0.0
    rubbing.push(rough, rubbed, -1.0, work.drag)
    return change


@kernel
def accelerate(
    constraints: Constraints,
    stabilise: Stabilisation,
    q: np.ndarray,
    v: np.ndarray,
    inputs: Inputs,
    work: Work,
    a: np.ndarray,
    lam: np.ndarray,
) -> bool:
    """Compute accelerations and multipliers at a state. Returns False if they are not determined."""
    r, u, soft = work.scratch.r, inputs.u, constraints.redundant
    constrain(constraints.equations.rows, q, v, inputs, stabilise, work)
    softness, regular = 0.0, False
    for _ in range(2):
        regular = assemble(constraints, q, v, u, softness, work)
        if regular:
            break
        softness, soft = SOFTNESS, True
    if not regular or at_dead_centre(constraints, work):
        return False
    a[:] = 0.0
    lam[:] = 0.0
    for i in range(r.size):
        r[i] = -r[i]
    correct(constraints, r, a, work, a, lam)
    if constraints.equations.rubbing.arm.size > 0 and not slide(constraints, q, v, u, work, a, lam):
        return False
    if soft:
        for _ in range(REFINEMENTS):
            balance(constraints, q, v, u, work, a, lam, a)
    return True
