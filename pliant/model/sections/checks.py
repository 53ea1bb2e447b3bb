"""Checks of matrices and pairs given to a `Section`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.model import checks, rotations

ShearFactor = float | str | tuple[float, float]
Table = tuple[tuple[float, ...], ...]
ROUNDING = 1e-9  # relative to the largest entry
DEFINITE = 1e-12  # least eigenvalue of a matrix with ones on its diagonal


def stiffness_matrix(owner: str, value: Any) -> Table:
    """Return a 6 x 6 matrix, symmetric and positive definite in any units of its rows."""
    found = rotations.square(owner, "stiffness", value, 6)
    full = np.array(found)
    sizes = np.sqrt(np.abs(np.diag(full)))
    if not _symmetric(full):
        raise checks.refuse(owner, "stiffness", value, "symmetric")
    if np.any(np.diag(full) <= 0.0) or np.min(np.linalg.eigvalsh(full / np.outer(sizes, sizes))) <= DEFINITE:
        raise checks.refuse(owner, "stiffness", value, "positive definite")
    return found


def inertia_matrix(owner: str, value: Any, *, besides: bool) -> Table:
    """Return a 3 x 3 matrix, symmetric, positive semidefinite; ``besides``: rotary_inertia is also given."""
    found = rotations.square(owner, "inertia_matrix", value, 3)
    full = np.array(found)
    if not _symmetric(full):
        raise checks.refuse(owner, "inertia_matrix", value, "symmetric")
    if np.min(np.linalg.eigvalsh(full)) < -ROUNDING * np.max(np.abs(full)):
        raise checks.refuse(owner, "inertia_matrix", value, "such that no motion has negative energy")
    if besides:
        allowed = "given instead of rotary_inertia and rotary_inertia_y, not besides"
        raise checks.refuse(owner, "inertia_matrix", value, allowed)
    return found


def mass_centre(owner: str, value: Any) -> tuple[float, float]:
    """Return (y, z) from the axis of the beam."""
    found = checks.numbers(owner, "mass_centre", value)
    if len(found) != 2:
        hint = "Give metres, (y, z) from the axis of the beam."
        raise checks.refuse(owner, "mass_centre", value, "2 numbers", hint)
    return found[0], found[1]


def _symmetric(full: np.ndarray) -> bool:
    return bool(np.max(np.abs(full - full.T)) <= ROUNDING * np.max(np.abs(full)))


def shear_factors(owner: str, given: ShearFactor, cowper: float) -> tuple[float, float]:
    """Return the factors along y and along z."""
    hint = 'A number such as 5/6, two of them (along y, along z), or "cowper".'
    if isinstance(given, str):
        checks.choice(owner, "shear_factor", given, ["cowper"])
        return cowper, cowper
    if isinstance(given, Sequence):
        if len(given) != 2:
            raise checks.refuse(owner, "shear_factor", given, "a number, two numbers or a word", hint)
        y, z = (checks.positive(owner, f"shear_factor[{i}]", value) for i, value in enumerate(given))
        return y, z
    factor = checks.positive(owner, "shear_factor", given, hint=hint)
    return factor, factor


def torsion(owner: str, given: float | None, shape: float) -> float:
    """Return the given torsion constant, or the shape's."""
    return shape if given is None else checks.positive(owner, "torsion_constant", given, hint="Give it in m^4.")
