"""Newton for equilibria with joints, compiled.

Augmented Lagrangian ``[K + gamma G^T G, G^T; G, 0]``: exact for any gamma, and factorisable without pivoting although
rigid links have no stiffness. Mixed integration points (Magisano, Leonetti, Garcea 2017) make the geometric stiffness
use stresses extrapolated from the last iterate, which lets Newton take very large steps; the residual, and so the
solution, is unchanged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import kernel, lazy_kernel, linked_kernel
from pliant.joints import rows as joints
from pliant.kernels.so3 import take_up
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import fill, largest
from pliant.linalg import ldl
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.system.equations import Equations, Scratch
from pliant.system.packing import fused

WIDE, MOST_WIDE = 0.5, 8  # increments larger than this, and the number of them after which Newton is lost
MOST_HALVINGS = 8  # of an increment after which the tangent has lost its sign
LARGEST_MIXED = 100.0  # largest increment taken with mixed integration points, in lengths of the model and radians


class Iteration(NamedTuple):
    """Settings of Newton: stiffness gamma of the joints, form of the matrix, end of the iteration, globalisation."""

    gamma: float
    unsymmetric: bool
    tolerance: float
    limit: int
    mixed: bool = False  # mixed integration points
    search: bool = False  # halve steps that do not reduce the residual


@linked_kernel
def assemble(
    equations: Equations,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    gamma: float,
    inertia: float,
    mixed: bool,
    scratch: Scratch,
) -> tuple[float, float]:
    """Assemble static residual, augmented tangent (plus ``inertia`` times the mass) and right-hand side.

    Returns the largest unbalanced force, times the length scale (so that moments compare), and the widest gap of a
    joint (m; angles times the length scale).
    """
    r, g, s, w, n = scratch.r, scratch.g, scratch.s, scratch.w, equations.freedoms
    r[:] = 0.0
    s[:] = 0.0
    w[:] = 0.0
    rest = scratch.rest
    fused.add(equations.parts, Instant(q, rest, rest, u), Into(1.0, 0.0, inertia, r, s, w), scratch.stress, mixed)
    joints.add(equations.rows, q, lam, u, joints.Saddle(1.0, gamma, r, g, s))
    force = 0.0
    for i in range(n):
        scratch.step[i] = -r[i]
        force = max(force, abs(r[i]) / equations.weight[i])
    gap = 0.0
    for k in range(g.size):
        scratch.step[n + k] = -g[k]
        gap = max(gap, abs(g[k]) * np.sqrt(equations.rows.weight[k]))
    return force, gap


@kernel
def residuals(
    equations: Equations, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch, out: np.ndarray
) -> None:
    """Compute (states, freedoms + rows) unbalanced forces and gaps of joints in several states."""
    n, m, r, rest = equations.freedoms, scratch.g.size, scratch.r, scratch.rest
    into = Into(0.0, 0.0, 0.0, r, scratch.s, scratch.w)
    for k in range(q.shape[0]):
        r[:] = 0.0
        fused.add(equations.parts, Instant(q[k], rest, rest, u), into, scratch.stress, False)
        joints.push(equations.rows, q[k], lam[k], u, r, scratch.g)
        for i in range(n):
            out[k, i] = r[i]
        for i in range(m):
            out[k, n + i] = scratch.g[i]


@linked_kernel
def unbalanced(equations: Equations, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch) -> None:
    """Compute the right-hand side alone, into ``scratch.step``, with mixed points and without the augmented term."""
    r, g, n, rest = scratch.r, scratch.g, equations.freedoms, scratch.rest
    r[:] = 0.0
    into = Into(0.0, 0.0, 0.0, r, scratch.s, scratch.w)
    fused.add(equations.parts, Instant(q, rest, rest, u), into, scratch.stress, True)
    joints.push(equations.rows, q, lam, u, r, g)
    for i in range(n):
        scratch.step[i] = -r[i]
    for k in range(g.size):
        scratch.step[n + k] = -g[k]


@kernel
def begin(equations: Equations, q: np.ndarray, lam: np.ndarray, u: np.ndarray, gamma: float, scratch: Scratch) -> None:
    """Store the stresses of a configuration, with which mixed points start: of elements from their strains, of rods
    from the wrenches that join their nodes.
    """
    assemble(equations, q, lam, u, gamma, 0.0, False, scratch)
    for i in range(scratch.trial.size):
        scratch.trial[i] = 0.0
    fused.stretch(equations.parts, q, scratch.trial, scratch.stress)


@kernel
def apply_increment(
    equations: Equations, q: np.ndarray, lam: np.ndarray, step: np.ndarray, scale: float, scratch: Scratch
) -> None:
    """Apply ``scale`` times an increment of (q, lambda), in place, with the stresses of mixed integration points."""
    n, trial = equations.freedoms, scratch.trial
    for i in range(n):
        trial[i] = scale * step[i]
    fused.stretch(equations.parts, q, trial, scratch.stress)
    for i in range(n):
        q[i] += trial[i]
    take_up(q, equations.frames, equations.turning)
    for k in range(lam.size):
        lam[k] += scale * step[n + k]


@kernel
def scales(
    equations: Equations, q: np.ndarray, lam: np.ndarray, u: np.ndarray, length: float, scratch: Scratch
) -> tuple[float, float]:
    """Return the largest stiffness (N/m; of rotations at the length scale), and the largest nodal force applied or
    stored (moments over the length scale), without joints. Without loads, reactions are rounding and add no stiffness.
    """
    n, none = equations.freedoms, scratch.move[equations.freedoms :]
    reactions = False
    for k in range(lam.size):
        none[k] = 0.0
        reactions = reactions or lam[k] != 0.0
    force, _ = assemble(equations, q, none, u, 0.0, 0.0, False, scratch)
    if force > 0.0 and reactions:
        assemble(equations, q, lam, u, 0.0, 0.0, False, scratch)
    stiff = 0.0
    for i in range(n):
        arm = equations.weight[i] * length
        stiff = max(stiff, abs(scratch.s[i]) / (arm * arm))
    return stiff, force / length


@kernel
def equilibrium(
    equations: Equations, u: np.ndarray, how: Iteration, q: np.ndarray, lam: np.ndarray, scratch: Scratch
) -> tuple[int, int, float]:
    """Run Newton from (q, lam) in place. Returns (status, iterations, last increment).

    With the plain tangent an increment larger than one radian (or one length scale) is cut to that, so that no iterate
    winds up; ``search`` halves steps that do not reduce the residual. Endless large increments have a random end, by
    rounding: that is not converged, and smaller load steps must follow the branch.
    """
    n, m, size, before, wide = equations.freedoms, equations.rows.offset.size, 0.0, 0.0, 0
    gamma, mixed = how.gamma, how.mixed
    for iteration in range(1, how.limit + 1):
        force, gap = assemble(equations, q, lam, u, gamma, 0.0, mixed, scratch)
        if not ldl.solve_once(equations.pattern, scratch.s, scratch.w, scratch.factors, scratch.step, how.unsymmetric):
            return SINGULAR, iteration, size
        dq = scratch.step
        size = largest(dq, equations.weight)
        if not np.isfinite(size):
            return NOT_FINITE, iteration, size
        wide += int(size > WIDE)
        if wide > MOST_WIDE:
            return NOT_CONVERGED, iteration, size
        cap = LARGEST_MIXED if mixed else 1.0
        scale = min(1.0, cap / size) if size > 0.0 else 1.0
        if how.search:
            fill(scratch.move, dq)
            merit = max(force, gamma * gap / equations.weight[0])
            scale = backtrack(equations, u, how, q, lam, merit, scale, scratch)
            dq = scratch.move
        for i in range(n):
            scratch.trial[i] = scale * dq[i]
        if mixed:
            fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
        for i in range(n):
            q[i] += scratch.trial[i]
        take_up(q, equations.frames, equations.turning)
        for k in range(m):
            lam[k] += scale * dq[n + k]
        floor = 64.0 * 2.2e-16 * max(1.0, largest(q, equations.weight))
        if scale == 1.0 and size <= max(how.tolerance, floor):
            return DONE, iteration, size
        if iteration > 4 and scale == 1.0 and size > 0.5 * before and size < 1e4 * floor:
            return DONE, iteration, size
        before = size
    return NOT_CONVERGED, how.limit, size


@lazy_kernel
def backtrack(
    equations: Equations, u: np.ndarray, how: Iteration, q: np.ndarray, lam: np.ndarray, merit: float, scale: float,
    scratch: Scratch,
) -> float:  # fmt: skip
    """Return the largest scale (halved at most six times) for which the residual after the move in ``scratch.move`` is
    below ``merit``.
    """
    n, move, gamma = equations.freedoms, scratch.move, how.gamma
    for _ in range(6):
        fill(scratch.place, q)
        for i in range(n):
            scratch.place[i] += scale * move[i]
        take_up(scratch.place, equations.frames, equations.turning)
        for k in range(lam.size):
            scratch.push[k] = lam[k] + scale * move[n + k]
        force, gap = assemble(equations, scratch.place, scratch.push, u, gamma, 0.0, how.mixed, scratch)
        if max(force, gamma * gap / equations.weight[0]) < merit:
            return scale
        scale *= 0.5
    return scale


@kernel
def careful(
    equations: Equations, u: np.ndarray, how: Iteration, q: np.ndarray, lam: np.ndarray, scratch: Scratch
) -> tuple[int, int, float]:
    """Run Newton with mixed integration points, in place; it goes back halfway if the tangent has lost its sign.
    Returns (status, iterations, last increment).
    """
    m, size, halvings = lam.size, 0.0, 0
    dq, before, reactions = scratch.move, scratch.place, scratch.push
    for iteration in range(1, how.limit + 1):
        assemble(equations, q, lam, u, how.gamma, 0.0, True, scratch)
        status, negatives = ldl.factor(equations.pattern, scratch.s, scratch.factors)
        if status != ldl.OK:
            return SINGULAR, iteration, size
        if negatives != m and iteration > 1 and halvings < MOST_HALVINGS:
            halvings += 1
            fill(q, before)
            fill(lam, reactions)
            for i in range(dq.size):
                dq[i] *= 0.5
        else:
            halvings = 0
            ldl.solve(equations.pattern, scratch.s, scratch.factors, scratch.step)
            fill(before, q)
            fill(reactions, lam)
            fill(dq, scratch.step)
        size = largest(dq, equations.weight)
        if not np.isfinite(size):
            return NOT_CONVERGED, iteration, size
        apply_increment(equations, q, lam, dq, 1.0, scratch)
        if size <= how.tolerance:
            return DONE, iteration, size
    return NOT_CONVERGED, how.limit, size


@kernel
def relax(
    equations: Equations,
    u: np.ndarray,
    gamma: float,
    mixed: bool,
    limit: int,
    q: np.ndarray,
    lam: np.ndarray,
    scratch: Scratch,
) -> bool:
    """Slide downhill to a stable equilibrium: implicit steps of ``M q' = -dV/dq`` on the constraints, of growing size.

    Pseudo-transient continuation (Kelley, Keyes 1998) with the tangent K + mu M. The inertia of every factorisation
    shows whether it is positive on the motions allowed; if not, mu grows, so that every step goes down. This continues
    where K is singular or indefinite, as for a mechanism without springs. Returns whether Newton may take over.
    """
    n, m = equations.freedoms, lam.size
    mu = -1.0
    before = 0.0
    for _ in range(limit):
        force, _ = assemble(equations, q, lam, u, gamma, max(mu, 0.0), mixed, scratch)
        if mu < 0.0:  # start with steps that move about a hundredth of a length or radian
            mu = 100.0 * max(force, 1e-300) * equations.weight[0] ** 2 / equations.mass
            continue
        status, negatives = ldl.factor(equations.pattern, scratch.s, scratch.factors)
        if status == ldl.OK:
            ldl.solve(equations.pattern, scratch.s, scratch.factors, scratch.step)
        size = largest(scratch.step, equations.weight)
        if status != ldl.OK or negatives != m or not size < 0.2:
            mu *= 3.0
            if not np.isfinite(mu):
                return False
            continue
        for i in range(n):
            q[i] += scratch.step[i]
        take_up(q, equations.frames, equations.turning)
        for k in range(m):
            lam[k] += scratch.step[n + k]
        if size < 1e-4 and size < before:
            assemble(equations, q, lam, u, gamma, 0.0, mixed, scratch)
            if ldl.factor(equations.pattern, scratch.s, scratch.factors) == (ldl.OK, m):
                return True
        before = size
        mu *= 0.4 if size < 0.1 else 1.0
    return False
