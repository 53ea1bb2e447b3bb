"""Chains of links of the same models in space: each within the error that it states."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any

import numpy as np

import pliant as pl
from pliant.gallery import lateral_buckling as strips
from pliant.gallery import princeton
from pliant.validation import Kind, Row, at_most
from pliant_evidence.bend_45 import rolling
from pliant_evidence.lateral_buckling import theory as buckling
from pliant_evidence.lateral_buckling.validate import STIFFNESSES
from pliant_evidence.princeton.theory import exact_tip as princeton_tip
from pliant_evidence.spatial_formulations import tendon

WITHIN = 1.5  # of the error stated: an error is known to about half of itself


def rows() -> Iterator[Row]:
    """All of them."""
    moment = 3.0 * pi * rolling.BENDING * np.array([0.6, 0.0, 0.8])
    yield _tip("helix", rolling.model(moment=moment), "rod/tip", rolling.exact_tip(moment), "exact")
    yield _tip("tendon-driven rod", tendon.model(), "rod/tip", tendon.exact_tip(), "independent code")
    yield from (princeton_beam(), strip())


def princeton_beam() -> Row:
    """Its deflections and twist at 45 degrees."""
    load, angle = princeton.LOADS[1], 45.0 * pl.DEG

    def found(links: int) -> np.ndarray:
        system = _chain(princeton.model(load=load, angle=angle), links)
        return np.array(princeton.tip(pl.statics(system)))

    return _halved("Princeton beam", found, np.array(princeton_tip(load=load, angle=angle)))


def strip() -> Row:
    """The load at which a clamped strip leaves its plane."""
    given = STIFFNESSES[1]
    exact = buckling.cantilever(**given)

    def found(links: int) -> np.ndarray:
        path = pl.path(_chain(strips.cantilever(**given), links), "load/y", to=-1.5 * exact)
        return np.array([-float(path.event_parameter[np.flatnonzero(path.event_kind.values == "bifurcation")[0]])])

    return _halved("lateral buckling", found, np.array([exact]))


def _chain(model: pl.Model, links: int) -> Any:
    return pl.compile(model, formulation="udwadia_kalaba", elements=links)


def _tip(name: str, model: pl.Model, marker: str, exact: np.ndarray, kind: Kind) -> Row:
    """Its error over the one that `estimate` states."""
    known = pl.estimate(pl.statics, _chain(model, 20))
    off, stated = known.position.sel(marker=marker).values - exact, known.position_error.sel(marker=marker).values
    ratio = float(np.max(np.abs(off)) / np.max(stated))
    return at_most(f"{name}, chain of 20: error over the one that it states", "1", ratio, limit=WITHIN, kind=kind)


def _halved(name: str, found: Any, exact: np.ndarray) -> Row:
    """The error of twice as many links over a third of what they change: the estimate of second order."""
    coarse, fine = found(10), found(20)
    ratio = float(np.max(np.abs(fine - exact)) / np.max(np.abs(fine - coarse) / 3.0))
    row = f"{name}, chain of 20: error over that which halving tells"
    return at_most(row, "1", ratio, limit=WITHIN, kind="independent code")
