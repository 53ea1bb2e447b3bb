"""Closing of loops of rigid frames, in the plane or in space: Gauss-Newton with least-norm steps.

Gaps are in lengths of the model and radians, independent of units. Guesses are kept exactly if the loops allow it; else
the last given guess is released first. Joints that lock the same motion twice may disagree a little: the result is a
least-squares compromise near the guesses, as no movement can remove the gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

ROUNDING = 1e-12  # gap due to rounding
TOLERANCE = 1e-9  # largest allowed disagreement of joints
RANK = 1e-8  # of the largest singular value: below, rows depend on each other
NEARER = 1.0 - 1e-6  # of the previous gaps: a smaller ratio is an improvement
SLOW = 5  # successive steps that gain less than 1 %: then the loop stays open
NEAR, CHORDS = 0.05, 12  # largest distance to a neighbouring closed pose (model lengths, rad); largest number of steps


class Loops(Protocol):
    """Conditions of the joints on the poses of all frames; a step has one entry per freedom, the ground's last.

    Gaps and steps are in lengths of the model and radians.
    """

    owner: np.ndarray  # joint of each condition

    @property
    def free(self) -> np.ndarray: ...  # 1 for each freedom, 0 for the ground's

    def gap(self, pose: np.ndarray) -> np.ndarray: ...
    def rounding(self, pose: np.ndarray) -> float: ...  # of a gap
    def jacobian(self, pose: np.ndarray) -> np.ndarray: ...
    def moved(self, pose: np.ndarray, step: np.ndarray) -> np.ndarray: ...
    def reach(self, step: np.ndarray) -> float: ...  # the furthest that a frame moves or turns
    def shuffle(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray: ...
    def without(self, joint: int) -> Any: ...


@dataclass(frozen=True)
class Closed:
    """A pose of loops, the remaining gaps, and the freedoms that guesses hold."""

    loops: Loops
    pose: np.ndarray
    gap: np.ndarray
    fixed: np.ndarray

    @cached_property
    def _inverse(self) -> np.ndarray | None:
        """Inverse of the Jacobian, with free or else with held guesses; None if frames could still move."""
        jacobian, free = self.loops.jacobian(self.pose), self.loops.free.copy()
        for fixed in (np.array([], int), self.fixed):
            free[fixed] = 0.0
            left, values, across = np.linalg.svd(jacobian * free, full_matrices=False)
            rank = int(np.sum(values > RANK * values[0]))
            if rank == np.sum(free):
                return np.asarray(across[:rank].T / values[:rank] @ left[:, :rank].T)
        return None

    def beside(self, loops: Loops) -> Closed | None:
        """Return the closed pose of loops with the same guesses and slightly other numbers, by Newton with this
        Jacobian; None if frames could move, so that guesses choose among poses, or if it is not near.
        """
        if loops.owner.size != self.gap.size or not self.gap.size or self._inverse is None:
            return None
        pose, gap, rounding = self.pose, loops.gap(self.pose), loops.rounding(self.pose)
        for _ in range(CHORDS):
            if size(gap) <= 0.1 * rounding:
                break
            move = -self._inverse @ gap
            if np.linalg.norm(move) > NEAR and loops.reach(move) > NEAR:
                return None
            trial = loops.moved(pose, move)
            trial_gap = loops.gap(trial)
            if size(trial_gap) > 0.5 * size(gap):
                break
            pose, gap = trial, trial_gap
        return Closed(loops, pose, gap, self.fixed) if size(gap) <= rounding else None


def close(loops: Loops, guess: np.ndarray, held: Sequence[Sequence[int]], attempts: int) -> Closed:
    """Return the closed pose and remaining gaps: Newton with held guesses; release them from the last one, then try
    other directions where no guess is given.
    """
    best = Closed(loops, guess, np.full(max(loops.owner.size, 1), np.inf), np.array([], int))
    generator = None
    for attempt in range(attempts):
        if attempt:
            generator = generator or np.random.default_rng(0)
        start = loops.shuffle(guess, generator) if generator else guess
        for kept in range(len(held), -1, -1):
            fixed = np.array([i for group in held[:kept] for i in group], int)
            pose, gap = newton(loops, start, fixed)
            if size(gap) <= loops.rounding(pose):
                return Closed(loops, pose, gap, fixed)
            if np.linalg.norm(gap) < NEARER * np.linalg.norm(best.gap):  # independent of axes and rounding
                best = Closed(loops, pose, gap, fixed)
                start = pose  # loops that closed with this guess stay closed: the branch is kept
        if size(best.gap) <= TOLERANCE:
            break  # joints disagree; other directions would not help
    return best


def newton(loops: Loops, start: np.ndarray, fixed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reduce the sum of squares of all gaps by least-norm steps, halved until it decreases."""
    pose, gap = start, loops.gap(start)
    if not gap.size:
        return pose, gap
    free = loops.free.copy()
    free[fixed] = 0.0
    slow = 0
    for _ in range(60):
        norm = np.linalg.norm(gap)
        if norm <= 0.1 * loops.rounding(pose):
            break
        move = least_norm(loops.jacobian(pose) * free, -gap, 0.1 * loops.rounding(pose))
        if not np.any(move) or slow == SLOW:
            break
        move *= min(1.0, 1.0 / loops.reach(move))
        for _ in range(8):
            trial = loops.moved(pose, move)
            trial_gap = loops.gap(trial)
            if np.linalg.norm(trial_gap) < norm:
                break
            move *= 0.5
        else:
            break
        slow = slow + 1 if np.linalg.norm(trial_gap) > 0.99 * norm else 0
        pose, gap = trial, trial_gap
    return pose, gap


def least_norm(matrix: np.ndarray, right: np.ndarray, rounding: float) -> np.ndarray:
    """Return the shortest x that minimises ``|matrix x - right|``, without steps for negligible gaps.

    Nearly dependent rows have a small singular value: a disagreement divided by it would move the parts far. A
    component of the right side below TOLERANCE is ignored if it requires a step above its root (never so at a dead
    centre, where a gap is proportional to the square of the movement), and so is a component below rounding.
    """
    left, values, across = np.linalg.svd(matrix, full_matrices=False)
    share = left.T @ right
    x = np.divide(share, values, out=np.zeros_like(share), where=values > RANK * values[0])
    x[(np.abs(share) <= TOLERANCE) & (np.abs(x) > np.sqrt(2.0 * TOLERANCE))] = 0.0
    x[np.abs(share) <= rounding] = 0.0
    return np.asarray(x @ across)


def blame(loops: Loops, guess: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the gaps and the widest of the last joint without which all others close; else of all joints."""
    none = np.array([], int)
    for k in sorted(set(loops.owner.tolist()), reverse=True):
        pose, left = newton(loops.without(k), guess, none)
        if size(left) <= TOLERANCE:
            gap = loops.gap(pose)
            return gap, int(np.argmax(np.abs(gap)))
    _, gap = newton(loops, guess, none)
    return gap, int(np.argmax(np.abs(gap)))


def size(gap: np.ndarray) -> float:
    """Return the widest gap."""
    return float(np.max(np.abs(gap), initial=0.0))
