"""Torque between two bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.forces._law import PointLaw
from pliant.model.axes import Axial, Axis
from pliant.model.markers import Marker
from pliant.model.parts import Between
from pliant.model.signals.base import SignalLike


@dataclass(frozen=True, eq=False)
class Motor(Axial, Between, PointLaw):
    """Torque (N m) on the body of marker b, and its opposite on the body of marker a.

    axis  in space, axis of the torque, in marker a's axes: "x", "y", "z" or 3 numbers

    >>> from pliant.model import Expression, Ground, Link
    >>> Motor("drive", Ground().at(0, 0), Link("crank", length=0.1, mass=0.2).at(s=0), Expression("5*sin(10*t)")).name
    'drive'
    """

    units: ClassVar = {"torque": "N m"}
    measures: ClassVar[tuple[str, ...]] = ("angle",)
    inputs: ClassVar[tuple[str, ...]] = ("torque",)
    idles: ClassVar[bool] = False

    name: str
    a: Marker
    b: Marker
    torque: SignalLike
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("torque")

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """Write f = -T."""
        f[0] = -u[0]

    @staticmethod
    def energy(p, x, u):  # type: ignore[no-untyped-def]
        """Return V = -T phi."""
        return -u[0] * x[0]
