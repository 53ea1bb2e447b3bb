"""Motor angles for poses of the platform, and poses for motor angles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import pliant as pl
from pliant.gallery.six_rus import LEGS, Robot, model

MOTORS = [f"motor {leg}/angle" for leg in LEGS]
TWISTS = [f"twist {leg}/z" for leg in LEGS]
ELEMENTS = pl.Exact(4, order=3)


def inverse(system: Any, point: Sequence[float], orientation: Any, *, start: Any = None) -> pl.Result:
    """Motor angles (``signal_value``) that hold the platform at a pose; loads are those of the system."""
    return pl.inverse_statics(system, {"platform": (point, orientation)}, signals=MOTORS, start=start)


def inverse_as_published(robot: Robot, point: Sequence[float], orientation: Any) -> np.ndarray:
    """(6,) motor angles with the joints of the published study, which do work: moments about z on the rods' bases
    relieve the crosses of the universal joints.
    """
    system = pl.compile(model(robot, ideal=False), elements=ELEMENTS)
    found = pl.inverse_statics(
        system, {"platform": (point, orientation)}, signals=MOTORS + TWISTS, idle=[f"cross {leg}" for leg in LEGS]
    )
    return found.signal_value.sel(signal=MOTORS).values


def forward(system: Any, angles: Any, *, start: Any = None) -> pl.Result:
    """Where the platform is at these motor angles."""
    return pl.statics(system.with_signals(dict(zip(MOTORS, map(float, angles), strict=True))), start=start)
