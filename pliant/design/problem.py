"""Scaled problem of an optimisation: goal and constraints as solvers need them, and the designs tried.

z = x / sizes of the parameters,   f = (goal - base) / its size,   c = sign * (value - bound) / size of the bound >= 0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pliant.design.quantities import Constraint
from pliant.design.responses import Answer, Responses, Slopes
from pliant.errors import ConvergenceError, OptionError

FEASIBLE = 1e-6  # largest violation of a constraint, over the size of its bound
OFFSET = 0.1  # of the goal: if parameters change it by less, most of it is a constant
PROBE = 0.1  # step of a parameter, in its sizes, that tests the change of a goal
LEAST = 1e-9  # least size of the goal, relative to it
WORSE = 1e2  # value of a design without equilibrium, in sizes of the goal and of every bound


class Tried(NamedTuple):
    """One design."""

    x: np.ndarray
    values: np.ndarray  # of all quantities; NaN if it failed
    violation: float  # largest, over the sizes of the bounds; infinite if it failed
    start: int  # number of its start
    failed: str  # reason if it is no design, else ""


@dataclass
class Problem:
    """Goal, constraints and parameters, scaled.

    sign  1: the goal, first of the quantities of ``responses``, is to be small; -1: large
    """

    responses: Responses
    constraints: Sequence[Constraint]
    sign: float
    report: Callable[[float], None] = field(default=lambda done: None)
    seen: Callable[[dict[str, float]], None] | None = None  # called with designs that are better than all before
    tried: list[Tried] = field(default_factory=list)
    start: int = 0

    def __post_init__(self) -> None:
        parameters = self.responses.parameters.values()
        self.sizes = self.responses.sizes
        self.low = np.array([each.low for each in parameters]) / self.sizes
        self.high = np.array([each.high for each in parameters]) / self.sizes
        self.sides = [(each, sign, bound) for each in self.constraints for sign, bound in each.sides]
        self.equal = np.array([each.low == each.high for each, _, _ in self.sides], bool)
        self.goal = self.responses.quantities[0].name
        self._size: float | None = None
        self.base = 0.0  # of the goal: a constant that no parameter changes
        self._bounds: np.ndarray | None = None

    def scale_by(self, answer: Answer) -> None:
        """Set the sizes of goal and bounds from a design, whose units bounds must have."""
        for each in self.constraints:
            each.check_units(answer.units[each.name])
        self._size = abs(float(answer.values[self.goal])) or 1.0
        sizes = [max(abs(bound), 1e-3 * abs(float(answer.values[c.name]))) for c, _, bound in self.sides]
        own = [abs(float(answer.values[c.name])) for c, _, _ in self.sides]
        self._bounds = np.array([size or mine or 1.0 for size, mine in zip(sizes, own, strict=True)])

    def set_apart(self, first: Answer) -> None:
        """Subtract a constant from the goal if parameters hardly change it, such as the height of a tip clamped high
        above the ground: its size is then the change by the sizes of the parameters.
        """
        value = float(first.values[self.goal])
        slopes = np.abs(self.responses.slopes(first.x).by[self.goal]) * self.sizes
        if np.max(slopes) > OFFSET * abs(value):
            return
        z = first.x / self.sizes
        changes = [float(np.max(slopes))]
        for k in range(z.size):
            beside = z.copy()
            beside[k] += PROBE if beside[k] + PROBE <= self.high[k] else -PROBE
            other = self.answer(beside)
            if not (other.failed or other.left):
                changes.append(abs(float(other.values[self.goal]) - value) / PROBE)
        if max(changes) < OFFSET * abs(value):
            self.base, self._size = value, max(*changes, LEAST * abs(value))

    @property
    def size(self) -> float:
        """Return the size of the goal."""
        return self._size or 1.0

    @property
    def bounds(self) -> np.ndarray:
        """Return the sizes of the bounds."""
        return np.ones(len(self.sides)) if self._bounds is None else self._bounds

    def answer(self, z: np.ndarray) -> Answer:
        """Compute the answer at a point, and store it as tried."""
        x = np.clip(z, self.low, self.high) * self.sizes
        known = len(self.tried) and np.array_equal(self.tried[-1].x, x)
        found = self.responses(x)
        if not known:
            before = self.best()
            self.tried.append(self._tried(found))
            self.report(len(self.tried))
            if self.seen is not None and (better := self.best()) is not None and better is not before:
                self.seen(dict(zip(self.responses.names, better.x.tolist(), strict=True)))
        return found

    def _tried(self, answer: Answer) -> Tried:
        why = answer.failed or answer.left
        if why:
            nothing = np.full(len(self.responses.quantities), np.nan)
            return Tried(answer.x, nothing, np.inf, self.start, why)
        for name, value in answer.values.items():
            if np.ndim(value):
                raise OptionError(f"{name!r} is an array of {np.shape(value)}: a goal or constraint is one number.")
        if self._size is None:
            self.scale_by(answer)
        values = np.array([answer.values[each.name] for each in self.responses.quantities], float)
        return Tried(answer.x, values, self.missed(answer), self.start, "")

    def violation(self, c: np.ndarray) -> float:
        """Return the largest violation of constraints."""
        missed = np.where(self.equal, np.abs(c), np.maximum(-c, 0.0))
        return float(np.max(missed, initial=0.0))

    def missed(self, answer: Answer) -> float:
        """Return the largest violation of an answer."""
        return self.violation(self._sides_of(answer))

    def f(self, z: np.ndarray) -> float:
        """Return the goal."""
        found = self.answer(z)
        if found.failed or found.left:
            return self._worse()
        return self.sign * (float(found.values[self.goal]) - self.base) / self.size

    def _worse(self) -> float:
        known = [self.sign * (each.values[0] - self.base) for each in self.tried if not each.failed]
        return max(known, default=0.0) / self.size + WORSE

    def f_z(self, z: np.ndarray) -> np.ndarray:
        """Return the gradient of the goal."""
        return self.sign * self._slopes(z).by[self.goal] * self.sizes / self.size

    def c(self, z: np.ndarray) -> np.ndarray:
        """Return constraints, not negative where they are met; zero where they are equations."""
        found = self.answer(z)
        return np.full(len(self.sides), -WORSE) if found.failed or found.left else self._sides_of(found)

    def _sides_of(self, answer: Answer) -> np.ndarray:
        values = [sign * (float(answer.values[each.name]) - bound) for each, sign, bound in self.sides]
        return np.array(values, float) / self.bounds

    def c_z(self, z: np.ndarray) -> np.ndarray:
        """Return the derivatives of the constraints."""
        slopes = self._slopes(z)
        rows = [sign * slopes.by[each.name] * self.sizes for each, sign, _ in self.sides]
        return np.array(rows, float).reshape(len(self.sides), self.sizes.size) / self.bounds[:, None]

    def _slopes(self, z: np.ndarray) -> Slopes:
        found = self.answer(z)
        if found.failed or found.left:
            raise ConvergenceError(found.failed or found.left)
        return self.responses.slopes(found.x)

    def best(self, start: int | None = None) -> Tried | None:
        """Return the best design that was tried: the least goal among designs that meet the constraints, otherwise the
        design with the least violation.
        """
        known = [each for each in self.tried if not each.failed and start in (None, each.start)]
        met = [each for each in known if each.violation <= FEASIBLE]
        if met:
            return min(met, key=lambda each: self.sign * float(each.values[0]))
        return min(known, key=lambda each: each.violation, default=None)
