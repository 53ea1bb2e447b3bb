"""Constrained accelerations, compiled: the fast route to the fundamental equation.

    x'' = a + M^-1/2 (A M^-1/2)^+ (b - A a)   is the x'' of   [M, A^T; A, 0] (x'', lambda) = (Q, b)

with a = M^-1 Q, A = g_q and b = -(v^T g_qq v + g_tt), to which Baumgarte adds -2 zeta omega g' - omega^2 g. The pattern
of this matrix is known once; its factorisation costs time in proportion to the number of links, and no square root of M
is formed. What the pseudo-inverse does besides:

- redundant rows: they are softened a little in the matrix, and the softness is taken out again by refinement;
- no mass in some direction: M + gamma A^T W A and Q + gamma A^T W b in place of M and Q (Udwadia, Schutte 2010);
- friction: C is added to Q, which gives M^-1/2 (I - B^+ B) M^-1/2 C, B = A M^-1/2 (Udwadia, Kalaba 2001).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._jit import inlined_kernel, kernel
from pliant.joints import rows as joints
from pliant.joints.rows import ANGLE, POINT, Rows
from pliant.solvers import ldl
from pliant.system import fused
from pliant.system.equations import Equations, Scratch

SOFTNESS = 1e-9  # relative, of all rows where they depend on each other for an instant
REFINEMENTS = 3
SETTLED, AGREED = 1e-12, 1e-6  # change of the friction between two iterations, relative: at best, and at least
PATIENCE = 60  # iterations between friction and the reactions it depends on


class Friction(NamedTuple):
    """Friction in joints: the coordinate that slides, as a row, and how much each normal force resists it."""

    sliding: Rows  # one row a joint
    first: np.ndarray  # (n) rows of the constraints that hold the normal force: from here
    number: np.ndarray  # (n) so many
    coefficient: np.ndarray  # (n) mu, times the radius of a pin
    constant: np.ndarray  # (n) N or N m, whatever the normal force
    speed: np.ndarray  # (n) m/s or rad/s


class Constraints(NamedTuple):
    """What compiled code needs of a system."""

    equations: Equations
    massless: np.ndarray  # (n) angles that neither mass nor joint determines: given a unit of inertia
    friction: Friction
    redundant: bool
    powers: bool
    mixed: bool = False


class Stabilisation(NamedTuple):
    """Baumgarte's feedback of g and g'; zero for none."""

    omega: float
    zeta: float


class Work(NamedTuple):
    """Working arrays of one evaluation."""

    scratch: Scratch
    jacobian: np.ndarray  # (rows, 6) of the constraints
    local: np.ndarray  # (6) of a row of friction
    hessian: np.ndarray  # (21)
    gap: np.ndarray  # (rows) g
    speed: np.ndarray  # (rows) g'
    target: np.ndarray  # (rows) b
    turn: np.ndarray  # (nodes, 2) cos and sin of the angle
    drag: np.ndarray  # (n + 3) C
    change: np.ndarray  # (n + 3) of x'' in an iteration
    pull: np.ndarray  # (friction) of every joint with friction, N or N m
    lost: np.ndarray  # (1) power lost to friction


@kernel
def constrain(
    rows: Rows,
    q: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    rate: np.ndarray,
    second: np.ndarray,
    stabilise: Stabilisation,
    work: Work,
) -> None:
    """A, g, g' and b of every row."""
    turn, dofs, offsets = work.turn, rows.dofs, rows.offsets
    for i in range(turn.shape[0]):
        turn[i, 0], turn[i, 1] = np.cos(q[3 * i + 2]), np.sin(q[3 * i + 2])
    slow, stiff = 2.0 * stabilise.zeta * stabilise.omega, stabilise.omega * stabilise.omega
    for k in range(rows.kind.size):
        jacobian = work.jacobian[k]
        driven = rows.gain[k] != 0.0
        if rows.kind[k] == POINT and not rows.turning[k]:
            a, b = dofs[k, 0], dofs[k, 3]
            ca, sa, cb, sb = turn[a // 3, 0], turn[a // 3, 1], turn[b // 3, 0], turn[b // 3, 1]
            pax, pay = ca * offsets[k, 0] - sa * offsets[k, 1], sa * offsets[k, 0] + ca * offsets[k, 1]
            pbx, pby = cb * offsets[k, 2] - sb * offsets[k, 3], sb * offsets[k, 2] + cb * offsets[k, 3]
            nx, ny = rows.direction[k, 0], rows.direction[k, 1]
            jacobian[0], jacobian[1], jacobian[2] = -nx, -ny, nx * pay - ny * pax
            jacobian[3], jacobian[4], jacobian[5] = nx, ny, ny * pbx - nx * pby
            wa, wb = v[a + 2], v[b + 2]
            bias = wa * wa * (nx * pax + ny * pay) - wb * wb * (nx * pbx + ny * pby)
            gap = nx * (q[b] + pbx - q[a] - pax) + ny * (q[b + 1] + pby - q[a + 1] - pay) - rows.offset[k]
            if driven:
                gap -= rows.gain[k] * u[rows.signal[k]]
        elif rows.kind[k] == ANGLE:
            for i in range(6):
                jacobian[i] = 0.0
            jacobian[2], jacobian[5] = -1.0, 1.0
            bias = 0.0
            gap = joints.value(rows, k, q, u)
        else:
            gap = joints.evaluate(rows, k, q, u, jacobian, work.hessian)
            bias, n = 0.0, 0
            for i in range(6):
                for j in range(i):
                    bias += 2.0 * work.hessian[n] * v[dofs[k, i]] * v[dofs[k, j]]
                    n += 1
                bias += work.hessian[n] * v[dofs[k, i]] * v[dofs[k, i]]
                n += 1
        speed = 0.0
        for i in range(6):
            speed += jacobian[i] * v[dofs[k, i]]
        if driven:
            bias -= rows.gain[k] * second[rows.signal[k]]
            speed -= rows.gain[k] * rate[rows.signal[k]]
        work.gap[k], work.speed[k], work.target[k] = gap, speed, -bias - slow * speed - stiff * gap


@inlined_kernel
def assemble(
    constraints: Constraints,
    q: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    soft: float,
    work: Work,
) -> bool:
    """Factorise [M, A^T; A, 0]; ``r`` is left with -Q. Returns whether it could."""
    equations, scratch = constraints.equations, work.scratch
    rows, r, s = equations.rows, scratch.r, scratch.s
    r[:] = 0.0
    s[:] = 0.0
    fused.add(equations.parts, q, v, scratch.rest, u, 0.0, 0.0, 1.0, r, s, scratch.w, scratch.stress, constraints.mixed)
    for i in range(constraints.massless.size):
        s[constraints.massless[i]] += 1.0
    for k in range(rows.kind.size):
        jacobian, slots = work.jacobian[k], rows.jacobian_slots
        for i in range(6):
            s[slots[k, i]] += jacobian[i]
        stiff = equations.gamma * rows.weight[k]
        if stiff > 0.0:
            n = 0
            for i in range(6):
                for j in range(i + 1):
                    s[rows.slots[k, n]] += stiff * jacobian[i] * jacobian[j]
                    n += 1
        softness = max(soft, rows.softness[k])
        if softness > 0.0:
            s[rows.diagonal[k]] -= softness * joints.flexibility(rows, k, jacobian, s)
    status, _ = ldl.factor(equations.pattern, s, scratch.factors)
    return status == ldl.OK


@kernel
def correct(
    constraints: Constraints, top: np.ndarray, a: np.ndarray, work: Work, da: np.ndarray, lam: np.ndarray
) -> None:
    """Add to (da, lambda) the solution for what is missing: ``top`` of the forces, b - A a of the rows."""
    equations, scratch, n = constraints.equations, work.scratch, constraints.equations.freedoms
    rows, right = equations.rows, scratch.step
    for i in range(n):
        right[i] = top[i]
    for k in range(rows.kind.size):
        missing = work.target[k]
        for i in range(6):
            missing -= work.jacobian[k, i] * a[rows.dofs[k, i]]
        right[n + k] = missing
        push = equations.gamma * rows.weight[k] * missing
        if push != 0.0:
            for i in range(6):
                if rows.dofs[k, i] < n:
                    right[rows.dofs[k, i]] += push * work.jacobian[k, i]
    ldl.solve(equations.pattern, scratch.s, scratch.factors, right)
    for i in range(n):
        da[i] += right[i]
    for k in range(rows.kind.size):
        lam[k] += right[n + k]


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
    """Add to (da, lambda) the solution for what (a, lambda) leaves of the equations, with the factors there are.

    With da = a: refinement, which takes out what softened rows have left.
    """
    equations, scratch = constraints.equations, work.scratch
    rows, r = equations.rows, scratch.r
    r[:] = 0.0
    fused.add(equations.parts, q, v, a, u, 0.0, 0.0, 0.0, r, scratch.s, scratch.w, scratch.stress, constraints.mixed)
    for i in range(constraints.massless.size):
        r[constraints.massless[i]] += a[constraints.massless[i]]
    for k in range(rows.kind.size):
        for i in range(6):
            r[rows.dofs[k, i]] += lam[k] * work.jacobian[k, i]
    for i in range(r.size):
        r[i] = work.drag[i] - r[i]
    correct(constraints, r, a, work, da, lam)


@inlined_kernel
def slide(
    constraints: Constraints, q: np.ndarray, v: np.ndarray, u: np.ndarray, work: Work, a: np.ndarray, lam: np.ndarray
) -> bool:
    """Friction and the reactions that it depends on, in turn until they agree. Returns whether they do."""
    work.pull[:] = 0.0
    change = 1.0
    for _ in range(PATIENCE):
        change = rub(constraints, q, v, u, lam, work)
        if change < SETTLED:
            return True
        balance(constraints, q, v, u, work, a, lam, a)
    return change < AGREED


@kernel
def rub(constraints: Constraints, q: np.ndarray, v: np.ndarray, u: np.ndarray, lam: np.ndarray, work: Work) -> float:
    """C of the friction in all joints for the normal forces in lambda. Returns how much of it is new, relative."""
    friction, sliding, drag = constraints.friction, constraints.friction.sliding, work.drag
    change, size = 0.0, 0.0
    drag[:] = 0.0
    work.lost[0] = 0.0
    for e in range(friction.first.size):
        joints.evaluate(sliding, e, q, u, work.local, work.hessian)
        speed = 0.0
        for i in range(6):
            speed += work.local[i] * v[sliding.dofs[e, i]]
        pull = grip(constraints, e, lam, work) * np.tanh(speed / friction.speed[e])
        for i in range(6):
            drag[sliding.dofs[e, i]] -= pull * work.local[i]
        change, size = max(change, abs(pull - work.pull[e])), max(size, abs(pull))
        work.pull[e] = pull
        work.lost[0] += pull * speed
    return change / size if size > 0.0 else 0.0


@kernel
def grip(constraints: Constraints, e: int, lam: np.ndarray, work: Work) -> float:
    """Largest friction of a joint, F0 + mu |N|."""
    friction = constraints.friction
    x, y = 0.0, 0.0
    for k in range(friction.first[e], friction.first[e] + friction.number[e]):
        x += lam[k] * work.jacobian[k, 3]
        y += lam[k] * work.jacobian[k, 4]
    return friction.constant[e] + friction.coefficient[e] * np.sqrt(x * x + y * y)


@kernel
def accelerate(
    constraints: Constraints,
    stabilise: Stabilisation,
    q: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    rate: np.ndarray,
    second: np.ndarray,
    work: Work,
    a: np.ndarray,
    lam: np.ndarray,
) -> bool:
    """Accelerations and multipliers at a state. Returns False where they are not determined."""
    r, soft = work.scratch.r, constraints.redundant
    constrain(constraints.equations.rows, q, v, u, rate, second, stabilise, work)
    softness, regular = 0.0, False
    for _ in range(2):
        regular = assemble(constraints, q, v, u, softness, work)
        if regular:
            break
        softness, soft = SOFTNESS, True
    if not regular:
        return False
    a[:] = 0.0
    lam[:] = 0.0
    for i in range(r.size):
        r[i] = -r[i]
    correct(constraints, r, a, work, a, lam)
    if constraints.friction.first.size > 0 and not slide(constraints, q, v, u, work, a, lam):
        return False
    if soft:
        for _ in range(REFINEMENTS):
            balance(constraints, q, v, u, work, a, lam, a)
    return True
