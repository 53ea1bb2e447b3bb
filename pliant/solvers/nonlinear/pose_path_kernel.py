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
from pliant.solvers.nonlinear.extrapolation import History
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


class UnknownSignals(Bundle):
    """Signals that hold a pose or whose effect on it is requested, and where they act."""

    numbers: np.ndarray  # of the signals
    row: np.ndarray  # rows that drives among them act in
    owner: np.ndarray  # index of the drive of each row
    gain: np.ndarray
    loads: np.ndarray  # which are not drives
    size: np.ndarray  # of these: lengths of the model or radians; units of force for forces
    force: np.ndarray  # whether they are forces


class Workspace(Bundle):
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


class EquilibriumRow(Bundle):
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


class PoseTrack(Bundle):
    """All arguments of the compiled row."""

    equations: Equations
    frame: Frame
    unknown: UnknownSignals
    history: History
    work: Workspace
    scratch: Scratch
    stress: np.ndarray  # numbers of the stresses that are extrapolated from pose to pose
    gamma: float
    remainder: float  # largest remainder of an increment, in lengths of the model and radians
    patience: int  # poses per factorisation; 0: every increment has its own


@kernel
def fill_sides(track: PoseTrack, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Fill in -B and C^T; the residual in ``scratch`` belongs to u, and is lost if signals are loads."""
    equations, unknown, work, scratch = track.equations, track.unknown, track.work, track.scratch
    pattern, n, signals, width = equations.pattern, equations.freedoms, unknown.numbers.size, work.motion.shape[0]
    for side in range(signals + width):
        border.clear(pattern, work.sides, side)
    for k in range(unknown.row.size):
        work.sides.values[unknown.owner[k], n + unknown.row[k]] += unknown.gain[k]
    for k in range(unknown.loads.size):
        j, change = unknown.loads[k], DIFFERENCE * unknown.size[k]
        number, side = unknown.numbers[j], work.sides.values[j]
        value = u[number]
        u[number] = value + change
        newton.assemble(equations, q, lam, u, track.gamma, 0.0, False, scratch)
        u[number] = value
        for i in range(side.size):
            side[i] = (scratch.step[i] - work.step[i]) / change
    for k in range(width):
        for i in range(width):
            work.sides.values[signals + k, track.frame.first + i] = work.motion[k, i]


@kernel
def by_signals(track: PoseTrack) -> None:
    """Compute the Jacobian and compliance of the frame, from the factors."""
    work, signals, width = track.work, track.unknown.numbers.size, track.work.motion.shape[0]
    pattern, sides = track.equations.pattern, work.sides
    for side in range(signals + width):
        border.substitute(pattern, work.factors, sides, side)
    for k in range(width):
        for j in range(signals):
            work.jacobian[k, j] = border.product(pattern, work.factors, sides, signals + k, sides.values[j])
        for j in range(k + 1):
            yields = border.product(pattern, work.factors, sides, signals + k, sides.values[signals + j])
            work.compliance[k, j] = work.compliance[j, k] = yields


@kernel
def increment(track: PoseTrack, aim: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> int:
    """Compute Newton's increment of (q, lambda, signals) into ``work.step``; returns a status."""
    equations, frame, work, scratch = track.equations, track.frame, track.work, track.scratch
    pattern = equations.pattern
    newton.assemble(equations, q, lam, u, track.gamma, 0.0, True, scratch)
    fill(work.factors, scratch.s)
    unknowns = scratch.step.size
    for i in range(unknowns):
        work.step[i] = scratch.step[i]
    see(frame, q, work.pose, work.motion)
    fill_sides(track, q, lam, u)
    status, negatives = ldl.factor(pattern, work.factors, scratch.factors)
    if status != ldl.OK:
        return LOST
    if scratch.factors.repairs[0] > 0:
        return WEAK
    work.negatives[0] = negatives - lam.size
    by_signals(track)
    if not substitute(track, aim):
        return LOST
    close_drives(track)
    return REACHED


@kernel
def increment_again(track: PoseTrack, aim: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> int:
    """Compute an increment with the present factors, Jacobian and derivatives; without the augmented term in the
    right-hand side, multipliers differ by ``gamma W`` times the closed gaps of the joints.
    """
    equations, work, scratch, n = track.equations, track.work, track.scratch, track.equations.freedoms
    newton.unbalanced(equations, q, lam, u, scratch)
    for i in range(scratch.step.size):
        work.step[i] = scratch.step[i]
    see(track.frame, q, work.pose, work.motion)
    if not substitute(track, aim):
        return LOST
    for k in range(lam.size):
        work.step[n + k] -= track.gamma * equations.rows.weight[k] * scratch.g[k]
    close_drives(track)
    return REACHED


@kernel
def close_drives(track: PoseTrack) -> None:
    """Add to the multipliers of unknown drives the part that the augmented term omits."""
    equations, unknown, work = track.equations, track.unknown, track.work
    if track.frame.task > 0:
        for k in range(unknown.row.size):
            row = unknown.row[k]
            stiff = track.gamma * equations.rows.weight[row] * unknown.gain[k]
            work.step[equations.freedoms + row] += stiff * work.change[unknown.owner[k]]


@kernel
def substitute(track: PoseTrack, aim: np.ndarray) -> bool:
    """Turn the right-hand side in ``work.step`` into the increment, with the factors; False: the pose is singular."""
    pattern, frame, unknown, work = track.equations.pattern, track.frame, track.unknown, track.work
    task, signals, unknowns = frame.task, unknown.numbers.size, track.scratch.step.size
    step = work.step[:unknowns]
    for k in range(pattern.width.size):
        forward(pattern, work.factors, k, step)
    if task > 0:
        lead(frame.axes, aim, work.pose, work.way)
        for k in range(task):
            work.right[k] = -work.way[k] - border.product(pattern, work.factors, work.sides, signals + k, step)
            for j in range(task):
                work.core[k, j] = work.jacobian[k, j]
        if elimination.factor(work.core, task, work.order) == 0.0:
            return False
        elimination.solve(work.core, task, work.order, work.right, work.change)
        for j in range(signals):
            border.add(pattern, work.sides, j, work.change[j], step)
            work.step[unknowns + j] = work.change[j]
    back(pattern, work.factors, work.factors, step)
    return True


@kernel
def predict(track: PoseTrack, span: float, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Move to the extrapolated point, unless it is far."""
    step, stress = track.work.step, track.scratch.stress
    extrapolation.extrapolate(track.history, span, step)
    if largest(step, track.equations.weight) < WIDEST:
        move(track, step, q, lam, u)
        first = step.size - track.stress.size
        for i in range(track.stress.size):
            stress[track.stress[i]] += step[first + i]


@kernel
def stretch(track: PoseTrack, step: np.ndarray, q: np.ndarray) -> None:
    """Extrapolate stresses after an increment."""
    trial, n = track.scratch.trial, track.equations.freedoms
    for i in range(n):
        trial[i] = step[i]
    fused.stretch(track.equations.parts, q, trial, track.scratch.stress)


@kernel
def move(track: PoseTrack, step: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Add an increment of (q, lambda, signals)."""
    equations, unknown = track.equations, track.unknown
    n, unknowns = equations.freedoms, equations.freedoms + lam.size
    for i in range(n):
        q[i] += step[i]
    so3.take_up(q, equations.frames, equations.turning)
    for k in range(lam.size):
        lam[k] += step[n + k]
    if track.frame.task > 0:
        for j in range(unknown.numbers.size):
            u[unknown.numbers[j]] += step[unknowns + j]


@kernel
def width_of(track: PoseTrack, u: np.ndarray) -> float:
    """Return the size of an increment, in lengths of the model and radians; unknown forces relative to the largest."""
    work, unknown, unknowns = track.work, track.unknown, track.work.step.size - track.stress.size
    width = largest(work.step, track.equations.weight)
    if track.frame.task == 0:
        return width
    force, first = 0.0, unknowns - unknown.numbers.size
    for k in range(unknown.loads.size):
        if unknown.force[k]:
            force = max(force, abs(u[unknown.numbers[unknown.loads[k]]]) / unknown.size[k])
    for k in range(unknown.loads.size):
        size = unknown.size[k] * (force if unknown.force[k] else 1.0)
        if size > 0.0:
            width = max(width, min(abs(work.step[first + unknown.loads[k]]) / size, SMALL * WIDEST))
    return width


@linked_kernel
def settle(track: PoseTrack, aim: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> tuple[int, int]:
    """Run Newton in place. Returns a status and the iterations.

    It ends when the remainder is rounding: an increment e leaves about ``bend`` e^2, with old factors a share of e.
    """
    work, before, was_old = track.work, np.inf, False
    for iteration in range(1, LIMIT + 1):
        old = work.age[0] < track.patience
        status = increment_again(track, aim, q, lam, u) if old else increment(track, aim, q, lam, u)
        if status != REACHED:
            return status, iteration
        size = width_of(track, u)
        if old and not size < SLOW * before:
            work.age[0] = track.patience  # factors are too old: this increment is dropped
            continue
        if not old:
            work.age[0] = 0
        if not size < WIDEST or (size > 0.5 * before and size > ROUNDING):
            return LOST, iteration
        stretch(track, work.step, q)
        move(track, work.step, q, lam, u)
        if track.patience > 0 and size < CLOSE and (not old or was_old or work.age[0] + 1 < track.patience):
            return REACHED, iteration
        if BENT[0] < before < BENT[1] and not old and not was_old:
            work.bend[0] = max(FADING * work.bend[0], size / (before * before))
        if size <= TOLERANCE or (size < ROUNDING and size > 0.5 * before):
            return REACHED, iteration
        known = work.bend[0] > 0.0 and SAFETY * work.bend[0] * size * size <= track.remainder
        if not old and size < NEAR and (known or (iteration > 1 and size * size < track.remainder * before)):
            return REACHED, iteration
        before, was_old = size, old
    return LOST, LIMIT


@kernel
def keep(work: Workspace, q: np.ndarray, lam: np.ndarray, u: np.ndarray, stress: np.ndarray) -> None:
    """Save a state."""
    a, b, c = q.size, q.size + lam.size, q.size + lam.size + u.size
    fill(work.before[:a], q)
    fill(work.before[a:b], lam)
    fill(work.before[b:c], u)
    fill(work.before[c:], stress)


@kernel
def restore(work: Workspace, q: np.ndarray, lam: np.ndarray, u: np.ndarray, stress: np.ndarray) -> None:
    """Restore the saved state."""
    a, b, c = q.size, q.size + lam.size, q.size + lam.size + u.size
    fill(q, work.before[:a])
    fill(lam, work.before[a:b])
    fill(u, work.before[b:c])
    fill(stress, work.before[c:])


@kernel
def measure(track: PoseTrack, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> float:
    """Compute the total change since the saved state into ``work.total``; returns its size."""
    equations, work, numbers = track.equations, track.work, track.unknown.numbers
    n, a, b, stress = equations.freedoms, q.size, q.size + lam.size, track.scratch.stress
    so3.apart(work.before[:a], q, equations.frames, equations.turning, work.total[:n])
    for k in range(lam.size):
        work.total[n + k] = lam[k] - work.before[a + k]
    for j in range(numbers.size):
        work.total[n + lam.size + j] = u[numbers[j]] - work.before[b + numbers[j]]
    first, before = work.total.size - track.stress.size, b + u.size
    for i in range(track.stress.size):
        k = track.stress[i]
        work.total[first + i] = stress[k] - work.before[before + k]
    return largest(work.total, equations.weight)


@kernel
def set_signals(track: PoseTrack, given: np.ndarray, share: float, u: np.ndarray) -> None:
    """Set the given signals a share of the way from the beginning of the pose; the time stays."""
    work = track.work
    for i in range(2, u.size):
        unknown = False
        if track.frame.task > 0:
            for j in range(track.unknown.numbers.size):
                unknown = unknown or track.unknown.numbers[j] == i
        if not unknown:
            u[i] = work.begin[i] + share * (given[i] - work.begin[i])


@linked_kernel
def approach(
    track: PoseTrack, target: np.ndarray, given: np.ndarray, q: np.ndarray, lam: np.ndarray, u: np.ndarray
) -> tuple[int, int, int]:
    """Move from an equilibrium to the one at a target with given signals, in place. Returns status, iterations, steps.

    A step that fails is halved, down to the smallest; then the state is the last one found.
    """
    work, history, axes, stress = track.work, track.history, track.frame.axes, track.scratch.stress
    see(track.frame, q, work.pose, work.motion)
    fill(work.home, work.pose)
    fill(work.begin, u)
    lead(axes, work.home, target, work.whole_way)
    done, span, iterations, strides, status = 0.0, 1.0, 0, 0, REACHED
    while done < 1.0 and span >= SMALLEST:
        span = min(span, 1.0 - done)
        keep(work, q, lam, u, stress)
        set_signals(track, given, done + span, u)
        if done + span < 1.0:
            go(axes, work.home, work.whole_way, done + span, work.aim)
        else:
            fill(work.aim, target)
        predict(track, span, q, lam, u)
        status, count = settle(track, work.aim, q, lam, u)
        iterations += count
        if status == REACHED and measure(track, q, lam, u) < WIDEST:
            extrapolation.update(history, span, work.total, track.equations.weight)
            done, strides, span = done + span, strides + 1, 2.0 * span
            work.age[0] += 1
        else:
            work.age[0] = track.patience
            restore(work, q, lam, u, stress)
            extrapolation.reset(history)
            span = 0.5 * span
    return (REACHED if done == 1.0 else max(status, LOST)), iterations, strides


@kernel
def track_row(
    track: PoseTrack,
    targets: np.ndarray,
    given: np.ndarray,
    state: tuple[np.ndarray, np.ndarray, np.ndarray],
    found: EquilibriumRow,
) -> tuple[int, int]:
    """Follow a row until it ends or fails; (q, lambda, signals) stay at the last state. Returns the number of poses
    reached, and a status.
    """
    q, lam, u = state
    for k in range(targets.shape[0]):
        status, iterations, strides = approach(track, targets[k], given[k], q, lam, u)
        if status != REACHED:
            return k, status
        fill(found.q[k], q)
        fill(found.lam[k], lam)
        fill(found.u[k], u)
        fill(found.stress[k], track.scratch.stress)
        found.iterations[k], found.strides[k] = iterations, strides
        for i in range(track.work.motion.shape[0]):
            fill(found.jacobian[k, i], track.work.jacobian[i])
            fill(found.compliance[k, i], track.work.compliance[i])
        found.unstable[k] = track.work.negatives[0] if track.patience == 0 else -1
    return targets.shape[0], REACHED
