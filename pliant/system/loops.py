"""Closing loops of rigid frames, in the plane or in space: Newton with least-norm steps.

Guesses are kept exactly where the loops allow it; where not, the last one given yields first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

TOLERANCE = 1e-12
SLOW = 5  # steps in a row that gain less than 1 %: what is open stays open


class Loops(Protocol):
    """Conditions of the joints on the poses of all frames; a step has one entry a freedom, the ground's last."""

    owner: np.ndarray  # joint of each condition
    length_scale: float

    @property
    def scale(self) -> np.ndarray: ...  # of each freedom: the length scale for points, 1 for angles; 0 for the ground

    def gap(self, pose: np.ndarray) -> np.ndarray: ...
    def jacobian(self, pose: np.ndarray) -> np.ndarray: ...
    def moved(self, pose: np.ndarray, step: np.ndarray) -> np.ndarray: ...
    def shuffled(self, pose: np.ndarray, generator: np.random.Generator) -> np.ndarray: ...
    def without(self, joint: int) -> Any: ...


def close(
    loops: Loops, guess: np.ndarray, held: Sequence[Sequence[int]], attempts: int
) -> tuple[np.ndarray, np.ndarray]:
    """Pose and what remains open: Newton with guesses held; release them from the last, then try other directions for
    what was not guessed.
    """
    best = guess, np.full(max(loops.owner.size, 1), np.inf)
    generator = np.random.default_rng(0)
    for attempt in range(attempts):
        start = loops.shuffled(guess, generator) if attempt else guess
        for kept in range(len(held), -1, -1):
            fixed = np.array([i for group in held[:kept] for i in group], int)
            pose, gap = newton(loops, start, fixed)
            if size(gap) <= TOLERANCE * loops.length_scale:
                return pose, gap
            if size(gap) < size(best[1]):
                best = pose, gap
                start = pose  # what could be closed with this guess held stays closed: the branch is kept
    return best


def newton(loops: Loops, start: np.ndarray, fixed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least-norm Newton steps (in scaled coordinates), halved while the gap grows."""
    pose, gap = start, loops.gap(start)
    if not gap.size:
        return pose, gap
    scale = loops.scale.copy()
    scale[fixed] = 0.0
    slow = 0
    for _ in range(60):
        norm = np.linalg.norm(gap)
        if norm <= 0.1 * TOLERANCE * loops.length_scale or slow == SLOW:
            break
        move = np.linalg.lstsq(loops.jacobian(pose) * scale, -gap, rcond=1e-10)[0]
        move *= scale * min(1.0, 1.0 / np.max(np.abs(move), initial=1e-300))
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


def blame(loops: Loops, names: Sequence[str], guess: np.ndarray) -> tuple[float, str]:
    """Gap and name of the last joint without which all others close; without such a one, of the widest."""
    none = np.array([], int)
    for k in sorted(set(loops.owner.tolist()), reverse=True):
        pose, left = newton(loops.without(k), guess, none)
        if size(left) <= TOLERANCE * loops.length_scale:
            return size(loops.gap(pose)), names[k]
    _, gap = newton(loops, guess, none)
    return size(gap), names[int(loops.owner[np.argmax(np.abs(gap))])]


def size(gap: np.ndarray) -> float:
    """The widest of all gaps (m or rad)."""
    return float(np.max(np.abs(gap), initial=0.0))
