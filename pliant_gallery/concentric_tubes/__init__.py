"""Concentric-tube robot: three pre-curved tubes in each other, turned at their bases."""

from __future__ import annotations

from collections.abc import Sequence

import pliant as pl
from pliant_gallery.robots import ConcentricTubes, CurvedTube

TUBES = (
    CurvedTube(length=0.42, straight=0.3, curvature=14.0, outer_radius=0.55e-3, inner_radius=0.4e-3),
    CurvedTube(length=0.3, straight=0.2, curvature=9.0, outer_radius=0.9e-3, inner_radius=0.7e-3),
    CurvedTube(length=0.16, straight=0.1, curvature=4.0, outer_radius=1.5e-3, inner_radius=1.2e-3),
)
BASES = -0.2, -0.15, -0.1  # m


def model(*, bases: Sequence[float] = BASES, angles: Sequence[float] = (0.0, 1.5, -1.0)) -> pl.Model:
    """Make the robot with its tubes at these places (m), turned by these angles (rad)."""
    return ConcentricTubes(tubes=TUBES, bases=bases, angles=angles).model()
