"""Newton's increment of an equilibrium and of the signals that satisfy conditions, compiled; see inverse_step.py.

A drive acts in its rows alone: ``d(r, g)/ds = (gamma G^T W g_s, g_s)`` with the augmented term. The right-hand side
``(0, g_s)`` gives the same dq, and multipliers that lack ``-gamma W g_s``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.kernels.vectors import largest
from pliant.linalg import elimination, ldl
from pliant.solvers.nonlinear import tangent
from pliant.solvers.nonlinear.newton import apply_increment
from pliant.system.equations import Equations, Scratch

LARGEST = 0.5  # largest increment taken at once, in lengths of the model or radians


class Bordered(Bundle):
    """Data and workspace of the bordered Newton step."""

    signals: np.ndarray  # numbers of the unknown signals
    hold: np.ndarray  # (unknowns) forces and gaps of the hold
    by_signal: np.ndarray  # (signals, unknowns) -d(r, g)/ds, of drives without the augmented term
    lack: np.ndarray  # (signals, rows) correction of the multipliers for the omitted term
    miss: np.ndarray  # (signals) residual of the conditions
    slope: np.ndarray  # (signals, unknowns) its derivative
    sides: np.ndarray  # (1 + signals, unknowns), of which the first becomes the increment
    core: np.ndarray  # (signals, signals)
    change: np.ndarray  # (signals) increment of the signals
    order: np.ndarray  # (signals) int64
    gamma: float  # weight of the augmented term
    symmetric: bool


def bordered(signals: Sequence[int], lack: np.ndarray, freedoms: int, gamma: float, symmetric: bool) -> Bordered:
    """Return an empty workspace."""
    count, unknowns = len(signals), freedoms + lack.shape[1]
    wide, sides = np.zeros((2, count, unknowns)), np.zeros((1 + count, unknowns))
    return Bordered(
        np.array(signals, np.uint32), np.zeros(unknowns), wide[0], lack, np.zeros(count), wide[1], sides,
        np.zeros((count, count)), np.zeros(count), np.zeros(count, np.int64), gamma, symmetric,
    )  # fmt: skip


@linked_kernel
def increment(
    equations: Equations, q: np.ndarray, lam: np.ndarray, u: np.ndarray, way: Bordered, scratch: Scratch
) -> float:
    """Compute Newton's increment of (q, lambda) into ``way.sides[0]`` and of the signals into ``way.change``. Returns
    the motion by the signals alone, in lengths of the model and radians; negative if the matrix is singular.
    """
    count, n, sides, core = way.signals.size, equations.freedoms, way.sides, way.core
    if tangent.factorise(equations, q, lam, u, way.gamma, True, way.symmetric, scratch)[0] != ldl.OK:
        return -1.0
    for i in range(scratch.step.size):
        sides[0, i] = scratch.step[i] + way.hold[i]
        for j in range(count):
            sides[1 + j, i] = way.by_signal[j, i]
    tangent.solve(equations, way.symmetric, scratch, sides)
    for j in range(count):
        for k in range(lam.size):
            sides[1 + j, n + k] += way.lack[j, k]
    for k in range(count):
        for j in range(count):
            core[k, j] = 0.0
        for i in range(sides.shape[1]):
            by = way.slope[k, i]
            if by != 0.0:
                way.miss[k] += by * sides[0, i]
                for j in range(count):
                    core[k, j] -= by * sides[1 + j, i]
    if elimination.factor(core, count, way.order) == 0.0:
        return -1.0
    elimination.solve(core, count, way.order, way.miss, way.change)
    moved = 0.0
    for i in range(sides.shape[1]):
        move = 0.0
        for j in range(count):
            move += way.change[j] * sides[1 + j, i]
        sides[0, i] += move
        if not np.isfinite(sides[0, i]):
            return -1.0
        if i < n:
            moved = max(moved, abs(move) * equations.weight[i])
    return moved


@kernel
def advance(
    equations: Equations, q: np.ndarray, lam: np.ndarray, u: np.ndarray, way: Bordered, scratch: Scratch
) -> tuple[float, bool]:
    """Apply an increment, in place. Returns its size, including the effect of the signals alone, and whether it was
    applied in full; a negative size if the matrix is singular.
    """
    moved, step = increment(equations, q, lam, u, way, scratch), way.sides[0]
    if moved < 0.0:
        return moved, False
    stride = largest(step, equations.weight)
    scale = min(1.0, LARGEST / stride) if stride > 0.0 else 1.0
    apply_increment(equations, q, lam, step, scale, scratch)
    for j in range(way.signals.size):
        u[way.signals[j]] += scale * way.change[j]
    return max(stride, moved), scale == 1.0
