"""All known families of elements and forces: pliant's, and families of parts that are defined elsewhere.

A family (elements/_family.py) is a module ``planar*.py`` or ``spatial*.py`` in the folder of an element or a force, in
any package, or made from a class derived from PointLaw. Families are numbered in the order of their discovery and keep
their numbers; a family is imported when a model has parts that it may compute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from pliant._lazy import uncollected
from pliant.elements._family import folders, modules
from pliant.elements._options import BeamElement
from pliant.forces._law import PointLaw
from pliant.forces._law.family import law_family
from pliant.model import Load, Model
from pliant.model.kinds import KINDS, kinds_of
from pliant.system.numbering.planar_layout import Layout
from pliant.system.numbering.spatial_layout import SpatialLayout

SPACES = ("planar", "spatial")
OURS = ("pliant.elements", "pliant.forces")


class Origin(NamedTuple):
    """Source of a family."""

    space: str
    place: str  # the folder of its module, or the module of its law
    made_of: Any  # the name of its module, or its law

    @property
    def name(self) -> str:
        """Name of the family's module, or a similar name for a law."""
        made_of = self.made_of
        return made_of if isinstance(made_of, str) else f"{self.place}.{made_of.__name__}.{self.space}"


_known: dict[str, Origin] = {}  # bounded by the number of classes


def families() -> list[str]:
    """Return the unique names of all families: pliant's by their places, then others in the order of their discovery. A
    family's number is its index in this list.
    """
    _look(tuple(KINDS.values()))
    return list(_known)


@lru_cache(maxsize=1)
def _look(kinds: tuple[type, ...]) -> None:
    """Register the families of all classes; cached until a class is defined."""
    laws: dict[Any, str] = {
        law: law.__module__ for law in kinds_of(PointLaw) if law.computed_as is law and not law.unused_fields()
    }
    ours = sorted({*(folder for package in OURS for folder in folders(package)), *_of_ours(laws.values())})
    others = [
        kind.__module__
        for kind in kinds
        if issubclass(kind, BeamElement | Load) and not kind.__module__.startswith(OURS)
    ]
    entered = set(_known.values())
    for space in SPACES:
        for place in dict.fromkeys([*ours, *others]):
            found = [Origin(space, place, f"{place}.{name}") for name in modules(place) if name.startswith(space)]
            found += [Origin(space, place, law) for law, module in laws.items() if module == place]
            for origin in found:
                if origin not in entered:
                    _known[_free(_name(origin.name))] = origin


def _of_ours(modules: Iterable[str]) -> list[str]:
    return [module for module in modules if module.startswith(OURS)]


def _free(name: str) -> str:
    """Return an unused name: a class may be defined again, as another family."""
    again = sum(known == name or known.startswith(f"{name}_again") for known in _known)
    return f"{name}_again{again}" if again else name


def _name(module: str) -> str:
    words = module.split(".")
    return re.sub(r"\W", "_", "_".join(words[2:] if module.startswith(OURS) else words))


@cache
def of(name: str) -> Any:
    """Return the family of a name."""
    space, _, made_of = _known[name]
    with uncollected():
        return import_module(made_of) if isinstance(made_of, str) else law_family(made_of, space)


def here(layout: Any) -> tuple[str, ...]:
    """Return the names of the families that may compute parts of a layout, in their order."""
    return _here(bool(layout.space.quaternions), _classes(layout), len(families()))


def _classes(layout: Any) -> frozenset[type]:
    """Return the classes of the parts of a layout: forces, and options of beams."""
    return frozenset([*map(type, layout.model.forces), *(type(mesh.options) for mesh in layout.beams)])


@lru_cache(maxsize=256)
def _here(spatial: bool, kinds: frozenset[type], known: int) -> tuple[str, ...]:
    """Return the names of these families among those known."""
    bases = {base for kind in kinds for base in (*kind.__mro__, *getattr(kind, "computed_as", kind).__mro__)}
    homes = {home for base in bases for home in (base.__module__, *getattr(base, "also_computed_in", ()))}
    return tuple(
        name
        for name, (space, place, made_of) in _known.items()
        if space == SPACES[spatial] and (_serves(place, homes) if isinstance(made_of, str) else made_of in bases)
    )


def _serves(place: str, homes: set[str]) -> bool:
    """Return whether families of a folder may compute parts of classes from these modules: a folder without classes of
    its own serves parts of any module.
    """
    return place in homes or not _has_classes(place)


@cache
def _has_classes(place: str) -> bool:
    return any(isinstance(each, type) and each.__module__ == place for each in vars(import_module(place)).values())


def having(function: str, layout: Any) -> tuple[str, ...]:
    """Return the names of the families of a layout that have a function."""
    return _having(function, here(layout))


@lru_cache(maxsize=1024)
def _having(function: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if hasattr(of(name), function))


def starts(counts: Mapping[str, int]) -> np.ndarray:
    """Return the index of the first row of every family, by its number, and the end of the last, from their counts."""
    return np.concatenate([[0], np.cumsum([counts.get(name, 0) for name in families()])]).astype(np.int64)


def starts_of(parts: str, layout: Any) -> np.ndarray:
    """Return `starts` with a row for each part of a layout in the list of this name, ``lines`` or ``touches``."""
    return starts({name: len(getattr(of(name), parts)(layout)) for name in having(parts, layout)})


@cache
def empty(name: str) -> Any:
    """Return the arrays of a family without elements, for their types."""
    spatial = _known[name].space == "spatial"
    return of(name).pack(SpatialLayout(Model("empty", plane=None), {}) if spatial else Layout(Model("empty"), {}))
