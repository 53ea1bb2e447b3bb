"""Results of other programs for comparison: columns of a file under the names of our quantities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pliant.errors import FileError, OptionError, nearest
from pliant_compare.courses import Course
from pliant_fit.measurements.columns import HEADING, column, factor, plain, wanted_columns
from pliant_fit.measurements.tables import read_columns

TIME = "time"
UNITS = {
    "mm": ("m", 1e-3), "cm": ("m", 1e-2), "deg": ("rad", np.pi / 180.0), "°": ("rad", np.pi / 180.0),
    "ms": ("s", 1e-3), "sec": ("s", 1.0), "newton": ("N", 1.0), "kn": ("N", 1e3), "hz": ("Hz", 1.0),
}  # fmt: skip
"""Units of others: ours, and the factor to them."""


@dataclass(frozen=True)
class Other:
    """Results of another program.

    name     of the program or file
    courses  by the names of our quantities, along time
    """

    name: str
    courses: Mapping[str, Course]
    notes: tuple[str, ...] = ()

    def matched(self, ours: Mapping[str, Course]) -> dict[str, Course]:
        """Return its quantities that we have; raise if we have none, or one in other units."""
        found = {}
        for name, course in self.courses.items():
            if name in ours:
                if course.units and course.units != ours[name].units:
                    raise OptionError(
                        f"{self.name}: {name} is in {course.units}, ours in {ours[name].units}. Give a factor, as in "
                        f'--columns "{name}=COLUMN*0.001".'
                    )
                found[name] = course._replace(units=ours[name].units)
        if not found:
            wanted = next(iter(self.courses))
            raise OptionError(
                f"{self.name}: none of its columns ({', '.join(self.courses)}) is a quantity of ours. "
                f"{nearest(wanted, ours)} Say which is which with --columns."
            )
        return found


def read_other(path: str | Path, columns: str | Mapping[str, str] | None = None, *, name: str | None = None) -> Other:
    """Read a table of another program: CSV, Adams' tables, Exudyn's sensors, MATLAB files (`foreign_tables`).

    columns  ours = theirs, as a mapping or as text, "time=1, position:beam/tip:y=TIP_Y*0.001": a column by its heading
             or number, and a factor if units differ. Default: columns with the names of our quantities; units in
             headings, "tip y [mm]", are converted
    name     in the comparison; default: the file's name

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "theirs.csv")
    ...     _ = file.write_text("time [s],tip [mm]\\n0,0\\n0.1,-5\\n")
    ...     read_other(file, "time, position:arm/tip:y=tip").courses["position:arm/tip:y"].values.tolist()
    [0.0, -0.005]
    """
    path = Path(path)
    table = {label: _in_ours(label, values) for label, values in read_columns(path, gaps=True).items()}
    names = [plain(label) for label in table]
    wanted = {label: label for label in names} if columns is None else wanted_columns(columns)
    found: dict[str, Course] = {}
    for ours, theirs in wanted.items():
        label, times = factor(theirs, [*table, *names])
        units, values = table[column(path, label, list(table))]
        found[ours] = Course("" if times != 1.0 else units, np.zeros(0), times * values)
    along = "time"
    if TIME not in found and columns is None:
        along = f"first column, {next(iter(found))}, which is taken for the time,"
        found[TIME] = next(iter(found.values()))
    if TIME not in found:
        raise OptionError(f'{path}: say which column is the time, as in --columns "time=1,...".')
    x = found.pop(TIME).values
    _check(path, along, x, found)
    known = {key: np.isfinite(each.values) for key, each in found.items()}
    notes = [
        f"{key}: {int(np.sum(~there))} of {x.size} values are missing" for key, there in known.items() if not all(there)
    ]
    courses = {
        key: each._replace(x=x[known[key]], values=each.values[known[key]])
        for key, each in found.items()
        if np.sum(known[key]) > 1
    }
    return Other(name or path.name, courses, tuple(notes))


def _check(path: Path, along: str, x: np.ndarray, found: Mapping[str, Course]) -> None:
    if not found:
        raise FileError(f"{path}: it has a time, and nothing along it.")
    for key, each in found.items():
        if each.values.size != x.size:
            raise FileError(f"{path}: {key} has {each.values.size} values, the time {x.size}.")
    if not np.all(np.isfinite(x)):
        raise FileError(f"{path}: the time is missing in row {int(np.argmax(~np.isfinite(x))) + 1}.")
    for key, each in found.items():
        if np.sum(np.isfinite(each.values)) < min(2, each.values.size):
            raise FileError(f"{path}: {key} has no values: they are not finite, or missing.")
    if x.size < 2:
        raise FileError(f"{path}: it has {x.size} instant; two or more are needed.")
    if np.any(np.diff(x) <= 0.0):
        k = int(np.argmax(np.diff(x) <= 0.0))
        hint = "" if along == "time" else ' Say which column is the time, --columns "time=1,...".'
        raise FileError(
            f"{path}: the {along} does not increase from {x[k]:g} to {x[k + 1]:g}, rows {k + 1} and {k + 2}.{hint}"
        )


def _in_ours(label: str, values: np.ndarray) -> tuple[str, np.ndarray]:
    """Return our name of a column, and its values converted from the units of its heading."""
    match = HEADING.match(label)
    units = match["units"].strip() if match and match["name"] else ""
    ours, factor = UNITS.get(units.lower(), (units, 1.0))
    return ours, factor * values
