"""The error of a motion in time, from a second solution with other steps.

A method of order p is off by ``C h^p``, so two solutions with steps h and k, d apart, give the error of the first,

    e = d h^p / |k^p - h^p|

(L. F. Richardson 1911): a third of the distance to the solution with twice the step, for a method of order 2. The sum
of the local errors of all steps costs nothing, but it is no bound: errors of velocity grow with time, errors of
chaotic motions by powers of ten, and errors of vibrations add up beyond their amplitude. If the sum is a hundred times
below the limit, a much coarser solution shows how errors grow. If they grow far, rounding and residuals of Newton's
method grow with them, and follow no order: then the distance itself is the error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from pliant._frozen import replace
from pliant.analyses import checks as _checks
from pliant.analyses.motion.interpolate import resample
from pliant.errors import OptionError
from pliant.model.signals.base import Function, Signal
from pliant.solvers.stepping.methods import Method, Radau5
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.system.capabilities import Observed, can
from pliant.system.limits.offered import HasSignalFunctions
from pliant.system.observation.history import extremes
from pliant.system.samples import Samples

ACCURACY = 1e-3  # of the range of the motion, where no step and no accuracy is given
FINEST = _checks.TIME * _checks.SMALLEST_RANGE  # of the model's size: finer than this nothing is resolved unasked
ROUNDS = 6
DOUBLINGS = 7  # of the number of steps a sample
LOOSE = 16.0  # times the accuracy: local errors of equal steps, which are counted as if none were forgotten
LEAST_CUT, LARGEST_CUT = 4.0, 256.0  # of the local errors from one round to the next
COARSEST, MANY = 256, 16384  # equal steps, to begin with, and where a method of higher order is quicker
FIRST_GROWTH, LEAST_GROWTH, LARGEST_GROWTH = 2.0, 1.5, 16.0  # of their number from one round to the next
SPARE = 1.3  # times what is needed by the round before
UNEVEN = 32.0  # largest local error over the mean of all, above which steps adapt
SLOWER = 0.7  # of the ratio of two distances that the order of the method makes: below it is not of that order
SURE = 0.5  # of the accuracy: what an estimate may be, which is itself off by up to a third
FINER, SLACK = 30.0, 0.8  # how much less steps of a second motion may be off; power by which errors follow that
BESIDE, BEYOND = (2.0, 0.5), (3.0,)  # steps of other motions: the second, and the third of impacts
CLOSER = (0.5,)  # if some were cut back: steps of twice the size are too few for a close error
COARSE, SMALL = (8.0, 4.0), 0.1  # steps of a motion that shows how errors grow; enough below this part of the limit
COARSER = 1e3  # ratio of the errors of steps of such a motion, if they bound their own errors
GROWN = 100.0  # times the sum of the local errors: beyond it rounding has grown, too
MOST_GAIN = 1e3  # of one solution over another: steps far too long for a vibration show no more
MORE_STEPS = 1.3  # least ratio of the numbers of steps of two solutions whose distance shows their errors
DISTINCT = 1.5  # least ratio of the errors of two solutions whose distance shows one of them

LOOKS, NUMBERS = (1000, 20000), 4e6  # adaptive steps kept if only some are requested; their coordinates
Mover = Callable[..., TimeHistory]  # takes ``step`` or ``accuracy``, ``method`` and ``landmarks``


def cheapest(system: Any, method: Method) -> Method:
    """Choose the method of a system that meets an accuracy at the least cost: order 5 if nothing changes at once, else
    the default.
    """
    return Radau5() if Radau5 in system.methods and _smooth(system.observed) else method


def with_equal_steps(move: Mover, system: Observed, plan: Plan, estimate: bool | None) -> TimeHistory:
    """Simulate a motion in steps of one size, with their error. ``estimate``: whether by a second solution; None: if
    necessary. Rigid contacts close their energy balance in every step, however coarse, and are of order 1, as are loads
    that jump: an impact may be anywhere within its step. Impacts of shapes or stops may by chance be at the same
    instant in two motions; a third motion is then compared.
    """
    motion = move(step=plan.step)
    order = 1 if motion.impacts else _order(system, plan)
    if not (motion.ok and order) or estimate is False or _checks.rounded(motion):
        return motion
    wide, h, error = span(system, motion), _size(motion), None
    known = None if motion.impacts else _checks.of_time(motion, wide)
    chancy = motion.impacts or any(force.unilateral for force in system.model.forces)
    beside: tuple[tuple[float, ...], ...] = (BESIDE, BEYOND) if chancy else (BESIDE,)
    if estimate is None and known is not None and known.passed:
        beside = (COARSE, *beside)
    if motion.cut_backs and not chancy:
        beside = (*beside, CLOSER)
    for steps in beside:
        if steps is CLOSER and error is not None and error <= _checks.TIME * wide:
            break
        other = _second(move, motion, h, steps)
        if other is not None and other.interrupted:
            return _interrupted(motion)
        if other is not None:
            estimated = _error_of(apart(system, motion, other), (motion.steps / other.steps) ** order, other)
            if steps is COARSE and estimated <= SMALL * _checks.TIME * wide:
                return replace(motion, time_error=estimated)
            error = max(error or 0.0, estimated) if steps is BEYOND else estimated
    return replace(motion, time_error=error)


def _error_of(far: float, ratio: float, coarser: TimeHistory) -> float:
    """Return the error of one of two solutions that are ``far`` apart; the error of the other is ``ratio`` times as
    large.
    """
    grown = not coarser.impacts and coarser.local_sum is not None and far > GROWN * coarser.local_sum
    return far if grown else far / abs(min(ratio, MOST_GAIN) - 1.0)


def _second(move: Mover, motion: TimeHistory, h: float, steps: tuple[float, ...]) -> TimeHistory | None:
    """Return the motion with the first of these steps, in steps h, that works; None without one. A motion whose steps
    were cut back to about the size of the first, or below (a part turns too far in a step, Newton's method fails), is
    no comparison.
    """
    sizes = [part * h for part in steps]
    if steps is BESIDE:
        sizes.append(0.5 * motion.duration / motion.steps)  # half of what it was cut back to
    for step in sizes:
        try:
            other = move(step=step)
        except OptionError:  # a formulation may refuse steps that are too short for it
            continue
        as_asked = (step > h) == (other.steps < motion.steps)
        if other.interrupted or (other.ok and as_asked and _distinct(motion, other)):
            return other
    return None


def _distinct(one: TimeHistory, other: TimeHistory) -> bool:
    """Return whether the numbers of steps of two motions differ enough for their distance to show the errors."""
    return max(one.steps, other.steps) > MORE_STEPS * min(one.steps, other.steps)


def beside_another(move: Mover, system: Observed, plan: Plan, rough: bool) -> TimeHistory:
    """Simulate a motion by a method that bounds the error of each step, and estimate the whole error: the distance to a
    motion with errors of steps FINER times smaller, plus a little (SLACK). Errors of such steps may cancel, so a
    coarser motion gives a bound only; it is enough if ``rough`` and small. Without finer steps the error stays unknown.
    """
    move = _recording(move, system, plan)
    motion = move(accuracy=plan.accuracy)
    allowed = motion.used.get("accuracy")
    if not motion.ok or allowed is None or _checks.rounded(motion):
        return motion
    if rough:
        other = move(accuracy=COARSER * allowed, landmarks=np.empty(0))
        if other.interrupted:
            return _interrupted(motion)
        bound = apart(system, motion, other) if other.ok else np.inf
        if bound <= SMALL * _checks.TIME * span(system, motion):
            return replace(motion, time_error=bound)
    other = move(accuracy=allowed / FINER, landmarks=_halved(plan, motion))
    if other.interrupted:
        return _interrupted(motion)
    far = apart(system, motion, other) if other.ok else None
    return motion if far is None else replace(motion, time_error=far / (1.0 - FINER**-SLACK))


def _recording(move: Mover, system: Observed, plan: Plan) -> Mover:
    """Wrap a mover to record more steps: adaptive ones end at no common instants, and are compared between them."""
    if plan.every == 1 or plan.times is not None:
        return move
    return partial(move, looks=int(np.clip(NUMBERS / system.size, *LOOKS)))


def _halved(plan: Plan, motion: TimeHistory) -> np.ndarray:
    """Return the instants at which steps have to end, and the instants halfway between them; empty without any."""
    if not plan.landmarks.size:
        return plan.landmarks
    ends = np.unique([motion.time[0], *plan.landmarks, plan.end_time])
    return np.sort([*ends[1:-1], *0.5 * (ends[1:] + ends[:-1])])


def with_samples(move: Mover, system: Observed, plan: Plan, sample_time: float) -> TimeHistory:
    """Simulate a motion in as few equal steps per sample (1, 2, 4, ...) as pass the checks; if none do, in the most."""
    before, step, order = move(step=sample_time), sample_time, _order(system, plan) or 1
    for _ in range(DOUBLINGS):
        step *= 0.5
        motion = move(step=step)
        if motion.interrupted or not (motion.ok or before.ok):
            return motion
        if before.ok and motion.ok and _distinct(motion, before):
            far, share = apart(system, motion, before), (motion.steps / before.steps) ** order - 1.0
            for found, error in ((before, far * (1.0 + 1.0 / share)), (motion, far / share)):
                found = found if _checks.rounded(found) else replace(found, time_error=error)
                if all(check.passed for check in _checks.of_motion(system, found, span(system, found))):
                    return found
            motion = found
        before = motion
    return motion


def with_accuracy(move: Mover, system: Observed, plan: Plan, duration: float, quicker: Method) -> TimeHistory:
    """Simulate a motion within an accuracy, with balanced energy: in equal steps if a few are enough and no part needs
    far shorter ones; else in adaptive steps by the ``quicker`` method.

    The accuracy is a part of the model's size (and in rad); unless given, of the range of the motion.
    """
    move = _never_empty(move)
    if not isinstance(plan.method, Radau5):
        most = np.inf if quicker == plan.method else MANY
        if (found := _evenly(move, system, plan, duration, most)) is not None:
            return found
    return _adaptively(partial(move, method=quicker), system, replace(plan, method=quicker))


def _evenly(move: Mover, system: Observed, plan: Plan, duration: float, most: float) -> TimeHistory | None:
    """Simulate a motion in equal steps as short as the accuracy needs; None if these are more than ``most``, if
    adaptive steps are better, or if the errors are unknown.

    Three solutions give the error and the order, which is below the order of the method if the motion is not smooth. As
    with adaptive steps, no local error is larger than ``LOOSE`` times its share of the accuracy: equal steps that just
    miss something fast would agree with each other.
    """
    order, runs, steps = plan.method.order or 1, list[TimeHistory](), float(COARSEST)
    if plan.landmarks.size or not _smooth(system):
        return None
    for _ in range(ROUNDS):
        if steps > most:
            return None
        try:
            motion = move(step=duration / ceil(steps))
        except OptionError:  # a formulation may refuse steps of that size, or equal ones
            return None
        if motion.interrupted:
            return motion
        if not motion.ok or motion.cut_backs:
            runs, steps = [], FIRST_GROWTH * steps
            continue
        runs = [*runs[-2:], motion]
        if motion.local_error is None or motion.local_sum is None:
            return None
        wide = span(system, motion)
        goal = plan.accuracy or max(ACCURACY * wide, FINEST)
        off = _checks.energy_share(system, motion) / _checks.ENERGY
        uneven = motion.steps * motion.local_error
        share = max(uneven / (LOOSE * goal), off)
        if len(runs) > 1:
            error = _observed_error(system, runs, order)
            share = max(share, error / (SURE * goal))
            if share <= 1.0 and len(runs) > 2:
                used = {name: value for name, value in motion.used.items() if name != "step"}
                return replace(motion, time_error=error, used=used | {"accuracy": goal})
            if uneven > UNEVEN * motion.local_sum:
                return None
        grow = (
            FIRST_GROWTH if len(runs) == 1 else min(max((SPARE * share) ** (1.0 / order), LEAST_GROWTH), LARGEST_GROWTH)
        )
        steps = motion.steps * grow
    return None


def _observed_error(system: Observed, runs: list[TimeHistory], order: float) -> float:
    """Return the error of the last of two or three solutions with decreasing steps, by the order that three show: at
    most the order of the method, at least 1.
    """
    ratios = [after.steps / before.steps for before, after in pairwise(runs)]
    far = [apart(system, before, after) for before, after in pairwise(runs)]
    if len(far) == 2 and far[1] > 0.0:
        # far[0] / far[1] = (r^p - 1) s^p / (s^p - 1), with s the last ratio, grows with p
        slow = far[0] / far[1] < SLOWER * (ratios[0] ** order - 1.0) / (1.0 - ratios[1] ** -order)
        order = 1.0 if slow else order
    return _error_of(far[-1], ratios[-1] ** order, runs[-2])


def _order(system: Observed, plan: Plan) -> int | None:
    """Return the order of the method; 1 if loads may jump, are Python functions or unknown, as their instant within a
    step matters; None if the method has no order.
    """
    order, opaque = plan.method.order, any(force.opaque for force in system.model.forces)
    if order is None or not can(system, HasSignalFunctions):
        return order and 1
    return 1 if opaque or any(_may_jump(load) for load in _loads(system)) else order


def _may_jump(load: Signal) -> bool:
    return load.may_jump or isinstance(load, Function)


def _loads(system: Any) -> list[Signal]:
    """Return the signals that vary in time and drive no joint."""
    return [each for name, each in system.changing.items() if system.signal_number(name) not in system.driving]


def _smooth(system: Any) -> bool:
    """Return whether nothing that acts on a system can change at once."""
    if not can(system, HasSignalFunctions) or any(load.may_jump for load in _loads(system)):
        return False
    return not system.abrupt()


def _adaptively(move: Mover, system: Observed, plan: Plan) -> TimeHistory:
    """Simulate a motion with smaller and smaller local errors until it is within its accuracy."""
    move, goal = _recording(move, system, plan), plan.accuracy or ACCURACY
    first, second = plan.method.rounds
    limit, before = second * goal, move(accuracy=first * goal)
    if before.interrupted:
        return before
    for _ in range(ROUNDS):
        motion = move(accuracy=limit)
        if not motion.ok:
            return before if before.ok and not motion.interrupted else motion
        moved, wide = travel(system, motion), span(system, motion)
        if plan.accuracy is None:
            goal = max(ACCURACY * wide, FINEST)
        error = moved if moved <= goal else _error(system, motion, before, plan, goal)  # what rests is off by no more
        motion = replace(motion, time_error=error, used=motion.used | {"accuracy": goal})
        known = _checks.of_time(motion, wide)
        off = _checks.energy_share(system, motion) / _checks.ENERGY
        if off <= 1.0 and known is not None and known.passed and (error or 0.0) <= SURE * goal:
            break
        before = motion
        cut = min(max(2.0 * (error or 0.0) / goal, 2.0 * off, LEAST_CUT), LARGEST_CUT)
        limit = min(limit / cut, second * goal)
        if error is None and motion.local_sum:  # its steps were not bounded by their errors: make them so
            limit = min(limit, motion.local_sum / LEAST_CUT)
    return motion


def _error(system: Observed, motion: TimeHistory, before: TimeHistory, plan: Plan, goal: float) -> float | None:
    """Return the error of a motion with adaptive steps, by comparison with a motion with fewer steps.

    With Radau IIA the sums of local errors also show the ratio of the errors: they are errors of its embedded method of
    order 3, a lower bound for stiff parts. Steps that are short for another reason than their errors (stiff parts that
    turn far, fast parts at the start) are as many in both motions.
    If the numbers of steps are similar, the distance is the error if it is beyond the goal: steps that meet a jump of
    the loads in different places do not show the change of velocities in their local errors. Otherwise None.
    """
    if not before.ok:
        return None
    radau, order = isinstance(plan.method, Radau5), plan.method.order or 1
    smooth = not radau or _smooth(system)
    ratio, far = (motion.steps / before.steps) ** (order if smooth else 1), apart(system, motion, before)
    if radau and smooth and before.local_sum and motion.local_sum:
        ratio = max(ratio, before.local_sum / motion.local_sum)
    if ratio > DISTINCT:
        return _error_of(far, ratio, before)
    return far if far > goal else None


def _size(motion: TimeHistory) -> float:
    """Return the size of equal steps."""
    return motion.duration / max(1, ceil(motion.duration / motion.used["step"] * (1.0 - 1e-12)))


def span(system: Observed, motion: TimeHistory) -> float:
    """Return the range of the motion in lengths of the model or radians, between the smallest that counts and 1."""
    return min(max(travel(system, motion), _checks.SMALLEST_RANGE), 1.0)


def travel(system: Observed, motion: TimeHistory) -> float:
    """Return the range of the motion in lengths of the model or radians."""
    q = np.ascontiguousarray((motion.looks or motion).q)
    low, high = np.empty((2, q.shape[1]))
    extremes(q, low, high)
    ranges = high - low
    moved = float(np.max(ranges[: system.freedoms] * system.weight, initial=0.0))
    return max(moved, 2.0 * float(np.max(_orientations(system, ranges[None]), initial=0.0)))


def apart(system: Observed, one: TimeHistory, other: TimeHistory) -> float:
    """Return the distance of two motions, in lengths of the model or radians; with a controller also the distance of
    the inputs, whose range then equals the range of the motion.
    """
    far = distance(system, one, other)
    if one.loop is None:
        return far
    return max(far, min(travel(system, one), 1.0) * one.loop.distance(other.loop))


def distance(system: Observed, one: TimeHistory, other: TimeHistory) -> float:
    """Return the largest distance of two motions at their common instants, kept for checks or for the result, in
    lengths of the model or radians.

    Motions with adaptive steps have few common instants: the other one, if all its steps were kept, is interpolated.
    If loads jump, accelerations of one instant do not predict the next; motions with impacts are linear within a step.
    """
    mine, others = (motion.looks or motion for motion in (one, other))
    instants = (np.round(each.time / one.last.time, 9) for each in (mine, others))
    _, here, there = np.intersect1d(*instants, return_indices=True)  # very short steps round to one instant
    q, p = mine.q[here], others.q[there]
    whole = one.used["every"] == 1 or others.time.size >= other.steps
    if whole and 2 * here.size < min(mine.time.size, others.time.size):
        q = np.pad(mine.q, ((0, 0), (0, system.size - mine.q.shape[1])))
        if one.impacts:
            straight = np.array([np.interp(mine.time, others.time, each) for each in others.q.T]).T
            p = np.pad(straight, ((0, 0), (0, system.size - straight.shape[1])))
        else:
            p = resample(Samples.along(others, system.size), mine.time, system.space).q
    n = system.freedoms
    apart = float(np.max(np.abs(q[:, :n] - p[:, :n]) * system.weight, initial=0.0))
    a, b = _orientations(system, q), _orientations(system, p)
    turned = np.minimum(np.linalg.norm(a - b, axis=2), np.linalg.norm(a + b, axis=2))
    return max(apart, 2.0 * float(np.max(turned, initial=0.0)))


def _orientations(system: Observed, q: np.ndarray) -> np.ndarray:
    """Return (instants, nodes, 4) quaternions; empty in the plane."""
    nodes = q.shape[1] // 10 if system.space.quaternions else 0
    return q[:, q.shape[1] - 4 * nodes :].reshape(len(q), nodes, 4)


def _never_empty(move: Mover) -> Mover:
    """Wrap a mover to return the last whole motion if the next is interrupted before its first step."""
    whole: list[TimeHistory] = []

    def moved(**options: Any) -> TimeHistory:
        motion = move(**options)
        if motion.interrupted and not motion.steps and whole:
            return _interrupted(whole[-1])
        if motion.ok:
            whole[:] = [motion]
        return motion

    return moved


def _interrupted(motion: TimeHistory) -> TimeHistory:
    message = f"was interrupted at t = {motion.last.time:.6g} s, while its error was estimated"
    return replace(motion, ok=False, interrupted=True, message=message)
