"""Units in text. Parts and results state SI units: "N m/rad" is mass length^2 / time^2. Users may give others: "mm"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

BASE = {  # exponents of length, time and mass; a current is a plain number, like an angle
    "1": (0, 0, 0),
    "rad": (0, 0, 0),
    "m": (1, 0, 0),
    "s": (0, 1, 0),
    "kg": (0, 0, 1),
    "Hz": (0, -1, 0),
    "N": (1, -2, 1),
    "J": (2, -2, 1),
    "W": (2, -3, 1),
    "Pa": (-1, -2, 1),
    "A": (0, 0, 0),
}
PREFIXES = {"n": -9, "u": -6, "µ": -6, "μ": -6, "m": -3, "c": -2, "d": -1, "k": 3, "M": 6, "G": 9}  # powers of ten
POUND, STANDARD_GRAVITY = Fraction(45_359_237, 100_000_000), Fraction(980_665, 100_000)  # kg, m/s^2
DEGREE = Fraction(math.pi) / 180
OTHERS = {  # their values in SI units
    "g": (Fraction(1, 1000), "kg"),
    "t": (Fraction(1000), "kg"),
    "in": (Fraction(254, 10000), "m"),
    "ft": (Fraction(3048, 10000), "m"),
    "lb": (POUND, "kg"),
    "lbf": (POUND * STANDARD_GRAVITY, "N"),
    "kgf": (STANDARD_GRAVITY, "N"),
    "gf": (STANDARD_GRAVITY / 1000, "N"),
    "psi": (POUND * STANDARD_GRAVITY / Fraction(254, 10000) ** 2, "Pa"),
    "bar": (Fraction(100_000), "Pa"),
    "min": (Fraction(60), "s"),
    "h": (Fraction(3600), "s"),
    "deg": (DEGREE, "rad"),
    "°": (DEGREE, "rad"),
    "rev": (360 * DEGREE, "rad"),
    "rpm": (6 * DEGREE, "rad/s"),
    "%": (Fraction(1, 100), "1"),
    "Nm": (Fraction(1), "N m"),
}
WITHOUT_PREFIX = {"1", "rad", "kg", *OTHERS} - {"g", "Nm"}
WORD = re.compile(r"([A-Za-zµμ]+|[°%1])(?:\^?(-?\d+(?:\.\d+)?)|([²³]))?")


Power: TypeAlias = int | Fraction


class ParsedUnits(NamedTuple):
    """A product of units: its size in SI units (exact except for roots), and the exponents of length, time, mass,
    current and angle.
    """

    factor: Fraction | float
    length: Power
    time: Power
    mass: Power
    current: Power
    angle: Power


@lru_cache(maxsize=256)
def exponents(units: str) -> tuple[Power, Power, Power]:
    """Return the exponents of length, time and mass of SI units; ValueError for an unknown word.

    >>> exponents("kg m^2"), exponents("N s/m²"), exponents("1/s"), exponents("N/m^1.5")[0]
    ((2, 0, 1), (-1, -1, 1), (0, -1, 0), Fraction(-1, 2))
    """
    total: list[Power] = [0, 0, 0]
    for word, power in _words(units):
        if word not in BASE:
            raise _unknown(word, units, BASE)
        total = [sum_ + power * own for sum_, own in zip(total, BASE[word], strict=True)]
    return total[0], total[1], total[2]


@lru_cache(maxsize=256)
def parse_units(units: str) -> ParsedUnits:
    """Convert a user's units to SI units; ValueError for an unknown word.

    >>> parse_units("mm").factor, parse_units("kN/m^2")
    (Fraction(1, 1000), ParsedUnits(factor=Fraction(1000, 1), length=-1, time=-2, mass=1, current=0, angle=0))
    """
    factor: Any = Fraction(1)
    total: list[Power] = [0, 0, 0, 0, 0]
    for word, power in _words(units):
        size, in_si = _in_si(word, units)
        factor *= size**power
        own = (*exponents(in_si), int(in_si == "A"), int("rad" in in_si))
        total = [sum_ + power * each for sum_, each in zip(total, own, strict=True)]
    return ParsedUnits(factor, *total)


def _words(units: str) -> list[tuple[str, Power]]:
    """Return words and their powers; all words after a slash are divisors."""
    found = []
    for k, half in enumerate(units.replace("**", "^").split("/")):
        for word in re.split(r"[\s·*]+", half.strip()):
            match = WORD.fullmatch(word)
            if match is None:
                raise _unknown(word, units, BASE)
            power = Fraction(match[2] or {"²": 2, "³": 3}.get(match[3], 1)) * (-1 if k else 1)
            found.append((match[1], int(power) if power.denominator == 1 else power))
    return found


def _in_si(word: str, units: str) -> tuple[Fraction, str]:
    if word in OTHERS:
        return OTHERS[word]
    if word in BASE:
        return Fraction(1), word
    prefix, rest = word[:1], word[1:]
    if prefix in PREFIXES and rest in {*BASE, *OTHERS} - WITHOUT_PREFIX:
        size, in_si = OTHERS.get(rest, (Fraction(1), rest))
        return size * Fraction(10) ** PREFIXES[prefix], in_si
    raise _unknown(word, units, [*BASE, *OTHERS, "mm", "kN", "MPa and other prefixes"])


def _unknown(word: str, units: str, known: Iterable[str]) -> ValueError:
    where = f" in {units!r}" if units != word else ""
    return ValueError(f"{word!r}{where} is not a known unit. Known are {', '.join(known)}")
