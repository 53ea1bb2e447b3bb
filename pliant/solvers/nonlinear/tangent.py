"""Tangent of an equilibrium with joints: assembled, factorised once, for many right-hand sides; compiled."""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.linalg import ldl
from pliant.solvers.nonlinear import newton
from pliant.system.equations import Equations, Scratch


@linked_kernel
def factorise(
    equations: Equations,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    gamma: float,
    mixed: bool,
    symmetric: bool,
    scratch: Scratch,
) -> tuple[int, int, float]:
    """Assemble and factorise (see `newton.assemble`). Returns a status, the number of negative directions on the
    motions allowed (known for symmetric matrices), and the largest unbalanced force, times the length scale.
    """
    force, _ = newton.assemble(equations, q, lam, u, gamma, 0.0, mixed, scratch)
    if not symmetric:
        return ldl.factor_lu(equations.pattern, scratch.s, scratch.w, scratch.factors), 0, force
    status, negatives = ldl.factor(equations.pattern, scratch.s, scratch.factors)
    return status, negatives - lam.size, force


@kernel
def solve(equations: Equations, symmetric: bool, scratch: Scratch, sides: np.ndarray) -> None:
    """Replace every row b by A^-1 b, with the present factors."""
    for k in range(sides.shape[0]):
        if symmetric:
            ldl.solve(equations.pattern, scratch.s, scratch.factors, sides[k])
        else:
            ldl.solve_lu(equations.pattern, scratch.s, scratch.w, scratch.factors, sides[k])


@kernel
def respond(
    equations: Equations,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    gamma: float,
    symmetric: bool,
    scratch: Scratch,
    sides: np.ndarray,
) -> tuple[int, int, float]:
    """Factorise, and solve for every row b. Returns the result of `factorise`."""
    status, negatives, force = factorise(equations, q, lam, u, gamma, False, symmetric, scratch)
    if status == ldl.OK:
        solve(equations, symmetric, scratch, sides)
    return status, negatives, force
