"""Newton for equilibria of joints, bodies and rods together, compiled.

The unknowns are the places of all nodes, the multipliers of the joints and the forces at the base of every subinterval;
these forces are independent of the places until convergence, which lets Newton take very large steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.elements.rod_ivp.march import March, MarchStart, Rods, gather_loads
from pliant.formulations.shooting import condense
from pliant.jit import kernel
from pliant.joints import rows as joints
from pliant.kernels.runge_kutta import Table
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import largest
from pliant.linalg import ldl
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused


class Marches(NamedTuple):
    """Rods, and the arguments of their marches."""

    rods: Rods
    table: Table
    small: np.ndarray  # differences
    work: March


class Unknowns(NamedTuple):
    """Places of all nodes, multipliers, and forces at the base of every subinterval."""

    q: np.ndarray
    lam: np.ndarray
    force: np.ndarray


class How(NamedTuple):
    """Options of Newton: source of the derivatives of marches; whether the matrix is unsymmetric; largest increment,
    tolerance of the last increment, and largest number of iterations.
    """

    way: int
    unsymmetric: bool
    cap: float
    tolerance: float
    limit: int


@kernel
def assemble(
    equations: Equations, marches: Marches, at: Unknowns, u: np.ndarray, gamma: float, way: int, mixed: bool,
    scratch: Scratch,
) -> tuple[float, float, float]:  # fmt: skip
    """Compute static residual, augmented tangent and right-hand side.

    Returns the largest unbalanced force (times the length scale, so that moments compare), the largest constraint value
    and the largest gap between subintervals (in lengths of the model and radians).
    """
    rods, work, q = marches.rods, marches.work, at.q
    r, s, w, n, rest = scratch.r, scratch.s, scratch.w, equations.freedoms, scratch.rest
    r[:] = 0.0
    s[:] = 0.0
    w[:] = 0.0
    gather_loads(rods, u, work)
    condense.shoot(rods, marches.table, MarchStart(q, at.force), 0.0, 0.0, way, marches.small, work)
    fused.add(equations.parts, Instant(q, rest, rest, u), Into(1.0, 0.0, 0.0, r, s, w), scratch.stress, mixed)
    joints.add(equations.rows, q, at.lam, u, joints.Saddle(1.0, gamma, r, scratch.g, s))
    condense.add(rods, work, r, s, w)
    unbalanced, closed = 0.0, 0.0
    for i in range(n):
        scratch.step[i] = -r[i]
        unbalanced = max(unbalanced, abs(r[i]) / equations.weight[i])
    for k in range(scratch.g.size):
        scratch.step[n + k] = -scratch.g[k]
        closed = max(closed, abs(scratch.g[k]))
    return unbalanced, closed, condense.widest_gap(rods, equations.weight, work)


@kernel
def equilibrium(
    equations: Equations, marches: Marches, at: Unknowns, u: np.ndarray, gamma: float, how: How, scratch: Scratch
) -> tuple[int, int, float]:
    """Run Newton from some unknowns, in place; increments are limited to ``cap``. Returns (status, iterations, last
    increment). Base forces have converged when the gaps have: places alone may be held by joints from the start.
    """
    rods, work = marches.rods, marches.work
    q, lam, force = at
    way, unsymmetric, cap, tolerance, limit = how
    n, m = equations.freedoms, lam.size
    size, before, mixed, now, gap, gap_before = 0.0, 0.0, False, way, 0.0, 0.0
    for iteration in range(1, limit + 1):
        _, _, gap = assemble(equations, marches, at, u, gamma, now, mixed, scratch)
        now = condense.FROZEN if way == condense.DIFFERENCES else way
        dq = scratch.step
        if not ldl.solve_once(equations.pattern, scratch.s, scratch.w, scratch.factors, dq, unsymmetric):
            return SINGULAR, iteration, size
        size = largest(dq, equations.weight)
        if not np.isfinite(size):
            return NOT_FINITE, iteration, size
        scale = min(1.0, cap / size) if size > 0.0 else 1.0
        for i in range(n):
            q[i] += scale * dq[i]
        for k in range(m):
            lam[k] += scale * dq[n + k]
        off = condense.follow(rods, work, dq, scale, force)
        size = max(size, off * equations.weight[0])
        if not np.isfinite(size + gap):
            return NOT_FINITE, iteration, size
        floor = 64.0 * 2.2e-16 * max(1.0, largest(q, equations.weight))
        joined = gap <= tolerance or (
            iteration > 4 and gap <= condense.JOINED and gap > 0.5 * gap_before
        )  # or rounding
        if scale == 1.0 and joined and size <= max(tolerance, floor):
            return DONE, iteration, size
        if iteration > 4 and scale == 1.0 and joined and size > 0.5 * before and size < 1e4 * floor:
            return DONE, iteration, size
        if way == condense.DIFFERENCES and (
            scale < 1.0 or (iteration > 1 and (size > 0.2 * before or gap > 0.2 * gap_before))
        ):
            now = condense.DIFFERENCES
        before, gap_before = size, gap
    return NOT_CONVERGED, limit, size
