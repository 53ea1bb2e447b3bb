"""Calls from compiled code to a user's Python function of state, with numerical derivatives.

Compiled code identifies a function by a number, for as long as the system with the function exists. An exception cannot
cross compiled code: it is stored for the current analysis, the force becomes NaN, the solver stops, and ``reraise``
raises it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from pliant.errors import SignalError
from pliant.model import rotations

if TYPE_CHECKING:
    from pliant.forces.state_force import StateForce

StateFunction = Callable[[float, np.ndarray, np.ndarray], Any]

STEP = 1e-7  # of the model's length and of a radian, and of these per second


@dataclass(eq=False)
class Callback:
    """A user's function with the number that compiled code uses; the system that packs it keeps it alive."""

    name: str
    function: StateFunction
    length: float  # of the model
    number: int = field(init=False)

    def __post_init__(self) -> None:
        self.number = next(_numbers)
        _alive[self.number] = self


_numbers = count()
_alive: WeakValueDictionary[int, Callback] = WeakValueDictionary()
_failures: ContextVar[list[SignalError]] = ContextVar("failures")  # of the current analysis, its threads included


def callback(layout: Any, force: StateForce) -> Callback:
    """Return the callback of a force, which its layout stores: it stays the same in repeated packing."""
    found: Callback = layout.keep(force.name, lambda: Callback(force.name, force.function, layout.length_scale))
    return found


def pending_failures() -> list[SignalError]:
    """Return the errors that functions raised since the last ``reraise``."""
    try:
        return _failures.get()
    except LookupError:  # outside of an analysis
        _failures.set([])
        return _failures.get()


def evaluate(number: int, time: float, pose: np.ndarray, velocity: np.ndarray, out: np.ndarray) -> None:
    """Write force and moment to out[:n], and their n x 2n derivative by pose and velocity, by forward differences, to
    out[n:]; n is 3 in the plane and 6 in space, where the pose is turned about global axes.
    """
    known, failures, n = _alive[number], pending_failures(), velocity.size
    name, function = known.name, known.function
    if failures:
        out[:] = np.nan
        return
    try:
        out[:n] = _checked(name, function, time, pose, velocity)
        for k in range(n):
            size = known.length if k < n // 2 + n % 2 else 1.0
            moved, step = _moved(pose, k, size)
            out[n + k :: 2 * n] = (_checked(name, function, time, moved, velocity.copy()) - out[:n]) / step
            faster, step = _raised(velocity, k, size)
            out[2 * n + k :: 2 * n] = (_checked(name, function, time, pose.copy(), faster) - out[:n]) / step
    except SignalError as failure:
        failures.append(failure)
        out[:] = np.nan


@contextmanager
def watched() -> Iterator[None]:
    """Enclose an analysis: an error of a user's function precedes all errors that follow from it, and ends with it."""
    before = _failures.set([])
    try:
        yield
    finally:
        try:
            reraise()
        finally:
            _failures.reset(before)


def reraise() -> None:
    """Raise the error of a user's function in the last compiled call, if there is one."""
    failures = pending_failures()
    if failures:
        failure = failures[0]
        failures.clear()
        raise failure


def _raised(values: np.ndarray, k: int, size: float) -> tuple[np.ndarray, float]:
    """Return the values with a small increment of the k-th, which has a typical size, and the increment."""
    raised, step = values.copy(), STEP * max(size, abs(values[k]))
    raised[k] += step
    return raised, step


def _moved(pose: np.ndarray, k: int, size: float) -> tuple[np.ndarray, float]:
    """Return a pose moved slightly in its k-th freedom: in space the last three are rotations about global axes."""
    if pose.size == 3 or k < 3:
        return _raised(pose, k, size)
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
