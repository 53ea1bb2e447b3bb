"""Derivatives of goals of a motion by many parameters: what goals depend on, and the adjoint of the motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.analyses.motion.goals import Goal
from pliant.errors import OptionError
from pliant.model import rotations
from pliant.solvers.derivatives import adjoint as motion_pull
from pliant.solvers.derivatives.implicit import PLACES, STRIDE, slope
from pliant.solvers.derivatives.tangent_motion import Differentiated, Sides
from pliant.system.samples import Samples

AGREED = 1e-6  # of the largest derivative: what those backwards and forwards in time may differ by
SHIFT = 1e-4  # of the largest: reactions enter linearly
CHEAPER = 8  # parameters a goal, from which on the adjoint is: about what it costs, in derivatives forwards

Seen = Callable[[Any, Samples, Goal], np.ndarray]


def follows(wanted: Mapping[str, Any], parameters: int, adjoint: bool | None) -> bool:
    """Whether derivatives go backwards: as it was asked for, or where that is cheaper."""
    goals = all(isinstance(each, Goal) for each in wanted.values())
    if adjoint and not goals:
        other = next(name for name, each in wanted.items() if not isinstance(each, Goal))
        raise OptionError(f"adjoint=True: {other!r} is no pl.Goal, of which one number of a whole motion is known.")
    return goals and (parameters >= CHEAPER * len(wanted) if adjoint is None else adjoint)


def goal_slopes(
    found: Differentiated,
    goals: Sequence[Goal],
    by: Sequence[motion_pull.Moved],
    sides: Sequence[Sides],
    sizes: np.ndarray,
    seen: Seen,
) -> motion_pull.Pulled:
    """(goals, parameters) derivatives; ``seen`` makes of system, samples and goal one number an instant."""
    values = [float(np.sum(_counted(found, goal, seen)(found.system, found.samples))) for goal in goals]
    pulled = motion_pull.pull(found, values, [_gradient(found, goal, seen) for goal in goals], by, sizes)
    if not pulled.error <= AGREED:
        raise OptionError(
            f"sensitivity: the adjoint of the motion of {found.system.model.name!r} differs from derivatives that go "
            f"forwards by {pulled.error:.1e}: the matrices of some part are not its derivatives. Give adjoint=False."
        )
    explicit = [
        [_explicit(found, goal, each(one.part), seen) for each, one in zip(sides, by, strict=True)] for goal in goals
    ]
    return pulled._replace(slopes=pulled.slopes + np.array(explicit))


def _counted(found: Differentiated, goal: Goal, seen: Seen) -> Callable[[Any, Samples], np.ndarray]:
    """What a goal sees at every instant, as it counts: which instant is the largest does not change."""
    values = seen(found.system, found.samples, goal)
    weights = goal.weights(values, found.samples.time)
    return lambda system, samples: weights * seen(system, samples, goal)


def _explicit(found: Differentiated, goal: Goal, beside: tuple[Sequence[Any], float], seen: Seen) -> float:
    """By a parameter, the motion held."""
    counted, (systems, step) = _counted(found, goal, seen), beside
    return float(np.sum(slope([counted(system, found.samples) for system in systems], step)))


def _gradient(found: Differentiated, goal: Goal, seen: Seen) -> np.ndarray:
    """(instants, 3 n + m) by q, v, a and lambda. All instants are moved at once, since each counts by itself; groups of
    coordinates on which nothing depends are left out together.
    """
    system, samples, counted = found.system, found.samples, _counted(found, goal, seen)
    n, m, h = system.freedoms, system.constraints, found.stretches[0].h
    unit, push = STRIDE / system.weight, SHIFT * (float(np.max(np.abs(samples.lam), initial=0.0)) or 1.0)
    steps = np.concatenate([unit, unit / h, unit / h**2, np.full(m, push)])
    gradient, here = np.zeros((samples.time.size, steps.size)), counted(system, samples)
    groups = [np.arange(k * n, (k + 1) * n) for k in range(3)] + [np.arange(3 * n, 3 * n + m)]
    while groups:
        group = groups.pop()
        if not group.size or np.array_equal(counted(system, _shifted(system, samples, group, steps[group])), here):
            continue
        if group.size > 1:
            groups += np.array_split(group, 2)
            continue
        sides = [counted(system, _shifted(system, samples, group, k * steps[group])) for k in PLACES]
        gradient[:, group[0]] = slope(sides, float(steps[group[0]]))
    return gradient


def _shifted(system: Any, samples: Samples, places: np.ndarray, by: np.ndarray) -> Samples:
    """All instants with some of (q, v, a, lambda) moved; rotations in space by a turn in the node's own axes."""
    n, turning, frames = system.freedoms, system.equations.turning, system.equations.frames
    arrays = {name: getattr(samples, name).copy() for name in ("q", "v", "a", "lam")}
    names = ("q", "v", "a", "lam")
    for place, each in zip(places.tolist(), by.tolist(), strict=True):
        block, i = min(place // n, 3), place - n * min(place // n, 3)
        if block == 0 and i < 6 * turning and i % 6 >= 3:
            turn = slice(frames + 4 * (i // 6), frames + 4 * (i // 6) + 4)
            arrays["q"][:, turn] = rotations.product(
                arrays["q"][:, turn], rotations.exponential(each * np.eye(3)[i % 6 - 3])[None]
            )
        else:
            arrays[names[block]][:, i] += each
    return replace(samples, **arrays)
