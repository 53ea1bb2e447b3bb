"""Checks shared by the options of elements."""

from __future__ import annotations

import math
from typing import Literal, get_args

from pliant.errors import OptionError, nearest

Mass = Literal["consistent", "lumped"]


def check_count(owner: str, name: str, value: int, largest: int = 1_000_000) -> None:
    """A whole number from 1 to largest."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= largest:
        raise OptionError(f"{owner}: {name} is {value!r}; it must be a whole number from 1 to {largest}.")


def check_choice(owner: str, name: str, value: str, choices: object) -> None:
    """One of the words of a Literal type."""
    words = get_args(choices)
    if value not in words:
        raise OptionError(
            f"{owner}: {name} is {value!r}; it must be one of {', '.join(words)}. {nearest(str(value), words)}"
        )


def check_finite(owner: str, name: str, value: float) -> None:
    """A finite number."""
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise OptionError(f"{owner}: {name} is {value!r}; it must be a finite number.")


def check_flag(owner: str, name: str, value: bool) -> None:
    """True or False."""
    if not isinstance(value, bool):
        raise OptionError(f"{owner}: {name} is {value!r}; it must be True or False.")
