"""Corners of a path of equilibria: where a contact or a stop begins to push, or any law has a kink, the direction of
the path jumps from ``t`` to ``s``.

The tangent a little beyond the corner, on the straight line along t, is +-s: there the contact is closed. From there
Newton on an arc along s finds the path beyond; along -s it comes back to the side of t, whose tangent is not s. A
bifurcation is no corner: the tangent goes on straight there.
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

BEYOND = (1e-6, 1e-5, 1e-4)  # how far beyond a corner its other side is looked for
SLIGHT = 0.1  # rad; a corner turns by more, the path beyond it by less


def passed(tracer: Tracer, here: Point, goals: Goals) -> tuple[list[Event], Point, bool] | None:
    """What `Tracer.stretch` tells, of the way around a corner that is next to ``here``; None where there is none."""
    trouble = tracer.trouble
    there = around(tracer, here)
    if there is None:
        tracer.trouble = trouble
        return None
    events = list[Event]()
    if not here.same_way(there):
        events = [Event(LIMIT_POINT, here, here.p, here.tangent[: tracer.n])]
    elif not here.alike(there):  # a bifurcation so near that it is one with the corner, or one of several contacts
        events = [tracer.event(here, there, crossing=False)]
    if any(event.kind == goals.event for event in events):
        return events, here, True
    end, arrived = tracer.arrive(here, there, goals)
    return (events, there, True) if end is None else (events, end, arrived)


def around(tracer: Tracer, here: Point) -> Point | None:
    """The first point beyond a corner that is next to ``here``; None where there is no corner."""
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
    """Direction, up to its sign, that the path has where a point goes to along its own."""
    n, moved = tracer.n, far * here.tangent
    q, lam = tracer.base.moved(here.q, moved[:n]), here.lam + moved[n:-1]
    try:
        survey = tracer.equations.survey(q, lam, here.p + moved[-1])
    except PliantError:  # of a function that makes the system
        return None
    if not survey.regular:
        return None
    tangent = np.append(survey.slope, 1.0)
    metric.direct(tracer.metric, tracer.parameter.span, here.tangent, tangent)
    return tangent
