"""Ledger: the arrays of a study, one entry a run. In memory here; in files in `store.Store`.

A row is entered once: quantities first, its status last. The values of a run must fit the columns of the first run, by
number, that had values; so columns do not depend on the order of completion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pliant.studies.rows import FAILED, STATUS, UNKNOWN, WAITING, Array, Column, Head, Row

MARKS = {  # of every run: type, and value before it is computed
    "stable": ("i1", UNKNOWN, {"flag_values": [-1, 0, 1], "flag_meanings": "unknown unstable stable"}),
    "other_branch": ("b1", False, {}),
    "warnings": ("string", "", {}),
    "reason": ("string", "", {}),
    "status": ("u1", WAITING, {"flag_values": [*range(len(STATUS))], "flag_meanings": " ".join(STATUS)}),
}
NAN_MEANS = "the run failed, or is not computed yet"


class Place(NamedTuple):
    """Specification of an array: name, length of all dimensions with their names, type, filling and attributes."""

    name: str
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    dtype: str
    fill: Any
    attrs: Mapping[str, Any]


class Ledger:
    """Arrays of a study in memory.

    size     largest number of runs
    columns  of quantities, once they are known
    units    of the varied quantities, as far as known
    """

    journal: str | None = None
    """Folder of journals, where there is one."""
    interval = 0.3
    """Seconds between two writings of what was taken."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.arrays: dict[str, Any] = {}
        self.places: dict[str, Place] = {}
        self.points: dict[str, np.ndarray] = {}
        self.columns: dict[str, Column] | None = None
        self.units: dict[str, str] = {}
        self.buffer: list[Row] = []
        self.done = np.zeros(size, bool)

    @property
    def names(self) -> list[str]:
        """Return the names of the quantities."""
        return list(self.columns or ())

    def create(self, place: Place) -> None:
        """Make an array."""
        self.arrays[place.name] = np.full(place.shape, place.fill, _dtype(place.dtype))
        self.places[place.name] = place

    def begin(self, points: Mapping[str, np.ndarray]) -> None:
        """Create the arrays of all runs, with the points known so far."""
        for name, values in points.items():
            dtype = _kind_of(values)
            fill = {"string": "", "f8": np.nan}.get(dtype, 0)
            known = {"units": self.units[name]} if name in self.units else {}
            self.create(Place(name, (self.size,), ("run",), dtype, fill, {"role": "point", **known}))
        for name, (dtype, fill, attrs) in MARKS.items():
            self.create(Place(name, (self.size,), ("run",), dtype, fill, {"role": "mark", **attrs}))
        self.plan(points)

    def plan(self, points: Mapping[str, np.ndarray]) -> None:
        """Write the points of the next runs."""
        for name, values in points.items():
            before = self.points.get(name, values[:0])
            self.arrays[name][before.size : before.size + values.size] = values
            self.points[name] = np.concatenate([before, values])

    def open_columns(self, head: Head) -> None:
        """Make the arrays of the quantities."""
        for name, labels in head.labels.items():
            values = np.asarray(labels)
            values = values.astype(object) if values.dtype.kind == "U" else values
            dtype = _kind_of(values)
            self.create(Place(name, values.shape, (name,), dtype, "" if dtype == "string" else 0, {"role": "label"}))
            self.arrays[name][:] = values
        for name, column in head.columns.items():
            attrs = {"role": "quantity", "units": column.units, "labels": column.labels}
            dtype, fill = ("string", "") if column.text else ("f8", np.nan)
            attrs |= {} if column.text else {"nan_means": NAN_MEANS}
            self.create(Place(name, (self.size, *column.shape), ("run", *column.dims), dtype, fill, attrs))
        self.columns = dict(head.columns)

    def enter(self, rows: Iterable[Row]) -> None:
        """Enter rows; existing ones stay unchanged."""
        for row in rows:
            if not self.done[row.run]:
                self.done[row.run] = True
                self.buffer.append(row)

    def flush(self) -> None:
        """Write the entered rows."""
        self.buffer.sort(key=lambda row: row.run)
        if self.columns is None:
            head = next((row.head for row in self.buffer if row.head is not None), None)
            if head is not None:
                self.open_columns(head)
        rows = [self._fitting(row) for row in self.buffer]
        for block in _blocks(rows):
            span = slice(block[0].run, block[-1].run + 1)
            for name, column in (self.columns or {}).items():
                self.arrays[name][span] = _stacked(name, column, block)
            for name, (dtype, _, _) in MARKS.items():  # the status comes last
                values = [getattr(row, name) for row in block]
                self.arrays[name][span] = np.array(values, _dtype(dtype))
        self.buffer = []

    def _fitting(self, row: Row) -> Row:
        """Return the row, or a failed one if its columns differ from the first's."""
        if row.status == FAILED:
            return row
        columns = self.columns or {}
        if row.values.keys() != columns.keys():
            told, known = ", ".join(row.values) or "nothing", ", ".join(columns) or "nothing"
            reason = (
                f"this run returned {told}; the first run returned {known}. All runs must return the same quantities."
            )
            return replace(row, status=FAILED, values={}, reason=reason)
        for name, value in row.values.items():
            if not columns[name].fits(value):
                reason = (
                    f"{name} of this run is {_kind(value)} and does not fit that of the first, {_kind(columns[name])}: "
                    "every run has to tell the same numbers at the same labels (give times= to a motion)."
                )
                return replace(row, status=FAILED, values={}, reason=reason)
        return row

    def close(self) -> None:
        """End writing."""

    def remove(self) -> None:
        """Remove a ledger without any results."""


def _kind_of(values: np.ndarray) -> str:
    """Return the type of an array's entries: "f8", "i8", "b1" or "string"."""
    return "string" if values.dtype.kind == "O" else {"f": "f8", "b": "b1"}.get(values.dtype.kind, "i8")


def _dtype(kind: str) -> Any:
    return object if kind == "string" else kind


def _blocks(rows: Sequence[Row]) -> Iterable[list[Row]]:
    """Group rows of consecutive runs."""
    block: list[Row] = []
    for row in rows:
        if block and row.run != block[-1].run + 1:
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _stacked(name: str, column: Column, block: Sequence[Row]) -> np.ndarray:
    """Return values of one column, one entry a row."""
    if column.text:
        return np.array([row.values.get(name, "") for row in block], object)
    missing: Any = Array(np.full(column.shape, np.nan), "") if column.dims else np.nan
    values = [row.values.get(name, missing) for row in block]
    return np.array([each.numbers if isinstance(each, Array) else each for each in values], float)


def _kind(value: Any) -> str:
    if isinstance(value, Column):
        shape, text = value.shape, value.text
    else:
        shape, text = (value.numbers.shape if isinstance(value, Array) else ()), isinstance(value, str)
    return f"an array of {' x '.join(map(str, shape))}" if shape else "text" if text else "a number"
