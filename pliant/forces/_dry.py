"""Dry friction that families smooth: parts with and without it, so that small motions can tell it from dampers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Dry(NamedTuple):
    """A part that may rub (of a contact one ball), as arrays of its family: ``rough`` as it is, ``smooth`` without dry
    friction.

    always  whether it rubs by what it is; if not, by what it does in a state
    locks   whether no sliding is all that sticking is. Not so of a tendon: between guides at which it sticks it has
            tensions of its own, and it may stick at some of them only
    """

    part: Any
    rough: Any
    smooth: Any
    always: bool
    locks: bool = True


def alone(part: Any, e: int, shared: tuple[str, ...] = ()) -> Any:
    """Entry e only of arrays of a family; fields that all entries share stay."""
    return part._replace(
        **{name: field[e : e + 1].copy() for name, field in part._asdict().items() if name not in shared}
    )


def changed(part: Any, field: str, column: int, value: float) -> Any:
    """Arrays with another number in a column of a field."""
    found = np.array(getattr(part, field))
    found[:, column] = value
    return part._replace(**{field: found})
