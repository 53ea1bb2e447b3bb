"""Rows: the results of one run, as a line of JSON in a journal or from a worker.

A float is written with all its digits, an array as the bytes of its numbers: reading restores the same bits.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError

WAITING, OK, NOT_OK, FAILED = range(4)
STATUS = ("waiting", "ok", "not_ok", "failed")
"""Of a run: not computed yet; computed, and every check passed; computed, a check failed; an error, no numbers."""
UNKNOWN = -1  # stability


class Array(NamedTuple):
    """Numbers of one run, and a hash of the labels along their dimensions."""

    numbers: np.ndarray
    labels: str


Kept: TypeAlias = float | str | Array


class Column(NamedTuple):
    """Format of one quantity in every run: number, text, or array with dimensions."""

    units: str = "1"
    text: bool = False
    dims: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    labels: str = ""

    def fits(self, value: Kept) -> bool:
        """Return whether a value fits this column."""
        if isinstance(value, Array):
            return value.numbers.shape == self.shape and value.labels == self.labels
        return not self.dims and isinstance(value, str) == self.text


class Head(NamedTuple):
    """Columns by name, and the labels of their dimensions."""

    columns: dict[str, Column]
    labels: dict[str, list[Any]]


@dataclass(frozen=True)
class Row:
    """One run.

    mistake  whether the failure is a programming error rather than a mechanical reason
    head     columns of the row; in the first row of a batch that has values
    """

    run: int
    status: int
    stable: int = UNKNOWN
    other_branch: bool = False
    warnings: str = ""
    reason: str = ""
    values: dict[str, Kept] = field(default_factory=dict)
    mistake: bool = False
    head: Head | None = None


def encoded(values: Mapping[str, Any], units: Mapping[str, str]) -> tuple[dict[str, Kept], Head]:
    """Return the values of a run for its row, and their columns; numbers, texts and arrays of numbers only."""
    kept: dict[str, Kept] = {}
    head = Head({}, {})
    for name, value in values.items():
        unit = str(getattr(value, "attrs", {}).get("units", units.get(name, "1")))
        array = value if isinstance(value, xr.DataArray) else np.asarray(value)
        if array.dtype.kind not in "fiubU" or array.dtype.kind == "U" and array.ndim:
            raise OptionError(f"{name}={value!r:.60}: a run of a study returns numbers, texts or arrays of numbers.")
        if array.ndim == 0:
            kept[name] = str(array.item()) if array.dtype.kind == "U" else float(array)
            head.columns[name] = Column(unit, text=isinstance(kept[name], str))
            continue
        labels, dims = {}, tuple(f"{name}_{k}" for k in range(array.ndim))
        if isinstance(array, xr.DataArray):
            dims = tuple(map(str, array.dims))
            labels = {each: array[each].values.tolist() for each in dims if each in array.coords}
        head.labels.update(labels)
        kept[name] = made = Array(np.asarray(array, "<f8"), _hash(labels))
        head.columns[name] = Column(unit, False, dims, made.numbers.shape, made.labels)
    return kept, head


def line(row: Row) -> bytes:
    """Return the row as one line."""
    words: dict[str, Any] = {**vars(row), "values": {name: _packed(value) for name, value in row.values.items()}}
    return json.dumps(words, separators=(",", ":")).encode() + b"\n"


def read(lines: bytes) -> Iterator[Row]:
    """Yield the rows of some lines; skip a truncated one."""
    for text in lines.split(b"\n"):
        try:
            words = json.loads(text)
        except ValueError:
            continue
        head = words.pop("head")
        if head is not None:
            head = Head({name: _column(*each) for name, each in head[0].items()}, head[1])
        values = {name: _unpacked(value) for name, value in words.pop("values").items()}
        yield Row(**words, values=values, head=head)


def _packed(value: Kept) -> Any:
    if not isinstance(value, Array):
        return value
    return [list(value.numbers.shape), value.labels, base64.b64encode(value.numbers.tobytes()).decode()]


def _unpacked(value: Any) -> Kept:
    if not isinstance(value, list):
        return value
    shape, labels, text = value
    return Array(np.frombuffer(base64.b64decode(text), "<f8").reshape(shape), labels)


def _column(units: str, text: bool, dims: list[str], shape: list[int], labels: str) -> Column:
    return Column(units, text, tuple(dims), tuple(shape), labels)


def _hash(labels: Mapping[str, list[Any]]) -> str:
    return hashlib.sha256(json.dumps(labels).encode()).hexdigest()[:16] if labels else ""
