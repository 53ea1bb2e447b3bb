"""Kinetostatics of the 6-RUS: its platform, its motors, and the published study's own joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import pliant as pl
from pliant_gallery.six_rus import LEGS, PUBLISHED, Robot, model

MOTORS = [f"motor {leg}/angle" for leg in LEGS]
TWISTS = [f"twist {leg}/z" for leg in LEGS]
ELEMENTS = pl.Exact(4, order=3)
LIMITS = (-1.0, 1.5)
"""Of the motors (rad); the study gives none."""


def kinetostatics(robot: Robot = PUBLISHED, *, elements: Any = ELEMENTS, **options: Any) -> pl.Kinetostatics:
    """Return the kinetostatics of the robot with ideal joints; options as of `model`.

    >>> kinetostatics().inverse((0, 0, 0.5), pl.rotation(x=10 * pl.DEG)).motors.round(4)
    array([0.4878, 0.4878, 0.4204, 0.2812, 0.2812, 0.4204])
    """
    system = pl.compile(model(robot, **options), elements=elements)
    return pl.Kinetostatics(system, platform="platform", motors=MOTORS, limits=LIMITS)


def inverse_as_published(robot: Robot, point: Sequence[float], orientation: Any) -> np.ndarray:
    """Return the (6,) motor angles with the joints of the published study, which do work: moments about z on the rods'
    bases relieve the crosses of the universal joints.
    """
    system = pl.compile(model(robot, ideal=False), elements=ELEMENTS)
    found = pl.inverse_statics(
        system, {"platform": (point, orientation)}, signals=MOTORS + TWISTS, idle=[f"cross {leg}" for leg in LEGS]
    )
    return found.signal_value.sel(signal=MOTORS).values
