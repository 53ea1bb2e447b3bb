"""Ready-made mechanisms: one folder each, with a function `model(**options)` that returns a Model.

If a model has several equilibria, a function `start(system)` may return the one in its pictures, or None.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pliant.errors import OptionError, nearest

if TYPE_CHECKING:
    from pliant.model import Model


def names() -> list[str]:
    """Return the names of all gallery models."""
    folders = {path.name for path in Path(__file__).parent.iterdir() if (path / "__init__.py").is_file()}
    return sorted(folders - {"robots"})


def module(name: str) -> ModuleType:
    """Return the gallery module called `name`; "four-bar" and "four_bar" are equal."""
    folder = name.replace("-", "_")
    if folder not in names():
        known = [each.replace("_", "-") for each in names()]
        raise OptionError(f"There is no gallery model {name!r}. {nearest(name, known)}")
    return importlib.import_module(f"{__name__}.{folder}")


def model(name: str, **options: Any) -> Model:
    """Make a new gallery model; the options are arguments of its `model` function."""
    return module(name).model(**options)


def summary(name: str) -> str:
    """Return the first line of the description of a gallery model."""
    return (module(name).__doc__ or "").strip().split("\n")[0]
