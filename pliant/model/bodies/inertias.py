"""Moments of inertia: one number in the plane; in space one number, three about the axes, or a 3 x 3 matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from pliant.model import checks, rotations

InertiaLike: TypeAlias = float | Sequence[float] | Sequence[Sequence[float]] | np.ndarray
"""A number, three principal moments or a matrix, as a user gives them (kg m^2)."""
Inertia: TypeAlias = float | tuple[float, float, float] | tuple[tuple[float, ...], ...]

POSSIBLE = "that of a body: no principal moment is negative or exceeds the sum of the other two"
ROUNDING = 1e-9


def inertia(owner: str, value: InertiaLike) -> Inertia:
    """Return a number, three principal moments or a symmetric matrix (kg m^2), checked to be physically possible.

    >>> inertia('Body "b"', [1, 2, 2.5])
    (1.0, 2.0, 2.5)
    """
    rows: Any = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return checks.not_negative(owner, "inertia", value)
    if len(rows) != 3:
        raise checks.refuse(owner, "inertia", value, "a number, 3 moments about the axes, or a 3 x 3 matrix")
    if any(isinstance(row, Sequence) for row in rows):
        found: Any = rotations.square(owner, "inertia", rows, 3)
        full = np.array(found)
        if np.max(np.abs(full - full.T)) > ROUNDING * np.max(np.abs(full)):
            raise checks.refuse(owner, "inertia", value, "symmetric")
    else:
        found = tuple(checks.not_negative(owner, f"inertia[{i}]", row) for i, row in enumerate(rows))
        full = np.diag(found)
    low, middle, high = np.linalg.eigvalsh(full)
    if low < -ROUNDING * high or high > (low + middle) * (1.0 + ROUNDING):
        raise checks.refuse(owner, "inertia", value, POSSIBLE, "Products of inertia are -int x y dm.")
    return found


def matrix(value: Inertia) -> rotations.Array:
    """Return the (3, 3) matrix of an inertia; one number is the inertia about every axis."""
    given = np.array(value, float)
    return given if given.ndim == 2 else np.diag(np.broadcast_to(given, 3)).astype(float)
