"""Compiled: equations of motion of a tree, N^T (M (N Q'' + b) + f) = 0, from sums over parts.

q' = N Q', q'' = N Q'' + b. All parts add their forces and matrices to the nodes (system/packing/fused.py). Recursions
apply N and its transpose, which are never formed. Joints at which loops are cut add their forces (loops.py).
"""

from __future__ import annotations

import numpy as np

from pliant.formulations.relative import loops as closing
from pliant.formulations.relative.loops import FINE, NO_MASS, NOT_CLOSED, Closure, Loops, gather, hold, scatter
from pliant.formulations.relative.recursion import four, inwards, motions, poses, row, show, spread, take
from pliant.formulations.relative.tree import Tree, Work
from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.joints import rows as joints
from pliant.kernels import charts
from pliant.kernels.so3 import rotate_back
from pliant.kernels.sums import Instant, Into
from pliant.kernels.triples import times, vector
from pliant.linalg import dense
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused

WEIGHTLESS = 1e-13  # smallest pivot of the mass matrix, relative to the inertia of its coordinate
ROUNDING = 1e-14  # smallest pivot relative to the largest inertia, without units
ITERATIONS = 20  # Newton iterations on the gaps of loops
CONVERGED = 1e-14  # increment from which a loop is closed, in lengths of the model and radians
NEARLY = 1e-8  # increments below this size need not fall, because of rounding
CORRECTION = 0.3  # largest ratio of successive increments; above, another branch may be near
NEAR = 1e-3  # increment, relative to the last pivot, below which Newton keeps its factors


class Mechanism(Bundle):
    """A tree for compiled code. Active coordinates, which can move, are ordered: free ones first, then driven ones."""

    equations: Equations
    tree: Tree
    width: int  # freedoms of a node
    free: int  # number of free coordinates
    active: np.ndarray  # (active) numbers of the active coordinates
    pair: np.ndarray  # (active) pair of each; -1: moves no node
    rank: np.ndarray  # (coordinates) place among the active; -1: not active
    signal: np.ndarray  # (driven) signal that drives the coordinate
    gain: np.ndarray  # (driven) coordinate = gain signal + shift
    shift: np.ndarray  # (driven)
    held: np.ndarray  # (pairs + 1) first row of each pair, in ``rows``
    rows: np.ndarray  # rows of all pairs, one after another
    massless: np.ndarray  # angles without mass or joint, which get a unit of inertia
    powers: bool  # whether some part supplies or dissipates energy
    units: np.ndarray  # (coordinates) unit of each
    scales: np.ndarray  # (active) unit of each
    nothing: float  # negligible factor of K that gives idle rotations inertia; 0 without idle rotations
    loops: Loops


class Room(Bundle):
    """Working arrays of one evaluation."""

    scratch: Scratch
    work: Work
    q: np.ndarray  # (size) coordinates of the system
    v: np.ndarray
    a: np.ndarray
    column: np.ndarray  # (size) column of N
    pushed: np.ndarray  # (size) S times the column
    out: np.ndarray  # (coordinates) N^T r
    matrix: np.ndarray  # (active, active) N^T S N
    implicit: np.ndarray  # (active, active) factors
    right: np.ndarray  # (active)
    jacobian: np.ndarray  # (rows, size)
    block: np.ndarray  # (6, 6)
    inertia: np.ndarray  # (active) diagonal of the matrix to be factorised
    lam: np.ndarray  # (rows)
    closure: Closure


@kernel
def place(mechanism: Mechanism, room: Room, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Compute coordinates, velocities and accelerations of the system from relative ones."""
    tree, work, width = mechanism.tree, room.work, mechanism.width
    poses(tree, q, work, width)
    motions(tree, v, a, work)
    show(tree, work, width, mechanism.equations.frames, room.q, room.v, room.a)


@kernel
def load(mechanism: Mechanism, room: Room, u: np.ndarray, ck: float, cc: float, cm: float) -> None:
    """Compute N^T (M a + f + G^T lambda) in ``out`` at the present pose, and ck K + cc C + cm M of all parts in s."""
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
        joints.add(
            loops.rows, room.q, room.closure.pull, u, joints.Saddle(ck, 0.0, scratch.r, room.closure.gap, scratch.s)
        )
    room.out[:] = 0.0
    take(tree, work, mechanism.width, scratch.r)
    inwards(tree, work, room.out)


@linked_kernel
def project(mechanism: Mechanism, room: Room, matrix: np.ndarray) -> None:
    """Compute the lower triangle of N^T S N of the symmetric matrix S in s, column by column."""
    tree, work, s, x, y = mechanism.tree, room.work, room.scratch.s, room.column, room.pushed
    n, width = mechanism.equations.freedoms, mechanism.width
    for c in range(mechanism.active.size):
        coordinate, j = mechanism.active[c], mechanism.pair[c]
        for i in range(n):
            x[i] = 0.0
        spread(tree, work, j, coordinate, width, x)
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
def constrain(mechanism: Mechanism, room: Room, u: np.ndarray) -> None:
    """Compute A = G N of the loops at the present pose, row by row."""
    loops, closure, tree, work = mechanism.loops, room.closure, mechanism.tree, room.work
    joints.jacobian_dense(loops.rows, room.q, u, closure.jacobian)
    for k in range(closure.gap.size):
        room.out[:] = 0.0
        take(tree, work, mechanism.width, closure.jacobian[k])
        inwards(tree, work, room.out)
        for c in range(mechanism.active.size):
            closure.matrix[k, c] = room.out[mechanism.active[c]]


@linked_kernel
def choose(mechanism: Mechanism, room: Room, q: np.ndarray, u: np.ndarray) -> bool:
    """Choose the dependent coordinates at a pose. Returns whether the pose is regular."""
    for i in range(q.size):
        room.closure.base[i] = q[i]
    poses(mechanism.tree, q, room.work, mechanism.width)
    show(mechanism.tree, room.work, mechanism.width, mechanism.equations.frames, room.q, room.v, room.a)
    constrain(mechanism, room, u)
    return closing.pivot(mechanism.loops, room.closure, mechanism.scales)


@kernel
def close(mechanism: Mechanism, room: Room, q: np.ndarray, u: np.ndarray, near: bool) -> bool:
    """Close loops by Newton along the dependent coordinates, only as long as its increments fall quickly, so that it
    stays on its branch; ``near``: begin with the present factors. Returns whether all conditions are met, redundant
    ones too; then A is factorised at the end.
    """
    loops, closure, n, size = mechanism.loops, room.closure, mechanism.units.size, np.inf
    balls, before, keep = (q.size - n) // 4, np.inf, near
    for _ in range(ITERATIONS):
        if balls > 0:
            charts.orient(closure.base, n, balls, q)
        poses(mechanism.tree, q, room.work, mechanism.width)
        show(mechanism.tree, room.work, mechanism.width, mechanism.equations.frames, room.q, room.v, room.a)
        joints.residual(loops.rows, room.q, u, closure.gap)
        if not keep:
            constrain(mechanism, room, u)
            for ball in range(balls):  # spins -> increments of the rotation
                i, back = mechanism.rank[6 * ball + 3], times(-1.0, vector(q, 6 * ball + 3))
                for k in range(closure.gap.size):
                    charts.set_vector(closure.matrix[k], i, charts.spin(back, vector(closure.matrix[k], i)))
            if not closing.factorise(loops, closure, mechanism.scales):
                return False
        size = closing.dependent(loops, closure, mechanism.scales, closure.gap)
        if size <= CONVERGED or (size <= NEARLY and size > CORRECTION * before):
            break
        if not size <= max(CORRECTION * before, NEARLY):
            break
        part = 1.0 if size <= 1.0 else 1.0 / size
        for i in range(loops.rank):
            q[mechanism.active[closure.places[i]]] -= part * closure.found[i]
        before, keep = size, size <= NEAR * closure.pivot[0]
    fine = size <= NEARLY
    for k in range(closure.gap.size):
        fine = fine and abs(closure.gap[k]) <= NEARLY * loops.widths[k]
    if not fine:
        closure.why[0] = NOT_CLOSED
        return False
    for k in range(closure.gap.size):
        closure.drift[0] = max(closure.drift[0], abs(closure.gap[k]))
    constrain(mechanism, room, u)
    return closing.factorise(loops, closure, mechanism.scales)


@kernel
def move(mechanism: Mechanism, room: Room, v: np.ndarray, a: np.ndarray) -> None:
    """Compute velocities and accelerations of the system at the present pose."""
    motions(mechanism.tree, v, a, room.work)
    show(mechanism.tree, room.work, mechanism.width, mechanism.equations.frames, room.q, room.v, room.a)


@linked_kernel
def settle(mechanism: Mechanism, room: Room, now: Instant, rate: np.ndarray, second: np.ndarray, near: bool) -> bool:
    """Compute positions, velocities and accelerations of the dependent coordinates from the independent ones, and Z.
    Returns whether the loops are closed.
    """
    q, v, a, u = now
    loops, closure, scales, active = mechanism.loops, room.closure, mechanism.scales, mechanism.active
    closure.why[0] = FINE
    if not close(mechanism, room, q, u, near):
        return False
    joints.velocity(loops.rows, room.q, closure.still, u, rate, closure.target)
    for k in range(closure.target.size):
        for c in range(active.size):
            closure.target[k] += closure.matrix[k, c] * v[active[c]]
    closing.dependent(loops, closure, scales, closure.target)
    for i in range(loops.rank):
        v[active[closure.places[i]]] -= closure.found[i]
    move(mechanism, room, v, a)
    joints.bias(loops.rows, room.q, room.v, u, second, closure.target)
    for k in range(closure.target.size):
        for i in range(room.a.size):
            closure.target[k] += closure.jacobian[k, i] * room.a[i]
    closing.dependent(loops, closure, scales, closure.target)
    for i in range(loops.rank):
        a[active[closure.places[i]]] -= closure.found[i]
    move(mechanism, room, v, a)
    closing.span(loops, closure, scales)
    return True


@kernel
def drive(mechanism: Mechanism, second: np.ndarray, a: np.ndarray) -> None:
    """Set the accelerations of driven coordinates from their signals, all others to zero."""
    a[:] = 0.0
    for d in range(mechanism.signal.size):
        a[mechanism.active[mechanism.free + d]] = mechanism.gain[d] * second[mechanism.signal[d]]


@kernel
def heavy(inertia: np.ndarray, units: np.ndarray, factors: np.ndarray, count: int) -> bool:
    """Return whether mass moves with each of the first coordinates while all earlier ones are locked."""
    largest = 0.0
    for c in range(count):
        largest = max(largest, inertia[c] * units[c] ** 2)
    for c in range(count):
        if not 0.0 < max(WEIGHTLESS * inertia[c], ROUNDING * largest / units[c] ** 2) * factors[c, c] < 1.0:
            return False
    return True


@kernel
def factorise(mechanism: Mechanism, room: Room, count: int) -> bool:
    """Factorise N^T M N of the first coordinates or, with loops, of the independent coordinates, in ``implicit``.
    Returns whether mass moves with each.
    """
    units = mechanism.scales
    if mechanism.loops.rank > 0:
        closing.reduce(mechanism.loops, room.closure, room.matrix, room.implicit)
        count, units = room.closure.units.size, room.closure.units
    else:
        for c in range(count):
            for i in range(c + 1):
                room.implicit[c, i] = room.matrix[c, i]
    for c in range(count):
        room.inertia[c] = room.implicit[c, c]
    return dense.factor(room.implicit, count) and heavy(room.inertia, units, room.implicit, count)


@kernel
def push(mechanism: Mechanism, room: Room) -> None:
    """Set ``right`` to minus the forces on the active coordinates."""
    for c in range(mechanism.active.size):
        room.right[c] = -room.out[mechanism.active[c]]


@linked_kernel
def accelerate(
    mechanism: Mechanism,
    room: Room,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    u: np.ndarray,
    rate: np.ndarray,
    second: np.ndarray,
) -> bool:
    """Close loops, compute Q'' in ``a`` and the forces of drives in ``right``. Returns whether Q'' is determined."""
    free, right, closure = mechanism.free, room.right, room.closure
    drive(mechanism, second, a)
    closure.pull[:] = 0.0
    if mechanism.loops.rank == 0:
        place(mechanism, room, q, v, a)
    elif not settle(mechanism, room, Instant(q, v, a, u), rate, second, False):
        return False
    load(mechanism, room, u, mechanism.nothing, 0.0, 1.0)
    push(mechanism, room)
    project(mechanism, room, room.matrix)
    if not factorise(mechanism, room, free):
        closure.why[0] = NO_MASS
        return False
    if mechanism.loops.rank == 0:
        dense.solve(room.implicit, free, right)
        for c in range(free):
            a[mechanism.active[c]] = right[c]
        for d in range(free, mechanism.active.size):
            for c in range(free):
                right[d] -= room.matrix[d, c] * right[c]
        return True
    gather(mechanism.loops, closure, right)
    dense.solve(room.implicit, closure.change.size, closure.change)
    scatter(mechanism.loops, closure)
    for c in range(mechanism.active.size):
        for i in range(free):
            right[c] -= closing.entry(room.matrix, c, i) * closure.step[i]
    for c in range(free):
        a[mechanism.active[c]] += closure.step[c]
    hold(mechanism.loops, closure, mechanism.scales, right)
    return True


@linked_kernel
def react(mechanism: Mechanism, room: Room, u: np.ndarray) -> None:
    """Compute multipliers of all joints in ``lam``, from the forces M a + f on all that hangs on each; ``a`` is set."""
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
    for k in range(room.closure.pull.size):
        lam[mechanism.loops.number[k]] = room.closure.pull[k]


@kernel
def forward(
    mechanism: Mechanism, room: Room, q: np.ndarray, v: np.ndarray, forces: np.ndarray, u: np.ndarray, a: np.ndarray
) -> bool:
    """Compute Q'' at many instants, one row each, under additional forces on the coordinates; nothing is driven.
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
        fine = factorise(mechanism, room, mechanism.active.size) and fine
        dense.solve(room.implicit, mechanism.active.size, room.right)
        for c in range(mechanism.active.size):
            a[k, mechanism.active[c]] = room.right[c]
    return fine


@kernel
def inverse(
    mechanism: Mechanism, room: Room, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray, forces: np.ndarray
) -> None:
    """Compute the additional forces on the coordinates that accelerations require, at many instants."""
    for k in range(q.shape[0]):
        place(mechanism, room, q[k], v[k], a[k])
        load(mechanism, room, u, 0.0, 0.0, 0.0)
        for i in range(forces.shape[1]):
            forces[k, i] = room.out[i]
