"""The assembled tangent from Python: factorised once, many right sides. Only what the solver needs crosses over."""

from __future__ import annotations

import numpy as np

from pliant._jit import kernel
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


def solve(system: System, scratch: Scratch, sides: np.ndarray) -> None:
    """Replace every row b by A^-1 b, with the factors at hand."""
    _solve(system.equations.pattern, scratch, system.conservative, sides)


@kernel
def _solve(pattern: ldl.Pattern, scratch: Scratch, symmetric: bool, sides: np.ndarray) -> None:
    for k in range(sides.shape[0]):
        if symmetric:
            ldl.solve(pattern, scratch.s, scratch.factors, sides[k])
        else:
            ldl.solve_lu(pattern, scratch.s, scratch.w, scratch.factors, sides[k])
