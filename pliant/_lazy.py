"""Names of a package that are loaded when first used; one list serves type checkers and the running program."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module, util
from types import FunctionType
from typing import TYPE_CHECKING, Any

from pliant.errors import PliantError, PliantWarning, warn

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

ANALYSES = "pliant.analyses"  # group of entry points

FEW = 500_000  # blocks of memory of a process that has imported some packages
RAW = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError, AssertionError, NotImplementedError)

_settled = 0  # blocks of memory when modules were imported last


@cache
def homes(package: str) -> dict[str, tuple[str, str]]:
    """Return the module of each public name, and its name there (empty for a module): the imports of the package's
    ``__init__`` for type checkers (``if TYPE_CHECKING``).
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


@cache
def elsewhere() -> dict[str, tuple[str, str]]:
    """Return the module of each name that installed packages add to `pliant`, and its name there:

    [project.entry-points."pliant.analyses"]
    drop_test = "my_package.drop:drop_test"
    """
    found = (*entries("pliant.names"), *entries(ANALYSES))
    for entry in found:
        if entry.name in homes("pliant"):
            warn(PliantWarning, f"{entry.value} ({entry.group}): pliant has a name {entry.name}. Choose another name.")
    return {entry.name: (entry.module, entry.attr) for entry in found if entry.name not in homes("pliant")}


def entries(group: str) -> EntryPoints:
    """Return the entry points of installed packages in a group."""
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=group)


def loaded(entry: EntryPoint, lost: str) -> Any:
    """Import what an entry point names. If that fails, warn of what is ``lost``, and return None."""
    try:
        return entry.load()
    except Exception as error:  # whatever a stranger's module raises
        warn(
            PliantWarning,
            f"The entry point {entry.name} = {entry.value} ({entry.group}) cannot be imported, so that {lost}: "
            f"{type(error).__name__}: {error}",
        )
        return None


def load(package: str, name: str) -> Any:
    """Import a name of `homes`, or one of `elsewhere`; functions are guarded."""
    module, own = homes(package).get(name) or elsewhere()[name]
    with uncollected():
        home = import_module(module)
    found = getattr(home, own) if own else home
    return guarded(found, package, name) if isinstance(found, FunctionType) else found


def guarded(function: Callable[..., Any], package: str, name: str) -> Callable[..., Any]:
    """Return the function, which the package has under a name, with better messages: if it fails with an error of
    Python's, arguments that do not fit their annotations are named. Nothing is checked otherwise.
    """

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except PliantError:
            raise
        except RAW as error:
            from pliant._arguments import misfit

            said = misfit(function, given, named)
            if said is None:
                raise
            raise said from error

    call.__module__, call.__qualname__ = package, name  # where pickle finds it
    return call


@contextmanager
def collected_later() -> Iterator[None]:
    """Pause the garbage collector while many objects are made; it then runs once."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector while modules are imported: it would visit all of them repeatedly and, at the end of
    the process, take them apart, for half of the time of their import. In a young process all objects are then exempt
    for good; a process at work may drop objects, so that the collector keeps these.
    """
    global _settled
    modules, collecting = len(sys.modules), gc.isenabled()
    young = sys.getallocatedblocks() - _settled < FEW
    with collected_later():
        yield
        if collecting and young and len(sys.modules) > modules:
            gc.freeze()
            _settled = sys.getallocatedblocks()
