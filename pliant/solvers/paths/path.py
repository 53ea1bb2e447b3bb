"""Paths of equilibria under a changing parameter: steps, events, branches (Riks 1979; Seydel 2010, chapters 4 and 5).

Lengths are measured by ``|dx|^2 = mean over nodes of (dx/L)^2 + (dy/L)^2 + dtheta^2, plus (dp/span)^2``. Every point
stores its number of unstable directions; a change between two points is located by division of the step. Division also
reveals a corrector that jumped to another branch: the two ends then do not come together, and the step is repeated,
shorter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import acos, copysign, inf, nan, sqrt

import numpy as np

from pliant.errors import ConvergenceError, PliantError, SingularError
from pliant.solvers.nonlinear.stability import unheld
from pliant.solvers.paths import corners, metric
from pliant.solvers.paths.arclength import Arc
from pliant.solvers.paths.parameter import PathParameter
from pliant.solvers.paths.points import (
    BIFURCATION,
    FLUTTER,
    FLUTTER_ENDS,
    LIMIT_POINT,
    Event,
    Goals,
    Point,
    Trace,
)
from pliant.system.capabilities import Turning, can
from pliant.system.limits.contact_distances import pass_through

SMALLEST = 1e-7  # step at which a path ends, and to which events are located
UNPUSHED = 1e-7  # cosine: rounding
ASIDE = (3e-3, 1e-3, 3e-4)  # distances from an event at which the push of the parameter is compared with the push there
IDEAL_ITERATIONS = 4
IDEAL_TURN = 0.25  # rad, of the path's direction in one step
STILL = 1e-6  # displacements smaller than this are not compared
SHARPEST_TURN = 0.8  # rad; a step that turns more is repeated, shorter
WIDEST_SINGULAR = 0.05  # a step around an event in which the matrix may be singular to working precision
BEYOND = 1.1  # factor by which a division goes beyond the estimated zero of the softness
RETURNED = 1e-3  # a path that comes this near to its start is closed
SINGULAR_THERE = "the matrix is singular to working precision, as of a very slender beam or a loose part"
ALONG = 0.03  # part of a critical direction off the path, below which the path itself follows it
NUDGES = (5e-3, 1e-3, 2e-4, 4e-5)  # distances from a bifurcation at which its branch is tried


def division_point(before: float, after: float) -> float:
    """Return where to divide a step on which the softness changes sign: a little further from the nearer end than the
    zero of the line between them. This keeps the zero in the smaller part and avoids it, as the matrix is singular
    there.
    """
    if not before * after < 0.0:
        return 0.5
    share = before / (before - after)
    return min(BEYOND * share, 0.5) if share < 0.5 else max(1.0 - BEYOND * (1.0 - share), 0.5)


class Tracer:
    """Tracer of the equilibria of a parameter."""

    def __init__(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> None:
        self.parameter, self.base = parameter, parameter.base
        self.equations = self.base.continuation(parameter, q, lam, p)
        self.n = self.base.freedoms
        self.metric = self.base.weight**2 / self.base.nodes
        self.angles = np.flatnonzero(self.base.angular)
        self.iterations = 0
        self.singular = False  # whether the last point failed because its matrix is singular
        self.trouble = ""  # why the last point failed
        self.soft = np.random.default_rng(0).standard_normal(self.n)  # guess of the softest direction
        self.turns = can(self.base, Turning)
        self.moved = np.empty(0)  # from the start of the last step to its end

    def inner(self, a: np.ndarray, b: np.ndarray) -> float:
        """Return the product of two directions (dq, dlambda, dp)."""
        return metric.product(self.metric, self.parameter.span, a, b)

    def length(self, x: np.ndarray) -> float:
        """Return the length of a direction."""
        return sqrt(self.inner(x, x))

    def between(self, a: Point, b: Point) -> np.ndarray:
        """Return b - a."""
        return self.difference(a, b.q, b.lam, b.p)

    def difference(self, start: Point, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Return (q, lambda, p) less a point."""
        x = np.empty(self.n + lam.size + 1)
        x[: self.n], x[-1] = self.base.apart(start.q, q), p - start.p
        np.subtract(lam, start.lam, out=x[self.n : -1])
        return x

    def point(self, q: np.ndarray, lam: np.ndarray, p: float, forward: np.ndarray, arclength: float) -> Point | None:
        """Return the point at an equilibrium with stability and direction; None if its matrix is singular."""
        regular, negatives, force, gap, slope = self.equations.survey(q, lam, p)
        self.singular = not regular
        if not regular:
            return None
        tangent = np.ones(slope.size + 1)
        tangent[:-1] = slope
        metric.direct(self.metric, self.parameter.span, forward, tangent)
        if self.base.conservative:
            softness = self.soften(p, lam.size)
            growing, flutter = self.equations.growing(q, lam, p) if self.turns else (None, 0)
            falling = negatives - lam.size
            return Point(q, lam, p, tangent, arclength, falling, flutter, softness, force, gap, growing)
        try:
            unstable, flutter = self.equations.growing(q, lam, p)
        except SingularError:
            self.singular = True
            return None
        return Point(q, lam, p, tangent, arclength, unstable, flutter, nan, force, gap)

    def soften(self, p: float, multipliers: int) -> float:
        """Return the eigenvalue nearest to zero of K x = mu W x (W: the metric), by inverse iteration."""
        softness, y = 0.0, np.empty(self.n + multipliers)
        for _ in range(2):
            metric.apply_metric(self.metric, self.soft, y)
            self.equations.solve(p, y)
            softness = metric.soften(self.metric, y, self.soft)
        return softness

    def correct(self, start: Point, across: np.ndarray, length: float, guess: np.ndarray) -> Point | None:
        """Find the equilibrium at ``length`` from ``start`` in the direction ``across``, near start + guess."""
        n, m = self.n, start.lam.size
        lam, p = start.lam + guess[n : n + m], start.p + guess[-1]
        arc = Arc(start.q, start.p, self.metric * across[:n], across[-1] / self.parameter.span**2, length)
        try:
            corrected = self.equations.correct(arc, lam, p, guess[:n])
        except PliantError as error:  # from the user's function that makes the system
            self.trouble, self.singular = str(error), False
            return None
        _, self.singular, iterations, q, lam, p = corrected
        self.iterations += iterations
        self.trouble = SINGULAR_THERE if self.singular else "Newton does not converge"
        if not corrected.found:
            return None
        self.moved = moved = self.difference(start, q, lam, p)
        found = self.point(q, lam, p, moved, start.arclength + self.length(moved))
        self.trouble = SINGULAR_THERE if found is None else ""
        return found

    def step(self, start: Point, length: float) -> Point | None:
        """Return the next point at a distance; None if Newton fails, jumps, or the path turns too sharply."""
        guess = length * start.tangent
        found = self.correct(start, start.tangent, length, guess)
        if found is None:
            return None
        self.trouble = "shapes pass through each other"
        if pass_through(self.base, start.q, found.q):
            return None
        self.trouble = "the path turns too sharply"
        if self.turn(start, found) > SHARPEST_TURN:
            return None
        off, astray, far = metric.distance_to_guess(self.metric, self.parameter.span, self.moved, guess)
        return found if off < 0.5 * length and astray < max(0.5 * far, STILL) else None

    def turn(self, a: Point, b: Point) -> float:
        """Return the angle between the directions of two points, or between their displacements if it is larger.

        The latter distinguishes branches on which the parameter changes alike.
        """
        cosine = metric.cosine(self.metric, self.parameter.span, STILL, a.tangent, b.tangent)
        return acos(min(1.0, max(-1.0, cosine)))

    def land(self, before: Point, after: Point, p: float) -> Point | None:
        """Return the point between two at which the parameter is p."""
        moved = self.between(before, after)
        share = (p - before.p) / (after.p - before.p)
        only = np.zeros_like(moved)
        only[-1] = self.parameter.span**2
        found = self.correct(before, only, p - before.p, share * moved)
        return found if found and self.length(self.between(before, found)) < 2.0 * self.length(moved) else None

    def locate(self, before: Point, after: Point) -> list[Event] | None:
        """Locate events between two points, by division; None if ``after`` lies on another branch."""
        if before.alike(after) and before.same_way(after):
            return []
        crossing = before.alike(after)  # a branch turns back where it meets its path; or two events
        same = Point.same_way if crossing else Point.alike
        length, last = self.inner(before.tangent, self.between(before, after)), inf
        while length > SMALLEST:
            share = 0.5 if crossing or length > 0.5 * last else division_point(before.softness, after.softness)
            middle, last = self.split(before, share * length), length
            if middle is None:
                if length > (WIDEST_SINGULAR if self.singular else 1e3 * SMALLEST):
                    return None
                break  # the matrix is singular so near to the event, which is near enough
            if crossing and length > 1e3 * SMALLEST and not middle.alike(before):
                first, second = self.locate(before, middle), self.locate(middle, after)
                return None if first is None or second is None else self.once(first, second)
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

    def once(self, first: list[Event], second: list[Event]) -> list[Event]:
        """Concatenate events between two similar points; two events so near that they are rounding in the matrix where
        a branch meets its path become one.
        """
        pair = [*first, *second]
        near = len(pair) == 2 and self.length(self.between(pair[0].point, pair[1].point)) < 1e3 * SMALLEST
        return pair[:1] if near else pair

    def split(self, before: Point, length: float) -> Point | None:
        """Return a point at a distance, or near it."""
        found = self.step(before, length)
        for share in (0.6, 1.4):
            found = found or self.step(before, share * length)
        return found

    def event(self, before: Point, after: Point, crossing: bool) -> Event:
        """Return the event between two neighbouring points."""
        if before.flutter != after.flutter and not crossing and not before.softness * after.softness < 0.0:
            kind = FLUTTER if after.flutter > before.flutter else FLUTTER_ENDS
            return Event(kind, before, before.p, np.zeros(self.n))
        turning = not before.same_way(after) or abs(before.tangent[-1]) < 1e-3 * self.parameter.span
        if turning and self.is_pushed(before):
            return Event(LIMIT_POINT, before, before.p, before.tangent[: self.n])
        share = 0.0
        if before.softness * after.softness < 0.0:
            share = before.softness / (before.softness - after.softness)
        count = max(1, abs((after.unstable or 0) - (before.unstable or 0)))
        direction = self.critical(before, 1)[0]
        return Event(BIFURCATION, before, before.p + share * (after.p - before.p), direction, count)

    def is_pushed(self, event: Point) -> bool:
        """Return whether the parameter pushes in the critical direction: at limit points it does, at bifurcations not.

        An event is not met exactly. Along a branch that turns where it meets its path, the push falls in proportion to
        the distance from there; at a limit point it hardly changes. So it is compared with the push at a point before.
        """
        push = self.push_of(event)
        if push <= UNPUSHED:
            return False
        back, soft = replace(event, tangent=-event.tangent), self.soft.copy()
        aside = (self.step(back, length) for length in ASIDE)
        before = next((point for point in aside if point is not None), None)
        self.soft = soft
        return before is None or push > 0.5 * self.push_of(before)

    def push_of(self, point: Point) -> float:
        """Return the push of the parameter in the critical direction, as a cosine."""
        x = self.softest(point, 1)[:, 0]
        change, n = self.equations.by_parameter(point.q, point.lam, point.p), self.n
        root = np.sqrt(self.metric)
        size = np.linalg.norm(root * x[:n]) * np.linalg.norm(change[:n] / root)
        arms = self.base.joint_arms  # scale forces and moments of joints alike
        size += np.linalg.norm(x[n:] / arms) * np.linalg.norm(arms * change[n:])
        return abs(float(x @ change)) / max(float(size), 1e-300)

    def critical(self, point: Point, count: int) -> np.ndarray:
        """Return the softest directions (count, freedoms); the largest displacement of each is one (or the largest
        turn, where all coordinates are angles).
        """
        x, angular = self.softest(point, count)[: self.n], self.base.angular
        shifts = x if angular.all() else np.where(angular[:, None], 0.0, x)
        largest = shifts[np.argmax(np.abs(shifts), axis=0), np.arange(count)]
        return np.asarray((x / largest).T)

    def softest(self, point: Point, count: int) -> np.ndarray:
        """Return the softest directions with their reactions, in columns: by inverse iteration."""
        self.equations.survey(point.q, point.lam, point.p)
        n = self.n
        root = np.sqrt(self.metric)
        x = np.random.default_rng(0).standard_normal((n + point.lam.size, count))
        for _ in range(8):
            for k in range(count):
                y = np.concatenate([self.metric * x[:n, k], np.zeros(point.lam.size)])
                self.equations.solve(point.p, y)
                x[:, k] = y
            if count == 1:
                x /= np.linalg.norm(root * x[:n, 0])
            else:
                x = x @ np.linalg.inv(np.linalg.qr(root[:, None] * x[:n])[1])
        return x

    def start(self, q: np.ndarray, lam: np.ndarray, p: float, way: float) -> Point:
        """Return the first point of a path along which the parameter grows (way > 0) or falls at first."""
        forward = np.zeros(self.n + lam.size + 1)
        forward[-1] = copysign(self.parameter.span, way)
        found = self.point(q, lam, p, forward, 0.0)
        if found is None:
            raise ConvergenceError(
                f"A path of {self.base.model.name!r} cannot begin here: "
                + unheld(self.base.model, self.equations.movers(q, lam, p), "begin at a value where it is held")
            )
        return found

    def enter(self, event: Event, side: float) -> Point | None:
        """Return the first point of the branch that leaves a bifurcation along +- its critical direction; if the path
        itself has this direction, as a branch that turns where it meets its path, along +- the parameter.
        """
        origin = event.point
        across = np.zeros_like(origin.tangent)
        across[: self.n] = event.direction
        if self.length(self._off(across, origin)) < ALONG * self.length(across):
            across[: self.n], across[-1] = 0.0, 1.0
        across = self._off(across, origin)
        across *= side / self.length(across)
        for nudge in NUDGES:
            found = self.correct(origin, across, nudge, nudge * across)
            if found and self.length(self.between(origin, found)) < 4.0 * nudge:
                return found
        return None

    def _off(self, way: np.ndarray, point: Point) -> np.ndarray:
        """Return the part of a direction at right angles to the path."""
        return way - self.inner(way, point.tangent) * point.tangent

    def arrive(self, here: Point, there: Point, goals: Goals) -> tuple[Point | None, bool]:
        """Return ``there``, or the end of the path if that lies before it; and whether it is the end."""
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
        """Return whether a gauge changes sign; one that starts at zero must leave it first."""
        return abs(before) > 1e-9 * self.base.length_scale and before * after <= 0.0

    def closes(self, trace: Trace, events: list[Event]) -> bool:
        """Return whether the last step, with these events on it, has returned to the beginning of the path."""
        first, here, there = trace.points[0], trace.points[-2], trace.points[-1]
        back = self.unwound(here, first)
        away = self.length(back)
        trace.farthest = max(trace.farthest, away)
        if trace.farthest < 20.0 * RETURNED or (not events and away > 2.0 * (there.arclength - here.arclength)):
            return False
        if any(self.length(self.unwound(first, event.point)) < RETURNED for event in events):
            return True
        along = self.between(here, there)
        share = self.inner(along, back) / max(self.inner(along, along), 1e-300)
        near = min(0.1 * self.length(along), 0.05 * trace.farthest)
        return 0.0 <= share <= 1.0 and self.length(back - share * along) < near

    def unwound(self, a: Point, b: Point) -> np.ndarray:
        """Return b - a, without whole turns."""
        x = self.between(a, b)
        metric.unwind(x, self.angles)
        return x

    def merge(self, events: list[Event]) -> list[Event]:
        """Merge events that rounding in a singular matrix separates. A limit point at a bifurcation is dropped: a
        branch turns where it meets its path. A bifurcation next to a limit point is one if the parameter does not push
        in its critical direction. Neighbouring limit points are one if the path turns back.
        """
        folds = [event for event in events if event.kind == LIMIT_POINT]
        if not folds:
            return events
        crossings = [event for event in events if event.kind == BIFURCATION]
        crossings = [e for e in crossings if not self.near(e, folds) or not self.is_pushed(e.point)]
        folds = [event for event in folds if not self.near(event, crossings)]
        if len(folds) > 1 and all(self.near(event, folds[:1]) for event in folds):
            folds = folds[:1] if len(folds) % 2 else [folds[0], folds[-1]]
        kept = {id(event) for event in (*folds, *crossings)}
        return [event for event in events if id(event) in kept or event.kind not in (LIMIT_POINT, BIFURCATION)]

    def near(self, event: Event, others: list[Event]) -> bool:
        """Return whether an event is at the place of another, to the accuracy of both."""
        apart = (self.length(self.between(event.point, other.point)) for other in others)
        return any(each <= 1e3 * SMALLEST for each in apart)

    def ahead(self, here: Point, there: Point) -> float:
        """Return the longest next step that does not pass two events at once: a little beyond the next one."""
        fall = (here.softness - there.softness) / max(there.arclength - here.arclength, 1e-300)
        return 1.2 * there.softness / fall if there.softness * fall > 0.0 else inf

    def walk(self, trace: Trace, goals: Goals, step: float, most: int) -> Iterator[Point]:
        """Continue from the last point of ``trace`` to a goal, with steps of at most ``step``; yields every point."""
        length = 0.2 * step
        while not trace.message:
            here, iterations = trace.points[-1], self.iterations
            there = self.step(here, length)
            iterations = self.iterations - iterations
            found = None if there is None else self.stretch(here, there, goals)
            if found is None:
                trace.rejected += 1
                length *= 0.4
                if length >= SMALLEST:
                    continue
                found, length = corners.pass_corner(self, here, goals), 0.2 * step
            if found is None:
                trace.message = f"ended where no further point could be found: {self.trouble}"
                continue
            events, there, arrived = found
            for event in events:  # the slope at the event itself is mixed with its critical direction
                chord = self.between(here, there)
                far = self.length(chord)
                tangent = chord / far if far > SMALLEST else here.tangent
                trace.points.append(replace(event.point, tangent=tangent))
                trace.events.append(replace(event, point=trace.points[-1], index=len(trace.points) - 1))
            if not events or events[-1].point is not there:
                trace.points.append(there)
            yield there
            if arrived:
                trace.reached = there.p not in goals.barriers
                trace.message = "reached its end" if trace.reached else f"ended at {there.p:g}, which cannot be passed"
            elif self.closes(trace, events):
                trace.reached, trace.message = trace.may_close, "closed on itself"
            elif len(trace.points) >= most:
                trace.message = f"ended after {len(trace.points)} points (most_points={most})"
            turn = max(self.turn(here, there), 1e-9)
            length *= min(2.0, IDEAL_TURN / turn, sqrt(2.0 * IDEAL_ITERATIONS / max(iterations, 1)))
            length = min(step, length, max(0.02 * step, self.ahead(trace.points[-2], there)))

    def stretch(self, here: Point, there: Point, goals: Goals) -> tuple[list[Event], Point, bool] | None:
        """Return the events between two points up to a goal, the last point, and whether it is the goal; None if the
        step must be shorter.
        """
        events = self.locate(here, there)
        if events is None:
            return None
        events, kept = self.merge(events), list[Event]()
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
