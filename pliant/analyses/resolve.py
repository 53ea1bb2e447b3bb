"""Equilibria near a known one, solved again: derivatives of functions of them, and whether the known one is right."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from pliant.analyses.derivatives import perturbed
from pliant.analyses.statics.statics import repeat_statics, statics
from pliant.errors import OptionError, PliantWarning
from pliant.results import Result
from pliant.solvers.derivatives import implicit

SAME = 1e-6  # of the model's size: how far an equilibrium may be from where it is found again


@runtime_checkable
class Followed(Protocol):
    """A function whose values have no order of their own: it matches them near an equilibrium."""

    def __call__(self, system: Any, rest: Result) -> Any: ...
    def matched(self, before: np.ndarray, now: np.ndarray) -> np.ndarray: ...
    def notes(self, values: np.ndarray) -> list[str]: ...


class Again(NamedTuple):
    """Equilibria beside one."""

    sides: Callable[[float], tuple[list[Any], float]]
    size: float
    line: implicit.Line | None
    at: Result

    def derivative(self, function: Callable[[Any, Result], Any], here: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the derivative of a function of system and equilibrium, and its error of second order. If that is
        large, steps are shorter.
        """
        matched = partial(function.matched, here) if isinstance(function, Followed) else None
        found, _, missed = perturbed.settled(self.sides, self.size, partial(self._value, function), matched, here)
        return found, missed

    def _value(self, function: Callable[[Any, Result], Any], system: Any, change: float) -> np.ndarray:
        start: Any = self.at if self.line is None else self.line.moved(change)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            return np.asarray(function(system, repeat_statics(system, self.at, start)))


def rest_of(system: Any, modes: Result) -> Result:
    """Find the equilibrium of modes again."""
    rest = statics(system, start=modes, time=float(modes.data["state_time"].values[0]))
    if apart(system, rest, modes) or np.any(modes.raw("velocity")):
        raise OptionError(
            "sensitivity: these modes are not about an equilibrium that this system has with its signals. Give the "
            "Result of statics that they are about."
        )
    return rest


def apart(system: Any, one: Result, other: Result) -> bool:
    """Return whether two equilibria of a system are at different places."""
    far = np.abs(one.position.values - other.position.values)
    return not np.max(far, initial=0.0) <= SAME * system.observed.length_scale
