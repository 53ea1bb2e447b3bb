"""Labels of markers with their coordinates spelled in another way: 0.30 for 0.3, z = 0 written out."""

from __future__ import annotations

import re
from collections.abc import Iterable

PLACE = re.compile(r"\(([-+.\deE]+(?:\s*,\s*[-+.\deE]+)+)\)")  # two or more numbers in brackets


def known_as(label: str, known: Iterable[str]) -> str:
    """The known label that means the same place; the label itself if there is none.

    >>> known_as("platform(0, 0, 0)", ["crank/tip", "platform(0, 0)"])
    'platform(0, 0)'
    >>> known_as("weld ground(0.10,0) - arm/base", ["weld ground(0.1, 0) - arm/base"])
    'weld ground(0.1, 0) - arm/base'
    """
    if PLACE.search(label) is None:
        return label
    wanted = _in_one_spelling(label)
    return next((each for each in known if _in_one_spelling(each) == wanted), label)


def _in_one_spelling(label: str) -> str:
    return PLACE.sub(_numbers, label)


def _numbers(found: re.Match[str]) -> str:
    try:
        x, y, *rest = (float(word) for word in found[1].split(","))
    except ValueError:
        return found[0]
    return f"({', '.join(f'{value + 0.0:.6g}' for value in (x, y, *(rest or [0.0])))})"
