"""One step along a path of equilibria, compiled: pseudo-arclength (Riks 1979; Keller 1977).

The parameter p moves the signals along a line, ``u = u0 + p d``. Unknowns x = (q, lambda, p) of a new point solve

    f(q, u) + G^T lambda = 0,    g(q, u) = 0,    b . (q - q0) + b_p (p - p0) = length

where (b, b_p) is the direction of the step in the metric of the path. Newton eliminates the last row:

    y = -A^-1 (r, g),  z = -A^-1 d(r, g)/dp,  dp = -(b . (q - q0 + y) + b_p (p - p0) - length) / (b . z + b_p),
    dx = y + dp z

with the augmented matrix A of newton.py and its mixed integration points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._jit import kernel
from pliant.kernels.so3 import apart, take_up
from pliant.kernels.vectors import largest
from pliant.solvers import ldl
from pliant.solvers.newton import assemble
from pliant.solvers.path_parameter import DIFFERENCE
from pliant.solvers.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.system import fused
from pliant.system.equations import Equations, Scratch


class Arc(NamedTuple):
    """Where a step starts, in which direction it goes and how far."""

    q: np.ndarray
    p: float
    across: np.ndarray  # (freedoms,) b
    across_p: float
    length: float


@kernel
def advance(
    equations: Equations,
    signals: np.ndarray,
    line: np.ndarray,
    span: float,
    gamma: float,
    unsymmetric: bool,
    arc: Arc,
    tolerance: float,
    limit: int,
    q: np.ndarray,
    lam: np.ndarray,
    p: float,
    u: np.ndarray,
    raised: np.ndarray,
    scratch: Scratch,
) -> tuple[int, int, float]:
    """Newton from the guess (q, lam, p) in place. Returns (status, iterations, p)."""
    before = 0.0
    change = DIFFERENCE * span
    for iteration in range(1, limit + 1):
        raise_parameter(equations, signals, line, change, gamma, q, lam, p, u, raised, scratch)
        status, dp, size = iterate(equations, u, gamma, unsymmetric, arc, q, lam, p, raised, change, scratch)
        if status != DONE:
            return status, iteration, p
        p += dp
        size = max(size, abs(dp) / span)
        if size <= tolerance or (iteration > 4 and size < 1e-9 and size > 0.5 * before):
            return DONE, iteration, p
        before = size
    return NOT_CONVERGED, limit, p


@kernel
def raise_parameter(
    equations: Equations,
    signals: np.ndarray,
    line: np.ndarray,
    change: float,
    gamma: float,
    q: np.ndarray,
    lam: np.ndarray,
    p: float,
    u: np.ndarray,
    raised: np.ndarray,
    scratch: Scratch,
) -> None:
    """(r, g) at p + change into ``raised`` for d(r, g)/dp (loads and drives enter linearly); u = signals at p."""
    for i in range(u.size):
        u[i] = signals[i] + (p + change) * line[i]
    assemble(equations, q, lam, u, gamma, 0.0, False, scratch)
    for i in range(raised.size):
        raised[i] = -scratch.step[i]
    for i in range(u.size):
        u[i] = signals[i] + p * line[i]


@kernel
def iterate(
    equations: Equations,
    u: np.ndarray,
    gamma: float,
    unsymmetric: bool,
    arc: Arc,
    q: np.ndarray,
    lam: np.ndarray,
    p: float,
    raised: np.ndarray,
    change: float,
    scratch: Scratch,
) -> tuple[int, float, float]:
    """One Newton iteration in place. Returns (status, change of p, size of the increment)."""
    n = equations.freedoms
    y, z = scratch.step, scratch.move
    assemble(equations, q, lam, u, gamma, 0.0, True, scratch)
    if not factor(equations, unsymmetric, scratch)[0]:
        return SINGULAR, 0.0, 0.0
    for i in range(z.size):
        z[i] = -(raised[i] + y[i]) / change
    solve(equations, unsymmetric, scratch, y)
    solve(equations, unsymmetric, scratch, z)
    miss = arc.across_p * (p - arc.p) - arc.length
    along = arc.across_p
    moved = scratch.place[:n]
    apart(arc.q, q, equations.frames, equations.turning, moved)
    for i in range(n):
        miss += arc.across[i] * (moved[i] + y[i])
        along += arc.across[i] * z[i]
    dp = -miss / along
    for i in range(z.size):
        y[i] += dp * z[i]
    size = largest(y, equations.weight)
    if not np.isfinite(size + dp):
        return NOT_FINITE, 0.0, 0.0
    scale = min(1.0, 1.0 / size) if size > 0.0 else 1.0
    for i in range(n):
        scratch.trial[i] = scale * y[i]
    fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
    for i in range(n):
        q[i] += scratch.trial[i]
    take_up(q, equations.frames, equations.turning)
    for k in range(lam.size):
        lam[k] += scale * y[n + k]
    return DONE, scale * dp, size


@kernel
def survey(
    equations: Equations,
    u: np.ndarray,
    gamma: float,
    unsymmetric: bool,
    q: np.ndarray,
    lam: np.ndarray,
    raised: np.ndarray,
    change: float,
    tangent: np.ndarray,
    scratch: Scratch,
) -> tuple[bool, int, float, float]:
    """At an equilibrium: d(q, lambda)/dp into ``tangent``, factors of the tangent matrix into scratch.

    Returns whether the matrix is regular, its negative pivots (symmetric systems), the largest unbalanced force and
    the largest gap.
    """
    force, gap = assemble(equations, q, lam, u, gamma, 0.0, False, scratch)
    for i in range(tangent.size):
        tangent[i] = -(raised[i] + scratch.step[i]) / change
    regular, negatives = factor(equations, unsymmetric, scratch)
    if regular:
        solve(equations, unsymmetric, scratch, tangent)
    return regular, negatives, force, gap


@kernel
def factor(equations: Equations, unsymmetric: bool, scratch: Scratch) -> tuple[bool, int]:
    """Factorise the assembled matrix. Returns whether that went, and the negative pivots (symmetric only)."""
    if unsymmetric:
        return ldl.factor_lu(equations.pattern, scratch.s, scratch.w, scratch.factors) == ldl.OK, 0
    status, negatives = ldl.factor(equations.pattern, scratch.s, scratch.factors)
    return status == ldl.OK, negatives


@kernel
def solve(equations: Equations, unsymmetric: bool, scratch: Scratch, b: np.ndarray) -> None:
    """Replace b by A^-1 b, with the factors at hand."""
    if unsymmetric:
        ldl.solve_lu(equations.pattern, scratch.s, scratch.w, b)
    else:
        ldl.solve(equations.pattern, scratch.s, scratch.factors, b)
