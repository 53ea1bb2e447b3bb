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
from pliant.model import rotations

StateFunction = Callable[[float, np.ndarray, np.ndarray], Any]

_functions: list[tuple[str, StateFunction]] = []
_failures: list[SignalError] = []

STEP = 1e-7


def register(name: str, function: StateFunction) -> int:
    """Keep a function; compiled code knows it by the number returned."""
    _functions.append((name, function))
    return len(_functions) - 1


def evaluate(number: int, time: float, pose: np.ndarray, velocity: np.ndarray, out: np.ndarray) -> None:
    """out[:n] = force and moment; out[n:] = its n x 2n derivative by pose and velocity, by forward differences; n is 3
    in the plane and 6 in space, where the pose is turned about global axes.
    """
    name, function = _functions[number]
    n = velocity.size
    if _failures:
        out[:] = np.nan
        return
    try:
        out[:n] = _checked(name, function, time, pose, velocity)
        for k in range(n):
            moved, step = _moved(pose, k)
            out[n + k :: 2 * n] = (_checked(name, function, time, moved, velocity.copy()) - out[:n]) / step
            faster, step = _raised(velocity, k)
            out[2 * n + k :: 2 * n] = (_checked(name, function, time, pose.copy(), faster) - out[:n]) / step
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


def _raised(values: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    """Values with the k-th a little larger, and by how much."""
    raised, step = values.copy(), STEP * max(1.0, abs(values[k]))
    raised[k] += step
    return raised, step


def _moved(pose: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    """A pose a little further in its k-th freedom: in space the last three are turns about global axes."""
    if pose.size == 3 or k < 3:
        return _raised(pose, k)
    moved = pose.copy()
    moved[3:] = rotations.product(rotations.exponential(STEP * np.eye(3)[k - 3]), pose[3:])
    return moved, STEP


def _checked(name: str, function: StateFunction, time: float, pose: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    try:
        wrench = np.asarray(function(time, pose, velocity), dtype=float)
    except Exception as error:
        raise SignalError(
            f"State force {name!r}: its function raised {type(error).__name__}: {error} at t = {time:g} s."
        ) from error
    if wrench.shape != velocity.shape or not np.all(np.isfinite(wrench)):
        wanted = (
            "three finite numbers (fx, fy, moment)"
            if velocity.size == 3
            else "six finite numbers (fx, fy, fz, mx, my, mz)"
        )
        raise SignalError(
            f"State force {name!r}: its function returned {wrench!r} at t = {time:g} s; it must return {wanted}."
        )
    return wrench
