"""Equilibrium by one large Newton step if possible, else by load steps, and its stability."""

from __future__ import annotations

import warnings
from contextlib import suppress

import numpy as np

from pliant._frozen import replace
from pliant._libraries import linalg as dense
from pliant.errors import ConvergenceError, SingularError
from pliant.forces.rest_lengths import rest_lengths
from pliant.forces.state_force import callbacks
from pliant.joints import rows as joints
from pliant.linalg import ldl
from pliant.solvers.nonlinear import newton
from pliant.solvers.nonlinear.pivoting import solve_pivoted
from pliant.solvers.nonlinear.ramp import ramp
from pliant.solvers.nonlinear.stability import (
    DENSE_LIMIT,
    allowed_motions,
    doubt,
    movers,
    sliding,
    softest,
    unheld,
    unstable_directions,
)
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, SINGULAR
from pliant.system.equations import Scratch
from pliant.system.limits.channels import describe_folding
from pliant.system.limits.feeds import describe_feeds
from pliant.system.packing import fused
from pliant.system.state import Equilibrium, State
from pliant.system.system import System

TOLERANCE = 1e-10
LIMIT = 40
RELAXATIONS = 500
NEAR = 1e-3
FAR = 1e8  # lengths of the model: no search returns from a larger step
NUDGES = 4
SMALLEST_LOAD_STEP = 2.0**-12
CLOSINGS = 30  # Gauss-Newton steps to closed joints
ROUNDING = 1e-10  # largest residual force of Newton, as a share of stiffness times length
PLAIN, CAREFUL, SEARCHING = 0, 1, 2  # variants of Newton, see newton_with
BALANCED = 1e-6  # of the largest load: a smaller hold is negligible


def search(
    system: System, start: State, base: np.ndarray, scratch: Scratch, *, time: float = 0.0, load_steps: int = 1
) -> Equilibrium:
    """Find an equilibrium near ``start`` under the loads and drives at ``time``; ``base`` are its signals from
    `unloaded`.

    These are tried in turn until a stable one is found: the whole load in ``load_steps`` steps with mixed integration
    points; smaller steps; the plain tangent with line search; sliding downhill. If all are unstable, the first is
    returned. An unstable equilibrium at the start (a straight column, a pendulum upside down) is kept: the user must
    choose the side on which to leave it.
    """
    target = system.signals(np.array([time]))[0]
    rounding = 0.0
    if np.all(base == target):
        rounding = 1e-13 * system.length_scale**2 * stiffness_scale(system, start.q, start.lam, target, scratch)
    resting = at_rest(system, start, np.zeros(system.constraints), target, rounding, scratch)
    if resting is not None:
        return resting
    found: list[Equilibrium] = []
    failures: list[ConvergenceError] = []
    many = max(8, 4 * load_steps)
    for way, steps in ((PLAIN, load_steps), (CAREFUL, load_steps), (PLAIN, many), (SEARCHING, many)):
        if found and way == SEARCHING:
            continue
        q, lam = start.q.copy(), np.zeros(system.constraints)
        try:
            iterations, taken = follow(system, base, target, q, lam, way, steps, scratch)
        except ConvergenceError as failure:
            callbacks.reraise()
            failures.append(failure)
            continue
        found.append(judge(system, resting_at(q, lam, time), target, iterations, taken, scratch))
        if not found[-1].unstable_directions or distance(system, q, start.q) < NEAR:
            return _with_first_instability(found, found[-1])
    if not found and system.freedoms <= DENSE_LIMIT:
        resting = at_rest(system, start, reactions(system, start, target, scratch), target, 0.0, scratch)
        resting = resting or find_balanced_start(system, start, base, target, time, scratch)
        if resting is not None:
            return resting
    if system.conservative:
        slid = slide(system, start.q.copy(), np.zeros(system.constraints), target, time, scratch)
        if slid is not None and not (found and slid.unstable_directions):
            return replace(_with_first_instability(found, slid), slid=distance(system, slid.state.q, start.q))
    if found:
        return found[0]
    raise failures[0]


def _with_first_instability(found: list[Equilibrium], chosen: Equilibrium) -> Equilibrium:
    """Return the chosen equilibrium, with the instability of the first one that it replaces."""
    left = found[0].unstable_directions if found else None
    return replace(chosen, left=left) if left and not chosen.unstable_directions else chosen


def find_balanced_start(
    system: System, start: State, base: np.ndarray, target: np.ndarray, time: float, scratch: Scratch
) -> Equilibrium | None:
    """Return the equilibrium at the start if the mechanism is balanced there, as a flexible pendulum upside down.

    Without its loads such a mechanism moves freely, and Newton is undetermined: it is first held in these
    directions. None if the hold carries a force.
    """
    n, q, lam = system.freedoms, start.q.copy(), np.zeros(system.constraints)
    newton.assemble(system.equations, q, lam, base, 0.0, 0.0, False, scratch)
    stiffness = ldl.to_csc(system.equations.pattern, scratch.s, None, n).toarray()
    jacobian = np.zeros((system.constraints, system.size))
    joints.jacobian_dense(system.equations.rows, q, base, jacobian)
    basis = allowed_motions(system, jacobian[:, :n])
    values, vectors = dense.eigh(basis.T @ stiffness @ basis)
    free = basis @ vectors[:, np.abs(values) < 1e-9 * np.max(np.abs(values), initial=0.0)]
    if not free.shape[1]:
        return None
    hold = np.zeros(free.shape[1])
    for _ in range(LIMIT):
        newton.assemble(system.equations, q, lam, target, 0.0, 0.0, False, scratch)
        joints.jacobian_dense(system.equations.rows, q, target, jacobian)
        rows = np.vstack([jacobian[:, :n], free.T])
        stiffness = ldl.to_csc(system.equations.pattern, scratch.s, None, n).toarray()
        matrix = np.block([[stiffness, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
        right = np.concatenate([scratch.step[:n] - free @ hold, -scratch.g, np.zeros(hold.size)])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dense.LinAlgWarning)  # the result is checked
                step = dense.solve(matrix, right)
        except (dense.LinAlgError, ValueError):  # singular, or not finite
            return None
        if not np.max(np.abs(step[:n]) * system.equations.weight) < FAR:
            return None
        q = system.moved(q, step[:n])
        lam += step[n : n + lam.size]
        hold += step[n + lam.size :]
        if np.max(np.abs(step[:n]) * system.equations.weight) < TOLERANCE:
            break
    else:
        return None
    if np.max(np.abs(hold)) > BALANCED * _largest_load(system, q, target, scratch):
        return None
    held = resting_at(q.copy(), lam.copy(), time)
    gamma = stiffness_scale(system, q, lam, target, scratch)
    status, count, _ = newton.equilibrium(system.equations, target, _plain(system, gamma), q, lam, scratch)
    if status == DONE:
        return judge(system, resting_at(q, lam, time), target, count, 1, scratch)
    rounding = 1e-13 * system.length_scale**2 * gamma
    return at_rest(system, held, held.lam, target, rounding, scratch)  # it moves freely under load, too


def slide(
    system: System, q: np.ndarray, lam: np.ndarray, u: np.ndarray, time: float, scratch: Scratch
) -> Equilibrium | None:
    """Slide downhill from (q, lam), then Newton; None if that does not end at rest. If parts can still move
    freely, Newton cannot take over: sliding itself must end in balance.
    """
    gamma = stiffness_scale(system, q, lam, u, scratch)
    done = newton.relax(system.equations, u, gamma, False, RELAXATIONS, q, lam, scratch)
    callbacks.reraise()
    if not done:
        return at_rest(system, resting_at(q, lam, time), lam, u, 0.0, scratch)
    status, count, _ = newton.equilibrium(system.equations, u, _plain(system, gamma), q, lam, scratch)
    return judge(system, resting_at(q, lam, time), u, count, 0, scratch) if status == DONE else None


def settle(system: System, equilibrium: Equilibrium, u: np.ndarray, scratch: Scratch) -> Equilibrium:
    """Move from an unstable equilibrium to a stable one: a nudge along its softest direction, then downhill.

    The side is the one with a positive largest displacement of this direction.
    """
    for _ in range(NUDGES):
        if not equilibrium.unstable_directions or system.freedoms > DENSE_LIMIT:
            break
        state = equilibrium.state
        _, direction = softest(system, state)
        moved = np.where(system.angular, 0.0, direction)
        nudge = 0.01 * system.length_scale * direction / moved[np.argmax(np.abs(moved))]
        q = system.moved(state.q, nudge)
        slid = slide(system, q, state.lam.copy(), u, state.time, scratch)
        if slid is None:
            break
        equilibrium = slid
    return equilibrium


def distance(system: System, q: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference, in lengths of the model and radians."""
    apart = system.apart(other, q)
    return float(np.max(np.abs(apart) * system.equations.weight, initial=0.0))


def resting_at(q: np.ndarray, lam: np.ndarray, time: float) -> State:
    """Return a state at rest with multipliers."""
    return State(q, np.zeros_like(q), np.zeros_like(q), lam, time)


def at_rest(
    system: System, start: State, lam: np.ndarray, u: np.ndarray, rounding: float, scratch: Scratch
) -> Equilibrium | None:
    """Return the start itself if the reactions ``lam`` hold it: a mechanism without loads, a pendulum upside down."""
    load, gap = newton.assemble(system.equations, start.q, np.zeros_like(lam), u, 0.0, 0.0, False, scratch)
    force, _ = newton.assemble(system.equations, start.q, lam, u, 0.0, 0.0, False, scratch)
    if force > max(rounding, 1e-12 * load) or gap > 1e-12 * system.length_scale:
        return None
    return judge(system, resting_at(start.q.copy(), lam, float(u[1])), u, 0, 0, scratch)


def reactions(system: System, start: State, u: np.ndarray, scratch: Scratch) -> np.ndarray:
    """Return the multipliers that best hold the start: least squares of f + G^T lambda."""
    newton.assemble(system.equations, start.q, np.zeros(system.constraints), u, 0.0, 0.0, False, scratch)
    jacobian = np.zeros((system.constraints, system.size))
    joints.jacobian_dense(system.equations.rows, start.q, u, jacobian)
    tied = np.flatnonzero(np.any(jacobian[:, : system.freedoms], axis=0))
    unit, width = 1.0 / system.equations.weight[tied], np.sqrt(system.equations.rows.weight)
    moments = (width[:, None] * jacobian[:, tied] * unit).T  # of unit forces in the joints
    found = dense.lstsq(moments, -unit * scratch.r[tied], cond=1e-12, lapack_driver="gelsy")
    return np.asarray(width * found[0])


def judge(
    system: System, state: State, u: np.ndarray, iterations: int, load_steps: int, scratch: Scratch
) -> Equilibrium:
    """Compute the residual and stability of an equilibrium."""
    gamma, load = _scales(system, state.q, state.lam, u, scratch)
    pushes = np.abs(state.lam) / np.sqrt(system.equations.rows.weight)
    scale = max(float(np.max(pushes, initial=0.0)), load)
    force, gap = newton.assemble(system.equations, state.q, state.lam, u, 0.0, 0.0, False, scratch)
    residual = float(force / system.length_scale)
    count, neutral, lost, more = None, "", 0.0, False
    try:
        if system.assesses_stability:
            count, more = unstable_directions(system, state, u, gamma, scratch)
            lost = doubt(system, state, u, gamma, count, scratch) if system.conservative else 0.0
    except SingularError:
        count, neutral, lost = None, movers(system, state), 0.0
    if lost > 1.0:
        count = None
    rounding = ROUNDING * gamma * system.length_scale
    return Equilibrium(
        state, iterations, load_steps, residual, scale, float(gap), count, neutral, more, rounding=rounding, lost=lost
    )


def balance(system: System, state: State) -> tuple[float, float, float]:
    """Return the largest unbalanced moment (N m) of a state, the largest load, and the bound for rounding."""
    u = system.signals(np.array([state.time]))[0]
    with system.working() as scratch:
        stiffness = stiffness_scale(system, state.q, state.lam, u, scratch)
        loads, _ = newton.assemble(system.equations, state.q, np.zeros_like(state.lam), u, 0.0, 0.0, False, scratch)
        unbalanced, _ = newton.assemble(system.equations, state.q, state.lam, u, 0.0, 0.0, False, scratch)
    return float(unbalanced), float(loads), ROUNDING * stiffness * system.length_scale**2


def stiffness_scale(system: System, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch) -> float:
    """Return the weight gamma of the augmented term (N/m): the largest stiffness, of rotations at the length scale, or
    the load over the length scale if there is no stiffness. Without loads, reactions are rounding and add no stiffness.
    """
    return _scales(system, q, lam, u, scratch)[0]


def falling(system: System, state: State) -> int:
    """Return the number of directions in which the potential falls; 0 if it does not exist or this is unknown."""
    scratch, u = system.scratch(), system.signals(np.array([state.time]))[0]
    gamma = stiffness_scale(system, state.q, state.lam, u, scratch)
    with suppress(SingularError):
        return (unstable_directions(system, state, u, gamma, scratch).number or 0) if system.conservative else 0
    return 0


def _scales(system: System, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch) -> tuple[float, float]:
    """Return the stiffness scale, and the largest load without reactions."""
    length = system.length_scale
    stiff, load = newton.scales(system.equations, q, lam, u, length, scratch)
    return max(stiff, load / length) or 1.0, load


def newton_with(
    way: int, system: System, u: np.ndarray, q: np.ndarray, lam: np.ndarray, scratch: Scratch
) -> tuple[int, int, float]:
    """Run one of three variants of Newton, in place. Returns (status, iterations, last increment).

    PLAIN: mixed integration points. CAREFUL: also halves steps while the new tangent is not positive on the motions
    allowed; for loads without potential, it pivots. SEARCHING: plain tangent and line search.
    """
    gamma = stiffness_scale(system, q, lam, u, scratch)
    scratch.trial[:] = 0.0
    fused.stretch(system.equations.parts, q, scratch.trial, scratch.stress)
    if way == CAREFUL and system.conservative:
        return newton.careful(system.equations, u, _plain(system, gamma), q, lam, scratch)
    if way == CAREFUL:
        return solve_pivoted(system, u, gamma, q, lam, scratch, tolerance=TOLERANCE, limit=LIMIT)
    mixed = way == PLAIN
    how = _plain(system, gamma)._replace(mixed=mixed, search=not mixed)
    return newton.equilibrium(system.equations, u, how, q, lam, scratch)


def _plain(system: System, gamma: float) -> newton.Iteration:
    return newton.Iteration(gamma, not system.conservative, TOLERANCE, LIMIT)


def follow(
    system: System,
    base: np.ndarray,
    target: np.ndarray,
    q: np.ndarray,
    lam: np.ndarray,
    way: int,
    steps: int,
    scratch: Scratch,
) -> tuple[int, int]:
    """Step from base to target loads; halve on failure and double after success. Returns iterations and steps."""
    iterations, status, size, u, reached = 0, DONE, 0.0, target, q

    def advance(at: tuple[np.ndarray, np.ndarray], share: float) -> tuple[np.ndarray, np.ndarray] | None:
        nonlocal iterations, status, size, u, reached
        u = base + share * (target - base)
        status, count, size = newton_with(way, system, u, q, lam, scratch)
        iterations += count
        if status == DONE and winds_up(system, q, at[0]):
            status = NOT_CONVERGED  # Newton has wound up a mechanism: not the nearby equilibrium
        if status == DONE:
            return q.copy(), lam.copy()
        reached = q.copy()
        q[:], lam[:] = at
        return None

    smallest = SMALLEST_LOAD_STEP if steps > 1 else 1.0
    _, done, taken = ramp(advance, (q.copy(), lam.copy()), smallest=smallest, steps=steps)
    if done == 1.0:
        return iterations, taken
    _check_reach(system, q, reached, u)
    if status == SINGULAR:
        raise ConvergenceError(
            f"The equilibrium of {system.model.name!r} is not determined: "
            + unheld(system.model, movers(system, replace(system.start(), q=q, lam=lam)), "simulate the motion instead")
            + describe_feeds(system, reached)
        )
    raise ConvergenceError(
        f"No equilibrium of {system.model.name!r} was found: Newton stopped at {100 * done:.3g} % of the load "
        f"(last increment {size:.2g} of the length scale). The load may be beyond a limit point, or the start "
        f"too far: start from a nearer state (start=), or follow the path by continuation.{describe_folding(system, u)}"
        + describe_feeds(system, reached)
        + sliding(system.model)
    )


def _check_reach(system: System, before: np.ndarray, q: np.ndarray, u: np.ndarray) -> None:
    """Raise an error if Newton stopped because a drive demands a place that the joints do not allow."""
    rows, gap = system.equations.rows, np.zeros(system.constraints)
    if not (np.any(rows.gain) and np.all(np.isfinite(q))):
        return
    for each in (before, q):
        joints.residual(rows, each, u, gap)
        wide = np.abs(gap) * np.sqrt(rows.weight) / system.length_scale
        if not np.max(wide, initial=0.0) > 1e-4:
            return
    if _closes(system, before, u):
        return
    worst = int(np.argmax(wide))
    name = next(each.joint.name for each in system.joints if each.first <= worst < each.first + each.count)
    raise ConvergenceError(
        f"No equilibrium of {system.model.name!r} was found: joint {name!r} stays open by {abs(gap[worst]):.3g}. A "
        "prescribed motion demands a place that cannot be reached; check it at this time."
    )


def _closes(system: System, q: np.ndarray, u: np.ndarray) -> bool:
    """Return whether Gauss-Newton can close the joints from a configuration, whatever the force."""
    rows, gap, unit = system.equations.rows, np.zeros(system.constraints), 1.0 / system.equations.weight
    row = np.sqrt(rows.weight) / system.length_scale
    for _ in range(CLOSINGS):
        joints.residual(rows, q, u, gap)
        if np.max(np.abs(gap) * row, initial=0.0) < 1e-9:
            return True
        away = np.linalg.lstsq(row[:, None] * system.row_gradients(q) * unit, -row * gap, rcond=None)[0]
        cut = min(1.0, 1.0 / np.max(np.abs(away), initial=1.0))
        q = system.moved(q, cut * unit * away)
    return False


def winds_up(system: System, q: np.ndarray, before: np.ndarray) -> bool:
    """Return whether any rigid body, or the base of any beam, has turned by more than half a turn."""
    width, points = system.space.width, len(system.space.axes)
    turns = system.apart(before, q)[: width * system.layout.moving].reshape(-1, width)[system.leading_nodes, points:]
    return bool((np.abs(turns) > np.pi).any())


def unloaded(system: System, q: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the signals with ``q`` as start: loads zero, tendons at rest, drives where the joints are."""
    base = np.zeros_like(target)
    base[:2] = target[:2]
    for number, length in rest_lengths(system.layout, q):
        base[number] = length
    rows, gap = system.equations.rows, np.zeros(system.constraints)
    joints.residual(rows, q, target, gap)
    driven = rows.gain != 0.0
    base[rows.signal[driven]] = target[rows.signal[driven]] + gap[driven]
    return base


def _largest_load(system: System, q: np.ndarray, u: np.ndarray, scratch: Scratch) -> float:
    """Return the largest nodal force applied or stored at q (moments over the length scale), without the joints."""
    none = np.zeros(system.constraints)
    return newton.assemble(system.equations, q, none, u, 0.0, 0.0, False, scratch)[0] / system.length_scale
