"""Motion by generalized-alpha and its derivative by a parameter: `implicit.Line`, for all instants.

The motion is computed once. For every parameter its equations are evaluated on both sides, at the states of the motion,
and its derivatives follow from step to step in compiled code (`pliant.solvers.derivatives.tangent_steps`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import OptionError, SingularError
from pliant.solvers.derivatives.implicit import DISPLACEMENT, EXACT, PLACES, Line, slope
from pliant.solvers.derivatives.projected_velocities import all_terms, unproject
from pliant.solvers.derivatives.recorded_states import Course, Direction, Known, Slopes
from pliant.solvers.derivatives.tangent_steps import propagate, residuals
from pliant.solvers.nonlinear.equilibrium import stiffness_scale
from pliant.solvers.stepping.alpha_run import PROJECTION
from pliant.solvers.stepping.alpha_stepping import AlphaStepping
from pliant.solvers.stepping.consistent_start import accelerated
from pliant.solvers.stepping.drivers import Chunk
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.status import DONE
from pliant.system.packing.build import unbordered
from pliant.system.samples import Samples
from pliant.system.state import State

Started = Callable[[Any, State], State]
Sides = Callable[[float], tuple[Sequence[Any], float]]
EPSILON = float(np.finfo(float).eps)
KINKED = 1e-3  # of the step matrix times x': allowed difference of slopes between a step and twice the step
SHORTER = (1.0, 0.03, 1e-3)  # steps of a parameter: shorter if forces have a kink near the motion
SAME = 1e-9  # relative: sizes of steps that differ by less are equal; also places, in lengths and rad
UNREPEATED = "sensitivity: the steps of that motion cannot be repeated one by one. Give transient a smaller step=."
LEAST = 1e-6  # of the largest slope of a motion: smaller slopes are measured against this


@dataclass(frozen=True)
class MotionLine:
    """Derivative of a motion by a parameter: any quantity Q of system and samples has ``Q_p + Q_x x'``.

    neighbours  systems at p + k step, k in `PLACES`
    q, v, a, lam  (instants, ...) derivatives of recorded values
    error       of x', relative, the largest of all steps
    kinks       instants at whose steps a slope jumps: each side has its own derivative, and this is neither
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
    def step_along(self) -> float:
        """Return the parameter change for which x' moves nothing by more than `DISPLACEMENT`."""
        return DISPLACEMENT / max(float(np.max(np.abs(self.q) * self.system.weight, initial=0.0)), 1e-300)

    def moved(self, way: float) -> Samples:
        """Return the motion along x' for a change of the parameter."""
        n, seen = self.system.freedoms, self.samples
        q = np.array([self.system.moved(*each) for each in zip(seen.q, way * self.q, strict=True)])
        v, a = seen.v.copy(), seen.a.copy()
        v[:, :n] += way * self.v
        a[:, :n] += way * self.a
        return replace(seen, q=q, v=v, a=a, lam=seen.lam + way * self.lam)

    def derivative(self, quantity: Callable[[Any, Samples], Any]) -> Any:
        """Differentiate a quantity that numpy can add."""
        total = slope([quantity(system, self.samples) for system in self.neighbours], self.step)
        if any(np.any(each) for each in (self.q, self.v, self.a, self.lam)):
            by = min(self.step_along, 1e30)
            total = total + slope([quantity(self.system, self.moved(k * by)) for k in PLACES], by)
        return total


class Recorded(NamedTuple):
    """Recorded arrays of a motion."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


class Stretch(NamedTuple):
    """Consecutive equal steps of a motion.

    h         their size
    before    size of the steps before
    fits      sizes that the state was fitted to since, ending with h, each with whether a step failed before: the data
              that the method carries over then starts anew
    left      state after the steps before
    course    states of these steps
    recorded  arrays of the motion
    """

    h: float
    before: float
    fits: Sequence[tuple[float, bool]]
    left: State
    course: Course
    recorded: Recorded


class Differentiated:
    """Motion by equal steps (failed ones divided), prepared for differentiation by numbers in its equations."""

    def __init__(self, system: Any, begin: State, plan: Plan, motion: TimeHistory, started: Started) -> None:
        """Store a motion; ``started`` maps the given state ``begin`` to the initial state."""
        system = unbordered(system)
        self.system, self.begin, self.plan, self.started, self.last = system, begin, plan, started, motion.last
        self.start = started(system, begin)
        self.run, self.trial = (self._stepping(system, self.start).run for _ in range(2))
        u, scratch = system.signals(np.array([begin.time]))[0], self.run.scratch
        stiff = stiffness_scale(system, self.start.q, self.start.lam, u, scratch) * system.length_scale**2
        self.rounding = 4.0 * EPSILON * stiff  # N m, of forces of stiff axes
        self.projected = bool(self.run.controls.constraints == PROJECTION and system.constraints)
        self.stretches = self._stretches(motion)
        columns = zip(*(each.recorded for each in self.stretches), strict=True)
        self.samples = Samples(*(_join(column) for column in columns))

    def _stepping(self, system: Any, start: State) -> AlphaStepping:
        return AlphaStepping(system, start, self.plan, self.plan.step or 0.0)

    def _stretches(self, motion: TimeHistory) -> list[Stretch]:
        """Repeat the steps of a motion, with all data that they carry over."""
        stepping, found, before = self._stepping(self.system, self.start), list[Stretch](), 0.0
        for begin, end, count, fits in _equal_ranges(motion):
            h, left = (end - begin) / count, _state(stepping)
            _fit(stepping, before, fits, self._repeat_failed)
            start, grid = _state(stepping), np.append(begin + h * np.arange(count), end)
            record = stepping.records(count + 1)
            stepping.counts.records = 0
            stepping.keep(record)
            chunk = Chunk(stepping.signals(grid), h, count, 0, 1, end)
            if stepping.advance(chunk, record) != (DONE, count):
                raise OptionError(UNREPEATED)
            recorded = Recorded(grid, record.q, record.v, record.a, record.lam)
            found.append(Stretch(h, before, fits, left, self._course(recorded, start, h), recorded))
            before = h
        return found

    def _repeat_failed(self, stepping: AlphaStepping) -> None:
        """Repeat a failed step: its Newton data affect the following steps."""
        grid = stepping.time + stepping.h * np.arange(2.0)
        chunk = Chunk(stepping.signals(grid), stepping.h, 1, 0, 1, grid[-1])
        if stepping.advance(chunk, stepping.records(2)) == (DONE, 1):
            raise OptionError(UNREPEATED)

    def _course(self, recorded: Recorded, start: State, h: float) -> Course:
        """Return the states as forces use them."""
        system, (time, q, v, a, lam) = self.system, recorded
        width = system.freedoms + system.constraints
        taken = np.zeros((2, time.size, width) if self.projected else (2, 1, width))
        course = Course(q, v, v.copy(), a.copy(), lam.copy(), *system.signal_table(time), *taken)
        course.a[0], course.lam[0] = start.a, start.lam
        abar = np.array(start.a if start.abar is None else start.abar)
        if self.projected and not unproject(self.run, course, h, abar):
            raise SingularError("a step of this motion has a singular matrix: it has no derivatives.")
        return course

    def line(self, sides: Sides, begun: np.ndarray, *, assembled: bool) -> MotionLine:
        """Return the derivative by a parameter, from systems on both sides of it at a part of the usual step, and
        ``begun``, q' of the state that the motion was given: the assembled one, or another.
        """
        way, found, kinked, part = self.initial_derivatives(sides, begun, assembled=assembled), [], [], 1.0
        for stretch in self.stretches:
            known, sharp, shortest = self.explicit_derivatives(sides, stretch)
            if stretch.before or len(stretch.fits) > 1:
                self._resize(stretch, way, *sides(1.0))
            slopes = self.derivatives_along(stretch, known, way)
            found.append(slopes)
            kinked.append((slopes.bent > KINKED) | sharp)
            part = min(part, shortest)
        q, v, _, _, a, lam, _, error = (_join(column) for column in zip(*found, strict=True))
        kinks = self.samples.time[_join(kinked)]
        return MotionLine(self.system, self.samples, *sides(part), q, v, a, lam, float(np.max(error)), kinks)

    def initial_derivatives(self, sides: Sides, begun: np.ndarray, *, assembled: bool) -> Direction:
        """Return the derivatives of the initial state."""
        begin = Line(self.system, self.begin, *sides(1.0), np.append(begun, np.zeros(self.system.constraints)))
        return self._way(begin, *(self._at_assembly if assembled else self._at_moved)(begin))

    def derivatives_along(self, stretch: Stretch, known: Known, way: Direction) -> Slopes:
        """Return derivatives at all instants of some steps."""
        n, m, count = self.system.freedoms, self.system.constraints, stretch.recorded.time.size
        slopes = Slopes(*(np.zeros((count, size)) for size in (n, n, n, m, n, m)), *np.zeros((2, count)))
        growth = max(self.stretches[0].h, self.stretches[-1].h) / stretch.h  # growth of an error by longer steps
        run = self.run._replace(controls=self.run.controls._replace(tolerance=EXACT / growth**3))
        if propagate(run, self.trial, stretch.course, stretch.h, known, way, slopes) != DONE:
            raise SingularError("a step's matrix is singular, or the derivatives of this motion are not finite.")
        slopes.error[:] *= growth**3
        return slopes

    def _way(self, begin: Line, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> Direction:
        n, m = self.system.freedoms, self.system.constraints
        sizes = (n + m, n + m, n + m, 2 * n + 3 * m, 2 * n + 3 * m, n + m)
        return Direction(begin.x[:n].copy(), v.copy(), a.copy(), a.copy(), lam.copy(), *map(np.zeros, sizes))

    def _at_assembly(self, begin: Line) -> list[np.ndarray]:
        """Return derivatives of velocities, accelerations and reactions at the assembled pose, from perturbed systems:
        beams are unstrained there, and their forces would cost the digits of the accelerations.
        """
        found = [self.started(each, each.start()) for each in begin.neighbours]
        n, parts = self.system.freedoms, [[each.v, each.a, each.lam] for each in found]
        v, a, lam = (slope(values, begin.step) for values in zip(*parts, strict=True))
        return [v[:n], a[:n], lam]

    def _at_moved(self, begin: Line) -> list[np.ndarray]:
        """Return derivatives at another state: velocities by the parameter's own step, as these cost many digits of a
        beam that starts as a rigid body; accelerations and reactions follow from them.
        """
        n, h, at = self.system.freedoms, self.plan.step or 0.0, np.array([self.begin.time])
        beside = list(zip(PLACES, begin.neighbours, strict=True))
        v = slope([self.started(each, begin.moved(k * begin.step)).v[:n] for k, each in beside], begin.step)

        def pushed(system: Any, by: float) -> np.ndarray:
            state = replace(begin.moved(by), v=_shift(self.start.v, by * v))
            u, second = system.signals(at)[0], system.signal_rates(at)[1][0]
            found = accelerated(system, state, u, second, h, system.scratch())
            return np.concatenate([found.a[:n], found.lam])

        by = DISPLACEMENT / max(np.max(np.abs(x) * self.system.weight, initial=1e-200) for x in (begin.x[:n], h * v))
        found = slope([pushed(each, 0.0) for each in begin.neighbours], begin.step)
        return [v, *np.split(found + slope([pushed(self.system, k * by) for k in PLACES], by), [n])]

    def _resize(self, stretch: Stretch, way: Direction, neighbours: Sequence[Any], step: float) -> None:
        """Differentiate the state that steps of another size begin with: `AlphaStepping.resize`, an explicit function
        of the state, by differences.
        """
        left, n = stretch.left, self.system.freedoms

        def resized(system: Any, by: float) -> np.ndarray:
            q, lam = self.system.moved(left.q, by * way.q), left.lam + by * way.lam
            v, a = _shift(left.v, by * way.v), _shift(left.a, by * way.a)
            moved = replace(left, q=q, v=v, a=a, lam=lam, abar=_shift(left.abar, by * way.abar))
            stepping = self._stepping(system, moved)
            _fit(stepping, stretch.before, stretch.fits)
            state = stepping.run.state
            return np.concatenate([state.v[:n], state.a[:n], state.abar[:n], state.lam])

        sizes = [np.max(np.abs(x) * self.system.weight, initial=0.0) for x in (way.q, stretch.h * way.v)]
        by = DISPLACEMENT / max(*sizes, 1e-200)
        found = slope([resized(system, 0.0) for system in neighbours], step)
        found = found + slope([resized(self.system, k * by) for k in PLACES], by)
        way.v[:], way.a[:], way.abar[:], way.lam[:] = np.split(found, [n, 2 * n, 3 * n])

    def explicit_derivatives(self, sides: Sides, stretch: Stretch) -> tuple[Known, np.ndarray, float]:
        """Return explicit derivatives by the parameter at the states of some steps, each with the largest step without
        a kink; the instants with a kink at every step; and the shortest step that was needed.
        """
        sharp = np.ones(stretch.recorded.time.size, bool)
        here = self._residuals(self.system, stretch)[0]
        known: Any = None
        for part in SHORTER:
            neighbours, step = sides(part)
            seen = [self._residuals(system, stretch) for system in neighbours]
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
        """Return (instants) whether slopes over a step and its double differ, or second differences grow unlike its
        square.
        """
        n, unit = self.system.freedoms, 1.0 / self.system.weight
        a, b, c, d = ((each - here)[:, :n] * unit for each in left)
        rounding = 64.0 * EPSILON * np.max(np.abs(here[:, :n] * unit), axis=1, initial=0.0) + self.rounding
        most = np.max(np.abs(c - b), axis=1, initial=0.0)
        bends = np.maximum(np.abs(0.5 * (d - a) - (c - b)), np.abs(b + c - 0.25 * (a + d)))
        return np.max(bends, axis=1, initial=0.0) > KINKED * np.maximum(most, LEAST * np.max(most)) + rounding

    def _residuals(self, system: Any, stretch: Stretch) -> tuple[np.ndarray, np.ndarray]:
        """Return the residuals of another system at the states of some steps, and the terms of projections."""
        n, m, h, time = self.system.freedoms, self.system.constraints, stretch.h, stretch.recorded.time
        run, table, scheme = self._stepping(system, self.start).run, system.signal_table(time), self.run.scheme
        course, count = stretch.course._replace(u=table[0], rate=table[1], second=table[2]), time.size
        left, projected = np.zeros((count, n + m)), np.zeros((count, 2 * n + 3 * m) if self.projected else (1, 0))
        mass = (1.0 - scheme.alpha_m) / (1.0 - scheme.alpha_f) / (scheme.beta * h**2)
        residuals(run, course, mass * self.system.equations.gamma, left)
        if self.projected:
            all_terms(run, course, h, projected)
        return left, projected


def _fit(
    stepping: AlphaStepping,
    before: float,
    fits: Sequence[tuple[float, bool]],
    failed: Callable[[AlphaStepping], None] = lambda _: None,
) -> None:
    """Fit the state to steps of other sizes in the order of the motion; call ``failed`` where a step failed before."""
    stepping.h = before
    for h, upset in fits:
        if upset:
            failed(stepping)
        stepping.upset = upset
        stepping.resize(h)


def _state(stepping: AlphaStepping) -> State:
    """Return the present state, with all data that it carries over."""
    state = stepping.run.state
    q, v, a, lam, abar = (np.array(x) for x in (state.q, state.v, state.a, state.lam, state.abar))
    return State(q, v, a, lam, stepping.time, abar)


def _equal_ranges(motion: TimeHistory) -> list[tuple[float, float, int, list[tuple[float, bool]]]]:
    """Return ranges of equal steps, with the fits of the state before each; merge uninterrupted ranges of one size."""
    found: list[tuple[float, float, int, list[tuple[float, bool]]]] = []
    steps, fits, upset = iter(motion.strides), list[tuple[float, bool]](), False
    for h, taken, failed in motion.tries:
        fits, upset = [*fits, (h, upset)], failed
        if not taken:
            continue
        begin, end, count = next(steps)
        if found and len(fits) == 1 and not fits[0][1]:
            first, last, many, before = found[-1]
            sizes = (end - begin) / count, (last - first) / many
            if abs(sizes[0] - sizes[1]) <= 1e3 * SAME * sizes[1]:
                found[-1], fits = (first, end, many + count, before), []
                continue
        found.append((begin, end, count, fits))
        fits = []
    return found


def _join(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Concatenate arrays; the first row of each repeats the last row of its predecessor."""
    return np.concatenate([each[int(k > 0) :] for k, each in enumerate(arrays)])


def _shift(array: Any, by: np.ndarray) -> np.ndarray:
    found = np.array(array)
    found[: by.size] += by
    return found


def check_end_reached(motion: TimeHistory, name: str) -> None:
    """Refuse a motion that did not reach its end."""
    if not motion.ok:
        raise OptionError(f"sensitivity: the motion of {name!r} {motion.message}: it has no derivatives at its end.")
