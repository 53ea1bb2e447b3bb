"""Finding what contributors added: small modules that lie beside the thing they check, and the names they register."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from pliant.errors import OptionError, nearest

T = TypeVar("T")

PACKAGE = Path(__file__).parent
PLACES = ("gallery", "elements", "formulations", "analyses", "control", "historical")


def module_names(file_name: str, *, package: Path = PACKAGE) -> list[str]:
    """Dotted names of all modules called `file_name` under `PLACES`, for example every `validate.py`."""
    found = sorted(path for place in PLACES for path in (package / place).rglob(file_name))
    return [".".join((package.name, *path.relative_to(package).with_suffix("").parts)) for path in found]


class Registry(Generic[T]):
    """Named items that register themselves when their module is imported; modules are imported on first use."""

    def __init__(self, what: str, file_name: str) -> None:
        self.what = what
        self.file_name = file_name
        self._items: dict[str, T] = {}
        self._complete = False

    def add(self, name: str, item: T, *, home: Callable[..., object]) -> None:
        """Register `item`; a name that is already taken by another function is refused."""
        if name in self._items:
            raise OptionError(f"{self.what} {name!r} of {home.__module__} exists already: choose another name.")
        self._items[name] = item

    def names(self) -> list[str]:
        """All names, sorted."""
        self._import_all()
        return sorted(self._items)

    def get(self, name: str) -> T:
        """The item called `name`; an unknown name is answered with the nearest known ones."""
        self._import_all()
        if name not in self._items:
            raise OptionError(f"There is no {self.what} {name!r}. {nearest(name, self._items)}")
        return self._items[name]

    def _import_all(self) -> None:
        if not self._complete:
            for module in module_names(self.file_name):
                importlib.import_module(module)
            self._complete = True
