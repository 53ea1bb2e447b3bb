"""Dry friction that families smooth: parts with and without it, to distinguish it from dampers in small motions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Dry(NamedTuple):
    """A part that may rub (for a contact, one ball), as arrays of its family: ``rough`` with dry friction, ``smooth``
    without it.

    always  whether it rubs in every state; if not, only in some states
    locks   whether sticking means only that nothing slides; False for a tendon: between guides at which it sticks it
            has separate tensions, and it may stick at some guides only
    """

    part: Any
    rough: Any
    smooth: Any
    always: bool
    locks: bool = True


def alone(part: Any, e: int, shared: tuple[str, ...] = ()) -> Any:
    """Return the arrays of entry e alone; fields that all entries share stay."""
    return part._replace(
        **{name: field[e : e + 1].copy() for name, field in part._asdict().items() if name not in shared}
    )


def changed(part: Any, field: str, column: int, value: float) -> Any:
    """Return the arrays with another number in a column of a field."""
    found = np.array(getattr(part, field))
    found[:, column] = value
    return part._replace(**{field: found})
