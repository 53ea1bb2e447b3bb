"""Formats of laboratory files: netCDF, Adams' pages of requests, motion capture, lists of points, spreadsheets.

| Suffix     | What it is                                                                                            |
|------------|-------------------------------------------------------------------------------------------------------|
| .nc        | netCDF 3: every vector of numbers; its attribute ``units`` is kept, "y [mm]"                          |
| .htm .html | pages with tables, as Adams writes of requests: the first table whose rows are numbers                |
| .trc       | motion capture (Vicon, OpenSim): ``Time [s]``, then ``<marker>:x [mm]``, ``:y``, ``:z``               |
| .xyz .pts  | lists of points, one a line, ``<marker> x y z``; a name that comes again begins the next pose         |
| .c3d       | motion capture, binary: the same columns (`pliant_fit.measurements.formats`) |
| .xlsx      | spreadsheets: the first sheet (`pliant_fit.measurements.formats`) |

Motion capture in C3D files: positions of markers at every frame (the C3D File Format, c3d.org, 2021).

    block 1      header: number of points, frames, scale, where the data begin, frames a second
    parameters   groups of named values: POINT:LABELS, POINT:UNITS, POINT:RATE
    data         of every frame x, y, z and a fourth word of every point, then analog samples, which are left out

The fourth word is negative if a point was not visible.

Spreadsheets (.xlsx): the first sheet of a workbook, by ECMA-376 (Office Open XML), without other libraries.

A workbook is an archive: ``xl/workbook.xml`` names the sheets, ``xl/_rels/workbook.xml.rels`` their files,
``xl/sharedStrings.xml`` has the texts that cells refer to. Formulas have the value that was saved with them.
"""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import FileError
from pliant_fit.measurements.tables import MISSING, are_units, lines_of, with_units

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
LARGEST = 500e6  # bytes of a part, once unpacked
CELL = re.compile(r"([A-Z]+)\d+$")


def rows_of(path: Path) -> list[list[str]]:
    """Return the texts of all cells of the first sheet, row by row; empty rows are left out."""
    try:
        with zipfile.ZipFile(path) as book:
            texts = [_text(each) for each in _part(book, "xl/sharedStrings.xml", "si")]
            found = [_row(each, texts) for each in _part(book, _first_sheet(book), "row")]
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, IndexError, ValueError) as error:
        raise FileError(f"{path}: cannot be read as a spreadsheet: {error}. Save the sheet as .csv.") from error
    width = max((len(row) for row in found), default=0)
    return [[*row, *[""] * (width - len(row))] for row in found if any(row)]


def _part(book: zipfile.ZipFile, name: str, tag: str) -> list[ElementTree.Element]:
    """Return elements of a part of the archive; none if it has no such part."""
    if name not in book.namelist():
        return []
    if book.getinfo(name).file_size > LARGEST:
        raise ValueError(f"{name} has more than {LARGEST / 1e6:.0f} MB")
    root = ElementTree.fromstring(book.read(name))
    return [each for each in root.iter() if each.tag in (MAIN + tag, STRICT + tag, tag)]


def _first_sheet(book: zipfile.ZipFile) -> str:
    sheet = _part(book, "xl/workbook.xml", "sheet")[0]
    number = next(value for key, value in sheet.attrib.items() if key.endswith("}id"))
    links = ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels"))
    target = next(each.attrib["Target"] for each in links if each.attrib.get("Id") == number)
    return posixpath.normpath(posixpath.join("xl", target)) if not target.startswith("/") else target[1:]


def _row(row: ElementTree.Element, texts: list[str]) -> list[str]:
    found: list[str] = []
    for cell in row:
        place = CELL.match(cell.attrib.get("r", ""))
        column = _column(place[1]) if place else len(found)
        found += [""] * (column - len(found))
        found.append(_cell(cell, texts))
    return found


def _column(letters: str) -> int:
    """Return 0 for A, 26 for AA.

    >>> _column("A"), _column("Z"), _column("AA")
    (0, 25, 26)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _cell(cell: ElementTree.Element, texts: list[str]) -> str:
    kind = cell.attrib.get("t", "n")
    if kind == "inlineStr":
        return _text(cell)
    value = next((each.text or "" for each in cell if each.tag.endswith("}v") or each.tag == "v"), "")
    if kind == "s" and value:
        return texts[int(value)]
    return "nan" if kind == "e" else value.strip()  # an error, such as #N/A


def _text(element: ElementTree.Element) -> str:
    """Return all runs of a text, without their phonetic reading (rPh)."""
    parts = []
    for each in element:
        tag = each.tag.rpartition("}")[2]
        if tag == "t":
            parts.append(each.text or "")
        elif tag in ("r", "is"):
            parts.append(_text(each))
    return "".join(parts).strip()


BLOCK = 512  # bytes
KEY = 0x50
ORDERS = {84: "<", 86: ">"}  # processors: Intel, MIPS
TYPES = {1: "i1", 2: "i2", 4: "f4"}


def columns_of(path: Path) -> dict[str, np.ndarray]:
    """Return ``Time [s]``, then ``<marker>:x [mm]``, ``:y``, ``:z``; NaN for an invisible marker."""
    content = path.read_bytes()
    try:
        return _read(path, content)
    except (struct.error, IndexError, ValueError, UnicodeDecodeError) as error:
        raise FileError(f"{path} is truncated or damaged: {error}") from error


def _read(path: Path, content: bytes) -> dict[str, np.ndarray]:
    if len(content) < 2 * BLOCK or content[1] != KEY:
        raise FileError(f"{path}: it is no C3D file. Export .trc or .csv from the program that wrote it.")
    begin = BLOCK * (content[0] - 1)
    order = ORDERS.get(content[begin + 3])
    if order is None:
        raise FileError(
            f"{path}: its numbers are in the format of DEC computers, which is not read. Export .trc or .csv."
        )
    points, analog, first, last, _, scale, data, _, rate = struct.unpack_from(f"{order}HHHHHfHHf", content, 2)
    known = _parameters(content, begin + 4, order)
    rate = float(known.get("POINT:RATE", [rate])[0])
    start = BLOCK * (int(known.get("POINT:DATA_START", [data])[0]) - 1)
    kind = np.dtype(f"{order}{'f4' if scale < 0.0 else 'i2'}")
    wide = 4 * points + analog
    frames = (len(content) - start) // (kind.itemsize * wide)
    if last >= first and last < 65535:  # longer recordings do not fit into the header
        if frames < last - first + 1:
            raise ValueError(f"{last - first + 1} frames are announced, {frames} are there")
        frames = last - first + 1
    if not (points and frames > 0 and rate > 0.0):
        raise FileError(f"{path}: it has {points} points, {frames} frames and {rate:g} frames a second.")
    table = np.frombuffer(content, kind, frames * wide, start).reshape(frames, wide)[:, : 4 * points].astype(float)
    places = table.reshape(frames, points, 4)
    seen = places[:, :, 3] >= 0.0
    places = np.where(seen[:, :, None], places[:, :, :3] * (1.0 if scale < 0.0 else scale), np.nan)
    units = str(known.get("POINT:UNITS", [""])[0])
    labels = [str(each) for each in known.get("POINT:LABELS", [])][:points]
    labels += [f"point {k + 1}" for k in range(len(labels), points)]
    if repeated := sorted({label for label in labels if labels.count(label) > 1}):
        raise FileError(f"{path}: several points are called {repeated[0]!r}.")
    found = {"Time [s]": (first - 1 + np.arange(frames)) / rate}
    for k, label in enumerate(labels):
        found |= {f"{label}:{a} [{units}]" if units else f"{label}:{a}": places[:, k, i] for i, a in enumerate("xyz")}
    return found


def _parameters(content: bytes, place: int, order: str) -> dict[str, list[Any]]:
    """Return the values by "GROUP:NAME"."""
    groups: dict[int, str] = {}
    found: list[tuple[int, str, list[Any]]] = []
    while True:
        size, number = struct.unpack_from("bb", content, place)
        if size == 0 or number == 0:
            break
        name = content[place + 2 : place + 2 + abs(size)].decode("ascii").strip().upper()
        after = place + 2 + abs(size)
        offset = struct.unpack_from(f"{order}H", content, after)[0]
        if number < 0:
            groups[-number] = name
        else:
            found.append((number, name, _values(content, after + 2, order)))
        if offset == 0:
            break
        place = after + offset
    return {f"{groups.get(number, '')}:{name}": values for number, name, values in found}


def _values(content: bytes, place: int, order: str) -> list[Any]:
    kind, count = struct.unpack_from("bB", content, place)
    sizes = list(content[place + 2 : place + 2 + count])
    begin, total = place + 2 + count, int(np.prod(sizes, initial=1))
    if kind != -1:
        kinds = np.dtype(f"{order}{TYPES[kind]}") if kind in TYPES else None
        if kinds is None:
            raise ValueError(f"a parameter is of the type {kind}")
        unsigned = np.frombuffer(content, kinds, total, begin)
        return list((unsigned.view(f"{order}u2") if kind == 2 else unsigned).tolist())
    text = content[begin : begin + total].decode("latin-1")
    width = sizes[0] if sizes else total
    return [text[k : k + width].strip("\0 ") for k in range(0, total, width or 1)]


Columns = dict[str, np.ndarray]


def _number(text: str) -> float | None:
    """Return a number, NaN if missing; None for a word."""
    if text.strip().lower() in MISSING:
        return np.nan
    try:
        return float(text)
    except ValueError:
        return None


def _of_rows(path: Path, rows: list[list[str]]) -> Columns:
    """Return rows of numbers below a row of words, up to the next row of words."""
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
    """Parser of the cells of all tables of a page, row by row."""

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
    """Read motion capture as text: frames with the positions of markers."""
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
