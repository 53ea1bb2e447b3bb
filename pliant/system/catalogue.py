"""All families of elements and forces there are: pliant's, and those of parts that are defined elsewhere.

A family (elements/_family.py) is a module ``planar*.py`` or ``spatial*.py`` in the folder of an element or a force, in
whatever package, or made from a class derived from PointLaw. Families are numbered as they become known and keep their
numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from pliant.elements._family import families_of, folders
from pliant.elements._options import BeamElement
from pliant.forces._law import PointLaw
from pliant.forces._law.family import law_family
from pliant.model import Load, Model
from pliant.model.kinds import KINDS, kinds_of
from pliant.system.layout import Layout
from pliant.system.spatial_layout import SpatialLayout

SPACES = ("planar", "spatial")
OURS = ("pliant.elements", "pliant.forces")

_known: dict[str, Any] = {}  # bounded by the classes that are defined


def families() -> dict[str, Any]:
    """Every family by a name of its own: pliant's by their places, then others as they become known."""
    _look(tuple(KINDS.values()))
    return _known


@lru_cache(maxsize=1)
def _look(kinds: tuple[type, ...]) -> None:
    """Enter the families of all classes there are; nothing to do until one is added, or defined once more."""
    laws: dict[Any, str] = {
        law: law.__module__ for law in kinds_of(PointLaw) if law.computed_as is law and not law.unused_fields()
    }
    ours = sorted({*(folder for package in OURS for folder in folders(package)), *_of_ours(laws.values())})
    others = [
        kind.__module__
        for kind in kinds
        if issubclass(kind, BeamElement | Load) and not kind.__module__.startswith(OURS)
    ]
    for space in SPACES:
        for place in dict.fromkeys([*ours, *others]):
            found: list[Any] = list(families_of(place, space))
            found += [law_family(law, space) for law, module in laws.items() if module == place]
            for family in found:
                if family not in _known.values():
                    _known[_free(_name(family.__name__))] = family


def _of_ours(modules: Iterable[str]) -> list[str]:
    return [module for module in modules if module.startswith(OURS)]


def _free(name: str) -> str:
    """A name that is not taken: a class may be defined once more, and be another then."""
    again = sum(known == name or known.startswith(f"{name}_again") for known in _known)
    return f"{name}_again{again}" if again else name


def _name(module: str) -> str:
    words = module.split(".")
    return re.sub(r"\W", "_", "_".join(words[2:] if module.startswith(OURS) else words))


def having(function: str) -> list[str]:
    """Names of the families that have a function; one that becomes known later is named later."""
    return list(_having(function, len(families())))


@cache
def _having(function: str, known: int) -> tuple[str, ...]:
    """Of as many families as are known; what is known stays so."""
    return tuple(name for name, family in _known.items() if hasattr(family, function))


def of_space(space: Any) -> tuple[str, ...]:
    """Names of the families of a space, the plane or that of three dimensions."""
    return _of_space(space.quaternions, len(families()))


@cache
def _of_space(spatial: bool, known: int) -> tuple[str, ...]:
    """Of as many families as are known."""
    return tuple(name for name in _known if _spatial(name) == spatial)


@cache
def _spatial(name: str) -> bool:
    """Whether a family is of space."""
    return str(_known[name].__name__).rpartition(".")[2].startswith("spatial")


def lives_in(name: str, layout: Any) -> bool:
    """Whether a family is of the space, planar or spatial, of a layout."""
    return bool(_spatial(name) == layout.space.quaternions)


@cache
def empty(name: str) -> Any:
    """Arrays of a family without elements: they tell the types."""
    layouts = (Layout(Model("empty"), {}), SpatialLayout(Model("empty", plane=None), {}))
    return _known[name].pack(next(each for each in layouts if lives_in(name, each)))


def of(name: str) -> Any:
    """The family of a name."""
    return _known[name]


def meshes(name: str, layout: Any) -> list[Any]:
    """Beams of a sectioned family."""
    return _known[name].meshes(layout) if lives_in(name, layout) else []


def lines(name: str, layout: Any) -> list[Any]:
    """Springs and tendons of a lined family."""
    return _known[name].lines(layout) if lives_in(name, layout) else []


def touches(name: str, layout: Any) -> list[Any]:
    """Contacts and stops of a family of these."""
    return _known[name].touches(layout) if lives_in(name, layout) else []
