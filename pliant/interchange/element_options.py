"""Elements of beams, as of `compile`, to and from what JSON holds: they travel in an FMU."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pliant.elements._options import BeamElement
from pliant.errors import FileError, OptionError, nearest

KIND, BEAMS = "kind", "beams"


def packed(elements: Any) -> Any:
    """A whole number, a table of options with their kind, or these by the names of beams.

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
    """The same again; elements of other packages are found by their entry points."""
    if not isinstance(table, Mapping):
        return table
    if BEAMS in table:
        return {name: unpacked(each) for name, each in table[BEAMS].items()}
    from pliant.model.kinds import load_all
    from pliant.system.catalogue import families

    load_all()
    families()
    known = {kind.__name__: kind for kind in BeamElement.__subclasses__()}
    name = str(table.get(KIND))
    if name not in known:
        raise FileError(f"elements: there are none called {name!r}. {nearest(name, known)}")
    return known[name](**{key: value for key, value in table.items() if key != KIND})
