"""Variables that are computed when they are asked for, each once."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, MutableMapping
from functools import partial
from typing import Any


class Once:
    """A function of nothing that is called once, whoever asks for its value.

    >>> counted = Once(lambda: print("asked") or 2)
    >>> counted() + counted()
    asked
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
    """Functions for some of several values that are made at once, by name, when the first of them is asked for."""
    made = Once(make)
    return {name: partial(_item, made, name) for name in names}


def _item(made: Once, name: str) -> Any:
    return made()[name]


class Deferred(MutableMapping[str, Any]):
    """Values by name; one given as a function of nothing is what that returns, called when it is first asked for.

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
        """All of them, made."""
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
