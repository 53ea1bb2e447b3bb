"""Tables of parts, and their entries in the API reference, as the classes of the parts describe themselves.

A line ``<!-- parts: joint -->`` of a page becomes the table of all joints, ``<!-- api: joint -->`` their reference.
"""

from __future__ import annotations

import re

from pliant.model.kinds import kinds_of, load_all
from pliant.model.parts import Part

PLACE = re.compile(r"^<!-- (parts|api): (\w+) -->$", re.MULTILINE)
HEAD = "| | Meaning | Results |\n|---|---|---|"


def with_parts(markdown: str) -> str:
    """The page with its tables of parts."""
    load_all()
    return PLACE.sub(_written, markdown)


def _written(place: re.Match[str]) -> str:
    kinds = [kind for kind in kinds_of(Part) if kind.group == place[2] and kind.__module__.startswith("pliant.")]
    if not kinds:
        raise ValueError(f"{place[0]}: there is no part of that group")
    kinds.sort(key=lambda kind: kind.__name__)
    if place[1] == "api":
        return "\n".join(f"::: {kind.__module__}.{kind.__name__}" for kind in kinds)
    return "\n".join([HEAD, *map(_row, kinds)])


def _row(kind: type[Part]) -> str:
    results = ", ".join(f"`{name}`" for name in getattr(kind, "results", {}))
    return f"| `{_cell(kind.usage())}` | {_cell(kind.summary())} | {results} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
