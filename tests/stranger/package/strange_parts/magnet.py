"""Two magnets."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan
from typing import ClassVar

import pliant as pl


@dataclass(frozen=True, eq=False)
class Magnet(pl.Between, pl.PointLaw):
    """Poles that attract each other with ``F = i s / (d^2 + c^2)``, d their distance.

    strength  s (N m^2)
    core      c (m), which keeps the force finite
    current   i, a function of time
    """

    units: ClassVar = {"strength": "N m^2", "core": "m", "current": "1"}
    measures: ClassVar = ("distance",)
    numbers: ClassVar = ("strength", "core")
    inputs: ClassVar = ("current",)

    name: str
    a: pl.Marker
    b: pl.Marker
    strength: float
    core: float = 0.1
    current: pl.SignalLike = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("current")

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):
        """f = i s / (d^2 + c^2)"""
        below = x[0] * x[0] + p[1] * p[1]
        f[0] = u[0] * p[0] / below
        f_x[0, 0] = -2.0 * u[0] * p[0] * x[0] / (below * below)

    @staticmethod
    def energy(p, x, u):
        """V = i s / c atan(d / c)"""
        return u[0] * p[0] / p[1] * atan(x[0] / p[1])
