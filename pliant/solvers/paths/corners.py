"""Corners of a path of equilibria: where a contact or a stop begins to push, or any law has a kink, the direction of
the path jumps from ``t`` to ``s``.

The tangent a little beyond the corner, on the straight line along t, is +-s: there the contact is closed. From there
Newton on an arc along s finds the path beyond; along -s it returns to the side of t, whose tangent is not s. At a
bifurcation, unlike a corner, the tangent continues straight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pliant.errors import PliantError
from pliant.solvers.paths import metric
from pliant.solvers.paths.points import LIMIT_POINT, Event, Goals, Point

if TYPE_CHECKING:
    from pliant.solvers.paths.path import Tracer

BEYOND = (1e-6, 1e-5, 1e-4)  # distances beyond a corner at which its other side is tried
SLIGHT = 0.1  # rad; a corner turns by more, the path beyond it by less


def pass_corner(tracer: Tracer, here: Point, goals: Goals) -> tuple[list[Event], Point, bool] | None:
    """Return the result of `Tracer.stretch` for the way around a corner next to ``here``; None without a corner."""
    trouble = tracer.trouble
    there = around(tracer, here)
    if there is None:
        tracer.trouble = trouble
        return None
    events = list[Event]()
    if not here.same_way(there):
        events = [Event(LIMIT_POINT, here, here.p, here.tangent[: tracer.n])]
    elif not here.alike(there):  # a bifurcation so near that it coincides with the corner, or one of several contacts
        events = [tracer.event(here, there, crossing=False)]
    if any(event.kind == goals.event for event in events):
        return events, here, True
    end, arrived = tracer.arrive(here, there, goals)
    return (events, there, True) if end is None else (events, end, arrived)


def around(tracer: Tracer, here: Point) -> Point | None:
    """Return the first point beyond a corner next to ``here``; None without a corner."""
    for far in BEYOND:
        tangent = _tangent_beyond(tracer, here, far)
        ways = () if tangent is None else (tangent, -tangent)
        if any(tracer.turn(here, replace(here, tangent=way)) < SLIGHT for way in ways):
            return None
        for way in ways:
            there = tracer.correct(here, way, far, far * (here.tangent + way))
            if there is None or tracer.length(tracer.between(here, there)) > 4.0 * far:
                continue
            if tracer.turn(replace(here, tangent=way), there) < SLIGHT:
                return there
    return None


def _tangent_beyond(tracer: Tracer, here: Point, far: float) -> np.ndarray | None:
    """Return the direction, up to its sign, of the path at a distance along the tangent of a point."""
    n, moved = tracer.n, far * here.tangent
    q, lam = tracer.base.moved(here.q, moved[:n]), here.lam + moved[n:-1]
    try:
        survey = tracer.equations.survey(q, lam, here.p + moved[-1])
    except PliantError:  # from the user's function that makes the system
        return None
    if not survey.regular:
        return None
    tangent = np.append(survey.slope, 1.0)
    metric.direct(tracer.metric, tracer.parameter.span, here.tangent, tangent)
    return tangent
