"""Continuum robot of two segments: a backbone with disks, bent by six tendons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi

import pliant as pl
from pliant_gallery.robots import TendonArm, TendonSegment

ROBOT = TendonArm(
    segments=(TendonSegment(length=0.2), TendonSegment(length=0.2, angle=pi / 3.0)), gravity=(0.0, 0.0, -9.81)
)
CURVATURES = (0.0, 3.0), (2.0, -2.0)  # 1/m


def model(*, curvatures: Sequence[Sequence[float]] = CURVATURES, least: float = 1.0) -> pl.Model:
    """Make the robot with tensions that would bend its segments to these curvatures (1/m) without weight."""
    return replace(ROBOT, pulled=ROBOT.tensions(curvatures, least=least).tolist()).model()
