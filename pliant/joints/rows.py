"""Constraint rows of all joints, as data: every joint is a few scalar rows between two markers.

Row kinds (``D = r_b - r_a``, ``n`` a direction, either fixed in space or turning with marker a's node):

=========  ==============================================  =====================================
POINT      ``g = n . D - offset - gain u``                  revolute, slider, prismatic, weld
ANGLE      ``g = theta_b - theta_a - offset - gain u``      prismatic, weld, prescribed angle
DISTANCE   ``g = |D| - offset - gain u``                    distance
=========  ==============================================  =====================================

and in space, with e_a and e_b directions fixed to the nodes (gradients and Hessians: space_rows.py)

==============  =================================================  ================================
SPACE_POINT     ``g = n . D - offset - gain u``                     all joints that hold a point
PARALLEL        ``g = e_a . e_b``                                   axes kept at a right angle
HEADING         ``g = (e_a turned by offset + gain u) . e_b``       prescribed angle
SPACE_DISTANCE  ``g = |D| - offset - gain u``                       distance
==============  =================================================  ================================

The equations of motion read ``M a + f + G^T lambda = 0``: the joint pushes on the parts with ``-G^T lambda``.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pliant._jit import allocating_kernel, inlined_kernel, kernel, linked_kernel
from pliant.joints import space_rows as space
from pliant.kernels.marker import arm, span
from pliant.kernels.so3 import quaternion, rotate, rotate_back
from pliant.kernels.tensors import cross, dot, vector

POINT, ANGLE, DISTANCE = 0, 1, 2
SPACE_POINT, PARALLEL, HEADING, SPACE_DISTANCE = 3, 4, 5, 6
ANGULAR = (ANGLE, PARALLEL, HEADING)
LINEAR, SPATIAL, GENERAL = 0, 1, 2
SAME = np.arange(78, dtype=np.uint32).reshape(1, -1)  # slots of a row's own gradient and Hessian


class Rows(NamedTuple):
    """Flat arrays, one entry a row. ``slots``, ``jacobian_slots`` and ``diagonal`` are filled by compile.

    Planar systems have 6 freedoms, 4 offsets and 2 numbers of direction a row; spatial ones 12, 6 and 9.
    """

    kind: np.ndarray
    dofs: np.ndarray  # (m, 6 or 12) of nodes a and b
    frames: np.ndarray  # (m, 0 or 2) places of their quaternions
    offsets: np.ndarray  # (m, 4 or 6) d_a, d_b in their nodes' frames
    direction: np.ndarray  # (m, 2) n at theta_a = 0, or fixed; (m, 9) n, or e_a e_b, or the pair that turns and e_b
    turning: np.ndarray  # (m,) 1 when n turns with node a
    offset: np.ndarray  # (m,)
    gain: np.ndarray  # (m,)
    signal: np.ndarray  # (m,)
    weight: np.ndarray  # (m,) scale of the augmented term: 1 for lengths, (length scale)^2 for angles
    softness: np.ndarray  # (m,) matrix-only compliance of redundant rows, relative; else 0
    slots: np.ndarray  # (m, 21 or 78)
    jacobian_slots: np.ndarray  # (m, 6 or 12)
    diagonal: np.ndarray  # (m,)


@kernel
def evaluate(rows: Rows, k: int, q: np.ndarray, u: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray) -> float:
    """Value of row k; gradient and Hessian (lower triangle) are written to the given arrays."""
    target = rows.offset[k] + rows.gain[k] * u[rows.signal[k]]
    dofs = rows.dofs[k]
    kind = rows.kind[k]
    if kind >= SPACE_POINT:
        return evaluate_in_space(rows, k, q, target, jacobian, hessian)
    if kind == DISTANCE:
        return span(q, dofs, rows.offsets[k], jacobian, hessian) - target
    for i in range(21):
        hessian[i] = 0.0
    if kind == ANGLE:
        for i in range(6):
            jacobian[i] = 0.0
        jacobian[2], jacobian[5] = -1.0, 1.0
        return q[dofs[5]] - q[dofs[2]] - target
    pax, pay = arm(q[dofs[2]], rows.offsets[k, 0], rows.offsets[k, 1])
    pbx, pby = arm(q[dofs[5]], rows.offsets[k, 2], rows.offsets[k, 3])
    x = q[dofs[3]] + pbx - q[dofs[0]] - pax
    y = q[dofs[4]] + pby - q[dofs[1]] - pay
    nx, ny = rows.direction[k, 0], rows.direction[k, 1]
    turning = rows.turning[k]
    if turning:
        nx, ny = arm(q[dofs[2]], nx, ny)
    jacobian[0], jacobian[1], jacobian[2] = -nx, -ny, nx * pay - ny * pax
    jacobian[3], jacobian[4], jacobian[5] = nx, ny, ny * pbx - nx * pby
    hessian[5] = nx * pax + ny * pay
    hessian[20] = -(nx * pbx + ny * pby)
    if turning:  # n' = (-ny, nx)
        jacobian[2] += nx * y - ny * x
        hessian[3], hessian[4] = ny, -nx
        hessian[5] -= 2.0 * (nx * pax + ny * pay) + nx * x + ny * y
        hessian[8], hessian[12], hessian[17] = -ny, nx, nx * pbx + ny * pby
    return nx * x + ny * y - target


@kernel
def evaluate_in_space(
    rows: Rows, k: int, q: np.ndarray, target: float, jacobian: np.ndarray, hessian: np.ndarray
) -> float:
    """Value, gradient (12) and Hessian (78) of a row in space."""
    jacobian[:12] = 0.0
    hessian[:78] = 0.0
    line = line_in_space(rows, k, q, target)
    space.add_gradient(jacobian, SAME, 0, 1.0, line)
    add_hessian_in_space(rows, k, q, target, line, 1.0, hessian, SAME, 0)
    return line.value


@inlined_kernel
def add_hessian_in_space(
    rows: Rows,
    k: int,
    q: np.ndarray,
    target: float,
    line: space.Line,
    f: float,
    s: np.ndarray,
    slots: np.ndarray,
    e: int,
) -> None:
    """s += f times the Hessian of row k, at the places of row e of the slots."""
    pa, pb = quaternion(q, rows.frames[k, 0]), quaternion(q, rows.frames[k, 1])
    space.add_hessian(s, slots, e, f, pa, pb, line)
    if rows.kind[k] == SPACE_DISTANCE:
        space.add_swings(s, slots, e, f, line.value + target, pa, pb, line)


@inlined_kernel
def line_in_space(rows: Rows, k: int, q: np.ndarray, target: float) -> space.Line:
    """Row k in space."""
    kind, x, d = rows.kind[k], rows.direction, rows.offsets
    pa, pb = quaternion(q, rows.frames[k, 0]), quaternion(q, rows.frames[k, 1])
    n = x[k, 0], x[k, 1], x[k, 2]
    if kind in (PARALLEL, HEADING):
        e = x[k, 3], x[k, 4], x[k, 5]
        if kind == HEADING:
            n, e = space.heading(n, e, target), (x[k, 6], x[k, 7], x[k, 8])
        return space.parallel(pa, pb, n, e)
    da, db = (d[k, 0], d[k, 1], d[k, 2]), (d[k, 3], d[k, 4], d[k, 5])
    gap = space.between(q, rows.dofs, k, rotate(pa, da), rotate(pb, db))
    if rows.turning[k]:
        return space.turning_point(pa, pb, da, db, n, gap, target)
    if kind == SPACE_DISTANCE:
        length, n = space.toward(gap)
        return space.point(pa, pb, da, db, n, length - target)
    return space.point(pa, pb, da, db, n, dot(n, gap) - target)


@inlined_kernel
def add_in_space(
    rows: Rows,
    k: int,
    q: np.ndarray,
    push: float,
    u: np.ndarray,
    ck: float,
    stiff: float,
    r: np.ndarray,
    s: np.ndarray,
) -> float:
    """Value of a row in space, and all it adds."""
    target = rows.offset[k] + rows.gain[k] * u[rows.signal[k]]
    line = line_in_space(rows, k, q, target)
    space.add_gradient(r, rows.dofs, k, push + stiff * line.value, line)
    space.add_gradient(s, rows.jacobian_slots, k, 1.0, line)
    if ck * push != 0.0:
        add_hessian_in_space(rows, k, q, target, line, ck * push, s, rows.slots, k)
    if stiff != 0.0:
        space.add_square(s, rows.slots, k, stiff, line)
    return line.value


@inlined_kernel
def value(rows: Rows, k: int, q: np.ndarray, u: np.ndarray) -> float:
    """Value of row k alone."""
    dofs, offsets = rows.dofs, rows.offsets
    target = rows.offset[k] + rows.gain[k] * u[rows.signal[k]]
    if rows.kind[k] >= SPACE_POINT:
        return line_in_space(rows, k, q, target).value
    if rows.kind[k] == ANGLE:
        return q[dofs[k, 5]] - q[dofs[k, 2]] - target
    pax, pay = arm(q[dofs[k, 2]], offsets[k, 0], offsets[k, 1])
    pbx, pby = arm(q[dofs[k, 5]], offsets[k, 2], offsets[k, 3])
    x = q[dofs[k, 3]] + pbx - q[dofs[k, 0]] - pax
    y = q[dofs[k, 4]] + pby - q[dofs[k, 1]] - pay
    if rows.kind[k] == DISTANCE:
        return sqrt(x * x + y * y) - target
    nx, ny = rows.direction[k, 0], rows.direction[k, 1]
    if rows.turning[k]:
        nx, ny = arm(q[dofs[k, 2]], nx, ny)
    return nx * x + ny * y - target


@inlined_kernel
def is_linear(rows: Rows, k: int) -> bool:
    """Whether row k is ``n . (q_b - q_a)`` with a constant n of three numbers: no offsets, no turning."""
    if rows.kind[k] == POINT or rows.kind[k] == SPACE_POINT:
        for i in range(rows.offsets.shape[1]):
            if rows.offsets[k, i] != 0.0:
                return False
        return not rows.turning[k]
    return rows.kind[k] == ANGLE


@inlined_kernel
def way_to_add(rows: Rows, k: int, stiff: float) -> int:
    """Which of `add_linear`, `add_in_space` and `add_curved` is for row k."""
    if rows.softness[k] != 0.0:
        return GENERAL
    if stiff == 0.0 and is_linear(rows, k):
        return LINEAR
    return SPATIAL if rows.kind[k] >= SPACE_POINT else GENERAL


@inlined_kernel
def add_linear(rows: Rows, k: int, force: float, r: np.ndarray, s: np.ndarray) -> None:
    """r += G^T force and the places of G for a row that is linear."""
    dofs, slots = rows.dofs, rows.jacobian_slots
    second, kind = dofs.shape[1] // 2, rows.kind[k]
    third = rows.direction[k, 2] if kind == SPACE_POINT else 0.0
    n = (0.0, 0.0, 1.0) if kind == ANGLE else (rows.direction[k, 0], rows.direction[k, 1], third)
    for i in range(3):
        r[dofs[k, i]] -= n[i] * force
        r[dofs[k, i + second]] += n[i] * force
        s[slots[k, i]] -= n[i]
        s[slots[k, i + second]] += n[i]


@linked_kernel
def add(
    rows: Rows,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    ck: float,
    gamma: float,
    r: np.ndarray,
    g: np.ndarray,
    s: np.ndarray,
) -> None:
    """r += G^T (lambda + gamma g), g, and the saddle blocks ck (lambda g)_qq + gamma G^T G, G.

    With G dq = -g the terms in gamma cancel: Newton's step is that without them. (gamma g) g_qq must not be added: it
    would make large, false stiffness of a gap.
    """
    others = 0
    for k in range(rows.kind.size):
        stiff = gamma * rows.weight[k]
        way = way_to_add(rows, k, stiff)
        if way == LINEAR:
            g[k] = value(rows, k, q, u)
            add_linear(rows, k, lam[k], r, s)
        elif way == SPATIAL:
            g[k] = add_in_space(rows, k, q, lam[k], u, ck, stiff, r, s)
        else:
            others += 1
    if others > 0:
        add_curved(rows, q, lam, u, ck, gamma, r, g, s)


@allocating_kernel
def add_curved(
    rows: Rows,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    ck: float,
    gamma: float,
    r: np.ndarray,
    g: np.ndarray,
    s: np.ndarray,
) -> None:
    """What `add` leaves: rows of the plane that are not linear, and soft ones."""
    jacobian, hessian = np.empty(12), np.empty(78)
    for k in range(rows.kind.size):
        stiff = gamma * rows.weight[k]
        if way_to_add(rows, k, stiff) != GENERAL:
            continue
        g[k] = evaluate(rows, k, q, u, jacobian, hessian)
        force = lam[k] + stiff * g[k]
        n = 0
        for i in range(rows.dofs.shape[1]):
            r[rows.dofs[k, i]] += jacobian[i] * force
            s[rows.jacobian_slots[k, i]] += jacobian[i]
            for j in range(i + 1):
                s[rows.slots[k, n]] += ck * lam[k] * hessian[n] + stiff * jacobian[i] * jacobian[j]
                n += 1
        if rows.softness[k] > 0.0:
            s[rows.diagonal[k]] -= rows.softness[k] * flexibility(rows, k, jacobian, s)


@kernel
def slope(rows: Rows, k: int, q: np.ndarray, u: np.ndarray, jacobian: np.ndarray, hessian: np.ndarray) -> float:
    """Value and gradient of row k; the Hessian's array is for use, not for what is in it."""
    if rows.kind[k] < SPACE_POINT:
        return evaluate(rows, k, q, u, jacobian, hessian)
    jacobian[:12] = 0.0
    line = line_in_space(rows, k, q, rows.offset[k] + rows.gain[k] * u[rows.signal[k]])
    space.add_gradient(jacobian, SAME, 0, 1.0, line)
    return line.value


@kernel
def flexibility(rows: Rows, k: int, jacobian: np.ndarray, s: np.ndarray) -> float:
    """About how far row k gives way under a unit multiplier: sum of J_i^2 / A_ii over its unknowns."""
    dump = s.size - 1
    total = 0.0
    for i in range(rows.dofs.shape[1]):
        slot = rows.slots[k, i * (i + 3) // 2]
        if slot != dump and s[slot] != 0.0:
            total += jacobian[i] * jacobian[i] / abs(s[slot])
    return total


@linked_kernel
def residual(rows: Rows, q: np.ndarray, u: np.ndarray, g: np.ndarray) -> None:
    """Constraint values only."""
    for k in range(rows.kind.size):
        g[k] = value(rows, k, q, u)


@allocating_kernel
def velocity(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, rate: np.ndarray, out: np.ndarray) -> None:
    """G v + g_t, with ``rate`` the time derivatives of the signals."""
    jacobian, hessian = np.empty(12), np.empty(78)
    for k in range(rows.kind.size):
        slope(rows, k, q, u, jacobian, hessian)
        out[k] = -rows.gain[k] * rate[rows.signal[k]]
        for i in range(rows.dofs.shape[1]):
            out[k] += jacobian[i] * v[rows.dofs[k, i]]


@allocating_kernel
def bias(rows: Rows, q: np.ndarray, v: np.ndarray, u: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """v^T g_qq v + g_tt: what remains of the acceleration constraint besides G a."""
    jacobian, hessian = np.empty(12), np.empty(78)
    for k in range(rows.kind.size):
        evaluate(rows, k, q, u, jacobian, hessian)
        out[k] = -rows.gain[k] * second[rows.signal[k]]
        n = 0
        for i in range(rows.dofs.shape[1]):
            for j in range(i + 1):
                term = hessian[n] * v[rows.dofs[k, i]] * v[rows.dofs[k, j]]
                out[k] += term if i == j else 2.0 * term
                n += 1


@allocating_kernel
def jacobian_dense(rows: Rows, q: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """G as a dense array, the columns of the ground last."""
    jacobian, hessian = np.empty(12), np.empty(78)
    out[:] = 0.0
    for k in range(rows.kind.size):
        slope(rows, k, q, u, jacobian, hessian)
        for i in range(rows.dofs.shape[1]):
            out[k, rows.dofs[k, i]] += jacobian[i]


@linked_kernel
def power(rows: Rows, lam: np.ndarray, rate: np.ndarray) -> float:
    """Power that prescribed motions feed in: lambda . g_t."""
    total = 0.0
    for k in range(rows.kind.size):
        total -= lam[k] * rows.gain[k] * rate[rows.signal[k]]
    return total


@allocating_kernel
def reactions(rows: Rows, owner: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Force (global axes) and moment, about b's point, that each joint applies on its marker b; (times, joints, 3)."""
    jacobian, hessian = np.empty(12), np.empty(78)
    out[:] = 0.0
    for t in range(q.shape[0]):
        for k in range(rows.kind.size):
            slope(rows, k, q[t], u[t], jacobian, hessian)
            px, py = arm(q[t, rows.dofs[k, 5]], rows.offsets[k, 2], rows.offsets[k, 3])
            fx, fy = -lam[t, k] * jacobian[3], -lam[t, k] * jacobian[4]
            out[t, owner[k], 0] += fx
            out[t, owner[k], 1] += fy
            out[t, owner[k], 2] += -lam[t, k] * jacobian[5] - px * fy + py * fx


@allocating_kernel
def reactions_in_space(
    rows: Rows, owner: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray, out: np.ndarray
) -> None:
    """Force and moment about b's point, both in global axes, that each joint applies on its marker b; (times, joints,
    6).
    """
    jacobian, hessian = np.empty(12), np.empty(78)
    out[:] = 0.0
    for t in range(q.shape[0]):
        for k in range(rows.kind.size):
            slope(rows, k, q[t], u[t], jacobian, hessian)
            p = quaternion(q[t], rows.frames[k, 1])
            push = -lam[t, k]
            force = push * jacobian[6], push * jacobian[7], push * jacobian[8]
            swung = cross(vector(rows.offsets[k], 3), rotate_back(p, force))
            moment = push * jacobian[9] - swung[0], push * jacobian[10] - swung[1], push * jacobian[11] - swung[2]
            turned = rotate(p, moment)
            for i in range(3):
                out[t, owner[k], i] += force[i]
                out[t, owner[k], i + 3] += turned[i]
