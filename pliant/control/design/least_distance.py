"""The shortest vector that keeps linear limits: the problem that a predictive controller solves at every sample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.errors import ConvergenceError

ROUNDING = 1e-11  # of the numbers at hand: what counts as zero
ROUNDS = 20  # exchanges of limits, at most, of as many as there are


class Shortest(NamedTuple):
    """``x``, the multipliers of all limits, and what is left of the conditions of Karush, Kuhn and Tucker."""

    x: np.ndarray
    multipliers: np.ndarray
    residual: float

    @property
    def active(self) -> int:
        """How many limits push."""
        return int(np.count_nonzero(self.multipliers))


def shortest(rows: np.ndarray, least: np.ndarray) -> Shortest | None:
    """Least |x| with ``rows x >= least``; None if no x keeps them all.

    The dual method of Goldfarb and Idnani (1983): begin with x = 0, which is best without limits. Take the limit that
    is violated most, go towards it along the limits kept so far, and let go those whose multiplier would turn negative.
    Every exchange makes |x| larger, so none comes back. A limit that cannot be reached, and that no other would make
    room for, contradicts the others.

    >>> shortest(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([2.0, -5.0])).x
    array([1., 1.])
    >>> shortest(np.array([[1.0], [-1.0]]), np.array([1.0, 0.0])) is None
    True
    """
    size = np.linalg.norm(rows, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    A, b = rows / size[:, None], least / size
    tolerance = ROUNDING * max(1.0, float(np.max(np.abs(b), initial=0.0)))
    held: list[int] = []
    x, pushes = np.zeros(rows.shape[1]), np.zeros(0)
    for _ in range(ROUNDS * (len(A) + 1)):
        off = A @ x - b
        worst = int(np.argmin(off)) if len(off) else 0
        if not len(off) or off[worst] >= -tolerance:
            return _checked(A, b, held, size)
        reached = _towards(A, b, x, held, pushes, worst)
        if reached is None:
            return None
        x, held, pushes = reached
    raise ConvergenceError("mpc: the active-set method did not converge. Give weights that differ less.")


def _towards(
    A: np.ndarray, b: np.ndarray, x: np.ndarray, held: list[int], pushes: np.ndarray, new: int
) -> tuple[np.ndarray, list[int], np.ndarray] | None:
    """x that keeps the limit `new` too, the limits that push there and how much each does; None if there is none."""
    own = 0.0
    while True:
        kept = A[held].T
        yields = np.linalg.lstsq(kept, A[new], rcond=None)[0] if held else np.zeros(0)
        way = A[new] - kept @ yields
        slope, short = float(way @ way), float(b[new] - A[new] @ x)
        whole = short / slope if slope > ROUNDING else np.inf
        room = np.where(yields > ROUNDING, pushes / np.where(yields > ROUNDING, yields, 1.0), np.inf)
        first = int(np.argmin(room)) if held else 0
        step = min(whole, float(room[first]) if held else np.inf)
        if not np.isfinite(step):
            return None
        x = x if np.isinf(whole) else x + step * way
        pushes, own = pushes - step * yields, own + step
        if step == whole:
            return x, [*held, new], np.append(np.maximum(pushes, 0.0), own)
        held, pushes = [*held[:first], *held[first + 1 :]], np.delete(pushes, first)


def _checked(A: np.ndarray, b: np.ndarray, held: list[int], size: np.ndarray) -> Shortest:
    """The answer again from its active limits alone, so that rounding does not add up; and its residual."""
    pushes = np.zeros(len(A))
    pushes[held] = np.linalg.lstsq(A[held] @ A[held].T, b[held], rcond=None)[0] if held else 0.0
    x = A.T @ pushes
    off = A @ x - b
    scale = max(float(np.max(np.abs(b[held]), initial=0.0)), 1e-300)
    wrong = (np.maximum(-off, 0.0), np.maximum(-pushes, 0.0), np.abs(off) * (pushes != 0.0))
    residual = max(float(np.max(each, initial=0.0)) for each in wrong) / scale if held else 0.0
    return Shortest(x, pushes / size, residual)
