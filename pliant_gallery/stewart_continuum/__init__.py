"""Continuum Stewart-Gough robot: a platform on six elastic rods that are fed through its base (Till, Rucker)."""

from __future__ import annotations

from typing import Any

import pliant as pl
from pliant_gallery.robots import ContinuumStewart


def model(**options: Any) -> pl.Model:
    """Make the robot with steel rods of 1.3 mm; options are fields of `pliant_gallery.robots.ContinuumStewart`."""
    return ContinuumStewart(**options).model()
