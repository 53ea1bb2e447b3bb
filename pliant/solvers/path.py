"""Following equilibria as a parameter changes: steps, events, branches (Riks 1979; Seydel 2010, chapters 4 and 5).

Lengths are measured by ``|dx|^2 = mean over nodes of (dx/L)^2 + (dy/L)^2 + dtheta^2, plus (dp/span)^2``. Every point
knows in how many directions it is unstable; where that changes between two points, the place is found by halving. The
same halving uncovers a corrector that jumped to another branch: the two ends then do not come together, and the step
is taken again, shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import acos, copysign, inf, nan, pi, sqrt

import numpy as np

from pliant.errors import ConvergenceError, PliantError, SingularError
from pliant.solvers.arclength import Arc
from pliant.solvers.path_parameter import PathParameter
from pliant.solvers.stability import held_by
from pliant.system.capabilities import Turning, can

LIMIT_POINT, BIFURCATION, FLUTTER, FLUTTER_ENDS = "limit point", "bifurcation", "flutter", "end of flutter"
SMALLEST = 1e-7  # step at which a path ends, and to which events are located
PUSHED = 2e-5  # cosine: where branches meet 4e-6 at most is left of it, an end of a beam that is turned has 1e-4
IDEAL_ITERATIONS = 4
IDEAL_TURN = 0.25  # rad, of the path's direction in one step
STILL = 1e-6  # displacements smaller than this are not compared
SHARPEST_TURN = 0.8  # rad; a step that turns more is taken again, shorter
WIDEST_SINGULAR = 0.05  # a stretch around an event in which the matrix may be singular to working precision
RETURNED = 1e-3  # a path that comes so near to its start is closed
SINGULAR_THERE = "the matrix is singular to working precision, as of a very slender beam or a loose part"
NUDGES = (5e-3, 1e-3, 2e-4, 4e-5)  # how far a branch is looked for beside its bifurcation


@dataclass(frozen=True)
class Point:
    """An equilibrium on a path, and the direction in which the path goes on: (dq, dlambda, dp), of length one."""

    q: np.ndarray
    lam: np.ndarray
    p: float
    tangent: np.ndarray
    arclength: float
    unstable: int | None  # directions; None where they cannot be counted
    flutter: int  # of them, those that oscillate
    softness: float  # eigenvalue of the tangent nearest to zero, in the metric of the path; nan where there is none
    force: float
    gap: float
    growing: int | None = None  # motions, where gyroscopic forces may hold unstable directions

    @property
    def stable(self) -> bool:
        """Whether nothing grows."""
        return (self.unstable if self.growing is None else self.growing) == 0

    def same_way(self, other: Point) -> bool:
        """Whether the parameter grows at both, or falls at both."""
        return self.tangent[-1] * other.tangent[-1] > 0.0

    def alike(self, other: Point) -> bool:
        """Whether the same motions grow at both."""
        return (self.unstable, self.flutter) == (other.unstable, other.flutter)


@dataclass(frozen=True)
class Event:
    """A place where stability changes: ``direction`` (coordinates only) is the critical one."""

    kind: str
    point: Point
    parameter: float
    direction: np.ndarray
    multiplicity: int = 1  # how many directions become critical at once
    index: int = -1  # among the points of the path


@dataclass
class Trace:
    """A path: its points, what happened on it, and why it ended."""

    points: list[Point]
    events: list[Event] = field(default_factory=list)
    reached: bool = False
    message: str = ""
    rejected: int = 0
    farthest: float = 0.0  # distance from its first point so far


@dataclass(frozen=True)
class Goals:
    """Where a path ends: at values of the parameter, or where a gauge changes sign."""

    parameter: tuple[float, ...]
    gauge: Callable[[Point], float] | None = None
    event: str = ""  # a kind of event that ends it
    barriers: tuple[float, ...] = ()  # of these values, those that cannot be passed and were not asked for


class Tracer:
    """Walks along the equilibria of a parameter."""

    def __init__(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> None:
        self.parameter, self.base = parameter, parameter.base
        self.equations = self.base.continuation(parameter, q, lam, p)
        self.n = self.base.freedoms
        self.metric = self.base.weight**2 / self.base.nodes
        self.whole_metric = np.concatenate([self.metric, np.zeros(lam.size), [parameter.span**-2]])
        self.angles = np.flatnonzero(self.base.angular)
        self.iterations = 0
        self.singular = False  # whether the last point sought failed because its matrix is singular
        self.trouble = ""  # why the last point sought was not found
        self.soft = np.random.default_rng(0).standard_normal(self.n)  # guess of the softest direction

    def inner(self, a: np.ndarray, b: np.ndarray) -> float:
        """Product of two directions (dq, dlambda, dp)."""
        return float((self.whole_metric * a) @ b)

    def length(self, x: np.ndarray) -> float:
        """Length of a direction."""
        return sqrt(self.inner(x, x))

    def between(self, a: Point, b: Point) -> np.ndarray:
        """b - a"""
        return np.concatenate([self.base.apart(a.q, b.q), b.lam - a.lam, [b.p - a.p]])

    def point(self, q: np.ndarray, lam: np.ndarray, p: float, forward: np.ndarray, arclength: float) -> Point | None:
        """Stability and direction at an equilibrium; None where its matrix is singular."""
        regular, negatives, force, gap, slope = self.equations.survey(q, lam, p)
        self.singular = not regular
        if not regular:
            return None
        tangent = np.append(slope, 1.0)
        tangent /= copysign(self.length(tangent), self.inner(tangent, forward))
        if self.base.conservative:
            softness = self.soften(p, lam.size)
            growing, flutter = self.equations.growing(q, lam, p) if can(self.base, Turning) else (None, 0)
            falling = negatives - lam.size
            return Point(q, lam, p, tangent, arclength, falling, flutter, softness, force, gap, growing)
        try:
            unstable, flutter = self.equations.growing(q, lam, p)
        except SingularError:
            self.singular = True
            return None
        return Point(q, lam, p, tangent, arclength, unstable, flutter, nan, force, gap)

    def soften(self, p: float, multipliers: int) -> float:
        """Eigenvalue nearest to zero of K x = mu W x (W: the metric), by inverse iteration with the factors at hand."""
        x, weighted = self.soft, np.zeros(self.n + multipliers)
        softness = 0.0
        for _ in range(2):
            weighted[: self.n] = self.metric * x
            weighted[self.n :] = 0.0
            self.equations.solve(p, weighted)
            y = weighted[: self.n]
            size = float(self.metric @ y**2)
            softness = float((self.metric * y) @ x) / size
            x = y / sqrt(size)
        self.soft = x.copy()
        return softness

    def correct(self, start: Point, across: np.ndarray, length: float, guess: np.ndarray) -> Point | None:
        """The equilibrium at ``length`` from ``start`` in the direction ``across``, near start + guess."""
        n, m = self.n, start.lam.size
        lam, p = start.lam + guess[n : n + m], start.p + guess[-1]
        arc = Arc(start.q, start.p, self.metric * across[:n], across[-1] / self.parameter.span**2, length)
        try:
            corrected = self.equations.correct(arc, lam, p, guess[:n])
        except PliantError as error:  # of a function that makes the system
            self.trouble, self.singular = str(error), False
            return None
        _, self.singular, iterations, q, lam, p = corrected
        self.iterations += iterations
        self.trouble = SINGULAR_THERE if self.singular else "Newton does not converge"
        if not corrected.found:
            return None
        moved = np.concatenate([self.base.apart(start.q, q), lam - start.lam, [p - start.p]])
        found = self.point(q, lam, p, moved, start.arclength + self.length(moved))
        self.trouble = SINGULAR_THERE if found is None else ""
        return found

    def step(self, start: Point, length: float) -> Point | None:
        """The next point at that distance; None where Newton fails, goes astray or the path turns too sharply."""
        guess = length * start.tangent
        found = self.correct(start, start.tangent, length, guess)
        if found is None:
            return None
        self.trouble = "the path turns too sharply"
        if self.turn(start, found) > SHARPEST_TURN:
            return None
        moved = self.between(start, found)
        astray, far = self.shift(moved - guess), max(self.shift(moved), self.shift(guess))
        near = self.length(moved - guess) < 0.5 * length and astray < max(0.5 * far, STILL)
        return found if near else None

    def turn(self, a: Point, b: Point) -> float:
        """Angle between the directions of two points, or that of their displacements alone if it is larger.

        The latter tells branches apart on which the parameter changes alike.
        """
        cosine = self.inner(a.tangent, b.tangent)
        lengths = self.shift(a.tangent), self.shift(b.tangent)
        if max(lengths) > STILL:
            along = float((self.metric * a.tangent[: self.n]) @ b.tangent[: self.n])
            cosine = min(cosine, along / max(lengths[0] * lengths[1], STILL**2))
        return acos(min(1.0, max(-1.0, cosine)))

    def shift(self, x: np.ndarray) -> float:
        """Length of the displacements of a direction."""
        return sqrt(float(self.metric @ x[: self.n] ** 2))

    def land(self, before: Point, after: Point, p: float) -> Point | None:
        """The point between two at which the parameter is p."""
        moved = self.between(before, after)
        share = (p - before.p) / (after.p - before.p)
        only = np.zeros_like(moved)
        only[-1] = self.parameter.span**2
        found = self.correct(before, only, p - before.p, share * moved)
        return found if found and self.length(self.between(before, found)) < 2.0 * self.length(moved) else None

    def locate(self, before: Point, after: Point) -> list[Event] | None:
        """Events between two points, by halving; None where ``after`` turns out to lie on another branch."""
        if before.alike(after) and before.same_way(after):
            return []
        crossing = before.alike(after)  # a branch that turns back where it meets its path; or two events, if they show
        same = Point.same_way if crossing else Point.alike
        length = self.inner(before.tangent, self.between(before, after))
        while length > SMALLEST:
            middle = self.split(before, after, length)
            if middle is None:
                if length > (WIDEST_SINGULAR if self.singular else 1e3 * SMALLEST):
                    return None
                break  # so near the event that the matrix is singular, and near enough
            if crossing and length > 1e3 * SMALLEST and not middle.alike(before):
                first, second = self.locate(before, middle), self.locate(middle, after)
                return None if first is None or second is None else first + second
            if same(middle, before):
                before = middle
            elif same(middle, after):
                after = middle
            else:
                first, second = self.locate(before, middle), self.locate(middle, after)
                return None if first is None or second is None else first + second
            length = self.inner(before.tangent, self.between(before, after))
        if self.length(self.between(before, after)) > 2.0 * max(length, 1e3 * SMALLEST):
            return None
        return [self.event(before, after, crossing)]

    def split(self, before: Point, after: Point, length: float) -> Point | None:
        """A point between two: in the middle, else beside it."""
        found = self.step(before, 0.5 * length)
        for share in (0.3, 0.7):
            found = found or self.step(before, share * length)
        return found

    def event(self, before: Point, after: Point, crossing: bool) -> Event:
        """What happens between two points next to each other."""
        if before.flutter != after.flutter and not crossing and not before.softness * after.softness < 0.0:
            kind = FLUTTER if after.flutter > before.flutter else FLUTTER_ENDS
            return Event(kind, before, before.p, np.zeros(self.n))
        turning = not before.same_way(after) or abs(before.tangent[-1]) < 1e-3 * self.parameter.span
        if turning and self.pushed(before) > PUSHED:
            return Event(LIMIT_POINT, before, before.p, before.tangent[: self.n])
        share = 0.0
        if before.softness * after.softness < 0.0:
            share = before.softness / (before.softness - after.softness)
        count = max(1, abs((after.unstable or 0) - (before.unstable or 0)))
        direction = self.critical(before, 1)[0]
        return Event(BIFURCATION, before, before.p + share * (after.p - before.p), direction, count)

    def pushed(self, point: Point) -> float:
        """How much the parameter pushes in the critical direction, as a cosine: nothing at a bifurcation, as along a
        branch that turns where it meets its path; something at a limit point.
        """
        x = self.softest(point, 1)[:, 0]
        change, n = self.equations.by_parameter(point.q, point.lam, point.p), self.n
        root = np.sqrt(self.metric)
        size = np.linalg.norm(root * x[:n]) * np.linalg.norm(change[:n] / root)
        size += np.linalg.norm(x[n:]) * np.linalg.norm(change[n:])
        return abs(float(x @ change)) / max(float(size), 1e-300)

    def critical(self, point: Point, count: int) -> np.ndarray:
        """The softest directions (count, freedoms); the largest displacement of each is one (or the largest turn, where
        all coordinates are angles).
        """
        x, angular = self.softest(point, count)[: self.n], self.base.angular
        shifts = x if angular.all() else np.where(angular[:, None], 0.0, x)
        largest = shifts[np.argmax(np.abs(shifts), axis=0), np.arange(count)]
        return np.asarray((x / largest).T)

    def softest(self, point: Point, count: int) -> np.ndarray:
        """The softest directions, with the reactions that go with them, in columns: by inverse iteration."""
        self.equations.survey(point.q, point.lam, point.p)
        n = self.n
        root = np.sqrt(self.metric)
        x = np.random.default_rng(0).standard_normal((n + point.lam.size, count))
        for _ in range(8):
            for k in range(count):
                y = np.concatenate([self.metric * x[:n, k], np.zeros(point.lam.size)])
                self.equations.solve(point.p, y)
                x[:, k] = y
            x = x @ np.linalg.inv(np.linalg.qr(root[:, None] * x[:n])[1])
        return x

    def start(self, q: np.ndarray, lam: np.ndarray, p: float, way: float) -> Point:
        """First point of a path along which the parameter grows (way > 0) or falls at first."""
        forward = np.zeros(self.n + lam.size + 1)
        forward[-1] = copysign(self.parameter.span, way)
        found = self.point(q, lam, p, forward, 0.0)
        if found is None:
            raise ConvergenceError(
                f"A path of {self.base.model.name!r} cannot begin here: "
                f"{self.equations.movers(q, lam, p)} can move without any force changing. "
                + held_by(self.base.model, "begin at a value where it is held")
            )
        return found

    def enter(self, event: Event, side: float) -> Point | None:
        """First point of the branch that leaves a bifurcation along +- its critical direction."""
        origin = event.point
        across = np.zeros_like(origin.tangent)
        across[: self.n] = side * event.direction
        across -= self.inner(across, origin.tangent) * origin.tangent
        across /= self.length(across)
        for nudge in NUDGES:
            found = self.correct(origin, across, nudge, nudge * across)
            if found and self.length(self.between(origin, found)) < 4.0 * nudge:
                return found
        return None

    def arrive(self, here: Point, there: Point, goals: Goals) -> tuple[Point | None, bool]:
        """``there``, or the end of the path if that lies before it; and whether it is the end."""
        for p in goals.parameter:
            if (here.p - p) * (there.p - p) <= 0.0 and here.p != p:
                return self.land(here, there, p), True
        if goals.gauge is None or not self.passes(goals.gauge(here), goals.gauge(there)):
            return there, False
        low, high = 0.0, self.inner(here.tangent, self.between(here, there))
        while high - low > SMALLEST:
            middle = self.step(here, 0.5 * (low + high))
            if middle is None:
                return None, False
            if self.passes(goals.gauge(here), goals.gauge(middle)):
                high, there = 0.5 * (low + high), middle
            else:
                low = 0.5 * (low + high)
        return there, True

    def passes(self, before: float, after: float) -> bool:
        """Whether a gauge changes sign; one that starts at zero has yet to leave it."""
        return abs(before) > 1e-9 * self.base.length_scale and before * after <= 0.0

    def closes(self, trace: Trace, events: list[Event]) -> bool:
        """Whether the last step, with these events on it, has come back to where the path began."""
        first, here, there = trace.points[0], trace.points[-2], trace.points[-1]
        along, back = self.between(here, there), self.unwound(self.between(here, first))
        trace.farthest = max(trace.farthest, self.length(back))
        if trace.farthest < 20.0 * RETURNED:
            return False
        if any(self.length(self.unwound(self.between(first, event.point))) < RETURNED for event in events):
            return True
        share = self.inner(along, back) / max(self.inner(along, along), 1e-300)
        near = min(0.1 * self.length(along), 0.05 * trace.farthest)
        return 0.0 <= share <= 1.0 and self.length(back - share * along) < near

    def unwound(self, x: np.ndarray) -> np.ndarray:
        """A difference without whole turns, and without the reactions."""
        x, angles = x.copy(), x[self.angles]
        x[self.angles] = angles - 2.0 * pi * np.round(angles / (2.0 * pi))
        return x

    def merged(self, events: list[Event]) -> list[Event]:
        """Without a limit point that is one with a bifurcation: a branch turns where it meets its path."""
        crossings = [event.point for event in events if event.kind == BIFURCATION]
        return [
            event
            for event in events
            if event.kind != LIMIT_POINT
            or all(self.length(self.between(event.point, point)) > 1e3 * SMALLEST for point in crossings)
        ]

    def ahead(self, here: Point, there: Point) -> float:
        """How far the next step may go so that it does not pass two events at once: a little beyond the next one."""
        fall = (here.softness - there.softness) / max(there.arclength - here.arclength, 1e-300)
        return 1.2 * there.softness / fall if there.softness * fall > 0.0 else inf

    def walk(self, trace: Trace, goals: Goals, step: float, most: int) -> Iterator[Point]:
        """Go on from the last point of ``trace`` to a goal, with steps of at most ``step``; yields every point."""
        length = 0.2 * step
        while not trace.message:
            here, iterations = trace.points[-1], self.iterations
            there = self.step(here, length)
            iterations = self.iterations - iterations
            found = None if there is None else self.stretch(here, there, goals)
            if found is None:
                trace.rejected += 1
                length *= 0.4
                if length < SMALLEST:
                    trace.message = f"ended where no further point could be found: {self.trouble}"
                continue
            events, there, arrived = found
            chord = self.between(here, there)
            chord /= self.length(chord)
            for event in events:  # the slope at the event itself is mixed with its critical direction
                trace.points.append(replace(event.point, tangent=chord))
                trace.events.append(replace(event, point=trace.points[-1], index=len(trace.points) - 1))
            if not events or events[-1].point is not there:
                trace.points.append(there)
            yield there
            if arrived:
                trace.reached = there.p not in goals.barriers
                trace.message = "reached its end" if trace.reached else f"ended at {there.p:g}, which cannot be passed"
            elif self.closes(trace, events):
                trace.message = "closed on itself"
            elif len(trace.points) >= most:
                trace.message = f"ended after {len(trace.points)} points (most_points={most})"
            turn = max(self.turn(here, there), 1e-9)
            length *= min(2.0, IDEAL_TURN / turn, sqrt(2.0 * IDEAL_ITERATIONS / iterations))
            length = min(step, length, max(0.02 * step, self.ahead(trace.points[-2], there)))

    def stretch(self, here: Point, there: Point, goals: Goals) -> tuple[list[Event], Point, bool] | None:
        """Events between two points up to a goal if there is one, the last point, and whether it is the goal; None
        where the step has to be shorter.
        """
        events = self.locate(here, there)
        if events is None:
            return None
        events, kept = self.merged(events), list[Event]()
        for event in [*events, None]:
            last = there if event is None else event.point
            end, arrived = self.arrive(here, last, goals)
            if end is None:
                return None
            if arrived or event is None:
                return kept, end, arrived
            kept.append(event)
            if event.kind == goals.event:
                return kept, event.point, True
            here = event.point
        return None
