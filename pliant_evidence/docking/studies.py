"""Motions of the docking, and what is read off them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant_gallery.docking import PACOMA, Docking, model

ELEMENTS = 4  # of a rod
RIGID = 1000.0  # how many times stiffer the rods of "rigid" legs are


class Strike(NamedTuple):
    """Peak (N), impulse (N s) and duration (s) of the contact force; energy lost in the contact (J)."""

    peak: float
    impulse: float
    duration: float
    loss: float


@cache
def prepared(docking: Docking, stiffening: float) -> tuple[Any, pl.Result]:
    """Return robot and satellite, and the rest they start from."""
    rest = pl.statics(pl.compile(model(docking, stiffening=stiffening, held=True), elements=ELEMENTS))
    return pl.compile(model(docking, stiffening=stiffening), elements=ELEMENTS), rest


def dock(docking: Docking = PACOMA, *, stiffening: float = 1.0, end_time: float = 0.12, **options: Any) -> pl.Result:
    """Compute a satellite that drifts down against the robot at rest; options as of ``transient``."""
    system, rest = prepared(docking, stiffening)
    push = {"satellite": (0.0, 0.0, -docking.speed, 0.0, 0.0, 0.0)}
    return pl.transient(system, start=rest, push=push, end_time=end_time, **options)


def strike(run: pl.Result) -> Strike:
    """Return peak, impulse, duration and loss of a motion."""
    time, force = run.time.values, run.normal_force.sel(contact="ring").values
    between = 0.5 * (force[1:] + force[:-1])
    return Strike(
        peak=float(np.max(force)),
        impulse=float(np.sum(between * np.diff(time))),
        duration=float(np.sum(np.diff(time)[between > 0.0])),
        loss=float(run.energy.sel(energy_kind="dissipated")[-1]),
    )
