"""Mechanisms with beams, at rest and in motion: errors of coarse meshes, most of them against independent equations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.elastic_four_bar import theory as frame
from pliant_evidence.error_estimates.ratios import against, ratio
from pliant_evidence.leg import equations
from pliant_evidence.leg.validate import fall
from pliant_evidence.six_leg import theory as platform
from pliant_evidence.six_leg.validate import LOAD
from pliant_gallery import crank_slider, elastic_four_bar, robots, spatial_dynamics
from pliant_gallery.leg import LEG
from pliant_gallery.six_leg import WHERE, robot
from pliant_testing.validation import Row

FALL = 0.1  # s


def mechanisms() -> Iterator[Row]:
    """Check "shooting-fourbar", "six-leg-planar", "leg-release", "crank-slider-flexible", "spatial-dynamics"."""
    held = pl.compile(elastic_four_bar.model(held=elastic_four_bar.PUSHED), elements=6)
    found = pl.estimate(pl.statics, held, load_steps=10)
    yield _largest("elastic four-bar, 6 exact a strip", found, elastic_four_bar.MIDDLE, frame.held().middle)
    standing = robots.stand(robot(3), elements=4)
    signals = dict(zip(("load/x", "load/y", "torque/value"), LOAD, strict=True))
    found = pl.estimate(pl.statics, standing.system.with_signals(signals), start=standing.rest)
    yield _largest("platform on three legs, 4 exact a leaf", found, WHERE, platform.pose(standing.robot, LOAD)[:2])
    yield falling()
    crank = crank_slider.model(flexible=True, gravity=False)
    yield from against("crank-slider, 6 exact", pl.modal, crank, {"elements": 6}, modes=4)
    swing: Any = {"end_time": 0.1, "step": 2e-3, "push": {"bob": (0.0, 2.0, 0.0, 0.0, 0.0, 0.0)}}
    yield from against("rod and bob, 3 exact", pl.transient, spatial_dynamics.swing(), {"elements": 3}, **swing)


def falling() -> Row:
    """Compare the leg let go: angles of its links by Lagrange's equations."""
    found = pl.estimate(lambda k: fall(LEG, pl.Exact(4 * k), 1e-3, end_time=FALL, every=10))
    angles = found.angle.sel(body=["lower link", "upper link"])
    true = np.max(np.abs(angles.values - equations.fall(LEG, FALL, 6).T))
    estimated = float(found.angle_error.sel(body=angles.body).max())
    return ratio("leg let go, 4 exact: angle", estimated, float(true), "independent code")


def _largest(name: str, found: pl.Result, marker: str, exact: np.ndarray) -> Row:
    """Compare the place of a marker, along the axis where its error is larger."""
    errors = np.abs(found.position.sel(marker=marker).values - exact)
    at = int(np.argmax(errors))
    estimated = float(found.position_error.sel(marker=marker)[at])
    return ratio(f"{name}: position", estimated, float(errors[at]), "independent code")
