"""A motion and its derivative by a parameter: `implicit.Line`, for all instants of a motion by generalized-alpha.

The motion is computed once; for every parameter its equations are looked at from both sides of it, at the states of the
motion, and its derivatives follow from step to step in compiled code (`pliant.solvers.motion_slopes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pliant.errors import OptionError, SingularError
from pliant.solvers.alpha_run import PROJECTION
from pliant.solvers.alpha_stepping import AlphaStepping
from pliant.solvers.implicit import PLACES, STRIDE, Line, slope
from pliant.solvers.motion import Plan, TimeHistory
from pliant.solvers.motion_course import Course, Known, Slopes, Way
from pliant.solvers.motion_projection import all_terms, unproject
from pliant.solvers.motion_slopes import propagate, residuals
from pliant.solvers.status import DONE
from pliant.system.samples import Samples
from pliant.system.state import State

Started = Callable[[Any, State], State]
Sides = Callable[[float], tuple[Sequence[Any], float]]
KINKED = 1e-3  # of what a step's matrix makes of x': what its slope may differ by between a stride and twice that
SHORTER = (1.0, 0.03, 1e-3)  # steps of a parameter: where forces have a kink beside the motion they are shorter
LEAST = 1e-6  # of the largest slope of a motion: slopes below count as this


@dataclass(frozen=True)
class MotionLine:
    """The derivative of a motion by a parameter: any quantity Q of system and samples has ``Q_p + Q_x x'``.

    neighbours  systems at p + k step, k of `PLACES`
    q, v, a, lam  (instants, ...) derivatives of what is recorded
    error       of x', relative, the largest of all steps
    kinks       instants at whose steps a slope jumps: there is one derivative on either side, and this is neither
    """

    system: Any
    samples: Samples
    neighbours: Sequence[Any]
    step: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    error: float
    kinks: np.ndarray

    @property
    def stride(self) -> float:
        """Change of the parameter for which x' moves nothing by more than `STRIDE`."""
        return STRIDE / max(float(np.max(np.abs(self.q) * self.system.weight, initial=0.0)), 1e-300)

    def moved(self, way: float) -> Samples:
        """The motion that x' leads to, for a change of the parameter."""
        n, seen = self.system.freedoms, self.samples
        q = np.array([self.system.moved(*each) for each in zip(seen.q, way * self.q, strict=True)])
        v, a = seen.v.copy(), seen.a.copy()
        v[:, :n] += way * self.v
        a[:, :n] += way * self.a
        return replace(seen, q=q, v=v, a=a, lam=seen.lam + way * self.lam)

    def derivative(self, quantity: Callable[[Any, Samples], Any]) -> Any:
        """Of a quantity that numpy can add up."""
        total = slope([quantity(system, self.samples) for system in self.neighbours], self.step)
        if any(np.any(each) for each in (self.q, self.v, self.a, self.lam)):
            by = min(self.stride, 1e30)
            total = total + slope([quantity(self.system, self.moved(k * by)) for k in PLACES], by)
        return total


class Differentiated:
    """A motion by equal steps, ready to be differentiated by what its equations are made of."""

    def __init__(self, system: Any, begin: State, plan: Plan, motion: TimeHistory, started: Started) -> None:
        """``started`` makes of the state that a motion is given, ``begin``, that which it begins with."""
        self.system, self.begin, self.plan, self.started, self.last = system, begin, plan, started, motion.last
        self.start = started(system, begin)
        self.samples = Samples.along(motion, system.size)
        self.h = float(np.diff(motion.time).mean())
        self.run = self._run(system)
        self.trial = self._run(system)
        self.projected = bool(self.run.controls.constraints == PROJECTION and system.constraints)
        self.course = self._course(motion)

    def _run(self, system: Any) -> Any:
        return AlphaStepping(system, self.start, self.plan, self.h).run

    def _course(self, motion: TimeHistory) -> Course:
        system, seen = self.system, self.samples
        width = system.freedoms + system.constraints
        taken = np.zeros((2, seen.time.size, width) if self.projected else (2, 1, width))
        course = Course(
            seen.q, seen.v, seen.v.copy(), seen.a.copy(), seen.lam.copy(), *system.signal_table(seen.time), *taken
        )
        if self.projected:
            course.a[0], course.lam[0] = self.start.a, self.start.lam
            abar = (self.start.a if self.start.abar is None else self.start.abar).copy()
            if not unproject(self.run, course, self.h, abar):
                raise SingularError("a step of this motion has a singular matrix: it has no derivatives.")
        return course

    def line(self, sides: Sides, begun: np.ndarray) -> MotionLine:
        """The derivative by a parameter, from systems at both sides of it and the step between them, which is a part of
        the usual one, and ``begun``, q' of the state that the motion was given.
        """
        n, m, count = self.system.freedoms, self.system.constraints, self.samples.time.size
        way = self._way(Line(self.system, self.begin, *sides(1.0), np.concatenate([begun, np.zeros(m)])))
        known, sharp, part = self._known(sides)
        slopes = Slopes(*(np.zeros((count, size)) for size in (n, n, n, m, n, m)), *np.zeros((2, count)))
        status = propagate(self.run, self.trial, self.course, self.h, known, way, slopes)
        if status != DONE:
            raise SingularError("the matrix of a step of this motion is singular, or its derivatives are not finite.")
        kinks = self.samples.time[(slopes.bent > KINKED) | sharp]
        return MotionLine(
            self.system, self.samples, *sides(part), slopes.q, slopes.v, slopes.recorded, slopes.reactions,
            float(np.max(slopes.error)), kinks,
        )  # fmt: skip

    def _way(self, begin: Line) -> Way:
        """Derivatives of the state that the motion began with."""
        n, m = self.system.freedoms, self.system.constraints

        def all_of(system: Any, state: State) -> np.ndarray:
            found = self.started(system, state)
            return np.concatenate([found.v[:n], found.a[:n], found.lam])

        v, a, lam = np.split(begin.derivative(all_of), [n, 2 * n])
        sizes = (n + m, n + m, n + m, 2 * n + 3 * m, 2 * n + 3 * m, n + m)
        return Way(begin.x[:n].copy(), v.copy(), a.copy(), a.copy(), lam.copy(), *map(np.zeros, sizes))

    def _known(self, sides: Sides) -> tuple[Known, np.ndarray, float]:
        """Explicit derivatives by the parameter at the states of the motion, each with the largest step that sees no
        kink; instants where all do, and the shortest step that was needed.
        """
        sharp = np.ones(self.samples.time.size, bool)
        here = self._seen(self.system)[0]
        known: Any = None
        for part in SHORTER:
            neighbours, step = sides(part)
            seen = [self._seen(system) for system in neighbours]
            left, projected = ([each[k] for each in seen] for k in (0, 1))
            found = Known(slope(left, step), slope(projected, step))
            if known is None:
                known = found
            else:
                for old, new in zip(known, found, strict=True):
                    old[sharp[: len(old)]] = new[sharp[: len(old)]]
            sharp &= self._sharp(left, here)
            if not sharp.any():
                break
        return known, sharp, part

    def _sharp(self, left: Sequence[np.ndarray], here: np.ndarray) -> np.ndarray:
        """(instants) whether slopes over a step and over twice that differ, or second differences do not grow with its
        square.
        """
        n, unit = self.system.freedoms, 1.0 / self.system.weight
        a, b, c, d = ((each - here)[:, :n] * unit for each in left)
        rounding = 64.0 * np.finfo(float).eps * np.max(np.abs(here[:, :n] * unit), axis=1, initial=0.0)
        most = np.max(np.abs(c - b), axis=1, initial=0.0)
        bends = np.maximum(np.abs(0.5 * (d - a) - (c - b)), np.abs(b + c - 0.25 * (a + d)))
        return np.max(bends, axis=1, initial=0.0) > KINKED * np.maximum(most, LEAST * np.max(most)) + rounding

    def _seen(self, system: Any) -> tuple[np.ndarray, np.ndarray]:
        """What is left of the equations of another system at the states of this motion, and terms of projections."""
        n, m, count = self.system.freedoms, self.system.constraints, self.samples.time.size
        run, table, scheme = self._run(system), system.signal_table(self.samples.time), self.run.scheme
        course = self.course._replace(u=table[0], rate=table[1], second=table[2])
        left, projected = np.zeros((count, n + m)), np.zeros((count, 2 * n + 3 * m) if self.projected else (1, 0))
        mass = (1.0 - scheme.alpha_m) / (1.0 - scheme.alpha_f) / (scheme.beta * self.h**2)
        residuals(run, course, mass * self.system.equations.gamma, left)
        if self.projected:
            all_terms(run, course, self.h, projected)
        return left, projected


def equal_steps(motion: TimeHistory, name: str) -> None:
    """Refuse a motion whose steps are not equal, or that did not reach its end."""
    if not motion.ok:
        raise OptionError(f"sensitivity: the motion of {name!r} {motion.message}: it has no derivatives at its end.")
    if motion.cut_backs:
        raise OptionError(
            f"sensitivity: {motion.cut_backs} steps of the motion of {name!r} failed and were taken in parts. Which "
            "ones do depends on the parameters by jumps. Give transient a smaller step=."
        )
