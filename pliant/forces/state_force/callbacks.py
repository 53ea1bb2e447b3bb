"""The way back from compiled code to a user's Python function of state, with its numerical derivatives.

An exception cannot cross compiled code: it is kept here, the force becomes NaN, the solver stops, and ``reraise``
tells the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pliant.errors import SignalError

StateFunction = Callable[[float, np.ndarray, np.ndarray], Any]

_functions: list[tuple[str, StateFunction]] = []
_failures: list[SignalError] = []

STEP = 1e-7


def register(name: str, function: StateFunction) -> int:
    """Keep a function; compiled code knows it by the number returned."""
    _functions.append((name, function))
    return len(_functions) - 1


def evaluate(number: int, time: float, pose: np.ndarray, velocity: np.ndarray, out: np.ndarray) -> None:
    """out[:3] = (fx, fy, moment); out[3:] = its 3 x 6 derivative by pose and velocity, by forward differences."""
    name, function = _functions[number]
    if _failures:
        out[:] = np.nan
        return
    try:
        out[:3] = _checked(name, function, time, pose, velocity)
        for k in range(6):
            shifted = (pose.copy(), velocity.copy())
            step = STEP * max(1.0, abs(shifted[k // 3][k % 3]))
            shifted[k // 3][k % 3] += step
            out[3 + k :: 6] = (_checked(name, function, time, *shifted) - out[:3]) / step
    except SignalError as failure:
        _failures.append(failure)
        out[:] = np.nan


@contextmanager
def watched() -> Iterator[None]:
    """Around an analysis: what a user's function raised goes before all that followed from it, and ends with it."""
    _failures.clear()
    try:
        yield
    finally:
        reraise()


def reraise() -> None:
    """Raise what a user's function raised during the last compiled call, if anything."""
    if _failures:
        failure = _failures[0]
        _failures.clear()
        raise failure


def _checked(name: str, function: StateFunction, time: float, pose: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    try:
        wrench = np.asarray(function(time, pose, velocity), dtype=float)
    except Exception as error:
        raise SignalError(
            f"State force {name!r}: its function raised {type(error).__name__}: {error} at t = {time:g} s."
        ) from error
    if wrench.shape != (3,) or not np.all(np.isfinite(wrench)):
        raise SignalError(
            f"State force {name!r}: its function returned {wrench!r} at t = {time:g} s; "
            "it must return three finite numbers (fx, fy, moment)."
        )
    return wrench
