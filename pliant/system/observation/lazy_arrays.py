"""Values that are computed once, at their first use."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, MutableMapping
from functools import partial
from typing import Any


class CachedCall:
    """A function without arguments that is called once; its value is kept.

    >>> counted = CachedCall(lambda: print("called") or 2)
    >>> counted() + counted()
    called
    4
    """

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make: Callable[[], Any] | None = make

    def __call__(self) -> Any:
        if self._make is not None:
            self._value, self._make = self._make(), None
        return self._value


def together(make: Callable[[], Mapping[str, Any]], names: Iterable[str]) -> dict[str, Callable[[], Any]]:
    """Return functions for some of several values that are computed together, at the first use of any of them."""
    made = CachedCall(make)
    return {name: partial(_item, made, name) for name in names}


def _item(made: CachedCall, name: str) -> Any:
    return made()[name]


class Deferred(MutableMapping[str, Any]):
    """Values by name; a value given as a function without arguments is computed by it at its first use.

    >>> found = Deferred({"two": lambda: 1 + 1}) | {"three": 3}
    >>> found["two"], list(found)
    (2, ['two', 'three'])
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given: dict[str, Any] = dict(given._given if isinstance(given, Deferred) else given)

    def __getitem__(self, name: str) -> Any:
        value = self._given[name]
        if callable(value):
            value = self._given[name] = value()
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        self._given[name] = value

    def __delitem__(self, name: str) -> None:
        del self._given[name]

    def __contains__(self, name: object) -> bool:
        return name in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def items(self) -> ItemsView[str, Any]:
        """Compute all values and return them by name."""
        for name, value in self._given.items():
            if callable(value):
                self._given[name] = value()
        return self._given.items()

    def __or__(self, other: Mapping[str, Any]) -> Deferred:
        found = Deferred(self)
        found |= other
        return found

    def __ior__(self, other: Mapping[str, Any]) -> Deferred:
        self._given.update(other._given if isinstance(other, Deferred) else other)
        return self
