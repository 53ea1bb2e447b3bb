"""`pliant sweep`: the steps of a run at every point of a grid of settings, in parallel."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from pliant.analyses._parallel import Tick, in_parallel, processors
from pliant.cli.console import INTERRUPTED, NOT_OK, OK, err, number, out, unique
from pliant.cli.show import table
from pliant.cli.source import value_of
from pliant.cli.steps import Plan, Walk
from pliant.errors import FileError, OptionError, PliantError
from pliant.results.quantities import number as number_of
from pliant.results.quantities import quantities

QUIET = "PLIANT_QUIET"  # tells analyses to show no progress
MOST = 100_000  # points of a grid
DEFAULT = {"modes": 3, "statics": 4, "path": 4, "simulate": 4}  # quantities shown unless chosen
WORTHY = ("angle", "tension", "position", "frequency_hz")


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
    raise OptionError(f"--over {text}: write NAME=FIRST:LAST:COUNT, such as length=0.1:0.2:11, or NAME=A,B,C.")


@dataclass
class Grid:
    """Settings at every point, and what was found there."""

    axes: dict[str, list[Any]]
    show: list[str]
    points: list[dict[str, Any]] = field(default_factory=list)
    found: dict[int, dict[str, float]] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    warned: dict[int, str] = field(default_factory=dict)  # names of warnings
    units: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if math.prod(map(len, self.axes.values())) > MOST:
            raise OptionError(f"--over: more than {MOST} points. Take fewer values.")
        self.points = [dict(zip(self.axes, values, strict=True)) for values in itertools.product(*self.axes.values())]

    def rows(self) -> list[dict[str, Any]]:
        """One record a point that was computed, in order."""
        done = sorted(self.found.keys() | self.failed.keys())
        notes = {"error": self.failed, "warnings": self.warned}
        return [
            {**self.points[k], **self.found.get(k, {}), **{name: of[k] for name, of in notes.items() if k in of}}
            for k in done
        ]

    @property
    def columns(self) -> list[str]:
        """Names of what a table of it shows."""
        return [*self.axes, *self.show, *(["warnings"] if self.warned else [])]


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
    """Compute the grid and show it; what was computed is kept when it is stopped. Returns the exit code."""
    axes = dict(map(axis, over))
    if len(axes) < len(over):
        raise OptionError("--over: a name is given twice; put all its values into one --over.")
    if path is not None:
        _check(path, force)
    grid = Grid(axes, list(show))
    _compute(grid, plan, 0)  # the first alone: it finds mistakes, and the quantities to show
    if 0 in grid.failed and len(grid.points) == 1:
        raise PliantError(grid.failed[0])
    tasks = [_task(grid, plan, k) for k in range(1, len(grid.points))]
    count = min(workers or processors(), max(1, len(tasks)))
    quiet = os.environ.get(QUIET)
    try:
        finished = in_parallel("sweep", tasks, total=len(tasks), workers=count)
    finally:
        if quiet is None:
            os.environ.pop(QUIET, None)
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


def _task(grid: Grid, plan: Plan, k: int) -> Any:
    def task(tick: Tick) -> None:
        tick()
        os.environ[QUIET] = "1"  # the sweep's own bar is there already
        _compute(grid, plan, k)

    return task


def _compute(grid: Grid, plan: Plan, k: int) -> None:
    """All steps at one point; its quantities are those of the last step that has them."""
    try:
        made = list(Walk(replace(plan, point=grid.points[k])))
        steps = [done.found for done in made]
        if not grid.show:
            grid.show = _default(steps[-1], plan.steps[-1])
        grid.found[k] = {name: _find(grid, steps, name) for name in grid.show}
        if names := ", ".join(unique(name for done in made for name in done.warnings)):
            grid.warned[k] = names
        for done in made:
            if not done.ok:
                grid.failed[k] = f"{done.step}: {done.found.outcome.message}"
                break
    except OptionError:
        raise
    except PliantError as error:
        grid.failed[k] = str(error)


def _find(grid: Grid, steps: Sequence[Any], name: str) -> float:
    for found in reversed(steps):
        try:
            value, grid.units[name] = number_of(found, name)
            return value
        except OptionError as error:
            last = error
    raise last


def _default(found: Any, step: str) -> list[str]:
    if not hasattr(found, "outcome"):
        raise OptionError("sweep: end with statics, path, modes or simulate; linearise gives no single numbers.")
    if step == "modes":
        return [f"frequency_hz:{k}" for k in found.data["mode"].values[: DEFAULT[step]]]
    names = [each.name for word in WORTHY for each in quantities(found) if each.name.partition(":")[0] == word]
    return names[: DEFAULT[step]]


def _words(point: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}" for name, value in point.items()
    )


def _print(grid: Grid) -> None:
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


def _write(grid: Grid, path: Path) -> None:
    from pliant.interchange.tables import heading, write_rows

    names = grid.columns
    if path.suffix == ".csv":
        head = [heading(name, grid.units.get(name, "1")) for name in names]
        write_rows(path, head, ([row.get(name, "") for name in names] for row in grid.rows()))
        return
    import xarray as xr

    from pliant.whole_files import written_whole

    shape = [len(values) for values in grid.axes.values()]
    data = {}
    for name in grid.show:
        values = np.array([grid.found.get(k, {}).get(name, np.nan) for k in range(len(grid.points))])
        known = {"units": grid.units.get(name, "1"), "nan_means": "not computed"}
        data[name.replace("/", "_")] = (list(grid.axes), values.reshape(shape), {**known, "quantity": name})
    if grid.warned:
        data["warnings"] = (
            list(grid.axes),
            np.reshape([grid.warned.get(k, "") for k in range(len(grid.points))], shape),
            {},
        )
    coordinates = {name.replace("/", "_"): values for name, values in grid.axes.items()}
    table_ = xr.Dataset(
        {key: ([a.replace("/", "_") for a in dims], v, at) for key, (dims, v, at) in data.items()}, coordinates
    )
    with written_whole(path) as part:
        table_.to_netcdf(part, engine="scipy", format="NETCDF3_64BIT")
