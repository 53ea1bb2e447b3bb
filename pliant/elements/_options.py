"""What the options of all beam elements are, and the checks that they share."""

from __future__ import annotations

import math
from typing import ClassVar, Literal, get_args

from pliant.errors import OptionError, nearest

Mass = Literal["consistent", "lumped"]


class BeamElement:
    """Base of the options of beam elements, frozen dataclasses: what ``compile(elements=...)`` takes for a beam.

    Each has `elements`, their number along the beam, and `order`, nodes of an element less one; it may state

    in_space         whether there are kernels for beams in space
    finite_rotation  whether it is right for any rotation, not for small ones about the rest pose only

    >>> from pliant.elements.beam_linear import Linear
    >>> issubclass(Linear, BeamElement), Linear.order, Linear.finite_rotation
    (True, 1, False)
    """

    in_space: ClassVar[bool] = True
    finite_rotation: ClassVar[bool] = True


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
