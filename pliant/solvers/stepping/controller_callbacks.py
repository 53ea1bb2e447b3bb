"""The way back from compiled code to controllers in Python.

Compiled code knows what is to decide by a number, for as long as that lives. An exception cannot cross compiled code:
it is kept for the analysis at hand, the inputs become NaN, the motion stops, and `callbacks.reraise` tells the user.
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
    """What compiled code asks at every sample."""

    def sample(self, k: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
        """Decide at sample k, in the state given, and write down what to apply."""

    def fail(self) -> None:
        """Make what is applied useless: the motion must not go on."""

    def in_words(self, error: Exception) -> str:
        """What went wrong, for the user."""


_numbers = count()
_alive: WeakValueDictionary[int, Decides] = WeakValueDictionary()


def registered(decides: Decides) -> int:
    """The number by which compiled code knows it; whoever holds the number keeps it alive."""
    number = next(_numbers)
    _alive[number] = decides
    return number


@python_kernel
def consult(number: int, k: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """Let a controller in Python decide."""
    with objmode():
        answer(number, k, q, v, a, lam, u)


def answer(number: int, k: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
    """The same in Python, with what it raised kept for later."""
    decides, failures = _alive[number], callbacks.kept()
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
