"""Files of laboratories: netCDF, Adams' pages of requests, motion capture, lists of points, spreadsheets.

| Suffix     | What it is                                                                                            |
|------------|-------------------------------------------------------------------------------------------------------|
| .nc        | netCDF 3: every vector of numbers; its attribute ``units`` is kept, "y [mm]"                          |
| .htm .html | pages with tables, as Adams writes of requests: the first table whose rows are numbers                |
| .trc       | motion capture (Vicon, OpenSim): ``Time [s]``, then ``<marker>:x [mm]``, ``:y``, ``:z``               |
| .xyz .pts  | lists of points, one a line, ``<marker> x y z``; a name that comes again begins the next pose         |
| .c3d       | motion capture, binary: the same columns (`pliant_fit.measurements.c3d`) |
| .xlsx      | spreadsheets: the first sheet (`pliant_fit.measurements.spreadsheet`) |
"""

from __future__ import annotations

import io
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import FileError
from pliant_fit.measurements.c3d import columns_of
from pliant_fit.measurements.spreadsheet import rows_of
from pliant_fit.measurements.tables import MISSING, are_units, lines_of, with_units

Columns = dict[str, np.ndarray]


def _number(text: str) -> float | None:
    """A number, NaN where it is missing; None: a word."""
    if text.strip().lower() in MISSING:
        return np.nan
    try:
        return float(text)
    except ValueError:
        return None


def _of_rows(path: Path, rows: list[list[str]]) -> Columns:
    """Rows of numbers below a row of words, to the next row of words."""
    found: list[list[float]] = []
    names: list[str] = []
    above: list[str] = []
    for row in rows:
        numbers = [_number(cell) for cell in row]
        words = [cell for cell, each in zip(row, numbers, strict=True) if each is None]
        told = [each for each in numbers if each is not None and not np.isnan(each)]
        if not words and told:
            if found and len(row) != len(found[0]):
                raise FileError(f"{path}: row {len(found) + 1} of the numbers has {len(row)} columns, the first has "
                                f"{len(found[0])}.")  # fmt: skip
            found.append([float(each) for each in numbers])  # type: ignore[arg-type]
        elif found and words and told and len(row) == len(found[0]):
            raise FileError(f"{path}: row {len(found) + 1} of the numbers: {words[0]!r:.40} is no number.")
        elif found and words:
            break
        elif not found:
            above, names = names, row
    if not found:
        raise FileError(f"{path}: it has no table with rows of numbers.")
    width = len(found[0])
    if len(above) == len(names) == width and all(above) and all(names) and are_units(names):
        names = with_units(above, names)
    labels = names if len(names) == width and all(names) else [str(k + 1) for k in range(width)]
    if repeated := sorted({name for name in labels if labels.count(name) > 1}):
        raise FileError(f"{path}: several columns are called {repeated[0]!r}.")
    table = np.array(found)
    return {name: table[:, k] for k, name in enumerate(labels)}


class _Cells(HTMLParser):
    """Cells of all tables of a page, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th") or self.inside and tag not in ("tr", "table")
        if tag in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] = f"{self.rows[-1][-1]}{data}".strip()


def _page(path: Path) -> Columns:
    cells = _Cells()
    cells.feed("\n".join(lines_of(path)))
    return _of_rows(path, [row for row in cells.rows if row])


def _captured(path: Path) -> Columns:
    """Motion capture as text: frames with the places of markers."""
    rows = [line.split("\t") for line in lines_of(path)]
    head = next((k for k, row in enumerate(rows) if row[0].strip() in ("Frame#", "Frame")), None)
    if head is None:
        raise FileError(f'{path}: it has no line that begins with "Frame#", as motion capture (.trc) has.')
    known = {key.strip(): value.strip() for key, value in zip(rows[head - 2], rows[head - 1], strict=False)}
    units = known.get("Units", "")
    markers = [name.strip() for name in rows[head][2:] if name.strip()]
    names = ["Frame", "Time [s]"]
    names += [f"{name}:{axis} [{units}]" if units else f"{name}:{axis}" for name in markers for axis in "xyz"]
    found = []
    for k, row in enumerate(rows[head + 2 :], head + 3):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        cells += [""] * (len(names) - len(cells))
        numbers = [_number(cell) for cell in cells[: len(names)]]
        if any(each is None for each in numbers):
            raise FileError(f"{path}: line {k}: {cells!r:.60} are not all numbers.")
        found.append(numbers)
    if not found:
        raise FileError(f"{path}: it has no frames.")
    table = np.array(found, float)
    return {name: table[:, k] for k, name in enumerate(names)}


def _points(path: Path) -> Columns:
    poses: list[dict[str, float]] = [{}]
    for k, line in enumerate(lines_of(path), 1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        numbers = [_number(word) for word in words[1:]]
        if len(numbers) not in (2, 3) or any(each is None for each in numbers):
            raise FileError(f"{path}: line {k}: {line.strip()!r:.40}: a point is written as its name and x y or x y z.")
        if f"{words[0]}:x" in poses[-1]:
            poses.append({})
        poses[-1] |= {f"{words[0]}:{axis}": float(each) for axis, each in zip("xyz", numbers, strict=False)}  # type: ignore[arg-type]
    if not poses[0]:
        raise FileError(f"{path}: it has no points.")
    return {name: np.array([pose.get(name, np.nan) for pose in poses]) for name in poses[0]}


def _netcdf(path: Path) -> Columns:
    content = path.read_bytes()
    if not content.startswith((b"CDF\x01", b"CDF\x02")):
        raise FileError(f"{path}: it is no netCDF 3 file. Write it with format='NETCDF3_64BIT'.")
    try:
        data = xr.load_dataset(io.BytesIO(content), engine="scipy", decode_times=False, decode_timedelta=False)
    except Exception as error:  # the reader fails in many ways on a damaged header
        raise FileError(f"{path} is truncated or damaged: {error}") from error
    found = {}
    for name, array in data.variables.items():
        if array.dtype.kind in "fiu" and array.ndim == 1:
            units = str(array.attrs.get("units", ""))
            found[f"{name} [{units}]" if units else str(name)] = np.asarray(array.values, float)
    if not found:
        raise FileError(f"{path}: it has no vectors of numbers.")
    return found


def _spreadsheet(path: Path) -> Columns:
    return _of_rows(path, rows_of(path))


READERS: dict[str, Callable[[Path], Columns]] = {
    ".nc": _netcdf,
    ".htm": _page,
    ".html": _page,
    ".trc": _captured,
    ".xyz": _points,
    ".pts": _points,
    ".xlsx": _spreadsheet,
    ".c3d": columns_of,
}
