"""A rack and its pinion."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi
from typing import ClassVar

import pliant as pl
from pliant.extend import ASSEMBLED, Condition, Term


@dataclass(frozen=True, eq=False)
class Rack(pl.Joint):
    """A pinion (a) on a rack (b), both in a frame: ``x + r phi`` as assembled, x the rack's travel along the frame's x,
    phi the pinion's angle about its z. One condition; bearings and slides are joints of their own.

    frame   marker on the part in which both move
    radius  r of the pinion's pitch circle (m)
    """

    units: ClassVar = {"radius": "m"}

    frame: pl.Marker = field(kw_only=True)
    radius: float = field(kw_only=True)

    def conditions(self, spatial: bool) -> list[Condition]:
        travel = Term("place", "x", 1.0, self.frame, self.b)
        angle = Term("angle", "z", self.radius, self.frame, self.a)
        return [Condition((travel, angle), ASSEMBLED, period=2.0 * pi * self.radius)]
