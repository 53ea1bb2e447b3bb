"""The assembled tangent from Python: factorised once, many right sides. Only what the solver needs crosses over."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pliant.solvers import ldl
from pliant.system.equations import Scratch
from pliant.system.system import System


def factorise(system: System, scratch: Scratch) -> tuple[bool, int | None]:
    """Whether the matrix in ``scratch`` is regular, and the directions in which it is negative on the motions allowed
    (None where the system is not symmetric).
    """
    pattern = system.equations.pattern
    if not system.conservative:
        return bool(ldl.factor_lu(pattern, scratch.s, scratch.w, scratch.factors) == ldl.OK), None
    status, negatives = ldl.factor(pattern, scratch.s, scratch.factors)
    return bool(status == ldl.OK), int(negatives) - system.constraints


def solve(system: System, scratch: Scratch, sides: Iterable[np.ndarray]) -> None:
    """Replace every b by A^-1 b, with the factors at hand."""
    pattern = system.equations.pattern
    for b in sides:
        if system.conservative:
            ldl.solve(pattern, scratch.s, scratch.factors, b)
        else:
            ldl.solve_lu(pattern, scratch.s, scratch.w, b)
