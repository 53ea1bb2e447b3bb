"""Inverse statics: the signals (motor angles, tendon lengths, loads) that hold a mechanism at a given place.

Unknowns are x = (q, lambda) and as many signals s as there are conditions c(x) = 0: rows of joints that are not in the
system and carry no force, and multipliers of joints that are in it and are to carry none. Newton borders the
equilibrium with them:

    y = -A^-1 (r, g),   Z = -A^-1 d(r, g)/ds,   ds = -(c_x Z)^-1 (c + c_x y),   dx = y + Z ds

with the augmented matrix A of newton.py and its mixed integration points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

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


class Conditions(NamedTuple):
    """Rows of joints to be closed without force, and numbers of the multipliers that are to vanish."""

    rows: joints.Rows
    idle: np.ndarray

    @property
    def number(self) -> int:
        """How many conditions there are."""
        return int(self.rows.kind.size + self.idle.size)

    def evaluate(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, freedoms: int) -> tuple[np.ndarray, np.ndarray]:
        """c and its derivative by (q, lambda)."""
        shut = self.rows.kind.size
        value, slope = np.zeros(self.number), np.zeros((self.number, freedoms + lam.size))
        whole = np.zeros((shut, q.size))
        joints.residual(self.rows, q, u, value[:shut])
        joints.jacobian_dense(self.rows, q, u, whole)
        value[shut:] = lam[self.idle]
        slope[:shut, :freedoms] = whole[:, :freedoms]
        slope[np.arange(shut, self.number), freedoms + self.idle] = 1.0
        return value, slope


def reach(system: System, start: State, u: np.ndarray, unknowns: Sequence[int], conditions: Conditions) -> Reached:
    """The equilibrium in which the conditions hold; they are approached in steps where one stride fails."""
    q, lam, u = start.q.copy(), start.lam.copy(), u.copy()
    scratch = system.scratch()
    gap, _ = conditions.evaluate(q, lam, u, system.freedoms)
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
    conditions: Conditions,
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
    columns, before = np.empty((len(unknowns), n + lam.size)), 0.0
    for iteration in range(1, LIMIT + 1):
        _slopes(system, gamma, unknowns, q, lam, u, columns, scratch)
        newton.assemble(equations, q, lam, u, gamma, 0.0, True, scratch)
        y = scratch.step.copy()
        if not arclength.factor(equations, unsymmetric, scratch)[0]:
            return iteration, False
        arclength.solve(equations, unsymmetric, scratch, y)
        for column in columns:
            arclength.solve(equations, unsymmetric, scratch, column)
        miss, slope = conditions.evaluate(q, lam, u, n)
        try:
            change = -np.linalg.solve(slope @ columns.T, miss - left + slope @ y)
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
    """-d(r, g)/ds, one row a signal, by differences: loads and drives enter almost linearly, drives only in joints."""
    drives = set(system.driving)
    here = {only: _right_side(system, gamma, q, lam, u, only, scratch) for only in {k in drives for k in unknowns}}
    for column, k in zip(columns, unknowns, strict=True):
        known, change = u[k], DIFFERENCE * max(1.0, abs(u[k]))
        u[k] += change
        column[:] = (_right_side(system, gamma, q, lam, u, k in drives, scratch) - here[k in drives]) / change
        u[k] = known


def _right_side(
    system: System, gamma: float, q: np.ndarray, lam: np.ndarray, u: np.ndarray, joints_only: bool, scratch: Scratch
) -> np.ndarray:
    """-(r, g) of everything, or what the joints have in it."""
    if not joints_only:
        newton.assemble(system.equations, q, lam, u, gamma, 0.0, False, scratch)
        return scratch.step.copy()
    scratch.r[:] = 0.0
    joints.add(system.equations.rows, q, lam, u, 0.0, gamma, scratch.r, scratch.g, scratch.s)
    return np.concatenate([-scratch.r[: system.freedoms], -scratch.g])
