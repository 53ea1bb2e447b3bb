"""Other spellings of names: labels with 0.30 for 0.3, z = 0 written out, a body's name for its centre; directions."""

from __future__ import annotations

import re
from collections.abc import Iterable

PLACE = re.compile(r"\(([-+.\deE]+(?:\s*,\s*[-+.\deE]+)+)\)")  # two or more numbers in brackets
CENTRE = "(0, 0)"  # where a label names the centre of a body
DIRECTIONS = {"angle": "rotation", "rotation": "angle"}  # in the plane, and in space


def known_as(label: str, known: Iterable[str]) -> str:
    """Return the known label, or name of a quantity, with the same meaning; the label itself if there is none.

    >>> known_as("platform(0, 0, 0)", ["crank/tip", "platform(0, 0)"])
    'platform(0, 0)'
    >>> known_as("weld ground(0.10,0) - arm/base", ["weld ground(0.1, 0) - arm/base"])
    'weld ground(0.1, 0) - arm/base'
    >>> known_as("platform", ["crank/tip", "platform(0, 0)"])  # a body's name means its centre
    'platform(0, 0)'
    >>> known_as("position:platform:x", ["position:platform(0, 0):x"])
    'position:platform(0, 0):x'
    """
    names = list(known)
    if label in names:
        return label
    if PLACE.search(label) is not None:
        wanted = [_in_one_spelling(label)]
    else:
        words = label.split(":")
        centres = (":".join([*words[:k], word + CENTRE, *words[k + 1 :]]) for k, word in enumerate(words))
        wanted = [_in_one_spelling(each) for each in centres]
    return next((each for each in names if _in_one_spelling(each) in wanted), label)


def direction(name: str, known: Iterable[str]) -> str:
    """Return a hint for the angle of a body in space, or its rotation in the plane; empty for other names.

    >>> direction("angle:platform", ["rotation", "position"])
    'In space write rotation:platform:z.'
    >>> direction("rotation:arm:z", ["angle"]), direction("tension:rope", ["angle"])
    ('In the plane write angle:arm.', '')
    """
    variable, *labels = name.split(":")
    other = DIRECTIONS.get(variable)
    if other is None or other not in known:
        return ""
    if other == "angle":
        return f"In the plane write {':'.join(['angle', *labels[:1]])}."
    return f"In space write {':'.join(['rotation', *labels[:1], 'z'] if labels else ['rotation'])}."


def _in_one_spelling(label: str) -> str:
    return PLACE.sub(_numbers, label)


def _numbers(found: re.Match[str]) -> str:
    try:
        x, y, *rest = (float(word) for word in found[1].split(","))
    except ValueError:
        return found[0]
    return f"({', '.join(f'{value + 0.0:.6g}' for value in (x, y, *(rest or [0.0])))})"
