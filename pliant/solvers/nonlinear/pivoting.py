"""Newton's method with a pivoting solver, for tangents without a safe order of elimination."""

from __future__ import annotations

import numpy as np

from pliant._libraries import sparse
from pliant.linalg import ldl
from pliant.solvers.nonlinear import newton
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, SINGULAR
from pliant.system.equations import Scratch
from pliant.system.system import System


def solve_pivoted(
    system: System,
    u: np.ndarray,
    gamma: float,
    q: np.ndarray,
    lam: np.ndarray,
    scratch: Scratch,
    *,
    tolerance: float,
    limit: int,
) -> tuple[int, int, float]:
    """Run `newton.equilibrium` with mixed integration points and pivoting. Returns (status, iterations, last
    increment).

    Loads without a potential make unsymmetric tangents. Elimination in a fixed order may then meet a zero pivot though
    nothing is singular: a rod rolled up by a follower moment does, at elements a quarter turn apart.
    """
    equations, n, size = system.equations, system.freedoms, 0.0
    for iteration in range(1, limit + 1):
        newton.assemble(equations, q, lam, u, gamma, 0.0, True, scratch)
        right = scratch.step.copy()
        try:
            step = sparse.linalg.splu(ldl.to_csc(equations.pattern, scratch.s, scratch.w)).solve(right)
        except RuntimeError:  # exactly singular
            return SINGULAR, iteration, size
        size = float(np.max(np.abs(step[:n]) * equations.weight, initial=0.0))
        if not np.isfinite(size):
            return SINGULAR, iteration, size
        scale = min(1.0, newton.LARGEST_MIXED / size) if size > 0.0 else 1.0
        newton.apply_increment(equations, q, lam, step, scale, scratch)
        if scale == 1.0 and size <= tolerance:
            return DONE, iteration, size
    return NOT_CONVERGED, limit, size
