"""Checks shared by regulators, observers and controllers. Each returns the clean value or raises OptionError."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pliant.control.models.linear_model import LinearModel
from pliant.errors import OptionError, nearest

ROUNDING = 1e-10  # relative to the entries of a weight: smaller ones are zero


PerName: TypeAlias = float | Mapping[str, float] | None
"""A number for all, or numbers by name; None: as it is."""
PerActuator: TypeAlias = ArrayLike | Mapping[str, float] | None
"""A number for all, one for each in their order, or some by name."""
StartOfStates: TypeAlias = ArrayLike | Mapping[str, float] | None
"""Deviation of states at the start: all in their order, some by name, or none."""


def names(owner: str, argument: str, values: object) -> tuple[str, ...]:
    """Return different names as a tuple; a single text is refused, since it is a sequence of letters."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not all(isinstance(v, str) for v in values):
        raise OptionError(f"{owner}: {argument}={values!r}: give a list of names.")
    if len(set(values)) < len(values):
        twice = next(v for v in values if values.count(v) > 1)
        raise OptionError(f"{owner}: {argument} holds {twice!r} twice.")
    return tuple(values)


def positions(owner: str, argument: str, values: object, known: Sequence[str]) -> list[int]:
    """Return places of names among the known ones (keys are names too); an error suggests the nearest name."""
    wanted = names(owner, argument, list(values) if isinstance(values, Mapping) else values)
    for name in wanted:
        if name not in known:
            raise OptionError(f"{owner}: {argument}: there is no {name!r}. {nearest(name, known)}")
    return [list(known).index(name) for name in wanted]


def number(owner: str, argument: str, value: object) -> float:
    """Return a finite number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number) or np.iscomplexobj(value):
        raise OptionError(f"{owner}: {argument}={value!r}: give a number.")
    result = float(value)
    if not math.isfinite(result):
        raise OptionError(f"{owner}: {argument}={value!r}: it must be finite.")
    return result


def positive(owner: str, argument: str, value: object) -> float:
    """Return a finite number above zero."""
    result = number(owner, argument, value)
    if result <= 0.0:
        raise OptionError(f"{owner}: {argument}={value!r}: it must be positive.")
    return result


def not_negative(owner: str, argument: str, value: object) -> float:
    """Return a finite number, zero or above."""
    result = number(owner, argument, value)
    if result < 0.0:
        raise OptionError(f"{owner}: {argument}={value!r}: it must be zero or positive.")
    return result


def whole(owner: str, argument: str, value: object) -> int:
    """Return a whole number, zero or above."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 0:
        raise OptionError(f"{owner}: {argument}={value!r}: give a whole number, zero or above.")
    return int(value)


def weight(owner: str, argument: str, value: object, size: int, *, definite: bool) -> np.ndarray:
    """Return a symmetric weight from a number (times the identity), a vector (the diagonal) or a matrix.

    It must have no negative eigenvalue; ``definite``: no zero eigenvalue either.
    """
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "iuf":
            raise ValueError
        matrix = given.astype(float)
    except (TypeError, ValueError):
        raise OptionError(f"{owner}: {argument}={value!r:.60}: give a number, a diagonal or a matrix.") from None
    if not np.all(np.isfinite(matrix)):
        raise OptionError(f"{owner}: {argument} holds {matrix[~np.isfinite(matrix)][0]}; it must be finite.")
    if matrix.ndim < 2 and matrix.size in (1, size):
        matrix = np.diag(np.broadcast_to(matrix, (size,)))
    if matrix.shape != (size, size):
        raise OptionError(f"{owner}: {argument} has the shape {matrix.shape}; it must be {size} by {size}.")
    skew = np.abs(matrix - matrix.T)
    largest = float(np.max(np.abs(matrix)))
    if np.max(skew) > ROUNDING * largest:
        i, j = np.unravel_index(int(np.argmax(skew)), skew.shape)
        raise OptionError(
            f"{owner}: {argument} is not symmetric: {argument}[{i}, {j}] = {matrix[i, j]:g} but "
            f"{argument}[{j}, {i}] = {matrix[j, i]:g}."
        )
    matrix = 0.5 * (matrix + matrix.T)
    unit = np.sqrt(np.where(np.diag(matrix) > 0.0, np.diag(matrix), 1.0))  # weights may have very different units
    least = float(np.linalg.eigvalsh(matrix / np.outer(unit, unit))[0])
    if least < -ROUNDING or definite and least <= ROUNDING:
        lowest, wish = (
            float(np.linalg.eigvalsh(matrix)[0]),
            "all must be positive" if definite else "none may be negative",
        )
        raise OptionError(f"{owner}: {argument} has the eigenvalue {lowest:.6g}; {wish}.")
    return matrix


def per_name(owner: str, argument: str, value: PerName, known: Sequence[str], present: np.ndarray) -> np.ndarray:
    """Return one number for every name: a number for all, or a mapping for some; the others keep their value."""
    result = present.copy()
    if isinstance(value, Mapping):
        for i, (name, each) in zip(positions(owner, argument, value, known), value.items(), strict=True):
            result[i] = number(owner, f"{argument} of {name!r}", each)
    elif value is not None:
        result[:] = number(owner, argument, value)
    return result


def linear(owner: str, model: object) -> None:
    """Refuse anything but a linear model with states, inputs and outputs."""
    if not isinstance(model, LinearModel):
        raise OptionError(f"{owner}: {model!r:.60} is no linear model. Linearise a system first: pl.linearise(system).")
    for what in ("state", "input", "output"):
        if not getattr(model, f"{what}_names"):
            raise OptionError(f"{owner}: the model has no {what}s. Name some in pl.linearise.")
