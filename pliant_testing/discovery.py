"""Evidence of installed packages: small modules, and the names they register.

A package declares its evidence by an entry point of the group "pliant.evidence", in its pyproject.toml:

    [project.entry-points."pliant.evidence"]
    magnets = "magnets.evidence"

Every file `validate.py` and `bench.py` anywhere in that package is imported when cases or benchmarks are needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, TypeVar

from pliant.errors import OptionError, nearest

T = TypeVar("T")

GROUP = "pliant.evidence"


def packages() -> list[str]:
    """Return the dotted names of the packages with evidence, each once."""
    return sorted({entry.value for entry in entry_points(group=GROUP)})


def module_names(file_name: str) -> list[str]:
    """Return the dotted names of all modules called `file_name` in these packages, for example every `validate.py`."""
    return [name for package in packages() for name in _modules(package, file_name)]


def _modules(package: str, file_name: str) -> list[str]:
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:  # a parent is missing
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise OptionError(
            f"The entry point {package!r} of {GROUP!r} names no package that can be found: install or remove it."
        )
    found = sorted(
        (Path(place), path) for place in spec.submodule_search_locations for path in Path(place).rglob(file_name)
    )
    return [".".join((package, *path.relative_to(place).with_suffix("").parts)) for place, path in found]


class Registry(Generic[T]):
    """Named items that register themselves when their module is imported; modules are imported on first use."""

    def __init__(self, what: str, file_name: str) -> None:
        self.what = what
        self.file_name = file_name
        self._items: dict[str, T] = {}
        self._complete = False

    def add(self, name: str, item: T, *, home: Callable[..., object]) -> None:
        """Register `item`; refuse a name of another function."""
        if name in self._items:
            raise OptionError(f"{self.what} {name!r} of {home.__module__} exists already: choose another name.")
        self._items[name] = item

    def names(self) -> list[str]:
        """Return all names, sorted."""
        self._import_all()
        return sorted(self._items)

    def get(self, name: str) -> T:
        """Return the item called `name`; the error for an unknown name suggests the nearest."""
        if name not in self._known():
            raise OptionError(f"There is no {self.what} {name!r}. {nearest(name, self._items)}")
        return self._items[name]

    def chosen(self, names: Sequence[str]) -> list[str]:
        """Return the given names, each known, or all names if none is given."""
        for name in names:
            self.get(name)
        return list(names) or sorted(self._known())

    def _known(self) -> dict[str, T]:
        self._import_all()
        if not self._items:
            raise OptionError(
                f"No installed package brings a {self.what}: pliant's own are in pliant_evidence, found by the entry "
                f"point {GROUP!r}; install pliant again (in a clone: make install)."
            )
        return self._items

    def _import_all(self) -> None:
        if not self._complete:
            for module in module_names(self.file_name):
                importlib.import_module(module)
            self._complete = True
