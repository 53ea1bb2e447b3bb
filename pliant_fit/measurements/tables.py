"""Tables of numbers in files of other programs, by name or number of the column; errors name the damaged line.

| Suffix              | Who writes it                                                                              |
|---------------------|--------------------------------------------------------------------------------------------|
| .csv                | spreadsheets, pliant: a heading, then rows with commas or semicolons                       |
| .tab .txt .dat .out | Adams' tables: lines of words, then columns by tabs or spaces; Exudyn's sensors: lines with # |
| .mat                | MATLAB: vectors of one length, or a matrix, whose columns are ``name[1]``, ``name[2]``, ... |
| .nc .htm .html .trc .c3d .xyz .pts .xlsx | see `formats`                                                         |

The heading is the last line of words before the numbers that has a word for every column; a line of units may follow.
Without a heading, columns have numbers only, from 1. Fields of a MATLAB structure are ``run.force``.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FileError
from pliant_fit.measurements.columns import understood

LARGEST = 200e6  # bytes
TEXT = (".csv", ".tab", ".txt", ".dat", ".out")
MISSING = ("", "nan", "na", "n/a", "-", "null", "none")
NONE = ("-", "1")  # units of pure numbers
NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?")
BEGINS = re.compile(r"\s*[-+]?(\d|\.\d)")


def read_columns(path: str | Path, *, gaps: bool = False) -> dict[str, np.ndarray]:
    """Read the columns of a file by name, in their order; columns without a name are called "1", "2", ...

    gaps  whether cells may be empty or NaN: they become NaN, and are refused otherwise
    """
    from pliant_fit.measurements.formats import READERS

    path = Path(path)
    if not path.is_file():
        raise FileError(f"{path}: there is no such file.")
    if path.stat().st_size > LARGEST:
        raise FileError(f"{path}: it has {path.stat().st_size / 1e6:.0f} MB; at most {LARGEST / 1e6:.0f} MB are read.")
    suffix = path.suffix.lower()
    if suffix in READERS:
        columns = READERS[suffix](path)
    elif suffix == ".mat":
        columns = _mat(path)
    elif suffix in TEXT:
        columns = _text(path, gaps)
    else:
        raise FileError(f"{path}: a table is a file {', '.join((*TEXT, '.mat', *READERS))}.")
    for name, values in columns.items():
        if not gaps and not np.all(np.isfinite(values)):
            raise FileError(f"{path}: {name} has entries that are not finite.")
    return columns


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text file: UTF-8, or UTF-16 if it begins with its mark."""
    try:
        raw = path.read_bytes()
        return raw.decode("utf-16" if raw[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        hint = "Save it as UTF-8, as CSV UTF-8 of a spreadsheet."
        raise FileError(f"{path}: it is no text in UTF-8: {error.reason} at byte {error.start}. {hint}") from error


def _text(path: Path, gaps: bool) -> dict[str, np.ndarray]:
    lines = lines_of(path)
    first = next((k for k, line in enumerate(lines) if BEGINS.match(line) or _begins_with_gaps(line)), None)
    if first is None:
        raise FileError(f"{path}: no line begins with a number.")
    mark = _separator(lines[first])
    rows = [_numbers(path, k + 1, lines[k], mark, gaps) for k in range(first, len(lines)) if lines[k].strip()]
    width = len(rows[0])
    for k, row in enumerate(rows):
        if len(row) != width:
            raise FileError(f"{path}: row {k + 1} of the numbers has {len(row)} columns, the first has {width}.")
    table = np.array(rows)
    names = _heading(lines[:first], mark, width)
    unnamed = [k for k in range(width) if not names[k] and np.all(np.isnan(table[:, k]))]  # separators alone
    table = np.delete(table, unnamed, axis=1)
    names = [name or str(k + 1) for k, name in enumerate(names) if k not in unnamed]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise FileError(f"{path}: several columns are called {repeated[0]!r}.")
    return {name: table[:, k] for k, name in enumerate(names)}


def _begins_with_gaps(line: str) -> bool:
    """Return whether it is a row whose first cells are missing: only these and at least one number."""
    cells = [cell.strip().strip('"').lower() for cell in line.split(_separator(line))]
    told = [cell for cell in cells if cell not in MISSING]
    return len(cells) > 1 and bool(told) and all(NUMBER.fullmatch(cell) for cell in told)


def _separator(line: str) -> str | None:
    """Return the separator of columns; None: spaces."""
    return next((mark for mark in ("\t", ";", ",") if mark in line), None)


def _numbers(path: Path, number: int, line: str, mark: str | None, gaps: bool) -> list[float]:
    cells = [cell.strip().strip('"') for cell in line.split(mark)]
    if mark is not None and cells[-1] == "" and not gaps:
        cells = cells[:-1]  # a separator at the end of the line
    found = []
    for column, cell in enumerate(cells):
        if gaps and cell.lower() in MISSING:
            found.append(np.nan)
            continue
        try:
            value = float(cell.replace(",", ".") if mark == ";" else cell)
        except ValueError:
            raise FileError(f"{path}: line {number}, column {column + 1}: {cell!r:.40} is no number.") from None
        if not np.isfinite(value):
            raise FileError(f"{path}: line {number}, column {column + 1}: {cell} is not finite.")
        found.append(value)
    return found


def _heading(lines: list[str], mark: str | None, width: int) -> list[str]:
    """Return names of the columns, from the last line that has a word for every one; or, with separators, from the last
    that leaves some empty.
    """
    told = [line for line in reversed(lines) if not line.lstrip().startswith("#")]
    apart = [
        next(csv.reader([line], delimiter=mark), []) if mark else re.split(r"\s{2,}", line.strip()) for line in told
    ]
    below: list[str] = []
    for line, plain in zip(told, apart, strict=True):
        for cells in (plain, re.findall(r'"([^"]*)"', line), line.split()):
            words = [word.strip().strip('"') for word in cells]
            while words and not words[-1]:
                words = words[:-1]
            while len(words) > width and not words[0]:
                words = words[1:]
            if len(words) != width or not all(words):
                continue
            if below:
                return with_units(words, below)
            if not are_units(words):
                return words
            below = words
            break
    if below:
        return below
    for plain in apart if mark else ():
        if len(plain) in (width - 1, width) and any(word.strip() for word in plain):
            return [word.strip().strip('"') for word in plain] + [""] * (width - len(plain))
    return [""] * width


def are_units(words: Sequence[str]) -> bool:
    """Return whether a row below a heading has units: "N", "[mm]", "-".

    >>> are_units(["s", "[mm]", "-"]), are_units(["F", "tip"])
    (True, False)
    """
    return all(word in NONE or understood(word.strip("[]()")) is not None for word in words)


def with_units(names: Sequence[str], units: Sequence[str]) -> list[str]:
    """Return headings with the units of the row below.

    >>> with_units(["t", "force"], ["[s]", "-"])
    ['t [s]', 'force']
    """
    plain = [unit.strip("[]()") for unit in units]
    return [name if unit in NONE else f"{name} [{unit}]" for name, unit in zip(names, plain, strict=True)]


def _mat(path: Path) -> dict[str, np.ndarray]:
    from scipy.io import loadmat

    try:
        content: dict[str, Any] = loadmat(path, squeeze_me=False, struct_as_record=True)
    except Exception as error:  # SciPy raises what it meets in a damaged file
        raise FileError(f"{path}: cannot be read as a MATLAB file: {error}. Save it with -v7.") from error
    columns: dict[str, np.ndarray] = {}
    for name, array in _fields(content):
        if name.startswith("__") or array.dtype.kind not in "fiu" or array.ndim != 2:
            continue
        if 1 in array.shape:
            columns[name] = array.ravel().astype(float)
        else:
            columns |= {f"{name}[{k + 1}]": array[:, k].astype(float) for k in range(array.shape[1])}
    if not columns:
        raise FileError(f"{path}: it has no vectors or matrices of numbers.")
    return columns


def _fields(content: Mapping[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield arrays by name, fields of structures by name and field."""
    for name, value in content.items():
        array = np.asarray(value)
        if array.dtype.names and array.size == 1:
            yield from _fields({f"{name}.{field}": array[field].item() for field in array.dtype.names})
        else:
            yield name, array
