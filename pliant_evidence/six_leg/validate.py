"""Planar robots of three and six legs: statics, allocation; both architectures of control, planar and spatial."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linprog, lsq_linear

import pliant as pl
from pliant.control.comparison import settling_time
from pliant.control.design.allocation import Allocation, WrenchMap
from pliant_evidence.six_leg import control, theory
from pliant_gallery import robots
from pliant_gallery.six_leg import ELEMENTS, POSE, WHERE, robot
from pliant_testing.validation import Row, absolute, at_most, case, order, relative

LOAD = (6.0, -4.0, 0.15)  # N, N, N m
MOST = 120.0  # N, of a tendon
WRENCHES = 12
FINE = pl.Exact(16, order=2)


@case("six-leg-planar", source="thesis, section 6.4; elastica by elliptic integrals; enumeration of active sets")
def six_leg_planar() -> Iterator[Row]:
    """Three and six leaf legs in the plane: equilibria, stiffness, map of wrenches, tendon forces within bounds."""
    for legs in (3, 6):
        yield from statics(legs)
    standing = robots.stand(robot(), elements=ELEMENTS)
    pulls = list(standing.robot.tendons)
    plant = pl.linearise(standing.system, at=standing.rest, inputs=pulls, outputs=list(POSE))
    found = pl.platform_model(plant)
    yield from wrench_map(standing, found.map)
    yield from allocation(standing, found.map)


def statics(legs: int) -> Iterator[Row]:
    """Check pose without and with load, beside elastica.

    Shear and stretch of the leaf, which that leaves out, are some 1e-5 of it; the platform turns easily (3 N m/rad), so
    that is 1e-4 of its angle at most.
    """
    name = {3: "three", 6: "six"}[legs] + " legs"
    standing = robots.stand(robot(legs), elements=FINE)
    yield at_most(
        f"{name}: unstable directions",
        "1",
        float(standing.rest.outcome.figures["unstable_directions"]),
        limit=0,
        kind="itself",
    )
    loaded = pl.statics(standing.system.with_signals(_signals(LOAD)), start=standing.rest)
    for word, result, load in (("at rest", standing.rest, (0.0, 0.0, 0.0)), ("under load", loaded, LOAD)):
        exact, computed = theory.pose(standing.robot, load), pose(result)
        moved, turned = _norm(computed[:2] - exact[:2]), computed[2] - exact[2]
        if any(load):  # without one symmetry alone keeps the platform where it is
            yield at_most(f"{name}, {word}: place, from elastica", "m", moved, limit=1e-5, kind="independent code")
        if any(load) or legs % 2:  # nor do mirrored legs turn it
            yield at_most(f"{name}, {word}: angle, from elastica", "rad", turned, limit=1e-4, kind="independent code")


def wrench_map(standing: robots.Standing, found: WrenchMap) -> Iterator[Row]:
    """Check that tendons pull along their lines, as a jig that holds the platform feels it."""
    lines = []
    for leg in standing.robot.legs:
        tip = np.array(leg.foot) + leg.kind.crank_length * np.array([np.cos(leg.turn), np.sin(leg.turn)])
        along = (tip - leg.anchor) / np.linalg.norm(tip - leg.anchor)
        lines.append([*along, leg.anchor[0] * along[1] - leg.anchor[1] * along[0]])
    worst = float(np.max(np.abs(found.matrix - np.transpose(lines))))
    yield at_most("map of the tendons: from lines between their ends", "1", worst, limit=1e-9, kind="exact")
    held = replace(standing.robot, platform=replace(standing.robot.platform, held=True))
    jig = pl.compile(held.model(), elements=ELEMENTS)
    push = [_jig(pl.statics(jig.with_signals({name: 5.0}), start=standing.rest)) for name in standing.robot.tendons]
    still = _jig(pl.statics(jig, start=standing.rest))
    seen = -(np.array(push) - still).T / 5.0  # the jig pushes back
    worst = float(np.max(np.abs(found.matrix - seen)))
    yield at_most(
        "map of the tendons: from the reaction of a jig under 5 N", "1", worst, limit=1e-8, kind="other formulation"
    )


def allocation(standing: robots.Standing, found: WrenchMap) -> Iterator[Row]:
    """Check tensions from 0 to 120 N: wrenches within reach are exact, at least cost; others are nearest."""
    elastic = standing.rest.tension.values
    bounds = {"lower": -elastic, "upper": MOST - elastic}
    random = np.random.default_rng(8)
    shares = 0.05 + 0.9 * random.integers(2, size=(WRENCHES, elastic.size))  # near corners of the bounds
    within = [found.matrix @ (MOST * share - elastic) for share in shares]
    made = [pl.allocate(wrench, found, **bounds) for wrench in within]
    misses = [_norm(one.missing) / _norm(one.wrench) for one in made]
    yield absolute(
        "wrenches within reach that are called so",
        "1",
        WRENCHES,
        sum(one.feasible for one in made),
        tolerance=0,
        kind="exact",
    )
    yield at_most("allocation: missing of the wrench", "of it", max(misses), limit=1e-9, kind="exact")
    tension = np.array([one.values + elastic for one in made])
    yield at_most("allocation: least tension below zero", "N", min(0.0, float(tension.min())), limit=0.0, kind="exact")
    yield at_most(
        "allocation: largest tension above 120 N", "N", max(0.0, float(tension.max()) - MOST), limit=1e-12, kind="exact"
    )
    yield at_most(
        "allocation: conditions of an optimum",
        "of their terms",
        max(one.residual for one in made),
        limit=1e-9,
        kind="exact",
    )
    apart = max(_norm(one.values - enumerated(found.matrix, one, **bounds)) for one in made)
    yield at_most("allocation: from the best of all active sets", "N", apart, limit=1e-8, kind="independent code")
    yield absolute(
        "wrenches at which a bound is active",
        "1",
        1,
        min(1, sum(bool(one.active) for one in made)),
        tolerance=0,
        kind="itself",
    )
    yield at_most(
        "allocated tensions against the load: platform moves by",
        "m",
        stays(standing, made[0]),
        limit=1e-9,
        kind="itself",
    )
    far = [3.0 * wrench for wrench in within]
    for word, wrenches in (("three times as large", far), ("up to half as large", [0.5 * w for w in within])):
        calls = [pl.allocate(wrench, found, **bounds).feasible for wrench in wrenches]
        true = [_reachable(found.matrix, wrench, **bounds) for wrench in wrenches]
        wrong = sum(one != other for one, other in zip(calls, true, strict=True))
        yield absolute(
            f"{word}: called within reach or not, unlike a linear programme",
            "1",
            0,
            wrong,
            tolerance=0,
            kind="independent code",
        )
    out = [one for one in (pl.allocate(wrench, found, **bounds) for wrench in far) if not one.feasible]
    worst = max(
        abs(_norm(one.missing) - _nearest(found.matrix, one.wrench, **bounds)) / _norm(one.missing) for one in out
    )
    yield at_most(
        "out of reach: distance to the nearest wrench, from scipy's",
        "of it",
        worst,
        limit=1e-8,
        kind="independent code",
    )


def enumerated(matrix: np.ndarray, made: Allocation, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return the optimum by trying all ways to hold actuators at bounds: the cheapest within bounds."""
    best, least = np.full(lower.size, np.nan), np.inf
    for way in product((-1, 0, 1), repeat=lower.size):
        held = np.array(way)
        u = np.where(held < 0, lower, np.where(held > 0, upper, 0.0))
        free = held == 0
        u[free] = np.linalg.lstsq(matrix[:, free], made.wrench - matrix @ u, rcond=None)[0]
        fits = _norm(matrix @ u - made.wrench) <= 1e-9 * _norm(made.wrench)
        if fits and np.all(u >= lower - 1e-9) and np.all(u <= upper + 1e-9) and _norm(u) < least:
            best, least = u, _norm(u)
    return best


def stays(standing: robots.Standing, made: Allocation) -> float:
    """Return how far the platform moves under a load and the tensions allocated against it, all nonlinear (m)."""
    pulls = dict(zip(made.actuators, made.values.tolist(), strict=True))
    loaded = standing.system.with_signals({**pulls, **_signals(-made.wrench)})
    return _norm(pose(pl.statics(loaded, start=standing.rest)) - pose(standing.rest))


def _reachable(matrix: np.ndarray, wrench: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    sides = list(zip(lower, upper, strict=True))
    return linprog(np.zeros(lower.size), A_eq=matrix, b_eq=wrench, bounds=sides).status == 0


def _nearest(matrix: np.ndarray, wrench: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    found = lsq_linear(matrix, wrench, bounds=(lower, upper), tol=1e-14, max_iter=1000)
    return _norm(matrix @ found.x - wrench)


def pose(result: pl.Result) -> np.ndarray:
    """Return (3,) x, y, angle of the platform."""
    return np.array([*result.position.sel(marker=WHERE).values, float(result.angle.sel(body="platform"))])


def _signals(load: Any) -> dict[str, float]:
    return dict(zip(("load/x", "load/y", "torque/value"), map(float, load), strict=True))


def _jig(result: pl.Result) -> np.ndarray:
    return np.asarray(result.reaction.sel(joint="jig").values)


def _norm(values: Any) -> float:
    return float(np.linalg.norm(values))


@case("six-leg-lqr", source="thesis, section 6.4; linear theory of the closed loop")
def six_leg_lqr() -> Iterator[Row]:
    """Centralised and decentralised control settle the platform in the nonlinear motion, in the plane and in space."""
    for name, study in (("planar", control.planar()), ("6-RUS", control.rods())):
        yield from architectures(name, study)


def architectures(name: str, study: control.Study) -> Iterator[Row]:
    """Check both architectures: poles, settling, bounds; small motions as linear theory has them."""
    yield from decentralised(name, study)
    yield from settled(f"{name}, centralised", study, study.centralised())


def decentralised(name: str, study: control.Study) -> Iterator[Row]:
    """Check platform and legs by themselves: poles and settling."""
    apart = study.decentralised()
    growth = float(np.max(study.closed_poles(apart).real))
    yield at_most(
        f"{name}, decentralised: growth of the closed loop", "1/s", max(0.0, growth), limit=0.0, kind="itself"
    )
    if study.standing.robot.tendons:
        leak = study.platform.map.matrix @ study.platform.map.null_space(study.effort)
        yield at_most(
            f"{name}: wrench of leg damping in the null space",
            "N per N",
            np.max(np.abs(leak)),
            limit=1e-9,
            kind="exact",
        )
    else:
        alone = float(np.max(study.closed_poles(study.decentralised(legs=False)).real))
        yield absolute(
            f"{name}: platform's regulator without leg damping grows",
            "1",
            1,
            int(alone > 1.0),
            tolerance=0,
            kind="itself",
        )
    yield from settled(f"{name}, decentralised", study, apart)


def settled(name: str, study: control.Study, controller: Any) -> Iterator[Row]:
    """Check the nonlinear motion from where its cranks are displaced, and smaller ones beside linear theory."""
    answer = study.run(controller, study.start())
    failed = int(not answer.motion.outcome.ok)
    yield absolute(f"{name}: runs that fail", "1", 0, failed, tolerance=0, kind="itself")
    yield at_most(f"{name}: settling time, 5 %", "s", answer.settling, limit=1.0, kind="itself")
    yield at_most(f"{name}: left after 1.5 s", "of the start", answer.left, limit=5e-3, kind="itself")
    yield from linear(name, study, controller)


def linear(name: str, study: control.Study, controller: Any) -> Iterator[Row]:
    """Check that a smaller start brings the motion nearer to the linear one: their distance goes with its square.

    Starts are not smaller than a fifth: below, the error of time steps of 1 ms shows, which goes with the start itself.
    """
    shares, away, settle = (0.2, 0.4), [], []
    for share in shares:
        start = study.start(share)
        found = study.run(controller, start, end_time=0.8)
        predicted = study.prediction(controller, start, end_time=0.8)
        away.append(float(np.max(np.abs(found.deviation - predicted))))
        settle.append((found.settling, settling_time(found.motion.time.values, predicted)))
    yield relative(
        f"{name}, a fifth of the start: settling time",
        "s",
        settle[0][1],
        settle[0][0],
        tolerance=0.02,
        kind="other formulation",
    )
    yield order(f"{name}: order of the difference from linear", shares, away, tolerance=0.2, kind="other formulation")
