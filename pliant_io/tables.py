"""Results and linear models as CSV: a row for each instant, point or mode, a column for each quantity, with units."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.control.models.linear_model import LinearModel
from pliant.results import Result
from pliant.results.quantities import Quantity, along, quantities
from pliant.results.schema import units_of
from pliant.whole_files import whole_file


def write_csv(result: Result, path: Path) -> None:
    """Write a result: "time [s]", "angle:crank [rad]", ...; a complex quantity as two columns."""
    columns = [*_running(result), *(part for each in quantities(result) for part in _real(each))]
    rows = zip(*(np.atleast_1d(each.values).tolist() for each in columns), strict=True)
    write_rows(path, [heading(each.name, each.units) for each in columns], rows)


def write_rows(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table with a head, whole or not at all; numbers with all their digits."""
    with whole_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def heading(name: str, units: str) -> str:
    """Return the heading of a column from name and units.

    >>> heading("angle:crank", "rad"), heading("strain", "1")
    ('angle:crank [rad]', 'strain')
    """
    return name if units in ("", "1") else f"{name} [{units}]"


def _running(result: Result) -> list[Quantity]:
    """Return the coordinates along a result: time; or point, parameter, stable, ..."""
    main = along(result)
    if main is None:
        return []
    names = [name for name, array in result.data.coords.items() if array.dims == (main,)]
    ordered = sorted(names, key=lambda name: name != main)
    return [Quantity(str(name), units_of(result.data[name]), result.data[name].values) for name in ordered]


def _real(each: Quantity) -> list[Quantity]:
    if each.values.dtype.kind != "c":
        return [each]
    halves = {"real": each.values.real, "imag": each.values.imag}
    return [Quantity(f"{each.name}.{half}", each.units, values) for half, values in halves.items()]


def write_linear_csv(model: LinearModel, path: Path) -> None:
    """Write ``[A B; C D]`` as one table: columns are states and inputs, rows the rates of states and the outputs."""
    head = ["", *(f"state:{name}" for name in model.state_names), *(f"input:{name}" for name in model.input_names)]
    rate = "rate" if model.sample_time is None else "next"
    names = [*(f"{rate}:{name}" for name in model.state_names), *(f"output:{name}" for name in model.output_names)]
    whole = np.block([[model.A, model.B], [model.C, model.D]])
    write_rows(path, head, ([name, *row] for name, row in zip(names, whole.tolist(), strict=True)))
