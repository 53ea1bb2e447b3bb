"""Inverse statics: the signals (motor angles, tendon lengths, loads) that close joints which carry no force.

Unknowns are (q, lambda, s): coordinates, multipliers and as many signals s as there are conditions c(q) = 0, the rows of
those joints. Newton borders the equilibrium with them:

    y = -A^-1 (r, g),   Z = -A^-1 d(r, g)/ds,   ds = -(c_q Z)^-1 (c + c_q y),   d(q, lambda) = y + Z ds

with the augmented matrix A of newton.py and its mixed integration points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pliant.errors import ConvergenceError
from pliant.formulations.dae import arclength, newton
from pliant.formulations.dae.equations import Scratch
from pliant.formulations.dae.equilibrium import stiffness_scale
from pliant.formulations.dae.system import State, System
from pliant.joints import rows as joints
from pliant.kernels.so3 import take_up
from pliant.system import fused

TOLERANCE = 1e-11  # of the last increment, in lengths of the model and radians
ROUNDING = 1e-9  # an increment below this that no longer falls is rounding
LIMIT = 40
LARGEST = 0.5  # increment in lengths of the model or radians that is taken at once
SMALLEST_STEP = 2.0**-8
DIFFERENCE = 1e-7  # of a signal, for d(r, g)/ds


@dataclass(frozen=True)
class Reached:
    """The equilibrium with the signals that were found."""

    state: State
    signals: np.ndarray
    iterations: int
    steps: int


def reach(
    system: System, start: State, u: np.ndarray, unknowns: Sequence[int], conditions: joints.Rows
) -> Reached:
    """The equilibrium in which the conditions hold; they are closed in steps where one stride fails."""
    q, lam, u = start.q.copy(), start.lam.copy(), u.copy()
    scratch, gap = system.scratch(), np.zeros(conditions.kind.size)
    joints.residual(conditions, q, u, gap)
    done, step, iterations, steps = 0.0, 1.0, 0, 0
    while done < 1.0:
        step = min(step, 1.0 - done)
        before = q.copy(), lam.copy(), u.copy()
        left = (1.0 - done - step) * gap
        count, found = _newton(system, conditions, left, unknowns, q, lam, u, scratch)
        iterations += count
        if found:
            done, steps, step = done + step, steps + 1, 2.0 * step
            continue
        q, lam, u = before
        step *= 0.5
        if step < SMALLEST_STEP:
            raise ConvergenceError(
                f"No equilibrium of {system.model.name!r} is where it was asked to be: Newton stopped "
                f"{100.0 * done:.3g} % of the way. The place may be out of reach, or beyond a singular pose; ask for a "
                "nearer one, start from a nearer state (start=), or leave more of it free."
            )
    return Reached(State(q, np.zeros_like(q), np.zeros_like(q), lam, float(u[1])), u, iterations, steps)


def _newton(
    system: System,
    conditions: joints.Rows,
    left: np.ndarray,
    unknowns: Sequence[int],
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    scratch: Scratch,
) -> tuple[int, bool]:
    """Newton in place, until the conditions are open by what is ``left``. Returns the iterations, and whether it
    converged.
    """
    equations, n, unsymmetric = system.equations, system.freedoms, not system.conservative
    gamma = stiffness_scale(system, q, lam, u, scratch)
    scratch.trial[:] = 0.0
    fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
    columns, slope, miss = np.empty((len(unknowns), n + lam.size)), np.empty((left.size, q.size)), left.copy()
    before = 0.0
    for iteration in range(1, LIMIT + 1):
        _slopes(system, gamma, unknowns, q, lam, u, columns, scratch)
        newton.assemble(equations, q, lam, u, gamma, 0.0, True, scratch)
        y = scratch.step.copy()
        if not arclength.factor(equations, unsymmetric, scratch)[0]:
            return iteration, False
        arclength.solve(equations, unsymmetric, scratch, y)
        for column in columns:
            arclength.solve(equations, unsymmetric, scratch, column)
        joints.residual(conditions, q, u, miss)
        joints.jacobian_dense(conditions, q, u, slope)
        try:
            change = -np.linalg.solve(slope[:, :n] @ columns[:, :n].T, miss - left + slope[:, :n] @ y[:n])
        except np.linalg.LinAlgError:
            return iteration, False
        move = y + change @ columns
        size = float(np.max(np.abs(move[:n]) * equations.weight, initial=0.0))
        if not np.isfinite(size):
            return iteration, False
        scale = min(1.0, LARGEST / size) if size > 0.0 else 1.0
        scratch.trial[:n] = scale * move[:n]
        fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
        q[:n] += scratch.trial[:n]
        take_up(q, equations.frames, equations.turning)
        lam += scale * move[n:]
        u[list(unknowns)] += scale * change
        if scale == 1.0 and (size <= TOLERANCE or (size < ROUNDING and size > 0.5 * before)):
            return iteration, True
        before = size
    return LIMIT, False


def _slopes(
    system: System,
    gamma: float,
    unknowns: Sequence[int],
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    columns: np.ndarray,
    scratch: Scratch,
) -> None:
    """-d(r, g)/ds, one row a signal, by differences: loads and drives enter almost linearly."""
    newton.assemble(system.equations, q, lam, u, gamma, 0.0, False, scratch)
    here = scratch.step.copy()
    for column, k in zip(columns, unknowns, strict=True):
        known, change = u[k], DIFFERENCE * max(1.0, abs(u[k]))
        u[k] += change
        newton.assemble(system.equations, q, lam, u, gamma, 0.0, False, scratch)
        u[k] = known
        column[:] = (scratch.step - here) / change
