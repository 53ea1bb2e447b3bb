"""Six (or three) PACOMA legs around a planar platform: statics, allocation of tendon forces, control.

Each leg is a crank, a titanium leaf pinned to it and to the platform, and a tendon beside the leaf that keeps it bent
(`robots.LeafLeg`, data of the thesis). With the cranks driven, tendons pull at the platform; with motors that give
torques, tendons stretch legs and motors move the platform.
"""

from __future__ import annotations

from typing import Any

import pliant as pl
from pliant_gallery import robots

ELEMENTS = pl.Exact(4, order=2)
PLATFORM = robots.Platform((0.0, 0.0), mass=2.0, inertia=0.02)
"""Ours, as the arrangement: the thesis proposes six legs and gives no data of their platform."""
WHERE = "platform(0, 0)"
POSE = (f"position:{WHERE}:x", f"position:{WHERE}:y", "angle:platform")
RATES = (f"velocity:{WHERE}:x", f"velocity:{WHERE}:y", "angular_velocity:platform")


def robot(legs: int = 6, **options: Any) -> robots.Robot:
    """Return the robot as data; options are arguments of `robots.planar`.

    >>> robot().tendons[:2]
    ('tendon 1/tension', 'tendon 2/tension')
    """
    return robots.planar(robots.LeafLeg(), legs=legs, **{"platform": PLATFORM, **options})


def model(legs: int = 6, **options: Any) -> pl.Model:
    """Make the robot.

    >>> model()
    <Model "six-leg planar robot": 7 rigid bodies, 6 beams, 24 joints, 8 forces>
    """
    return robot(legs, **options).model()
