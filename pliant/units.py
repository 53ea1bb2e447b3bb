"""SI units in text, as parts and results state them: "N m/rad" is mass length^2 / time^2."""

from __future__ import annotations

import re
from functools import lru_cache

BASE = {  # exponents of length, time and mass
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
}
WORD = re.compile(r"([A-Za-z]+|1)(?:\^?(-?\d+)|([²³]))?")


@lru_cache(maxsize=256)
def exponents(units: str) -> tuple[int, int, int]:
    """Exponents of length, time and mass; ValueError if a word is not known.

    >>> exponents("kg m^2"), exponents("N s/m²"), exponents("1/s")
    ((2, 0, 1), (-1, -1, 1), (0, -1, 0))
    """
    total = [0, 0, 0]
    for k, half in enumerate(units.split("/")):
        for word in half.replace("·", " ").split():
            match = WORD.fullmatch(word)
            if match is None or match[1] not in BASE:
                raise ValueError(f"{word!r} in {units!r} is not a unit that is known: {', '.join(BASE)}")
            power = int(match[2] or {"²": 2, "³": 3}.get(match[3], 1)) * (-1 if k else 1)
            total = [sum_ + power * own for sum_, own in zip(total, BASE[match[1]], strict=True)]
    return total[0], total[1], total[2]
