"""Names that other programs accept: identifiers of MATLAB and of FMI tools."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 63  # longest name in MATLAB

KEYWORDS = frozenset(  # of MATLAB
    [
        "break",
        "case",
        "catch",
        "classdef",
        "continue",
        "else",
        "elseif",
        "end",
        "for",
        "function",
        "global",
        "if",
        "otherwise",
        "parfor",
        "persistent",
        "return",
        "spmd",
        "switch",
        "try",
        "while",
    ]
)


def identifiers(names: Sequence[str]) -> list[str]:
    """Return for each name an identifier of letters, digits and underscores, all different.

    >>> identifiers(["motor/torque", "angle:lower link", "angle:lower_link", "2nd", "Größe", "end"])
    ['motor_torque', 'angle_lower_link', 'angle_lower_link_2', 'x2nd', 'Gr_e', 'end_2']
    """
    found: list[str] = []
    for name in names:
        word = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "x"
        word = (word if word[0].isalpha() else f"x{word}")[: LONGEST - 4]
        candidate, number = word, 2
        while candidate in found or candidate in KEYWORDS:
            candidate, number = f"{word}_{number}", number + 1
        found.append(candidate)
    return found
