"""Equilibria along a row of poses, or of signals, compiled: one factorisation and one solution per iteration.

Newton on equilibrium, joints and pose for x = (q, lambda) and the signals s that hold the pose:

    A dx + B ds = -(r, g),   C dx = -c,   so   ds = -(C Z)^-1 (c + C y),   y = -A^-1 (r, g),   Z = -A^-1 B

with the augmented matrix A of newton.py. C Z, the compliance C A^-1 C^T and C y take forward substitutions only
(border.py), and the increment one back substitution: ``L D L^T dx = -(r, g) - B ds``. The signs of D show stability. A
drive acts in its rows alone: ``B = (gamma G^T W g_s, g_s)``; ``(0, g_s)`` gives the same dq, and multipliers that
differ by ``gamma W g_s``. Other signals act by differences.

The geometric stiffness takes its stresses from the last increment (mixed integration points, newton.py), or from the
last steps: stresses of a predicted shape have its error times the largest stiffness.

If only equilibria are requested (``patience`` above 0) and parts keep their stresses as unknowns, as integrated rods do
(elements/rod_ivp/frozen.py), increments use the factors of an earlier pose, at most ``patience`` poses ago. The
remainder is a share of the increment that grows with the age of the factors: two increments at the oldest pose measure
it, and above SLOW the matrix is factorised again.

A row is followed in steps that begin at the extrapolated point (extrapolation.py). Newton must contract from its first
increment on, which is below a quarter of the model's length or of a radian: else the step is halved.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.kernels import so3
from pliant.kernels.vectors import fill, largest
from pliant.linalg import elimination, ldl
from pliant.linalg.substitution import back, forward
from pliant.solvers.nonlinear import border, extrapolation, newton
from pliant.solvers.nonlinear.border import Border
from pliant.solvers.nonlinear.extrapolation import Trail
from pliant.solvers.nonlinear.held_frame import Frame, go, lead, see
from pliant.solvers.nonlinear.signal_gradients import DIFFERENCE
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused

TOLERANCE = 1e-11  # an increment below this is the last, in lengths of the model and radians
REMAINDER = 1e-15  # also with a smaller remainder: stiff rods then have small errors of forces and strains, too
CLOSE = 1e-8  # also with old factors, which leave at most SLOW of it
SLOW = 0.5  # largest ratio of two successive increments with the same factors
NEAR = 1e-5  # below this increment the next one is predicted from the last two
ROUNDING = 1e-9  # an increment below this that no longer falls is rounding
WIDEST = 0.25  # first increment of Newton, and largest motion of a step, in lengths of the model or radians
SAFETY = 10.0  # on the constant of quadratic convergence
FADING = 0.9  # of that constant, from one measurement to the next
BENT = 1e-6, 0.1  # range of increments after which it is measured: smaller ones leave rounding
LIMIT = 8
SMALL = 0.9  # of that: largest share of forces
SMALLEST = 2.0**-8  # of the way between two poses
REACHED, LOST, WEAK = 0, 1, 2  # WEAK: pivots need a repair, which this Newton does not make


class Sought(Bundle):
    """Signals that hold a pose or whose effect on it is requested, and where they act."""

    numbers: np.ndarray  # of the signals
    row: np.ndarray  # rows that drives among them act in
    owner: np.ndarray  # index of the drive of each row
    gain: np.ndarray
    loads: np.ndarray  # which are not drives
    size: np.ndarray  # of these: lengths of the model or radians; units of force for forces
    force: np.ndarray  # whether they are forces


class Room(Bundle):
    """Work arrays, and data of the last equilibrium."""

    sides: Border  # of the signals, then of unit forces and moments on the frame
    factors: np.ndarray  # of the tangent
    step: np.ndarray  # (unknowns + signals + stresses)
    total: np.ndarray  # total increment of a step
    before: np.ndarray  # (size + constraints + all signals + stresses) saved state
    begin: np.ndarray  # (all signals) at the start of a pose
    motion: np.ndarray  # (width, width) of the frame by the freedoms of its node
    jacobian: np.ndarray  # (width, signals) of the frame by the signals
    compliance: np.ndarray  # (width, width)
    core: np.ndarray  # (task, task)
    right: np.ndarray  # (task)
    change: np.ndarray  # (signals)
    order: np.ndarray  # (task) int64
    pose: np.ndarray  # (POSE)
    home: np.ndarray  # (POSE)
    aim: np.ndarray  # (POSE)
    way: np.ndarray  # (width)
    whole_way: np.ndarray  # (width) to a target
    bend: np.ndarray  # (1) constant of Newton's quadratic convergence
    negatives: np.ndarray  # (1) int64: of the tangent, less the multipliers
    age: np.ndarray  # (1) int64: poses since the tangent was factorised; unknown: at least ``patience``


class Found(Bundle):
    """Row of equilibria, one per line. Shared factors give the compliance of the first of their equilibria."""

    q: np.ndarray
    lam: np.ndarray
    u: np.ndarray
    stress: np.ndarray
    jacobian: np.ndarray
    compliance: np.ndarray
    unstable: np.ndarray  # negative if unknown
    iterations: np.ndarray
    strides: np.ndarray


class Chase(Bundle):
    """All arguments of the compiled row."""

    equations: Equations
    frame: Frame
    sought: Sought
    trail: Trail
    room: Room
    scratch: Scratch
    stress: np.ndarray  # numbers of the stresses that are extrapolated from pose to pose
    gamma: float
    remainder: float  # largest remainder of an increment, in lengths of the model and radians
    patience: int  # poses per factorisation; 0: every increment has its own


@kernel
def fill_sides(chase: Chase, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Fill in -B and C^T; the residual in ``scratch`` belongs to u, and is lost if signals are loads."""
    equations, sought, room, scratch = chase.equations, chase.sought, chase.room, chase.scratch
    pattern, n, signals, width = equations.pattern, equations.freedoms, sought.numbers.size, room.motion.shape[0]
    for side in range(signals + width):
        border.clear(pattern, room.sides, side)
    for k in range(sought.row.size):
        room.sides.values[sought.owner[k], n + sought.row[k]] += sought.gain[k]
    for k in range(sought.loads.size):
        j, change = sought.loads[k], DIFFERENCE * sought.size[k]
        number, side = sought.numbers[j], room.sides.values[j]
        value = u[number]
        u[number] = value + change
        newton.assemble(equations, q, lam, u, chase.gamma, 0.0, False, scratch)
        u[number] = value
        for i in range(side.size):
            side[i] = (scratch.step[i] - room.step[i]) / change
    for k in range(width):
        for i in range(width):
            room.sides.values[signals + k, chase.frame.first + i] = room.motion[k, i]


@kernel
def by_signals(chase: Chase) -> None:
    """Compute the Jacobian and compliance of the frame, from the factors."""
    room, signals, width = chase.room, chase.sought.numbers.size, chase.room.motion.shape[0]
    pattern, sides = chase.equations.pattern, room.sides
    for side in range(signals + width):
        border.substitute(pattern, room.factors, sides, side)
    for k in range(width):
        for j in range(signals):
            room.jacobian[k, j] = border.product(pattern, room.factors, sides, signals + k, sides.values[j])
        for j in range(k + 1):
            yields = border.product(pattern, room.factors, sides, signals + k, sides.values[signals + j])
            room.compliance[k, j] = room.compliance[j, k] = yields


@kernel
def increment(chase: Chase, aim: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> int:
    """Compute Newton's increment of (q, lambda, signals) into ``room.step``; returns a status."""
    equations, frame, room, scratch = chase.equations, chase.frame, chase.room, chase.scratch
    pattern = equations.pattern
    newton.assemble(equations, q, lam, u, chase.gamma, 0.0, True, scratch)
    fill(room.factors, scratch.s)
    unknowns = scratch.step.size
    for i in range(unknowns):
        room.step[i] = scratch.step[i]
    see(frame, q, room.pose, room.motion)
    fill_sides(chase, q, lam, u)
    status, negatives = ldl.factor(pattern, room.factors, scratch.factors)
    if status != ldl.OK:
        return LOST
    if scratch.factors.repairs[0] > 0:
        return WEAK
    room.negatives[0] = negatives - lam.size
    by_signals(chase)
    if not substitute(chase, aim):
        return LOST
    close_drives(chase)
    return REACHED


@kernel
def again(chase: Chase, aim: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> int:
    """Compute an increment with the present factors, Jacobian and derivatives; without the augmented term in the
    right-hand side, multipliers differ by ``gamma W`` times the closed gaps of the joints.
    """
    equations, room, scratch, n = chase.equations, chase.room, chase.scratch, chase.equations.freedoms
    newton.unbalanced(equations, q, lam, u, scratch)
    for i in range(scratch.step.size):
        room.step[i] = scratch.step[i]
    see(chase.frame, q, room.pose, room.motion)
    if not substitute(chase, aim):
        return LOST
    for k in range(lam.size):
        room.step[n + k] -= chase.gamma * equations.rows.weight[k] * scratch.g[k]
    close_drives(chase)
    return REACHED


@kernel
def close_drives(chase: Chase) -> None:
    """Add to the multipliers of unknown drives the part that the augmented term omits."""
    equations, sought, room = chase.equations, chase.sought, chase.room
    if chase.frame.task > 0:
        for k in range(sought.row.size):
            row = sought.row[k]
            stiff = chase.gamma * equations.rows.weight[row] * sought.gain[k]
            room.step[equations.freedoms + row] += stiff * room.change[sought.owner[k]]


@kernel
def substitute(chase: Chase, aim: np.ndarray) -> bool:
    """Turn the right-hand side in ``room.step`` into the increment, with the factors; False: the pose is singular."""
    pattern, frame, sought, room = chase.equations.pattern, chase.frame, chase.sought, chase.room
    task, signals, unknowns = frame.task, sought.numbers.size, chase.scratch.step.size
    step = room.step[:unknowns]
    for k in range(pattern.width.size):
        forward(pattern, room.factors, k, step)
    if task > 0:
        lead(frame.axes, aim, room.pose, room.way)
        for k in range(task):
            room.right[k] = -room.way[k] - border.product(pattern, room.factors, room.sides, signals + k, step)
            for j in range(task):
                room.core[k, j] = room.jacobian[k, j]
        if elimination.factor(room.core, task, room.order) == 0.0:
            return False
        elimination.solve(room.core, task, room.order, room.right, room.change)
        for j in range(signals):
            border.add(pattern, room.sides, j, room.change[j], step)
            room.step[unknowns + j] = room.change[j]
    back(pattern, room.factors, room.factors, step)
    return True


@kernel
def predict(chase: Chase, span: float, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Move to the extrapolated point, unless it is far."""
    step, stress = chase.room.step, chase.scratch.stress
    extrapolation.foretell(chase.trail, span, step)
    if largest(step, chase.equations.weight) < WIDEST:
        move(chase, step, q, lam, u)
        first = step.size - chase.stress.size
        for i in range(chase.stress.size):
            stress[chase.stress[i]] += step[first + i]


@kernel
def stretch(chase: Chase, step: np.ndarray, q: np.ndarray) -> None:
    """Extrapolate stresses after an increment."""
    trial, n = chase.scratch.trial, chase.equations.freedoms
    for i in range(n):
        trial[i] = step[i]
    fused.stretch(chase.equations.parts, q, trial, chase.scratch.stress)


@kernel
def move(chase: Chase, step: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Add an increment of (q, lambda, signals)."""
    equations, sought = chase.equations, chase.sought
    n, unknowns = equations.freedoms, equations.freedoms + lam.size
    for i in range(n):
        q[i] += step[i]
    so3.take_up(q, equations.frames, equations.turning)
    for k in range(lam.size):
        lam[k] += step[n + k]
    if chase.frame.task > 0:
        for j in range(sought.numbers.size):
            u[sought.numbers[j]] += step[unknowns + j]


@kernel
def width_of(chase: Chase, u: np.ndarray) -> float:
    """Return the size of an increment, in lengths of the model and radians; unknown forces relative to the largest."""
    room, sought, unknowns = chase.room, chase.sought, chase.room.step.size - chase.stress.size
    width = largest(room.step, chase.equations.weight)
    if chase.frame.task == 0:
        return width
    force, first = 0.0, unknowns - sought.numbers.size
    for k in range(sought.loads.size):
        if sought.force[k]:
            force = max(force, abs(u[sought.numbers[sought.loads[k]]]) / sought.size[k])
    for k in range(sought.loads.size):
        size = sought.size[k] * (force if sought.force[k] else 1.0)
        if size > 0.0:
            width = max(width, min(abs(room.step[first + sought.loads[k]]) / size, SMALL * WIDEST))
    return width


@linked_kernel
def settle(chase: Chase, aim: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> tuple[int, int]:
    """Run Newton in place. Returns a status and the iterations.

    It ends when the remainder is rounding: an increment e leaves about ``bend`` e^2, with old factors a share of e.
    """
    room, before, was_old = chase.room, np.inf, False
    for iteration in range(1, LIMIT + 1):
        old = room.age[0] < chase.patience
        status = again(chase, aim, q, lam, u) if old else increment(chase, aim, q, lam, u)
        if status != REACHED:
            return status, iteration
        size = width_of(chase, u)
        if old and not size < SLOW * before:
            room.age[0] = chase.patience  # factors are too old: this increment is dropped
            continue
        if not old:
            room.age[0] = 0
        if not size < WIDEST or (size > 0.5 * before and size > ROUNDING):
            return LOST, iteration
        stretch(chase, room.step, q)
        move(chase, room.step, q, lam, u)
        if chase.patience > 0 and size < CLOSE and (not old or was_old or room.age[0] + 1 < chase.patience):
            return REACHED, iteration
        if BENT[0] < before < BENT[1] and not old and not was_old:
            room.bend[0] = max(FADING * room.bend[0], size / (before * before))
        if size <= TOLERANCE or (size < ROUNDING and size > 0.5 * before):
            return REACHED, iteration
        known = room.bend[0] > 0.0 and SAFETY * room.bend[0] * size * size <= chase.remainder
        if not old and size < NEAR and (known or (iteration > 1 and size * size < chase.remainder * before)):
            return REACHED, iteration
        before, was_old = size, old
    return LOST, LIMIT


@kernel
def keep(room: Room, q: np.ndarray, lam: np.ndarray, u: np.ndarray, stress: np.ndarray) -> None:
    """Save a state."""
    a, b, c = q.size, q.size + lam.size, q.size + lam.size + u.size
    fill(room.before[:a], q)
    fill(room.before[a:b], lam)
    fill(room.before[b:c], u)
    fill(room.before[c:], stress)


@kernel
def restore(room: Room, q: np.ndarray, lam: np.ndarray, u: np.ndarray, stress: np.ndarray) -> None:
    """Restore the saved state."""
    a, b, c = q.size, q.size + lam.size, q.size + lam.size + u.size
    fill(q, room.before[:a])
    fill(lam, room.before[a:b])
    fill(u, room.before[b:c])
    fill(stress, room.before[c:])


@kernel
def measure(chase: Chase, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> float:
    """Compute the total change since the saved state into ``room.total``; returns its size."""
    equations, room, numbers = chase.equations, chase.room, chase.sought.numbers
    n, a, b, stress = equations.freedoms, q.size, q.size + lam.size, chase.scratch.stress
    so3.apart(room.before[:a], q, equations.frames, equations.turning, room.total[:n])
    for k in range(lam.size):
        room.total[n + k] = lam[k] - room.before[a + k]
    for j in range(numbers.size):
        room.total[n + lam.size + j] = u[numbers[j]] - room.before[b + numbers[j]]
    first, before = room.total.size - chase.stress.size, b + u.size
    for i in range(chase.stress.size):
        k = chase.stress[i]
        room.total[first + i] = stress[k] - room.before[before + k]
    return largest(room.total, equations.weight)


@kernel
def set_signals(chase: Chase, given: np.ndarray, share: float, u: np.ndarray) -> None:
    """Set the given signals a share of the way from the beginning of the pose; the time stays."""
    room = chase.room
    for i in range(2, u.size):
        sought = False
        if chase.frame.task > 0:
            for j in range(chase.sought.numbers.size):
                sought = sought or chase.sought.numbers[j] == i
        if not sought:
            u[i] = room.begin[i] + share * (given[i] - room.begin[i])


@linked_kernel
def approach(
    chase: Chase, target: np.ndarray, given: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray
) -> tuple[int, int, int]:
    """Move from an equilibrium to the one at a target with given signals, in place. Returns status, iterations, steps.

    A step that fails is halved, down to the smallest; then the state is the last one found.
    """
    room, trail, axes, stress = chase.room, chase.trail, chase.frame.axes, chase.scratch.stress
    see(chase.frame, q, room.pose, room.motion)
    fill(room.home, room.pose)
    fill(room.begin, u)
    lead(axes, room.home, target, room.whole_way)
    done, span, iterations, strides, status = 0.0, 1.0, 0, 0, REACHED
    while done < 1.0 and span >= SMALLEST:
        span = min(span, 1.0 - done)
        keep(room, q, lam, u, stress)
        set_signals(chase, given, done + span, u)
        if done + span < 1.0:
            go(axes, room.home, room.whole_way, done + span, room.aim)
        else:
            fill(room.aim, target)
        predict(chase, span, q, lam, u)
        status, count = settle(chase, room.aim, q, lam, u)
        iterations += count
        if status == REACHED and measure(chase, q, lam, u) < WIDEST:
            extrapolation.learn(trail, span, room.total, chase.equations.weight)
            done, strides, span = done + span, strides + 1, 2.0 * span
            room.age[0] += 1
        else:
            room.age[0] = chase.patience
            restore(room, q, lam, u, stress)
            extrapolation.forget(trail)
            span = 0.5 * span
    return (REACHED if done == 1.0 else max(status, LOST)), iterations, strides


@kernel
def chase_row(
    chase: Chase, targets: np.ndarray, given: np.ndarray, state: tuple[np.ndarray, np.ndarray, np.ndarray], found: Found
) -> tuple[int, int]:
    """Follow a row until it ends or fails; (q, lambda, signals) stay at the last state. Returns the number of poses
    reached, and a status.
    """
    q, lam, u = state
    for k in range(targets.shape[0]):
        status, iterations, strides = approach(chase, targets[k], given[k], q, lam, u)
        if status != REACHED:
            return k, status
        fill(found.q[k], q)
        fill(found.lam[k], lam)
        fill(found.u[k], u)
        fill(found.stress[k], chase.scratch.stress)
        found.iterations[k], found.strides[k] = iterations, strides
        for i in range(chase.room.motion.shape[0]):
            fill(found.jacobian[k, i], chase.room.jacobian[i])
            fill(found.compliance[k, i], chase.room.compliance[i])
        found.unstable[k] = chase.room.negatives[0] if chase.patience == 0 else -1
    return targets.shape[0], REACHED
