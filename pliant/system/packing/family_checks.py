"""Checks of families (elements/_family.py): faulty ones are refused by name, because compiled code checks no index."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np

from pliant.errors import ModelError, PliantError
from pliant.kernels.array_views import WORDS
from pliant.system.packing import catalogue
from pliant.system.packing.fused import FUNCTIONS, TOGETHER

NEEDED = {  # functions that a function of a family requires
    "pack": ("Arrays", "add"),
    "meshes": ("energy", "stations", "resultants"),
    "resultants": ("meshes",),
    "readings": ("lines",),
    "touching": ("touches",),
    "openings": ("places", "touching"),
    "stretch": ("stress_size",),
}


def pack_checked(name: str, layout: Any, kinds: Collection[type]) -> Any:
    """Return the checked arrays of a family (by its name in catalogue.py) for the parts of a layout; None without
    elements. ``kinds``: kinds of the forces in the model.
    """
    family, width = catalogue.of(name), layout.space.width
    check_members(family)
    only = getattr(family.pack, "only", None)
    if only is not None and not any(kind in kinds for kind in only):
        return None
    if hasattr(family, "meshes") and not family.meshes(layout):
        return None
    part = _pack(family, lambda: family.pack(layout))
    if len(part.dofs):
        wanted = _types_of(name)
        if _kinds(part) != _kinds(catalogue.empty(name)):
            _check_types(family, _types_in(family, part), wanted)
        last, end = int(np.max(part.dofs, initial=0)), width * (layout.ground + 1)
        if last >= end:
            raise _fault(family, f"its dofs contain {last}; all nodes and the ground have freedoms below {end}")
        for mesh in family.meshes(layout) if hasattr(family, "meshes") else ():
            have, nodes = part.dofs.shape[1], mesh.connectivity.shape[1]
            if have < nodes * width:
                raise _fault(family, f"its dofs have {have} columns; {nodes} nodes have {nodes * width} freedoms")
    return part if len(part.dofs) else None


@cache
def check_members(family: Any) -> None:
    """Refuse a family that lacks a function, or has a kernel with an unknown argument."""
    for name, needed in {"": ("pack",), **NEEDED}.items():
        missing = [each for each in needed if not hasattr(family, each)]
        if missing and (not name or hasattr(family, name)):
            raise _fault(family, f"it has no {missing[0]}{f', which belongs to its {name}' if name else ''}")
    for name, offered in FUNCTIONS.items():
        function = getattr(family, name, None)
        if function is not None:
            first, *asked = inspect.signature(getattr(function, "py_func", function)).parameters
            known = *offered, *(word for word, text in TOGETHER.items() if _named(text) <= set(offered))
            if first != "part" or not set(asked) <= set(known):
                raise _fault(
                    family,
                    f"its kernel {name}({', '.join((first, *asked))}) is given part, and by their names any of "
                    f"{', '.join(known)}",
                )


def _named(text: str) -> set[str]:
    """Return the names in the brackets of a call."""
    return set(text.partition("(")[2].rstrip(")").split(", "))


def _pack(family: Any, pack: Any) -> Any:
    """Return the named tuple that a family packs."""
    try:
        part = pack()
    except PliantError:
        raise
    except Exception as error:  # any error of a function from another package
        raise _fault(family, f"its pack(layout) fails: {type(error).__name__}: {error}") from error
    if not {"dofs", "slots"} <= set(getattr(part, "_fields", ())):
        raise _fault(family, "its pack(layout) gives no named tuple with dofs and slots")
    return part


def _types_in(family: Any, part: Any) -> dict[str, tuple[str, int]]:
    """Return the types of arrays after a check that kernels can take them."""
    found = _types(part)
    for name, (kind, dimensions) in found.items():
        if kind not in ("float64", "int", "bool"):
            raise _fault(family, f"{name} of its Arrays is of type {kind}; float64 and uint32 are known")
        if dimensions >= WORDS:
            raise _fault(family, f"{name} of its Arrays has {dimensions} dimensions; {WORDS - 1} are the most")
    return found


def _types(part: Any) -> dict[str, tuple[str, int]]:
    """Return type and dimensions of every field."""
    found = zip(part._fields, map(np.asarray, part), strict=True)
    return {name: (_word(x.dtype), x.ndim) for name, x in found}


@cache
def _word(kind: np.dtype[Any]) -> str:
    """Return the name of a type; whole numbers of all sizes have one name."""
    return "int" if kind.kind in "iu" else str(kind)


def _kinds(part: Any) -> list[Any]:
    """Return values that are equal for arrays of equal types."""
    return [(x.dtype, x.ndim) if isinstance(x, np.ndarray) else type(x) for x in part]


@cache
def _types_of(name: str) -> dict[str, tuple[str, int]]:
    """Return the types of a family's arrays without elements, for which its kernels are compiled."""
    family = catalogue.of(name)
    return _types_in(family, _pack(family, lambda: catalogue.empty(name)))


def _check_types(family: Any, have: dict[str, tuple[str, int]], want: dict[str, tuple[str, int]]) -> None:
    for name, (kind, dimensions) in have.items():
        if want[name] != (kind, dimensions):
            raise _fault(
                family,
                f"{name} of its Arrays has {dimensions} dimensions of {kind}, and {want[name][1]} of {want[name][0]} "
                "without elements: types must not depend on the number of elements",
            )
    if have["dofs"] != ("int", 2):
        raise _fault(family, "dofs of its Arrays must be a table of whole numbers, a row for every element")


def _fault(family: Any, why: str) -> ModelError:
    return ModelError(f"{family.__name__}: {why} (docs/extending.md).")
