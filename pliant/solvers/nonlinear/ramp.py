"""Load ramp: a share of loads, drives or conditions raised from zero to one in steps that adapt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

X = TypeVar("X")


class Ramped(NamedTuple, Generic[X]):
    """Unknowns at the share that was reached (1: the whole), and the number of steps."""

    at: X
    done: float
    steps: int


def ramp(
    advance: Callable[[X, float], X | None], at: X, *, smallest: float, steps: int = 1, growth: float = 2.0
) -> Ramped[X]:
    """Advance from share 0 to 1: a step is halved on failure, down to ``smallest``, and grows after success.

    ``advance`` returns the unknowns at a share from those at a smaller one, or None if it fails; a single attempt is
    made where ``steps`` is 1 and ``smallest`` is 1.

    >>> ramp(lambda x, share: share if share - x < 0.3 else None, 0.0, smallest=0.1)
    Ramped(at=1.0, done=1.0, steps=4)
    """
    done, step, taken = 0.0, 1.0 / steps, 0
    while done < 1.0 and step >= smallest:
        step = min(step, 1.0 - done)
        found = advance(at, done + step)
        if found is None:
            step *= 0.5
        else:
            at, done, taken, step = found, done + step, taken + 1, growth * step
    return Ramped(at, done, taken)
