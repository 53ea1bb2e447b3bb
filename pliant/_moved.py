"""Former places of public modules, for one release: importing one warns, and gives the module at its new place."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

PLACES = {
    "pliant.benchmarking": "pliant_testing.benchmarking",
    "pliant.discovery": "pliant_testing.discovery",
    "pliant.gallery": "pliant_gallery",
    "pliant.robots": "pliant_gallery.robots",
    "pliant.testing": "pliant_testing",
    "pliant.validation": "pliant_testing.validation",
}


class Moved(MetaPathFinder, Loader):
    """Import system's finder and loader of modules at their former places."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec if the name is a former place."""
        return ModuleSpec(name, self) if ".".join(name.split(".")[:2]) in PLACES else None

    def exec_module(self, module: ModuleType) -> None:
        """Import the module from its new place instead."""
        name = module.__name__
        former = ".".join(name.split(".")[:2])
        new = PLACES[former] + name[len(former) :]
        text = f"{name} is now {new}: import it from there. The former name ends with version 1.1."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        sys.modules[name] = import_module(new)


sys.meta_path.append(Moved())
