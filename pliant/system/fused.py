"""One compiled sum over all families of elements and forces.

Families are found in the folders of ``elements`` and ``forces`` (see ``elements/_family.py``); nothing lists them. This
module writes the source of a small real module that calls each family's kernels by parameter name, and imports it: a
closure over the kernels would be compiled again in every run, a real module is cached.

All families' arrays travel as three flat ones (``Parts``): compiled functions pass tuples by value, and a hundred
arrays in every signature made compiling ten times slower. A family's own named tuple is rebuilt as views, in a few
nanoseconds.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant._jit import cache_folder
from pliant.elements._family import families
from pliant.model import Model
from pliant.system.layout import Layout
from pliant.system.spatial_layout import SpatialLayout


class Parts(NamedTuple):
    """All families: their numbers, their indices, and where each array starts and how long it is."""

    floats: np.ndarray
    indices: np.ndarray
    header: np.ndarray


def all_families() -> dict[str, Any]:
    """Family modules of elements and forces, by a short name."""
    packages, spaces = ("pliant.elements", "pliant.forces"), ("planar", "spatial")
    found = [family for space in spaces for package in packages for family in families(space, package)]
    return {family.__name__.removesuffix(".planar").split(".", 2)[2].replace(".", "_"): family for family in found}


FAMILIES = all_families()
_EMPTY = (Layout(Model("empty"), {}), SpatialLayout(Model("empty", plane=None), {}))
SECTIONED = [name for name, family in FAMILIES.items() if hasattr(family, "resultants")]
LINED = [name for name, family in FAMILIES.items() if hasattr(family, "readings")]
TOUCHING = [name for name, family in FAMILIES.items() if hasattr(family, "touching")]
WORDS = 4  # of the header for every field: start and three lengths (or the value of a scalar)

_CALLS = {
    "add": "q, v, a, u, ck, cc, cm, r, s, w, stress, mixed",
    "energy": "q, v, u",
    "power": "q, v, u",
    "stretch": "q, dq, stress",
    "pull": "q, stress, r",
}


def lives_in(name: str, layout: Any) -> bool:
    """Whether a family is of the space, planar or spatial, of a layout."""
    spatial = FAMILIES[name].__name__.rpartition(".")[2].startswith("spatial")
    return bool(spatial == layout.space.quaternions)


def packed(name: str, layout: Any) -> Any:
    """Arrays of a family; without elements where the layout is of the other space."""
    mine = next(each for each in (layout, *_EMPTY) if lives_in(name, each))
    return FAMILIES[name].pack(mine)


def meshes(name: str, layout: Any) -> list[Any]:
    """Beams of a sectioned family."""
    return FAMILIES[name].meshes(layout) if lives_in(name, layout) else []


def lines(name: str, layout: Any) -> list[Any]:
    """Springs and tendons of a lined family."""
    return FAMILIES[name].lines(layout) if lives_in(name, layout) else []


def touches(name: str, layout: Any) -> list[Any]:
    """Contacts and stops of a family of these."""
    return FAMILIES[name].touches(layout) if lives_in(name, layout) else []


class _Call(NamedTuple):
    """How a family is called: the place in the header of its number of elements, the expression of its arrays."""

    elements: int
    view: str


def pack(arrays: Mapping[str, Any]) -> Parts:
    """Lay the arrays of all families end to end."""
    floats: list[np.ndarray] = []
    indices: list[np.ndarray] = []
    header: list[int] = []
    for name in FAMILIES:
        for field in arrays[name]:
            if isinstance(field, np.ndarray):
                store = floats if field.dtype == np.float64 else indices
                header += [sum(a.size for a in store), *field.shape, *[1] * (3 - field.ndim)]
                store.append(field.ravel())
            else:
                header += [int(field), 0, 0, 0]
    return Parts(
        np.concatenate([np.empty(0), *floats]),
        np.concatenate([np.empty(0, np.uint32), *indices]).astype(np.uint32),
        np.array(header, np.int64),
    )


def source() -> str:
    """Text of the fused module."""
    lines = ['"""Written by pliant.system.fused."""', "", "from pliant._jit import kernel"]
    lines.append("from pliant.kernels.window import window1, window2, window3")
    for name, family in FAMILIES.items():
        lines.append(f"from {family.__name__} import Arrays as {name}_Arrays")
        names = [f for f in (*_CALLS, "resultants", "readings", "touching") if hasattr(family, f)]
        lines += [f"from {family.__name__} import {f} as {name}_{f}" for f in names]
    calls: dict[str, _Call] = {}
    views: dict[type, str] = {}
    place = 0
    for name, family in FAMILIES.items():
        fields = packed(name, _EMPTY[0])
        if family.Arrays not in views:
            views[family.Arrays] = f"{name}_view"
            lines += ["", "", "@kernel", f"def {name}_view(f, i, h):", f"    return {name}_Arrays("]
            lines += [f"        {_view(value, WORDS * k)}," for k, value in enumerate(fields)] + ["    )"]
        end = place + WORDS * len(fields)
        calls[name] = _Call(place + 1, f"{views[family.Arrays]}(f, i, h[{place}:{end}])")
        place = end
    for function, arguments in _CALLS.items():
        lines += _sum(function, arguments, calls)
    lines += _record("resultants", "q, v", SECTIONED, calls)
    lines += _record("readings", "q, v, u", LINED, calls)
    lines += _record("touching", "q, v", TOUCHING, calls)
    return "\n".join(lines) + "\n"


def _view(value: Any, place: int) -> str:
    """Expression that rebuilds a field from the flat arrays. The first field of every family is ``dofs``."""
    if isinstance(value, bool):
        return f"h[{place}] != 0"
    if not isinstance(value, np.ndarray):
        return f"h[{place}]"
    store = "f" if value.dtype == np.float64 else "i"
    lengths = [f"h[{place + 1 + k}]" for k in range(value.ndim)]
    return f"window{value.ndim}({store}, h[{place}], {', '.join(lengths)})"


def _record(function: str, arguments: str, names: Sequence[str], calls: Mapping[str, _Call]) -> list[str]:
    """A function that fills the rows of every family present, at every instant; ``starts`` tells which rows."""
    lines = [
        "",
        "",
        "@kernel",
        f"def {function}(parts, {arguments}, starts, out):",
        "    f, i, h = parts.floats, parts.indices, parts.header",
    ]
    for k, name in enumerate(names):
        given = ", ".join(f"{argument}[t]" for argument in _parameters(FAMILIES[name], function)[:-1])
        lines += [
            f"    if h[{calls[name].elements}]:",
            f"        part = {calls[name].view}",
            "        for t in range(q.shape[0]):",
            f"            {name}_{function}(part, {given}, out[t, starts[{k}] : starts[{k + 1}]])",
        ]
    return lines


def _parameters(family: Any, function: str) -> list[str]:
    """What a kernel asks for besides its arrays."""
    kernel = getattr(family, function)
    return list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)[1:]


def _sum(function: str, arguments: str, calls: Mapping[str, _Call]) -> list[str]:
    """A function that calls the kernels of all families present."""
    pairs = function in ("energy", "power")
    lines = [
        "",
        "",
        "@kernel",
        f"def {function}(parts, {arguments}):",
        "    f, i, h = parts.floats, parts.indices, parts.header",
    ]
    lines += ["    first = second = 0.0"] if pairs else []
    for name, family in FAMILIES.items():
        if hasattr(family, function):
            call = f"{name}_{function}({', '.join([calls[name].view, *_parameters(family, function)])})"
            lines.append(f"    if h[{calls[name].elements}]:")
            lines += (
                [f"        x, y = {call}", "        first += x", "        second += y"]
                if pairs
                else [f"        {call}"]
            )
    return [*lines, "    return first, second"] if pairs else lines


def _load() -> Any:
    folder = cache_folder() or Path(tempfile.mkdtemp(prefix="pliant-"))
    text = source()
    path = folder / "pliant_fused.py"
    if not path.exists() or path.read_text() != text:
        handle = Path(tempfile.mkstemp(dir=folder, suffix=".py")[1])
        handle.write_text(text)
        handle.replace(path)
    spec = importlib.util.spec_from_file_location("pliant_fused", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["pliant_fused"] = module
    spec.loader.exec_module(module)
    return module


_module = _load()
add = _module.add
energy = _module.energy
power = _module.power
stretch = _module.stretch
pull = _module.pull
resultants = _module.resultants
readings = _module.readings
touching = _module.touching
