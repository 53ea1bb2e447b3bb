"""Table of a study: its arrays as an xarray.Dataset over the axes of a grid, or over runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import OptionError
from pliant.results import Check, Outcome, Provenance, Result
from pliant.studies.journal import Ledger
from pliant.studies.rows import FAILED, NOT_OK, OK, WAITING


class Entry(NamedTuple):
    """One array, with its metadata in a store."""

    dims: tuple[str, ...]
    values: np.ndarray
    attrs: dict[str, Any]


def of_ledger(ledger: Ledger) -> dict[str, Entry]:
    """Return the arrays of a ledger in memory, as they are now."""
    places = ledger.places.items()
    return {name: Entry(place.dims, ledger.arrays[name].copy(), dict(place.attrs)) for name, place in places}


def of_group(group: Any) -> dict[str, Entry]:
    """Return the arrays of a store. Status is read first: numbers of finished runs are then already written."""
    arrays = sorted((array for _, array in group.arrays()), key=lambda array: array.attrs["name"] != "status")
    found = {}
    for array in arrays:
        values = np.asarray(array[...])
        values = values.astype(object) if values.dtype.kind not in "fiub" else values
        attrs = {key: value for key, value in array.attrs.items() if key != "name"}
        found[str(array.attrs["name"])] = Entry(tuple(array.metadata.dimension_names), values, attrs)
    return found


def result(arrays: Mapping[str, Entry], said: Mapping[str, Any], names: list[str]) -> Result:
    """Return the study as a Result; ``names``: of the quantities, in their order."""
    design = said["design"]
    points = [name for name, entry in arrays.items() if entry.attrs["role"] == "point"]
    count = arrays["status"].values.size
    if design["kind"] == "Refined":
        count = int(np.count_nonzero(np.isfinite(arrays[points[0]].values)))
    axes: list[str] = design["axes"]
    coordinates: dict[str, Any] = {} if axes else {"run": np.arange(count)}
    for k, name in enumerate(axes):
        place = tuple(slice(None) if j == k else 0 for j in range(len(axes)))
        values, known = arrays[name].values.reshape(design["shape"])[place], arrays[name].attrs
        coordinates[name] = (name, values, {"units": known["units"]} if "units" in known else {})
    data: dict[str, Any] = {}
    for name, (dims, values, attrs) in arrays.items():
        if attrs["role"] == "label":
            coordinates[name] = (name, values)
        elif name not in coordinates and (name in points or name in names or attrs["role"] == "mark"):
            whole = values[:count].reshape(*(design["shape"] if axes else (count,)), *values.shape[1:])
            kept = {key: value for key, value in attrs.items() if key not in ("role", "labels")}
            entry = ((*(axes or ("run",)), *dims[1:]), whole, kept)
            (coordinates if name in points else data)[name] = entry
    order = [*names, *(name for name in data if name not in names)]
    dataset = xr.Dataset({name: data[name] for name in order}, coordinates)
    return Result(dataset, "study", _outcome(data), Provenance(said.get("title", said["subject"]), "study", dict(said)))


def _outcome(data: Mapping[str, Any]) -> Outcome:
    """Count runs by outcome."""
    status = data["status"][1]
    count = {word: int(np.count_nonzero(status == code)) for word, code in CODES.items()}
    figures = {
        "runs": int(status.size),
        "waiting": count["waiting"],
        "failed_runs": count["failed"],
        "not_ok_runs": count["not_ok"],
        "unstable": int(np.count_nonzero(data["stable"][1] == 0)),
        "other_branch": int(np.count_nonzero(data["other_branch"][1])),
    }
    words = [f"{status.size - count['waiting']} of {status.size} runs computed"]
    words += [f"{count[each]} {each.replace('_', ' ')}" for each in ("not_ok", "failed") if count[each]]
    words += [f"{figures[each]} {each.replace('_', ' ')}" for each in ("unstable", "other_branch") if figures[each]]
    checks = (Check("runs failed", count["failed"], 0), Check("runs not ok", count["not_ok"], 0))
    return Outcome(count["waiting"] == 0, ", ".join(words), figures, checks)


CODES = {"ok": OK, "not_ok": NOT_OK, "failed": FAILED, "waiting": WAITING}


def open_study(path: str | Path) -> Result:
    """Open the store of a study, finished or not: the runs computed so far. Nothing is computed.

    ``xarray.open_zarr(path)`` opens the same arrays, all along ``run``, without loading them.

    >>> import tempfile
    >>> import pliant as pl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = pl.study(lambda x: {"square": x * x}, over={"x": [1.0, 2.0]}, out=f"{folder}/a.zarr", on="threads")
    ...     pl.open_study(f"{folder}/a.zarr").square.values.tolist()
    [1.0, 4.0]
    """
    from pliant.studies.store import open_group

    group = open_group(Path(path), "r")
    said = dict(group.attrs)
    if "design" not in said:
        raise OptionError(f"{path}: the study has only begun; there is nothing to see yet.")
    return result(of_group(group), said, list(said.get("columns", ())))
