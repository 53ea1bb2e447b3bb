"""Callbacks from compiled code to controllers in Python.

Compiled code identifies a controller by a number, for the lifetime of the controller. An exception cannot cross
compiled code: it is stored, the inputs become NaN, the motion stops, and `callbacks.reraise` raises it.
"""

from __future__ import annotations

from itertools import count
from typing import Protocol
from weakref import WeakValueDictionary

import numpy as np
from numba import objmode

from pliant.errors import SignalError
from pliant.forces.state_force import callbacks
from pliant.jit import python_kernel


class Decides(Protocol):
    """Controller in Python, called by compiled code at every sample."""

    def sample(self, k: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
        """Decide at sample k, in the given state, and write the inputs."""

    def fail(self) -> None:
        """Set the inputs to NaN: the motion must not continue."""

    def in_words(self, error: Exception) -> str:
        """Describe an error, for the user."""


_numbers = count()
_alive: WeakValueDictionary[int, Decides] = WeakValueDictionary()


def register(decides: Decides) -> int:
    """Register a controller and return its number; the owner of the number keeps the controller alive."""
    number = next(_numbers)
    _alive[number] = decides
    return number


@python_kernel
def consult(number: int, k: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Let a controller in Python decide."""
    with objmode():
        answer(number, k, q, v, a, lam, u)


def answer(number: int, k: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Call the controller, and store its exception for later."""
    decides, failures = _alive[number], callbacks.pending_failures()
    if failures:
        decides.fail()
        return
    try:
        decides.sample(k, q, v, a, lam, u)
    except Exception as error:
        failure = SignalError(decides.in_words(error))
        failure.__cause__ = error
        failures.append(failure)
        decides.fail()
