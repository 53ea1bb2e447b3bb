"""Drag of a body that moves fast through a fluid at rest."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from pliant.forces._law import PointLaw
from pliant.model import checks
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT


@dataclass(frozen=True, eq=False)
class QuadraticDrag(PointLaw):
    """Resistance ``F = -c |v| v`` of a marker that moves with velocity v through a fluid at rest (Newton's drag).

    coefficient  c = rho C_D A / 2 (N s^2/m^2), rho the density of the fluid, A the area across the flow

    A falling body approaches the speed ``v = sqrt(m g / c)``, as ``v tanh(g t / v)``.

    >>> from pliant.model import Body
    >>> QuadraticDrag("air", Body("ball", mass=0.1, inertia=1e-4).at(), coefficient=1e-3).coefficient
    0.001
    """

    units: ClassVar = {"coefficient": "N s^2/m^2"}
    measures: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    numbers: ClassVar[tuple[str, ...]] = ("coefficient",)
    only_in_motion: ClassVar[bool] = True

    name: str
    marker: Marker
    coefficient: float

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "marker", self.marker, Marker, USE_AT)
        self._set(coefficient=checks.not_negative(self.owner, "coefficient", self.coefficient))

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """Write f = c |v| v, f_v = c (|v| I + v v^T / |v|)."""
        speed = 0.0
        for k in range(rate.size):
            speed += rate[k] * rate[k]
        speed = sqrt(speed)
        for k in range(rate.size):
            f[k] = p[0] * speed * rate[k]
            for l in range(rate.size):
                if speed > 0.0:
                    f_rate[k, l] = p[0] * rate[k] * rate[l] / speed
            f_rate[k, k] += p[0] * speed
