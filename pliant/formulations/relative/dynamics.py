"""Compiled: the equations of motion of a tree, N^T (M (N Q'' + b) + f) = 0: sums over parts, projected on coordinates.

q' = N Q', q'' = N Q'' + b. All parts add their forces and matrices to the nodes (system/packing/fused.py), whatever
they are;
N and its transpose are never formed but applied by recursion. Where loops are cut, forces of their joints act besides
(loops.py).
"""

from __future__ import annotations

import numpy as np

from pliant.formulations.relative.loops import Knot, Loops, aim, column, lean, pulled, slope, support, tie, tighten
from pliant.formulations.relative.recursion import four, inwards, motions, poses, row, show, spread, take
from pliant.formulations.relative.tree import Tree, Work
from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.joints import rows as joints
from pliant.kernels.so3 import rotate_back
from pliant.kernels.sums import Instant, Into
from pliant.linalg import dense
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused

WEIGHTLESS = 1e-13  # of the inertia of a coordinate: what is left of it when those before are held
ROUNDING = 1e-14  # of the largest inertia, without units: what is none


class Mechanism(Bundle):
    """What compiled code needs of a tree. Coordinates that can move are ordered: free ones first, then driven ones."""

    equations: Equations
    tree: Tree
    width: int  # freedoms of a node
    free: int  # how many coordinates are free
    active: np.ndarray  # (active) coordinates that can move
    pair: np.ndarray  # (active) to which they belong
    rank: np.ndarray  # (coordinates) place among the active; -1: none
    signal: np.ndarray  # (driven) that drives a coordinate
    gain: np.ndarray  # (driven) coordinate = gain signal + shift
    shift: np.ndarray  # (driven)
    held: np.ndarray  # (pairs + 1) first of its rows
    rows: np.ndarray  # rows of all pairs, one after another
    massless: np.ndarray  # angles that neither mass nor joint determines: given a unit of inertia
    powers: bool  # whether some part feeds energy in or takes it out
    units: np.ndarray  # (coordinates) so that they compare
    scales: np.ndarray  # (active) the same of those that can move
    nothing: float  # a stiffness that is none, beside which idle rotations show inertia; 0 where there are none
    loops: Loops


class Room(Bundle):
    """Working arrays of one evaluation."""

    scratch: Scratch
    work: Work
    q: np.ndarray  # (size) coordinates of the system
    v: np.ndarray
    a: np.ndarray
    column: np.ndarray  # (size) of N
    pushed: np.ndarray  # (size) S times it
    out: np.ndarray  # (coordinates) N^T r
    matrix: np.ndarray  # (active, active) N^T S N
    implicit: np.ndarray  # (active, active) factors
    right: np.ndarray  # (active)
    jacobian: np.ndarray  # (rows, size)
    block: np.ndarray  # (6, 6)
    lam: np.ndarray  # (rows)
    knot: Knot


@kernel
def place(mechanism: Mechanism, room: Room, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Coordinates, velocities and accelerations of the system from relative ones."""
    tree, work, width = mechanism.tree, room.work, mechanism.width
    poses(tree, q, work, width)
    motions(tree, v, a, work)
    show(tree, work, width, mechanism.equations.frames, room.q, room.v, room.a)


@kernel
def load(mechanism: Mechanism, room: Room, u: np.ndarray, ck: float, cc: float, cm: float) -> None:
    """N^T (M a + f + G^T lambda) in ``out`` at the present place, and ck K + cc C + cm M of all parts in s."""
    scratch, tree, work, loops = room.scratch, mechanism.tree, room.work, mechanism.loops
    scratch.r[:] = 0.0
    if ck != 0.0 or cc != 0.0 or cm != 0.0:
        scratch.s[:] = 0.0
    now = Instant(room.q, room.v, room.a, u)
    fused.add(mechanism.equations.parts, now, Into(ck, cc, cm, scratch.r, scratch.s, scratch.w), scratch.stress, False)
    for i in range(mechanism.massless.size):
        scratch.s[mechanism.massless[i]] += cm
        scratch.r[mechanism.massless[i]] += room.a[mechanism.massless[i]]
    if loops.rank > 0:
        joints.add(loops.rows, room.q, room.knot.pull, u, joints.Saddle(ck, 0.0, scratch.r, room.knot.gap, scratch.s))
    room.out[:] = 0.0
    take(tree, work, mechanism.width, scratch.r)
    inwards(tree, work, room.out)


@linked_kernel
def project(mechanism: Mechanism, room: Room, matrix: np.ndarray) -> None:
    """Lower triangle of N^T S N of the symmetric matrix S in s, column by column, and A of the loops."""
    tree, work, s, x, y = mechanism.tree, room.work, room.scratch.s, room.column, room.pushed
    n, width, loops = mechanism.equations.freedoms, mechanism.width, mechanism.loops
    if loops.rank > 0:
        slope(loops, room.knot, room.q)
        room.knot.matrix[:] = 0.0
    for c in range(mechanism.active.size):
        coordinate, j = mechanism.active[c], mechanism.pair[c]
        for i in range(n):
            x[i] = 0.0
        spread(tree, work, j, coordinate, width, x)
        if loops.rank > 0:
            column(loops, room.knot, c, x)
        for i in range(n):
            y[i] = s[i] * x[i]
        for e in range(tree.entry.shape[0]):
            value, i, k = s[tree.entry[e, 0]], tree.entry[e, 1], tree.entry[e, 2]
            y[i] += value * x[k]
            y[k] += value * x[i]
        room.out[:] = 0.0
        ground = work.force.shape[0] - 1
        for i in range(3):
            work.force[ground, i] = work.moment[ground, i] = 0.0
        take(tree, work, width, y)
        inwards(tree, work, room.out)
        for i in range(c, mechanism.active.size):
            matrix[i, c] = room.out[mechanism.active[i]]


@kernel
def drive(mechanism: Mechanism, second: np.ndarray, a: np.ndarray) -> None:
    """Accelerations of what is driven; of all else, none."""
    a[:] = 0.0
    for d in range(mechanism.signal.size):
        a[mechanism.active[mechanism.free + d]] = mechanism.gain[d] * second[mechanism.signal[d]]


@kernel
def heavy(mechanism: Mechanism, room: Room, count: int) -> bool:
    """Whether mass moves with each of the first coordinates when those before are held, by factors in ``implicit``."""
    largest = 0.0
    for c in range(count):
        largest = max(largest, room.matrix[c, c] * mechanism.units[mechanism.active[c]] ** 2)
    for c in range(count):
        least = max(WEIGHTLESS * room.matrix[c, c], ROUNDING * largest / mechanism.units[mechanism.active[c]] ** 2)
        if not 0.0 < least * room.implicit[c, c] < 1.0:
            return False
    return True


@kernel
def factorise(mechanism: Mechanism, room: Room) -> bool:
    """Factors of N^T M N of the free coordinates in ``implicit``. Returns whether mass moves with each, or a loop."""
    free, largest = mechanism.free, 0.0
    room.knot.gamma[0] = 0.0
    for turn in range(2 if mechanism.loops.rank > 0 else 1):
        for c in range(free):
            largest = max(largest, room.matrix[c, c] * mechanism.scales[c] ** 2)
            for i in range(c + 1):
                room.implicit[c, i] = room.matrix[c, i]
        if turn > 0:
            support(mechanism.loops, room.knot, largest, room.implicit)
        if dense.factor(room.implicit, free) and heavy(mechanism, room, free):
            return True
    return False


@linked_kernel
def accelerate(
    mechanism: Mechanism, room: Room, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray, second: np.ndarray
) -> bool:
    """Q'' in ``a``. Returns whether mass moves with every coordinate that is free, and no loop is at a dead centre.
    ``right`` has what drives push.
    """
    loops, knot = mechanism.loops, room.knot
    drive(mechanism, second, a)
    place(mechanism, room, q, v, a)
    knot.pull[:] = 0.0
    load(mechanism, room, u, mechanism.nothing, 0.0, 1.0)
    free, right = mechanism.free, room.right
    for c in range(mechanism.active.size):
        right[c] = -room.out[mechanism.active[c]]
    project(mechanism, room, room.matrix)
    if not factorise(mechanism, room):
        return False
    if loops.rank == 0:
        dense.solve(room.implicit, free, right)
    else:
        aim(loops, knot, room.q, room.v, room.a, u, second)
        lean(loops, knot, right)
        dense.solve(room.implicit, free, right)
        if not tighten(loops, knot, room.implicit):
            return False
        tie(loops, knot, knot.target, right)
        pulled(knot)
    for c in range(free):
        a[mechanism.active[c]] = right[c]
    for d in range(free, mechanism.active.size):
        for c in range(free):
            right[d] -= room.matrix[d, c] * right[c]
        for k in range(knot.pull.size):
            right[d] -= knot.matrix[k, d] * knot.pull[k]
    return True


@linked_kernel
def react(mechanism: Mechanism, room: Room, u: np.ndarray) -> None:
    """Multipliers of all joints in ``lam``, from the forces M a + f on what hangs on each; ``a`` is in place."""
    tree, work, equations = mechanism.tree, room.work, mechanism.equations
    width, lam, block, right = mechanism.width, room.lam, room.block, room.right
    load(mechanism, room, u, 0.0, 0.0, 0.0)
    joints.jacobian_dense(equations.rows, room.q, u, room.jacobian)
    for j in range(tree.node.size):
        k, first, count = tree.node[j], mechanism.held[j], mechanism.held[j + 1] - mechanism.held[j]
        force, moment = row(work.force, k), row(work.moment, k)
        if width == 6:
            moment = rotate_back(four(work.turn, k), moment)
        for m in range(count):
            g = room.jacobian[mechanism.rows[first + m]]
            total = 0.0
            for i in range(width):
                w = equations.weight[i]
                if width == 3:
                    push = moment[2] if i == 2 else force[i]
                else:
                    push = force[i] if i < 3 else moment[i - 3]
                total -= g[width * k + i] * push / (w * w)
            right[m] = total
            for n in range(m + 1):
                other, total = room.jacobian[mechanism.rows[first + n]], 0.0
                for i in range(width):
                    total += g[width * k + i] * other[width * k + i] / (equations.weight[i] ** 2)
                block[m, n] = total
        dense.factor(block, count)
        dense.solve(block, count, right)
        for m in range(count):
            lam[mechanism.rows[first + m]] = right[m]
    for k in range(room.knot.pull.size):
        lam[mechanism.loops.number[k]] = room.knot.pull[k]


@kernel
def forward(
    mechanism: Mechanism, room: Room, q: np.ndarray, v: np.ndarray, forces: np.ndarray, u: np.ndarray, a: np.ndarray
) -> bool:
    """Q'' at many instants, one row each, with forces on the coordinates besides those of the parts; nothing is driven.
    Returns whether all are determined.
    """
    fine = True
    for k in range(q.shape[0]):
        a[k, :] = 0.0
        place(mechanism, room, q[k], v[k], a[k])
        load(mechanism, room, u, mechanism.nothing, 0.0, 1.0)
        for c in range(mechanism.active.size):
            room.right[c] = forces[k, mechanism.active[c]] - room.out[mechanism.active[c]]
        project(mechanism, room, room.matrix)
        for c in range(mechanism.active.size):
            for i in range(c + 1):
                room.implicit[c, i] = room.matrix[c, i]
        fine = (
            dense.factor(room.implicit, mechanism.active.size)
            and heavy(mechanism, room, mechanism.active.size)
            and fine
        )
        dense.solve(room.implicit, mechanism.active.size, room.right)
        for c in range(mechanism.active.size):
            a[k, mechanism.active[c]] = room.right[c]
    return fine


@kernel
def inverse(
    mechanism: Mechanism, room: Room, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray, forces: np.ndarray
) -> None:
    """Forces on the coordinates that accelerations ask for, besides those of the parts, at many instants."""
    for k in range(q.shape[0]):
        place(mechanism, room, q[k], v[k], a[k])
        load(mechanism, room, u, 0.0, 0.0, 0.0)
        for i in range(forces.shape[1]):
            forces[k, i] = room.out[i]
