"""Names of a package that are loaded when first used; one list serves type checkers and the running program."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module, util
from typing import Any


@cache
def homes(package: str) -> dict[str, tuple[str, str]]:
    """Module of each public name, and its name there (empty for a module): the imports that the package's ``__init__``
    has for type checkers (``if TYPE_CHECKING``).
    """
    spec = util.find_spec(package)
    tree = ast.parse(spec.loader.get_source(package))  # type: ignore[union-attr]
    found: dict[str, tuple[str, str]] = {}
    for node in next(node for node in tree.body if isinstance(node, ast.If)).body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: (str(node.module), alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {str(alias.asname): (alias.name, "") for alias in node.names}
    return found


def load(package: str, name: str) -> Any:
    """What a name of `homes` stands for."""
    module, own = homes(package)[name]
    home = import_module(module)
    return getattr(home, own) if own else home
