"""Store: a study in files, a zarr 3 group that xarray reads while it grows (``xr.open_zarr``), and its journals.

    study.zarr/             arrays along "run", in chunks; each chunk file is replaced as a whole
    study.zarr.journal/     while a study runs, or after a kill: a line for every run that is not in the arrays yet

A run is in the store once its ``status`` is not 0. Its numbers are written before, its journal is removed after: a kill
in between leaves both, and the next study enters the same numbers again or skips them.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FileError, OptionError
from pliant.studies import batches
from pliant.studies.journal import Ledger, Place
from pliant.studies.labels import apart
from pliant.studies.rows import WAITING, Column, Head, Row

FORMAT, BEGUN = 1, 0
CHUNK_RUNS, CHUNK_BYTES = 8192, 4_000_000  # of a chunk: most runs, and approximate size of an array of arrays


class Store(Ledger):
    """Arrays of a study in a folder, written by one process at a time; until then rows are in journals."""

    interval = 5.0

    def __init__(self, path: Path, size: int, *, resume: bool) -> None:
        super().__init__(size)
        self.path, self.files = path, path.with_name(f"{path.name}.journal")
        self.journal = str(self.files)
        there = path.is_dir() and any(path.iterdir()) or path.is_file()
        if there and not resume:
            raise FileError(f"{path} exists already. Go on with it by resume=True, or give another name.")
        if not path.parent.is_dir():
            raise FileError(f"cannot write {path}: the directory {path.parent} does not exist; create it first")
        self.group: Any = open_group(path, "a") if there else None
        self.fresh = self.group is None or self.group.attrs["pliant_study"] == BEGUN
        self.files.mkdir(exist_ok=True)
        self.lock: int | None = _locked(self.files / "lock", path)

    def begin_or_resume(self, said: Mapping[str, Any], points: Mapping[str, np.ndarray]) -> None:
        """Create a store for these points, or open the existing one if it is of the same study."""
        if self.fresh:
            shutil.rmtree(self.path, ignore_errors=True)  # killed before its points were written
            self.group = _zarr().create_group(self.path, zarr_format=3, attributes={"pliant_study": BEGUN})
            self.begin(points)
            self.group.attrs.update({"pliant_study": FORMAT, "size": self.size, **said})
        else:
            self._resume({"pliant_study": FORMAT, "size": self.size, **said}, points)

    def _resume(self, said: Mapping[str, Any], points: Mapping[str, np.ndarray]) -> None:
        known = dict(self.group.attrs)
        for name, value in said.items():
            if known.get(name) != value:
                there, here = apart(str(known.get(name)), str(value))
                raise FileError(f"{self.path} is of another study: its {name} is {there}, not {here}.")
        for left in self.path.rglob("*.partial"):  # unfinished chunks
            left.unlink()
        self.arrays = {str(array.attrs["name"]): array for _, array in self.group.arrays()}
        for name, values in points.items():
            if not np.array_equal(self.arrays[name][: len(values)], values):
                raise FileError(f"{self.path} is of another study: its values of {name!r} are others.")
        self.points = dict(points)
        quantities = {name: array for name, array in self.arrays.items() if array.attrs["role"] == "quantity"}
        if known.get("columns"):
            self.columns = {name: _column(quantities[name]) for name in known["columns"]}
        self.done = np.asarray(self.arrays["status"][:]) != WAITING
        self.enter(self.left())

    def open_columns(self, head: Head) -> None:
        """Make the arrays of the quantities; incomplete ones of a killed study are made again."""
        for name, array in list(self.arrays.items()):
            if array.attrs["role"] in ("quantity", "label"):
                del self.group[array.basename], self.arrays[name]
        super().open_columns(head)
        self.group.attrs["columns"] = list(head.columns)

    def left(self) -> list[Row]:
        """Return rows that a killed study left in journals."""
        return [row for path in sorted(self.files.glob("*.jsonl")) for row in batches.journal_rows(str(path))]

    def create(self, place: Place) -> None:
        """Make an array of the group; names of files have letters, digits and underscores."""
        key = re.sub(r"[^\w.-]", "_", place.name)
        while key in self.group:
            key += "_"
        inner = int(np.prod(place.shape[1:], dtype=int))
        count = max(1, min(CHUNK_RUNS, CHUNK_BYTES // (8 * max(1, inner)), place.shape[0]))
        along_runs = place.dims[0] == "run"
        self.arrays[place.name] = self.group.create_array(
            key,
            shape=place.shape,
            chunks=(count if along_runs else max(1, place.shape[0]), *place.shape[1:]),
            dtype=str if place.dtype == "string" else place.dtype,
            fill_value=place.fill,
            dimension_names=place.dims,
            attributes={"name": place.name, **place.attrs},
        )

    def flush(self) -> None:
        """Write the entered rows, then remove their journals."""
        super().flush()
        for path in self.files.glob("*.jsonl"):
            first, last = map(int, path.stem.split("-"))
            if self.done[first : last + 1].all():
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Mark the store as no longer written."""
        if self.lock is None:
            return
        os.close(self.lock)
        self.lock = None
        if not any(self.files.glob("*.jsonl")):
            shutil.rmtree(self.files, ignore_errors=True)

    def remove(self) -> None:
        """Remove a store without any results."""
        self.close()
        if not self.fresh:
            return
        shutil.rmtree(self.files, ignore_errors=True)
        shutil.rmtree(self.path, ignore_errors=True)


def _zarr() -> Any:
    try:
        import zarr
    except ImportError as error:
        raise OptionError("a study in files needs zarr 3. Install it with: pip install pliant[study]") from error
    return zarr


def open_group(path: Path, mode: str) -> Any:
    """Open the group of a store."""
    try:
        group = _zarr().open_group(path, mode=mode, zarr_format=3, use_consolidated=False)
    except (OSError, ValueError, KeyError) as error:
        raise FileError(f"{path} is not a study: {error}") from error
    if "pliant_study" not in group.attrs:
        raise FileError(f"{path} is a zarr group but not a study of pliant: it lacks the attribute pliant_study")
    return group


def _column(array: Any) -> Column:
    attrs = array.attrs
    dims = tuple(array.metadata.dimension_names)[1:]
    text = array.dtype.kind not in "fiub"
    return Column(str(attrs["units"]), text, dims, tuple(array.shape[1:]), str(attrs["labels"]))


def _locked(path: Path, store: Path) -> int:
    """Open a lock file that only one living process holds."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        raise FileError(f"{store}: another study is writing into it. Wait for it, or give another name.") from error
    return file
