"""Chains of links of the same models in space: each within the error that it states."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.bend_45 import rolling
from pliant_evidence.lateral_buckling import theory as buckling
from pliant_evidence.lateral_buckling.validate import STIFFNESSES
from pliant_evidence.princeton.theory import exact_tip as princeton_tip
from pliant_evidence.six_rus import theory as robots
from pliant_evidence.six_rus.validate import POINT, TURN, axes_of
from pliant_evidence.spatial_formulations import motion, tendon
from pliant_gallery import lateral_buckling as strips
from pliant_gallery import princeton, six_rus
from pliant_gallery.six_rus.kinetostatics import LIMITS, MOTORS
from pliant_testing.validation import Kind, Row, at_most

WITHIN = 1.5  # of the error stated: an error is known to about half of itself


def rows() -> Iterator[Row]:
    """Check all of them but the coils, which take longest."""
    moment = 3.0 * pi * rolling.BENDING * np.array([0.6, 0.0, 0.8])
    yield _tip("helix", rolling.model(moment=moment), "rod/tip", rolling.exact_tip(moment), "exact")
    yield _tip("tendon-driven rod", tendon.model(), "rod/tip", tendon.exact_tip(), "independent code")
    yield from (princeton_beam(), strip(), *robot(), slider_crank())


def princeton_beam() -> Row:
    """Compare its deflections and twist at 45 degrees."""
    load, angle = princeton.LOADS[1], 45.0 * pl.DEG

    def found(links: int) -> np.ndarray:
        system = _chain(princeton.model(load=load, angle=angle), links)
        return np.array(princeton.tip(pl.statics(system)))

    return _halved("Princeton beam", found, np.array(princeton_tip(load=load, angle=angle)))


def strip() -> Row:
    """Compare the load at which a clamped strip leaves its plane."""
    given = STIFFNESSES[1]
    exact = buckling.cantilever(**given)

    def found(links: int) -> np.ndarray:
        path = pl.path(_chain(strips.cantilever(**given), links), "load/y", to=-1.5 * exact)
        return np.array([-float(path.event_parameter[np.flatnonzero(path.event_kind.values == "bifurcation")[0]])])

    return _halved("lateral buckling", found, np.array([exact]))


def coils() -> Row:
    """Compare the tip of ten coils that a force pulls out."""

    def found(links: int) -> np.ndarray:
        rest = pl.statics(_chain(rolling.winding_model(), 10 * links, shear=True), load_steps=10)
        clamp = -rest.reaction.sel(joint="clamp").values[3:]
        return np.asarray(rest.position.sel(marker="rod/tip").values - rolling.winding_tip(clamp))

    return _halved("ten coils and a force", found, np.zeros(3), times=10)


def robot() -> Iterator[Row]:
    """Check motor angles of the 6-RUS at the published pose and its stiffness there."""
    data, point, axes = six_rus.Robot(), np.array(POINT), axes_of(TURN)
    poses = {}
    for links in (10, 20):
        system = _chain(six_rus.model(data), links, shear=True)
        poses[links] = pl.Kinetostatics(system, platform="platform", motors=MOTORS, limits=LIMITS).inverse(POINT, TURN)
    exact = robots.motor_angles(data, point, axes, ideal=True)
    yield _halved("6-RUS, motors", lambda links: poses[links].motors, exact)
    stiffness = robots.stiffness(data, exact, point, axes)
    yield _halved("6-RUS, stiffness", lambda links: poses[links].stiffness, stiffness)


def slider_crank() -> Row:
    """Compare places of a spatial slider-crank with a soft link after 0.03 s with elements, steps of order 4."""
    end, push = 0.03, {"crank": (0.0, 0.0, 20.0)}
    system = pl.compile(motion.slider_crank_model(), **motion.FINE)
    far, near = (
        pl.transient(system, end_time=end, step=step, push=push, estimate=False).position.isel(time=-1)
        for step in (2.5e-4, 1.25e-4)
    )
    markers = near.marker.values.tolist()

    def found(links: int) -> np.ndarray:
        chain = _chain(motion.slider_crank_model(), links, shear=True)
        run = pl.transient(chain, end_time=end, push=push, method="SDIRK4", accuracy=1e-7, estimate=False)
        return np.asarray(run.position.isel(time=-1).sel(marker=markers).values)

    return _halved(
        "slider-crank with a soft link", found, near.values + (near - far).values / 3.0, kind="other formulation"
    )


def _chain(model: pl.Model, links: int, *, shear: bool = False) -> Any:
    return pl.compile(model, formulation="udwadia_kalaba", elements=pl.Lumped(links, shear=shear))


def _tip(name: str, model: pl.Model, marker: str, exact: np.ndarray, kind: Kind) -> Row:
    """Compare the error of the tip with the one that `estimate` states."""
    known = pl.estimate(pl.statics, _chain(model, 20))
    off, stated = known.position.sel(marker=marker).values - exact, known.position_error.sel(marker=marker).values
    ratio = float(np.max(np.abs(off)) / np.max(stated))
    return at_most(f"{name}, chain of 20: error over the one that it states", "1", ratio, limit=WITHIN, kind=kind)


def _halved(name: str, found: Any, exact: np.ndarray, *, times: int = 1, kind: Kind = "independent code") -> Row:
    """Compare the error of twice as many links over a third of what they change: the estimate of second order."""
    coarse, fine = found(10), found(20)
    ratio = float(np.max(np.abs(fine - exact)) / np.max(np.abs(fine - coarse) / 3.0))
    row = f"{name}, chain of {20 * times}: error over that which halving tells"
    return at_most(row, "1", ratio, limit=WITHIN, kind=kind)
