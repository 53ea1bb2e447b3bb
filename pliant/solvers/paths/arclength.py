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

from pliant.jit import kernel
from pliant.kernels.so3 import apart, take_up
from pliant.kernels.vectors import largest
from pliant.linalg import ldl
from pliant.solvers.nonlinear.newton import Iteration, apply_increment, assemble
from pliant.solvers.paths.parameter import DIFFERENCE
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused


class Arc(NamedTuple):
    """Start, direction and length of a step."""

    q: np.ndarray
    p: float
    across: np.ndarray  # (freedoms,) b
    across_p: float
    length: float


class SignalLine(NamedTuple):
    """Signals ``u = start + p along``, and the span of p."""

    start: np.ndarray
    along: np.ndarray
    span: float


class Point(NamedTuple):
    """Coordinates, multipliers and signals, changed in place; and (r, g) at p + change."""

    q: np.ndarray
    lam: np.ndarray
    u: np.ndarray
    raised: np.ndarray


@kernel
def arrive(
    equations: Equations, line: SignalLine, how: Iteration, arc: Arc, at: Point, p: float, slope: np.ndarray,
    scratch: Scratch,
) -> tuple[int, int, float, tuple[bool, int, float, float]]:  # fmt: skip
    """Run Newton from the start of an arc moved by ``scratch.trial``, and survey the point found, with d(q, lambda)/dp
    into ``slope``. Returns (status, iterations, p, survey).
    """
    n, q = equations.freedoms, at.q
    fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
    for i in range(n):
        q[i] += scratch.trial[i]
    take_up(q, equations.frames, equations.turning)
    status, iterations, p = advance(equations, line, how, arc, at, p, scratch)
    if status != DONE:
        return status, iterations, p, (False, 0, 0.0, 0.0)
    change = DIFFERENCE * line.span
    raise_parameter(equations, line, change, how.gamma, at, p, scratch)
    return status, iterations, p, survey(equations, how, at, change, slope, scratch)


@kernel
def advance(
    equations: Equations, line: SignalLine, how: Iteration, arc: Arc, at: Point, p: float, scratch: Scratch
) -> tuple[int, int, float]:
    """Run Newton from a guess, in place. Returns (status, iterations, p)."""
    before = 0.0
    change = DIFFERENCE * line.span
    for iteration in range(1, how.limit + 1):
        raise_parameter(equations, line, change, how.gamma, at, p, scratch)
        status, dp, size = iterate(equations, how, arc, at, p, change, scratch)
        if status != DONE:
            return status, iteration, p
        p += dp
        size = max(size, abs(dp) / line.span)
        if size <= how.tolerance or (iteration > 4 and size < 1e-9 and size > 0.5 * before):
            return DONE, iteration, p
        before = size
    return NOT_CONVERGED, how.limit, p


@kernel
def raise_parameter(
    equations: Equations, line: SignalLine, change: float, gamma: float, at: Point, p: float, scratch: Scratch
) -> None:
    """Compute (r, g) at p + change into ``raised`` for d(r, g)/dp (loads, drives enter linearly); u: signals at p."""
    u, raised = at.u, at.raised
    for i in range(u.size):
        u[i] = line.start[i] + (p + change) * line.along[i]
    assemble(equations, at.q, at.lam, u, gamma, 0.0, False, scratch)
    for i in range(raised.size):
        raised[i] = -scratch.step[i]
    for i in range(u.size):
        u[i] = line.start[i] + p * line.along[i]


@kernel
def iterate(
    equations: Equations, how: Iteration, arc: Arc, at: Point, p: float, change: float, scratch: Scratch
) -> tuple[int, float, float]:
    """Run one Newton iteration in place. Returns (status, change of p, size of the increment)."""
    n, y, z = equations.freedoms, scratch.step, scratch.move
    q, lam, raised = at.q, at.lam, at.raised
    assemble(equations, q, lam, at.u, how.gamma, 0.0, True, scratch)
    if not factor(equations, how.unsymmetric, scratch)[0]:
        return SINGULAR, 0.0, 0.0
    for i in range(z.size):
        z[i] = -(raised[i] + y[i]) / change
    solve(equations, how.unsymmetric, scratch, y)
    solve(equations, how.unsymmetric, scratch, z)
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
    apply_increment(equations, q, lam, y, scale, scratch)
    return DONE, scale * dp, size


@kernel
def survey(
    equations: Equations, how: Iteration, at: Point, change: float, tangent: np.ndarray, scratch: Scratch
) -> tuple[bool, int, float, float]:
    """Compute, at an equilibrium, d(q, lambda)/dp into ``tangent`` and factors of the tangent matrix into scratch.

    Returns whether the matrix is regular, its negative pivots (symmetric systems), the largest unbalanced force and the
    largest gap.
    """
    force, gap = assemble(equations, at.q, at.lam, at.u, how.gamma, 0.0, False, scratch)
    for i in range(tangent.size):
        tangent[i] = -(at.raised[i] + scratch.step[i]) / change
    regular, negatives = factor(equations, how.unsymmetric, scratch)
    if regular:
        solve(equations, how.unsymmetric, scratch, tangent)
    return regular, negatives, force, gap


@kernel
def factor(equations: Equations, unsymmetric: bool, scratch: Scratch) -> tuple[bool, int]:
    """Factorise the assembled matrix. Returns whether it is regular, and the negative pivots (symmetric only)."""
    if unsymmetric:
        return ldl.factor_lu(equations.pattern, scratch.s, scratch.w, scratch.factors) == ldl.OK, 0
    status, negatives = ldl.factor(equations.pattern, scratch.s, scratch.factors)
    return status == ldl.OK, negatives


@kernel
def solve(equations: Equations, unsymmetric: bool, scratch: Scratch, b: np.ndarray) -> None:
    """Replace b by A^-1 b, with the present factors."""
    if unsymmetric:
        ldl.solve_lu(equations.pattern, scratch.s, scratch.w, scratch.factors, b)
    else:
        ldl.solve(equations.pattern, scratch.s, scratch.factors, b)
