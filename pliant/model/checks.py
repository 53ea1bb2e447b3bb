"""Checks of user input. Each returns the clean value or raises ModelError: part, value, allowed, what to try."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TypeVar

import numpy as np

from pliant.errors import ModelError, PliantWarning, warn

T = TypeVar("T")

LARGEST, SMALLEST = 1e50, 1e-50  # of any quantity in SI units; their powers neither overflow nor vanish

NAME = re.compile(r"[^\W_](?:[\w .+()\[\]'#&%-]{0,78}[\w.+()\[\]'#&%-])?")
ALLOWED_IN_NAMES = (
    "letters, digits, spaces and _ - . + ( ) [ ] ' # & %, starting with a letter or digit, at most 80 characters"
)
MEANT = "/ : @ , = have a meaning where quantities and signals are named."


def refuse(owner: str, argument: str, value: object, allowed: str, hint: str = "") -> ModelError:
    """Make a message: ``Link "crank": length = -0.1 is not allowed; it must be positive. <hint>``."""
    shown = " ".join(repr(value).split())  # on one line, arrays too
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return ModelError(f"{owner}: {argument} = {shown} is not allowed; it must be {allowed}.{' ' * bool(hint)}{hint}")


def number(owner: str, argument: str, value: object, *, hint: str = "") -> float:
    """Return a finite number as a float; refuse NaN, infinities, booleans, text and arrays.

    >>> number('Link "crank"', "mass", 2)
    2.0
    """
    if type(value) is float and -LARGEST <= value <= LARGEST:
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise refuse(owner, argument, value, "a number", hint)
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not abs(result) <= LARGEST:
        raise refuse(owner, argument, value, f"a finite number, at most {LARGEST:g} in size", hint)
    return result


def angle(owner: str, argument: str, value: object, *, hint: str = "") -> float:
    """Return a finite number of radians; more than a whole turn is allowed, but was probably meant in degrees."""
    result = number(owner, argument, value, hint=hint)
    if abs(result) > 2.0 * math.pi + 1e-9:
        warn(
            PliantWarning,
            f"{owner}: {argument} is {result:g} rad, more than a whole turn. Were degrees meant? {result:g} * pl.DEG.",
        )
    return result


def positive(owner: str, argument: str, value: object, *, hint: str = "") -> float:
    """Return a finite number above zero."""
    result = number(owner, argument, value, hint=hint)
    if result < SMALLEST:
        raise refuse(owner, argument, value, "positive", hint)
    return result


def not_negative(owner: str, argument: str, value: object, *, hint: str = "") -> float:
    """Return a finite number, zero or above."""
    result = number(owner, argument, value, hint=hint)
    if result < 0.0:
        raise refuse(owner, argument, value, "zero or positive", hint)
    return result


def fraction(owner: str, argument: str, value: object, *, hint: str = "") -> float:
    """Return a number between 0 and 1, ends included."""
    result = number(owner, argument, value, hint=hint)
    if not 0.0 <= result <= 1.0:
        raise refuse(owner, argument, value, "between 0 and 1", hint)
    return result


def numbers(owner: str, argument: str, values: object, *, least: int = 1) -> tuple[float, ...]:
    """Return a sequence of at least `least` finite numbers as a tuple."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) < least:
        raise refuse(owner, argument, values, f"a sequence of at least {least} numbers")
    return tuple(number(owner, f"{argument}[{i}]", value) for i, value in enumerate(values))


def point(owner: str, argument: str, value: object) -> tuple[float, ...]:
    """Return a point (x, y) or (x, y, z) of finite numbers."""
    found = numbers(owner, argument, value, least=2)
    if len(found) > 3:
        raise refuse(owner, argument, value, "a point (x, y), or (x, y, z) in space, in metres")
    return found


def one_direction(owner: str, angle: float | None, orientation: object) -> None:
    """Refuse both an angle about z and an orientation."""
    if angle and orientation is not None:
        raise ModelError(f"{owner}: both angle and orientation are given. Give the whole rotation as orientation.")


def flag(owner: str, argument: str, value: object) -> bool:
    """Return True or False; refuse anything that merely resembles them."""
    if not isinstance(value, (bool, np.bool_)):
        raise refuse(owner, argument, value, "True or False")
    return bool(value)


def instance(owner: str, argument: str, value: object, kind: type[T], hint: str = "") -> T:
    """Return an object of the given class, or raise."""
    if not isinstance(value, kind):
        raise refuse(owner, argument, value, f"a {kind.__name__}, not a {type(value).__name__}", hint)
    return value


def choice(owner: str, argument: str, value: object, allowed: Iterable[str]) -> str:
    """Return one of a few words, or raise."""
    words = sorted(allowed)
    if not isinstance(value, str) or value not in words:
        raise refuse(owner, argument, value, "one of " + ", ".join(words))
    return value


def name(owner: str, value: object) -> str:
    """Return a name that can be shown in labels and files, and be part of a quantity's name ("angle:crank")."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise refuse(owner, "name", value, f"made of {ALLOWED_IN_NAMES}", MEANT)
    return value
