"""Tendons in channels and motors: estimates beside closed forms and separate equations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.actuators.models import CONSTANT, INERTIA, RATIO, driven
from pliant_evidence.actuators.validate import NO_LOAD, STALL
from pliant_evidence.error_estimates.ratios import ratio
from pliant_evidence.tendon_robot import models, theory
from pliant_evidence.tendon_robot.models import AXIAL, BENDING, LENGTH, SHEAR, TORSION
from pliant_evidence.tendon_robot.validate import ASIDE, arc, helix
from pliant_testing.validation import Row

TENSION = 15.0  # N


def newer_cases() -> Iterator[Row]:
    """Check the cases "tendon-robot" and "actuators"."""
    yield from channels()
    yield motor()


def channels() -> Iterator[Row]:
    """Check tips of rods that a straight channel bends to an arc, and a helical one to a helix."""
    winding = theory.Rod(
        LENGTH,
        (AXIAL, SHEAR, SHEAR),
        (TORSION, BENDING, BENDING),
        [(lambda x: helix(x / LENGTH), 4.0)],
        force=(0.0, 0.0, 0.0),
    )
    for plane, offset in (("xy", ASIDE), (None, (ASIDE, 0.0))):
        bent, words = models.rod([(offset, TENSION)], plane=plane), "in the plane" if plane else "in space"
        for mesh, elements in (("8 exact", pl.Exact(8)), ("4 exact of order 2", pl.Exact(4, order=2))):
            yield tip(f"arc of a tendon {words}, {mesh}", bent, elements, arc(TENSION), "exact")
    wound = models.rod([(helix, 4.0)])
    yield tip(
        "helix of a tendon, 4 exact of order 2", wound, pl.Exact(4, order=2), winding.shape()[0], "independent code"
    )


def tip(name: str, model: pl.Model, elements: Any, exact: np.ndarray, kind: Any) -> Row:
    """Compare the place of the tip, along the axis where its error is largest."""
    found = pl.estimate(pl.statics, pl.compile(model, elements=elements))
    place, estimated = (
        data.sel(marker="arm/tip").values[: exact.size] for data in (found.position, found.position_error)
    )
    at = int(np.argmax(np.abs(place - exact)))
    return ratio(f"{name}: position", float(estimated[at]), float(abs(place - exact)[at]), kind)


def motor() -> Row:
    """Compare the angle of a wheel on the way to the no-load speed of its motor, ``w (t - (1 - exp(-r t)) / r)``."""
    system = pl.compile(driven("xy", 9.0, stall_current=STALL, no_load_speed=NO_LOAD))
    run = pl.transient(system, end_time=0.5, step=0.02, estimate=True)
    rate, last = RATIO**2 * CONSTANT * STALL / (INERTIA * NO_LOAD), NO_LOAD / RATIO
    time = run.time.values
    exact = last * (time - (1.0 - np.exp(-rate * time)) / rate)
    true = float(np.max(np.abs(run.angle.sel(body="wheel").values - exact)))
    return ratio("wheel on a motor, 20 ms: error in time", run.outcome.figures["time_error"], true, "exact")
