"""The leg, timed: its pretension path, one of its equilibria, its release, its closed loop."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from math import pi
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

import pliant as pl
from pliant.results import Result
from pliant_evidence.exudyn_beams import ANGLE, Beams, Plan, compare, peer
from pliant_gallery.leg import LEG, LegParameters, model, tip
from pliant_gallery.leg.control import by_motor, posture
from pliant_gallery.leg.control import run as controlled
from pliant_gallery.leg.stages import MIDDLE, WEIGHT, bend, pretension, release
from pliant_gallery.leg.theory import elastica
from pliant_studio.session.mechanism import mechanism as described
from pliant_studio.session.session import Session
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

ELEMENTS = 10
SHORTENING = 0.1  # m, of the leaf's chord
FREEDOMS = 3  # of a node
BOW = 0.02  # m; the peer finds the bent leg from a half sine of this height in one step, hardly from any other
PATH_BUDGET, RELEASE_BUDGET, SLIDER_BUDGET = 0.020, 0.060, 0.050  # s, warm, on one core
UNDAMPED = replace(LEG, damping_ratio=0.0)
"""The peer's beams have no damping in proportion to mass: both sides go without the leaf's own damping there."""


@benchmark("leg")
def leg() -> Iterator[Comparison]:
    """Pretension path with the stability of every point, an equilibrium, 3 s of release and of control; 10 elements."""
    held, free = (pl.compile(model(hold=hold), elements=ELEMENTS) for hold in ("q3", None))
    weightless, to = held.with_signals({WEIGHT: 0.0}), shortened()
    yield _within("leg: path to 100 mm, with stability", lambda: path(weightless, to), PATH_BUDGET)
    rest = pretension(held).rest
    yield _within("leg: release, 3 s at 1 ms", lambda: release(free, rest), RELEASE_BUDGET)
    slider = itertools.cycle((0.180, 0.185))
    session = Session(described("leg"))
    yield _within(
        "leg: 5 mm of the studio's slider", lambda: session.set("tendon_rest_length", next(slider)), SLIDER_BUDGET
    )
    yield statics(held)
    yield motion()
    yield closed_loop(ELEMENTS, "linear")
    yield closed_loop(pl.Exact(ELEMENTS, order=2), "quadratic")


def _within(case: str, run: Any, budget: float) -> Comparison:
    """Compare a job with the time it may take."""
    seconds = race({"pliant": Contender(run)})["pliant"].seconds
    return Comparison(case, ELEMENTS, seconds, "the time it may take", "warm, one core", budget, required_ratio=1.0)


def closed_loop(elements: Any, kind: str) -> Comparison:
    """Measure 3 s of the leg under a controller at 1 kHz, let go 0.1 rad from its posture, beside the clock."""
    at = posture(elements=elements)
    controller, start, seconds = by_motor(at.plant).controller, at.displaced(0.1), 3.0
    lap = race({"pliant": Contender(lambda: controlled(at, controller, start, end_time=seconds))})["pliant"]
    case, settings = f"leg: closed loop, 1 kHz, {seconds:g} s, {kind}", "warm, one core, every step kept"
    return Comparison(case, ELEMENTS, lap.seconds, "real time", settings, seconds, required_ratio=1.0)


def shortened() -> float:
    """Return the rest length of the tendon that makes the leaf's chord 100 mm shorter, by theory."""
    chord = LEG.leaf_length - SHORTENING
    return float(chord - elastica(chord).load / LEG.tendon_stiffness)


def path(weightless: Any, to: float) -> Result:
    """Return the straight leaf, bifurcation, outward branch until the tendon has that rest length."""
    return bend(weightless, to=to)[1]


def statics(held: Any) -> Comparison:
    """Return one equilibrium from a bowed leaf; the peer says nothing about its stability."""
    start = bowed(held)
    contenders = {"pliant": Contender(lambda: pl.statics(held, start=start))}
    found = peer()
    if found is not None:
        beams, _, begin = mechanism(found.module, LEG)
        contenders["peer"] = Contender(lambda: beams.rest(begin))
    laps = race(contenders)
    if found is None:
        return Comparison("leg: one equilibrium", ELEMENTS, laps["pliant"].seconds)
    middle = laps["pliant"].value.position.sel(marker=MIDDLE).values
    error = np.inf if laps["peer"].value is None else float(np.abs(beams.place() - middle).max() / LEG.leaf_length)
    settings = f"Newton in one step from a bow of {1e3 * BOW:g} mm, EigenSparse; error: its distance from pliant"
    return Comparison(
        "leg: one equilibrium", ELEMENTS, laps["pliant"].seconds, found.label, settings, laps["peer"].seconds,
        peer_error=error,
    )  # fmt: skip


def motion() -> Comparison:
    """Return 3 s of release, the leaf without damping of its own."""
    held, free = (pl.compile(model(UNDAMPED, hold=hold), elements=ELEMENTS) for hold in ("q3", None))
    start = pretension(held, UNDAMPED).rest
    plan = Plan(3.0, 3000, report=0.025, marker=MIDDLE, size=LEG.leaf_length, start=start)
    return compare("leg: release, leaf undamped", ELEMENTS, free, released, plan)


def released(exudyn: Any, elements: int = ELEMENTS) -> Beams:
    """Return the leg in Exudyn, at the equilibrium it finds, without the hold."""
    beams, hold, begin = mechanism(exudyn, UNDAMPED, elements)
    if elements != ELEMENTS:
        coarse, _, bow = mechanism(exudyn, UNDAMPED)
        found = coarse.rest(bow)
        begin = begin if found is None else remesh(found, elements)
    rest = beams.rest(begin)
    beams.displace(begin if rest is None else rest)
    beams.release(hold)
    return beams


def remesh(rest: np.ndarray, elements: int) -> np.ndarray:
    """Return coordinates of an equilibrium with other elements: both links copied, the leaf by splines."""
    links, leaf = rest[: 2 * FREEDOMS], rest[2 * FREEDOMS :].reshape(-1, FREEDOMS)
    spline = CubicSpline(np.linspace(0.0, 1.0, len(leaf)), leaf)
    return np.concatenate([links, spline(np.linspace(0.0, 1.0, elements + 1)).ravel()])


def mechanism(exudyn: Any, given: LegParameters, elements: int = ELEMENTS) -> tuple[Beams, int, np.ndarray]:
    """Return the held leg in Exudyn, its hold, and the coordinates of the straight leg with a bowed leaf."""
    beams = Beams(exudyn, gravity=given.gravity)
    q1, q3 = given.straight()
    a, b = tip(given.lower_pivot, given.lower_length, q1), tip(given.upper_pivot, given.upper_length, q3)
    _, lower_tip = beams.link(given.lower_pivot, a, given.lower_mass)
    upper, upper_tip = beams.link(given.upper_pivot, b, given.upper_mass)
    leaf = beams.beam(a, b, given.section, elements)
    beams.pin(lower_tip, beams.point(leaf[0]))
    beams.pin(upper_tip, beams.point(leaf[-1]))
    beams.spring(
        lower_tip,
        upper_tip,
        stiffness=given.tendon_stiffness,
        rest_length=given.tendon_rest_length,
        damping=given.tendon_damping,
    )
    hold = beams.prescribe(upper, ANGLE)
    beams.watch(leaf[elements // 2])
    return beams, hold, beams.bow(leaf, BOW, given.leaf_length)


def bowed(system: Any) -> Any:
    """Return pliant's state with the same bow."""
    mesh, start = system.layout.beams[0], system.start()
    q = start.q.copy()
    q[3 * mesh.nodes] += BOW * np.sin(pi * mesh.s)
    q[3 * mesh.nodes + 2] -= BOW * pi / LEG.leaf_length * np.cos(pi * mesh.s)
    return replace(start, q=q)
