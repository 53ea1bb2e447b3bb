"""Inverse statics: the signals (motor angles, tendon lengths, loads) that hold a mechanism at a given place.

Unknowns are x = (q, lambda) and as many signals s as there are conditions c(x) = 0: rows of joints outside the system,
which must close without force, and multipliers of joints inside, which must vanish. Newton borders the equilibrium with
them:

    y = -A^-1 (r, g),   Z = -A^-1 d(r, g)/ds,   ds = -(c_x Z)^-1 (c + c_x y),   dx = y + Z ds

with the augmented matrix A of newton.py and its mixed integration points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from pliant.joints import rows as joints
from pliant.solvers.nonlinear import bordered, newton
from pliant.solvers.nonlinear.bordered import Bordered
from pliant.solvers.nonlinear.branch_check import Multiplied
from pliant.solvers.nonlinear.equilibrium import stiffness_scale
from pliant.solvers.nonlinear.ramp import ramp
from pliant.solvers.nonlinear.signal_gradients import Gradients
from pliant.system.equations import Scratch
from pliant.system.limits.contact_distances import pass_through
from pliant.system.state import State
from pliant.system.system import System

TOLERANCE = 1e-11  # of the last increment, in lengths of the model and radians
NEAR = 1e-5  # below this increment the next one is predicted: it falls by at least the same factor
ROUNDING = 1e-9  # an increment below this that no longer falls is rounding
LIMIT = 40
SMALLEST_STEP = 2.0**-8


@dataclass(frozen=True)
class Reached:
    """Last equilibrium found on the way to the conditions, and its signals."""

    state: State
    signals: np.ndarray
    iterations: int
    steps: int
    share: float  # of the way: 1 if the conditions hold


class Wanted(Protocol):
    """Conditions to satisfy: a value that must vanish, and its derivative by (q, lambda)."""

    def evaluate(
        self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, freedoms: int
    ) -> tuple[np.ndarray, np.ndarray]: ...


class Conditions(NamedTuple):
    """Rows of joints to be closed without force, and numbers of the multipliers that must vanish."""

    rows: joints.Rows
    idle: np.ndarray

    @property
    def number(self) -> int:
        """Return the number of conditions."""
        return int(self.rows.offset.size + self.idle.size)

    def evaluate(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, freedoms: int) -> tuple[np.ndarray, np.ndarray]:
        """Return c and its derivative by (q, lambda)."""
        shut = self.rows.offset.size
        value, slope = np.zeros(self.number), np.zeros((self.number, freedoms + lam.size))
        whole = np.zeros((shut, q.size))
        joints.residual(self.rows, q, u, value[:shut])
        joints.jacobian_dense(self.rows, q, u, whole)
        value[shut:] = lam[self.idle]
        slope[:shut, :freedoms] = whole[:, :freedoms]
        slope[np.arange(shut, self.number), freedoms + self.idle] = 1.0
        return value, slope


def reach(
    system: System,
    start: State,
    u: np.ndarray,
    slopes: Gradients,
    conditions: Wanted,
    *,
    gamma: float | None = None,
    smallest_step: float = SMALLEST_STEP,
    limit: int = LIMIT,
) -> Reached:
    """Find the equilibrium that satisfies the conditions, or the last one on the way there (``share`` below 1).

    The conditions are approached in steps if one step fails, down to a ``smallest_step`` of the way; Newton stops after
    ``limit`` iterations. ``gamma`` is the weight of the augmented term, computed here by default.
    """
    at = _Unknowns(start.q, start.lam, u).copy()
    gap, _ = conditions.evaluate(*at, system.freedoms)
    with system.working() as scratch:
        weight = stiffness_scale(system, *at, scratch) if gamma is None else gamma

        way, iterations = slopes.bordered(weight), 0

        def advance(at: _Unknowns, share: float) -> _Unknowns | None:
            nonlocal iterations
            moved = at.copy()
            count, found = _newton(system, conditions, (1.0 - share) * gap, slopes, moved, way, limit, scratch)
            iterations += count
            return moved if found and not pass_through(system, at.q, moved.q) else None

        (q, lam, u), done, steps = ramp(advance, at, smallest=smallest_step)
    return Reached(State(q, np.zeros_like(q), np.zeros_like(q), lam, float(u[1])), u, iterations, steps, done)


class _Unknowns(NamedTuple):
    """Configuration, multipliers and signals."""

    q: np.ndarray
    lam: np.ndarray
    u: np.ndarray

    def copy(self) -> _Unknowns:
        """Return copies of the arrays."""
        return _Unknowns(*(each.copy() for each in self))


def _newton(
    system: System, conditions: Wanted, left: np.ndarray, slopes: Gradients, at: _Unknowns, way: Bordered, limit: int,
    scratch: Scratch,
) -> tuple[int, bool]:  # fmt: skip
    """Run Newton in place until the conditions are open by ``left``. Returns iterations and whether it converged."""
    newton.begin(system.equations, *at, way.gamma, scratch)
    before = 0.0
    for iteration in range(1, limit + 1):
        _prepare(system, conditions, left, slopes, at, way, scratch)
        size, whole = bordered.advance(system.equations, *at, way, scratch)
        if size < 0.0:
            return iteration, False
        if whole and (size <= TOLERANCE or (size < ROUNDING and size > 0.5 * before)):
            return iteration, True
        if whole and size < NEAR and size * size < TOLERANCE * before:
            return iteration, True
        before = size
    return limit, False


def _prepare(
    system: System,
    conditions: Wanted,
    left: np.ndarray,
    slopes: Gradients,
    at: _Unknowns,
    way: Bordered,
    scratch: Scratch,
) -> None:
    """Evaluate conditions and derivatives by signals for an increment."""
    way.miss[:], way.slope[:] = conditions.evaluate(*at, system.freedoms)
    way.miss[:] -= left
    slopes.write(*at, scratch, way.by_signal)


class Approach(Multiplied):
    """Homotopy from a start to the equilibrium that satisfies the conditions, in steps that cannot leave its branch.

    The unknown signals are multipliers after the multipliers of the joints.
    """

    def __init__(
        self, system: System, start: State, u: np.ndarray, slopes: Gradients, conditions: Wanted, gamma: float
    ) -> None:
        super().__init__(system, start, (u,), u, gamma, system.scratch())
        self.slopes, self.conditions, self.m = slopes, conditions, start.lam.size
        self.way = slopes.bordered(gamma)
        self.lam = np.concatenate([start.lam, u[slopes.signals]])
        self.gap, _ = conditions.evaluate(start.q, start.lam, u, system.freedoms)

    def rests(self) -> bool:
        """Accept the start: it is held by the conditions too, which are not in its tangent."""
        return True

    def unknowns(self, q: np.ndarray, lam: np.ndarray) -> _Unknowns:
        """Return the unknowns with all signals."""
        u = self.base.copy()
        u[self.slopes.signals] = lam[self.m :]
        return _Unknowns(q, lam[: self.m], u)

    def increment(self, q: np.ndarray, lam: np.ndarray, t: float) -> np.ndarray | None:
        """Return Newton's increment; None if the matrix is singular."""
        at, way = self.unknowns(q, lam), self.way
        way.hold[:] = (1.0 - t) * self.held(q)
        _prepare(self.system, self.conditions, (1.0 - t) * self.gap, self.slopes, at, way, self.scratch)
        if bordered.increment(self.system.equations, *at, way, self.scratch) < 0.0:
            return None
        return np.concatenate([way.sides[0], way.change])
