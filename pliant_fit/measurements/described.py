"""Measurement described by a file, without Python: the meaning of its columns, and how the experiment was done.

source = "ring-down.csv"          # beside this file
time = "t [s]"
begin = { "load/y" = -2.0 }
step = 1e-3
quantities = { "position:beam/tip:y" = "tip [mm]" }
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import fields
from pathlib import Path

from pliant.errors import FileError, OptionError, nearest
from pliant_fit.measurements import columns as c
from pliant_fit.measurements.measurement import Measurement
from pliant_fit.measurements.tables import read_columns

KEYS = [each.name for each in fields(Measurement) if each.init and each.name != "experiment"]
TIME = "time"


def described(path: Path, signals: Collection[str], columns: str | None = None) -> Measurement:
    """Read a measurement from TOML with the arguments of `Measurement`, or from a table whose columns have names of
    ours, or names given by ``columns`` ("ours=theirs, ..."), names of signals, and "time" of a motion.
    """
    if path.suffix != ".toml":
        return _named(path, signals, columns)
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileError(f"{path}: cannot be read: {error}.") from error
    for key in given:
        if key not in KEYS:
            raise FileError(f"{path}: {key!r} is no argument of a measurement. {nearest(key, KEYS, most=20)}")
    if not isinstance(given.get("source"), str):
        raise FileError(f'{path}: source is missing: say which table was measured, source = "weights.csv".')
    words = {"name": path.stem} | given | {"source": path.parent / given["source"]}
    try:
        return Measurement(**words)
    except (TypeError, AttributeError) as error:
        raise OptionError(f"{path}: its values do not describe a measurement: {error}.") from error


def _named(path: Path, signals: Collection[str], columns: str | None) -> Measurement:
    """Read a table whose headings name its columns."""
    names = {c.plain(heading): heading for heading in read_columns(path, gaps=True)}
    told = c.wanted_columns(columns) if columns else {}
    along = told.pop(TIME, names.get(TIME))
    given = {name: told.pop(name, names.get(name, "")) for name in signals if name in names or name in told}
    return Measurement(path, told or None, signals=given, time=along)
