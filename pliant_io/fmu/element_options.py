"""Element options of beams, as in `compile`, converted to and from JSON for an FMU."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pliant.elements._options import BeamElement
from pliant.errors import FileError, OptionError, nearest
from pliant.model.kinds import find, kinds_of

KIND, BEAMS = "kind", "beams"


def packed(elements: Any) -> Any:
    """Convert to a whole number, a table of options with their kind, or a table of these by beam.

    >>> from pliant.elements.beam_exact import Exact
    >>> packed(4), packed({"leaf": Exact(4)})["beams"]["leaf"]["kind"], unpacked(packed(Exact(4))) == Exact(4)
    (4, 'Exact', True)
    """
    if isinstance(elements, Mapping):
        return {BEAMS: {name: packed(each) for name, each in elements.items()}}
    if not isinstance(elements, BeamElement):
        return int(elements)
    table = {KIND: type(elements).__name__, **asdict(elements)}  # type: ignore[call-overload]
    try:
        json.dumps(table)
    except TypeError as error:
        raise OptionError(f"elements={elements!r:.60}: a file cannot hold its options ({error}).") from error
    return table


def unpacked(table: Any) -> Any:
    """Convert the options back; elements of other packages are found by their entry points."""
    if not isinstance(table, Mapping):
        return table
    if BEAMS in table:
        return {name: unpacked(each) for name, each in table[BEAMS].items()}
    name = str(table.get(KIND))
    kind = find(name)
    if kind is None or not issubclass(kind, BeamElement):
        known = [each.__name__ for each in kinds_of(BeamElement)]
        raise FileError(f"elements: unknown kind {name!r}. {nearest(name, known)}")
    return kind(**{key: value for key, value in table.items() if key != KIND})
