"""Cache of properties of signals, from one motion to the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

from pliant.model.signals.base import Signal

F = TypeVar("F", bound=Callable[..., Any])


def cached(most: int) -> Callable[[F], F]:
    """Cache a function of a signal, and of other comparable values, for its `most` latest arguments.

    Signals that call a function of the user are not cached: it may return another value.

    >>> from pliant.model import Ramp
    >>> middle = cached(4)(lambda signal, end: print("asked") or float(signal(0.5 * end)))
    >>> middle(Ramp(0.0, 1.0, 0.0, 1.0), 1.0), middle(Ramp(0.0, 1.0, 0.0, 1.0), 1.0)
    asked
    (0.5, 0.5)
    """

    def keeping(find: F) -> F:
        known: Any = lru_cache(most)(find)

        @wraps(find)
        def found(signal: Signal, *rest: Any) -> Any:
            return find(signal, *rest) if signal.opaque or not _comparable(signal) else known(signal, *rest)

        return cast(F, found)

    return keeping


def _comparable(signal: Signal) -> bool:
    """Return whether it is compared by its contents, as frozen dataclasses are: others may change between two calls."""
    try:
        hash(signal)
    except TypeError:  # of another package, with lists in it
        return False
    inner = (each for each in vars(signal).values() if isinstance(each, Signal))
    return type(signal).__eq__ is not object.__eq__ and all(map(_comparable, inner))
