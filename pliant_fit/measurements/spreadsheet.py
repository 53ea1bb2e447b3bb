"""Spreadsheets (.xlsx): the first sheet of a workbook, by ECMA-376 (Office Open XML), without other libraries.

A workbook is an archive: ``xl/workbook.xml`` names the sheets, ``xl/_rels/workbook.xml.rels`` says in which file each
is, ``xl/sharedStrings.xml`` has the texts that cells point to. Formulas count with the value that was saved with them.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from pliant.errors import FileError

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
LARGEST = 500e6  # bytes of a part, once unpacked
CELL = re.compile(r"([A-Z]+)\d+$")


def rows_of(path: Path) -> list[list[str]]:
    """Texts of all cells of the first sheet, row by row; empty rows are left out."""
    try:
        with zipfile.ZipFile(path) as book:
            texts = [_text(each) for each in _part(book, "xl/sharedStrings.xml", "si")]
            found = [_row(each, texts) for each in _part(book, _first_sheet(book), "row")]
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, IndexError, ValueError) as error:
        raise FileError(f"{path}: cannot be read as a spreadsheet: {error}. Save the sheet as .csv.") from error
    width = max((len(row) for row in found), default=0)
    return [[*row, *[""] * (width - len(row))] for row in found if any(row)]


def _part(book: zipfile.ZipFile, name: str, tag: str) -> list[ElementTree.Element]:
    """Elements of a part of the archive; none where it has no such part."""
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
    """0 of A, 26 of AA.

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
    """All runs of a text, without how they are read aloud (rPh)."""
    parts = []
    for each in element:
        tag = each.tag.rpartition("}")[2]
        if tag == "t":
            parts.append(each.text or "")
        elif tag in ("r", "is"):
            parts.append(_text(each))
    return "".join(parts).strip()
