"""Errors of motions in time, as their outcomes state them, over true ones: rigid mechanisms have no others.

Formulations whose steps bound their own local errors ("udwadia_kalaba", "kinked", "relative") state none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import pi, sin, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ellipj

import pliant as pl
from pliant.model import rotations
from pliant_evidence.crank_slider.theory import Rigid
from pliant_evidence.error_estimates.ratios import ratio
from pliant_evidence.four_bar import equations
from pliant_evidence.spatial_dynamics import theory
from pliant_gallery import crank_slider, four_bar, pendulum, spatial_dynamics
from pliant_testing.validation import Kind, Row

LENGTH, AMPLITUDE = 0.7, 0.5 * pi  # of the rod that swings
TOP_SPIN = (1.0, 2.0, 8.0)  # rad/s


class Motion(NamedTuple):
    """A motion, and its largest true error in rad or m (all mechanisms are about a metre large)."""

    name: str
    system: Any
    options: dict[str, Any]
    true: Callable[[pl.Result], float]
    kind: Kind = "independent code"


def problems() -> Iterator[Motion]:
    """Yield motions of the cases "pendulum-modes", "fourbar", "crank-slider-rigid" and "spatial-dynamics"."""
    rod = pendulum.model(kind="rod", length=LENGTH, angle=AMPLITUDE - 0.5 * pi)
    for how in ({"step": 0.01}, {"step": 0.01, "scheme": "momentum"}, {"accuracy": 1e-4}):
        words = ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in how.values())
        yield Motion(f"rod swinging by 90 degrees, {words}", pl.compile(rod), {"end_time": 3.0, **how}, swing, "exact")
    bars = pl.compile(four_bar.model())
    yield Motion("four-bar, 1 ms", bars, {"end_time": 1.0, "step": 1e-3}, linkage)
    crank = pl.compile(crank_slider.model())
    yield Motion("crank-slider, 5 ms", crank, {"end_time": 5.0, "step": 5e-3}, slider)
    free = {"end_time": 2.0, "step": 8e-3, "push": {"top": TOP_SPIN}}
    yield Motion("free top, 8 ms", pl.compile(spatial_dynamics.top()), free, top)
    loop = {"end_time": 2.0, "step": 1e-2}
    yield Motion("Bricard, 10 ms", pl.compile(spatial_dynamics.bricard()), loop, bricard)


def steps() -> Iterator[Row]:
    """Compare what the outcomes report with what is true."""
    for each in problems():
        found = pl.transient(each.system, estimate=True, **each.options)
        yield ratio(f"{each.name}: error in time", found.outcome.figures["time_error"], each.true(found), each.kind)


def swing(run: pl.Result) -> float:
    """Return ``sin(x / 2) = k cd(w t, k)``, ``k = sin(A / 2)``, ``w^2 = 3 g / 2 L`` for x from the vertical."""
    k, w = sin(0.5 * AMPLITUDE), sqrt(1.5 * pendulum.GRAVITY / LENGTH)
    _, cn, dn, _ = ellipj(w * run.time.values, k**2)
    return _largest(run.angle.values[:, 0] + 0.5 * pi - 2.0 * np.arcsin(k * cn / dn))


def linkage(run: pl.Result) -> float:
    """Return all three angles by Lagrange's equations."""
    exact = equations.angles(float(run.time[-1]), run.time.size)
    return max(
        _largest(run.angle.sel(body=name).values - exact[k]) for k, name in enumerate(("crank", "coupler", "rocker"))
    )


def slider(run: pl.Result) -> float:
    """Return the crank's angle from its one equation."""
    return _largest(run.angle.sel(body="crank").values - Rigid().motion(run.time.values)[0])


def top(run: pl.Result) -> float:
    """Return the angle of the rotation between the last orientation and the one by Euler's equations."""
    turned = rotations.matrix(run.orientation.values[-1, 0]).T @ theory.free_top(TOP_SPIN, float(run.time[-1]))
    return float(np.arccos(np.clip(0.5 * (np.trace(turned) - 1.0), -1.0, 1.0)))


def bricard(run: pl.Result) -> float:
    """Return the corner between the third and the fourth bar."""
    return _largest(run.position.sel(marker="bar 3/tip").values - theory.bricard(run.time.values))


def _largest(apart: np.ndarray) -> float:
    return float(np.max(np.abs(apart)))
