"""Torque between two bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model.axes import Axial, Axis
from pliant.model.markers import Marker
from pliant.model.parts import Between, Load
from pliant.model.signals import SignalLike


@dataclass(frozen=True, eq=False)
class Motor(Axial, Between, Load):
    """Torque (N m) on the body of marker b, and minus the same on the body of marker a.

    axis  in space, what it turns about, in marker a's axes: "x", "y", "z" or 3 numbers

    >>> from pliant.model import Expression, Ground, Link
    >>> Motor("drive", Ground().at(0, 0), Link("crank", length=0.1, mass=0.2).at(s=0), Expression("5*sin(10*t)")).name
    'drive'
    """

    units: ClassVar = {"torque": "N m"}

    name: str
    a: Marker
    b: Marker
    torque: SignalLike
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("torque")
