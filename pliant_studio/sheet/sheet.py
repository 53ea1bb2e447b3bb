"""Sheet: a mechanism being drawn, as the tables of its model file, edited one at a time, with the errors of each part.

A sheet holds the tables of `io.tables`, so that an incomplete or partly wrong model can be kept and shown. `Seen` is
their interpretation: the readable parts, the errors of the others, and the poses of bodies.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.errors import AssemblyError, OptionError, PliantError, PliantWarning
from pliant.model import Model
from pliant.model.bodies.rigid import Movable
from pliant.model.files.io import GROUPS, Reader, Table, read_parameter, tables
from pliant.model.files.python import head, program
from pliant.model.parts import Part
from pliant.system.assembly.assembly import assemble
from pliant.system.packing.build import length_scale

ORDER = ("parameter", *GROUPS, "marker")
NAME = "my mechanism"
MOST_UNDONE = 100


class Entry(NamedTuple):
    """One table of the file, and its group."""

    group: str
    table: Table

    @property
    def name(self) -> str:
        """Return its given name."""
        return str(self.table.get("name", ""))


@dataclass(frozen=True)
class Seen:
    """Interpretation of a sheet's tables.

    model   of all readable parts
    parts   of every entry, None if unreadable
    errors  by number of the entry
    whole   defect of the model as a whole; empty: it can be computed
    poses   (x, y, angle) of the bodies of a planar model by name
    """

    model: Model
    parts: tuple[Any, ...]
    errors: Mapping[int, str]
    whole: str
    poses: Mapping[str, Any]

    @property
    def ready(self) -> bool:
        """Return whether it can be computed."""
        return not self.whole and not self.errors


class Sheet:
    """Tables of a model, and their previous versions.

    >>> sheet = Sheet()
    >>> sheet.add("body", {"kind": "Ground"})
    0
    >>> k = sheet.add("body", {"kind": "Link", "name": "arm", "length": 0.0, "mass": 1.0})
    >>> sheet.seen().errors[k]
    'Link "arm": length = 0.0 is not allowed; it must be positive. Give it in metres.'
    >>> sheet.change(k, "length", "300 mm")
    >>> sheet.seen().model
    <Model "my mechanism": 1 rigid body, 0 beams, 0 joints, 0 forces>
    >>> print(sheet.python())
    import pliant as pl
    <BLANKLINE>
    m = pl.Model("my mechanism")
    m.add(pl.Ground())
    arm = m.add(pl.Link("arm", length="300 mm", mass=1.0))
    <BLANKLINE>
    """

    def __init__(self, model: Model | None = None) -> None:
        self.name, self.plane = (NAME, "xy") if model is None else (model.name, model.plane)
        self.entries = [] if model is None else [Entry(*each) for each in tables(model)]
        self.past: list[list[Entry]] = []
        self._seen: Seen | None = None
        if model is not None and model.scales is not None:
            raise OptionError(f"{model.name!r} is in units of its own; the studio draws models in SI units.")

    @property
    def planar(self) -> bool:
        """Return whether it can be drawn: a spatial model is edited by its numbers only."""
        return self.plane is not None

    # --- edits ---------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Store the present state for `undo`; called before every edit."""
        self.past = [*self.past, deepcopy(self.entries)][-MOST_UNDONE:]
        self._seen = None

    def forget(self) -> None:
        """Drop the interpretation after tables were changed."""
        self._seen = None

    def undo(self) -> None:
        """Undo the last edit."""
        if self.past:
            self.entries, self._seen = self.past.pop(), None

    def add(self, group: str, table: Table) -> int:
        """Insert a table after the others of its group; return its number."""
        self._seen = None
        rank = ORDER.index(group)
        at = next((k for k, each in enumerate(self.entries) if ORDER.index(each.group) > rank), len(self.entries))
        self.entries.insert(at, Entry(group, table))
        return at

    def change(self, number: int, key: str, value: Any) -> None:
        """Set another value of one argument; None removes it. References to a part follow its new name."""
        entry, self._seen = self.entries[number], None
        if key == "name" and value:
            self._check_free(str(value))
            for other in self.entries:
                _rename(other.table, entry.name, str(value))
        if value is None:
            entry.table.pop(key, None)
        else:
            entry.table[key] = value

    def delete(self, number: int) -> list[str]:
        """Delete a part and all that refers to it; return their names."""
        labels, gone = self.labels(), {number}
        while True:
            names = {labels[k] for k in gone}
            held = {k for k, each in enumerate(self.entries) if k not in gone and names & set(_refers(each.table))}
            if not held:
                break
            gone |= held
        self.entries = [each for k, each in enumerate(self.entries) if k not in gone]
        self._seen = None
        return [labels[k] for k in sorted(gone)]

    def labels(self) -> list[str]:
        """Return a label of every entry: its name, the name that the model gave it, or its kind."""
        parts = self.seen().parts
        return [
            part.name if isinstance(part, Part) else each.name or str(each.table.get("kind", each.group))
            for each, part in zip(self.entries, parts, strict=True)
        ]

    def number(self, name: str) -> int:
        """Return the number of the entry with that name."""
        return self.labels().index(name)

    def free_name(self, word: str) -> str:
        """Return a free name: "link", "link 2", ..."""
        taken, count = {each.name for each in self.entries}, 1
        while (name := word if count == 1 else f"{word} {count}") in taken:
            count += 1
        return name

    def _check_free(self, name: str) -> None:
        if any(each.name == name for each in self.entries):
            raise OptionError(f"The name {name!r} is taken already. Names must differ within a model.")

    # --- interpretation --------------------------------------------------------------------------------------------

    def seen(self) -> Seen:
        """Return the present interpretation of the tables."""
        if self._seen is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PliantWarning)  # later computations show them
                self._seen = _seen(self)
        return self._seen

    def python(self) -> str:
        """Return the program that makes the model, even if it is still wrong."""
        return program(self.entries, [head(self.name, spatial=not self.planar)])


def read(sheet: Sheet) -> tuple[Model, list[Any], dict[int, str]]:
    """Return the model of readable parts, the part of every entry, and the errors of the others."""
    model, known = Model(sheet.name, plane=sheet.plane), dict[str, Any]()
    reader, parts, errors = Reader(model, known), list[Any](), dict[int, str]()
    for number, (group, table) in enumerate(sheet.entries):
        parts.append(None)
        try:
            if group == "parameter":
                parameter = read_parameter(table, known)
                known[parameter.name] = parameter
            else:
                parts[number] = model.add(reader.marker(table) if group == "marker" else reader.part(table, group))
        except PliantError as error:
            errors[number] = str(error)
    return model, parts, errors


def _seen(sheet: Sheet) -> Seen:
    model, parts, errors = read(sheet)
    whole = "Some parts are wrong; they are marked." if errors else _check(model)
    if not errors:
        errors = {k: whole for k, part in enumerate(parts) if isinstance(part, Part) and part.owner in whole}
    return Seen(model, tuple(parts), errors, whole, _poses(model) if sheet.planar else {})


def _check(model: Model) -> str:
    """Return the defect of a whole model, or ""."""
    try:
        pl.compile(model)
    except PliantError as error:
        if isinstance(error, AssemblyError):
            worst = assemble(model, length_scale(model)).worst
            return str(error) + "".join(f" See {each.owner}." for each in model.joints if each.name == worst)
        return str(error)
    return ""


def _poses(model: Model) -> dict[str, Any]:
    """Return the poses of bodies: as assembled, or as guessed if they cannot be."""
    try:
        return {body.name: np.asarray(pose) for body, pose in assemble(model, length_scale(model)).pose.items()}
    except PliantError:
        moving = [part for part in model if isinstance(part, Movable)]
        return {each.name: np.array([*(each.position or (0.0, 0.0)), each.angle or 0.0]) for each in moving}


def _refers(value: Any) -> Iterator[str]:
    """Yield names of the parts that a table refers to."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in ("body", "part") and isinstance(item, str):
                yield item
            yield from _refers(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _refers(item)


def _rename(value: Any, old: str, new: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("body", "part") and item == old:
                value[key] = new
            _rename(item, old, new)
    elif isinstance(value, list | tuple):
        for item in value:
            _rename(item, old, new)
