"""`pliant sweep`: the steps of a run at every point of a grid of settings, in parallel."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer

from pliant.errors import FileError, Interrupted, OptionError, PliantError
from pliant.results import Result
from pliant.studies.rows import FAILED, WAITING
from pliant.studies.study import study
from pliant_cli.console import INTERRUPTED, NOT_OK, OK, err, number, out
from pliant_cli.requests import StepsAtPoint
from pliant_cli.show import table
from pliant_cli.source import value_of
from pliant_cli.steps import Plan

MOST = 100_000  # points of a grid


def axis(text: str) -> tuple[str, list[Any]]:
    """``NAME=FIRST:LAST:COUNT`` or ``NAME=A,B,C``.

    >>> axis("tip_force=-2:0:5")
    ('tip_force', [-2.0, -1.5, -1.0, -0.5, 0.0])
    >>> axis("coupler=rigid,flexible")
    ('coupler', ['rigid', 'flexible'])
    """
    name, equals, given = text.partition("=")
    words = given.split(":")
    if equals and len(words) == 3:
        first, last, count = (value_of(word) for word in words)
        if all(isinstance(each, int | float) and math.isfinite(each) for each in (first, last)) and (
            isinstance(count, int) and 1 <= count <= MOST
        ):
            return name, np.linspace(first, last, count).tolist()
    elif equals and len(words) == 1 and given and all(given.split(",")):
        return name, [value_of(word) for word in given.split(",")]
    raise OptionError(
        f"--over {text}: write NAME=FIRST:LAST:COUNT, in SI units, such as length=0.1:0.2:11, or NAME=A,B,C."
    )


class SweepTable:
    """Rows of a study over a grid."""

    def __init__(self, axes: Mapping[str, Sequence[Any]], found: Result) -> None:
        self.axes = axes
        self.points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
        flat = {str(name): variable.values.ravel() for name, variable in found.data.data_vars.items()}
        self.reasons, self.warned, self.status = (flat.pop(name) for name in ("reason", "warnings", "status"))
        self.found = {name: values for name, values in flat.items() if name not in ("stable", "other_branch")}
        self.units = {name: str(found.data[name].attrs.get("units", "1")) for name in self.found}

    @property
    def failed(self) -> dict[int, str]:
        """Return the reasons of failures, by the number of the point."""
        return {k: str(text) for k, text in enumerate(self.reasons) if text}

    def rows(self) -> list[dict[str, Any]]:
        """Yield one record for each computed point, in order."""
        return [self._row(k) for k in np.flatnonzero(self.status != WAITING).tolist()]

    def _row(self, k: int) -> dict[str, Any]:
        numbers = {} if self.status[k] == FAILED else {name: float(values[k]) for name, values in self.found.items()}
        notes = {"error": self.reasons[k], "warnings": self.warned[k]}
        return {**self.points[k], **numbers, **{name: str(text) for name, text in notes.items() if text}}

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns of its table."""
        return [*self.axes, *self.found, *(["warnings"] if any(self.warned) else [])]


def run(
    plan: Plan,
    over: Sequence[str],
    show: Sequence[str],
    *,
    path: Path | None,
    force: bool,
    workers: int | None,
    as_json: bool,
) -> int:
    """Compute the grid, print it and return the exit code; finished points are stored if it is stopped."""
    axes = axes_of(over)
    if path is not None:
        _check(path, force)
    finished = True
    try:
        found = study(StepsAtPoint(plan, show), over=columns_of(axes), on="threads", workers=workers)
    except Interrupted as stop:
        finished, found = False, stop.result  # type: ignore[assignment]
    grid = SweepTable(axes, found)
    if grid.failed and len(grid.points) == 1 and FAILED in grid.status:
        raise PliantError(grid.failed[0])
    if path is not None:
        _write(grid, path)
    if as_json:
        for row in grid.rows():
            typer.echo(json.dumps(row))
    else:
        _print(grid)
    for k, message in itertools.islice(grid.failed.items(), 3):
        err.print(f"{_words(grid.points[k])}: {message}", style="red", markup=False)
    return OK if finished and not grid.failed else NOT_OK if finished else INTERRUPTED


def axes_of(over: Sequence[str]) -> dict[str, list[Any]]:
    """Return all axes of a grid."""
    axes = dict(map(axis, over))
    if len(axes) < len(over):
        raise OptionError("--over: a name is given twice; put all its values into one --over.")
    if math.prod(map(len, axes.values())) > MOST:
        raise OptionError(f"--over: more than {MOST} points. Take fewer values.")
    return axes


def columns_of(axes: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return the axes as a study takes them: numbers, or words."""
    numbers = {name: all(type(value) in (int, float) for value in values) for name, values in axes.items()}
    return {name: list(values) if numbers[name] else [*map(str, values)] for name, values in axes.items()}


def _words(point: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}" for name, value in point.items()
    )


def _print(grid: SweepTable) -> None:
    head = [f"{name} {units}" if (units := grid.units.get(name, "1")) != "1" else name for name in grid.columns]
    rows = [[_cell(row.get(name)) for name in grid.columns] for row in grid.rows()]
    out.print(table(head, rows, most=40))


def _cell(value: Any) -> str:
    return number(value) if isinstance(value, float) or value is None else str(value)


def _check(path: Path, force: bool) -> None:
    if path.suffix not in (".csv", ".nc"):
        raise OptionError(f"--out {path}: a sweep is written as .csv or .nc.")
    if path.exists() and not force:
        raise FileError(f"{path} exists already. Choose another name with --out, or --force.")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise FileError(f"cannot write {path}: no folder {path.parent} to write into.")


def _write(grid: SweepTable, path: Path) -> None:
    from pliant_io.tables import heading, write_rows

    names = grid.columns
    if path.suffix == ".csv":
        head = [heading(name, grid.units.get(name, "1")) for name in names]
        write_rows(path, head, ([row.get(name, "") for name in names] for row in grid.rows()))
        return
    import xarray as xr

    from pliant.whole_files import whole_file

    shape = [len(values) for values in grid.axes.values()]
    data = {}
    for name, values in grid.found.items():
        known = {"units": grid.units[name], "nan_means": "not computed"}
        data[name.replace("/", "_")] = (list(grid.axes), values.reshape(shape), {**known, "quantity": name})
    if any(grid.warned):
        data["warnings"] = (list(grid.axes), np.reshape(grid.warned.astype(str), shape), {})
    coordinates = {name.replace("/", "_"): values for name, values in grid.axes.items()}
    table_ = xr.Dataset(
        {key: ([a.replace("/", "_") for a in dims], v, at) for key, (dims, v, at) in data.items()}, coordinates
    )
    with whole_file(path) as part:
        table_.to_netcdf(part, engine="scipy", format="NETCDF3_64BIT")
