"""Columns of a table: selection by heading, and units of their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import log

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.units import ParsedUnits, parse_units

HEADING = re.compile(r"(?P<name>.*?)\s*[\[(](?P<units>[^\W\d][^\[\](),]*|°)[\])]\s*$")
QUOTIENT = re.compile(r"(?P<name>.*?)\s+/\s*(?P<units>\S.*?)\s*$")  # ISO 80000: t / s
COMMA = re.compile(r",(?![^()]*\))")  # not inside a marker, bob(0, 0)
ALIASES = {
    "sec": "s", "second": "s", "seconds": "s", "newton": "N", "newtons": "N", "kn": "kN", "hz": "Hz", "hertz": "Hz",
    "degree": "deg", "degrees": "deg", "radian": "rad", "radians": "rad", "meter": "m", "metre": "m",
    "millimeter": "mm", "millimetre": "mm", "millimeters": "mm", "newton-meter": "N m", "newton-mm": "N mm",
}  # fmt: skip
"""Words of other programs for units."""
HUNDREDTH = {"m": "cm", "1": "%"}
NEAR = log(4.0)  # factors that differ by less are equal


def wanted_columns(columns: str | Mapping[str, str]) -> dict[str, str]:
    """Return {our name: its heading}; a single word is both.

    >>> wanted_columns("time, position:arm/tip:y=TIP_Y*0.001")
    {'time': 'time', 'position:arm/tip:y': 'TIP_Y*0.001'}
    """
    if not isinstance(columns, str):
        return dict(columns)
    found = {}
    for item in COMMA.split(columns):
        ours, _, theirs = (word.strip() for word in item.partition("="))
        if not ours:
            raise OptionError(f'--columns {columns!r}: write "time=1,position:beam/tip:y=TIP_Y*0.001".')
        found[ours] = theirs or ours
    return found


def factor(text: str, known: Iterable[str]) -> tuple[str, float]:
    """Return a heading, and the factor of its numbers.

    >>> factor("TIP_Y*0.001", ["TIP_Y"])
    ('TIP_Y', 0.001)
    """
    label, star, number = text.rpartition("*")
    if star and text not in known:
        try:
            return label.strip(), float(number)
        except ValueError:
            pass
    return text, 1.0


def column(owner: object, label: str, table: list[str]) -> str:
    """Return the heading of the column given by its heading, with or without units, or by its number."""
    if label in table:
        return label
    same = [each for each in table if plain(each) == label]
    if len(same) == 1:
        return same[0]
    if label.isdecimal() and 1 <= int(label) <= len(table):
        return table[int(label) - 1]
    told = f"{len(same)} columns are called so: {', '.join(same)}." if same else nearest(label, table, most=30)
    raise OptionError(f"{owner}: there is no column {label!r}. {told}")


def plain(label: str) -> str:
    """Return a heading without its units.

    >>> plain("tip y [mm]"), told_units("tip y [mm]"), told_units("tip y"), told_units("F / kN")
    ('tip y', 'mm', '', 'kN')
    """
    return _parted(label)[0]


def told_units(label: str) -> str:
    """Return the units in a heading."""
    return _parted(label)[1]


def _parted(label: str) -> tuple[str, str]:
    match = HEADING.match(label)
    if match is None and (quotient := QUOTIENT.match(label)) and understood(quotient["units"]):
        match = quotient
    return (match["name"], match["units"].strip()) if match and match["name"] else (label, "")


def understood(units: str) -> ParsedUnits | None:
    """Return units in SI; None if unknown.

    >>> float(understood("mm").factor), understood("furlong")
    (0.001, None)
    """
    try:
        return parse_units(ALIASES.get(units.strip().lower(), units.strip()))
    except ValueError:
        return None


def same_kind(one: str, other: str) -> bool:
    """Return whether two units have the same dimension; angles are not pure numbers."""
    a, b = understood(one or "1"), understood(other or "1")
    return a is None or b is None or a[1:] == b[1:] or {one, other} <= {"", "1", "rad"}


def doubt(size: float, expected: float, units: str) -> tuple[str, float] | None:
    """Return the likely units of measured numbers, from their size and the expected one, and the factor to SI; None
    without doubt.

    >>> doubt(31.0, 0.029, "m"), doubt(0.031, 0.029, "m")
    (('mm', 0.001), None)
    >>> doubt(57.0, 1.1, "rad")[0], doubt(3.0, 0.029, "m")
    ('deg', ('cm', 0.01))
    """
    if not (size > 0.0 and expected > 0.0 and np.isfinite(size) and np.isfinite(expected)):
        return None
    others = [("deg", np.pi / 180.0)] if units.startswith("rad") else [(HUNDREDTH.get(units, f"{units} / 100"), 0.01)]
    thousand = {"m": ("mm", "km"), "s": ("ms", "ks"), "N": ("mN", "kN"), "Hz": ("mHz", "kHz"), "N m": ("N mm", "kN m")}
    small, large = thousand.get(units, (f"{units} / 1000", f"1000 {units}"))
    found = log(size / expected)
    name, factor = min([*others, (small, 1e-3), (large, 1e3)], key=lambda each: abs(found + log(each[1])))
    return (name, factor) if abs(found + log(factor)) < min(NEAR, 0.4 * abs(log(factor))) else None
