"""A prescribed motion."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import pi
from typing import ClassVar

from pliant.errors import ModelError
from pliant.model.axes import Axial, Axis
from pliant.model.conditions import Condition, Term
from pliant.model.parts import Joint
from pliant.model.signals.base import SignalLike


@dataclass(frozen=True, eq=False)
class Motion(Axial, Joint):
    """Drives one coordinate of marker b in marker a's frame as a given function of time. One condition.

    angle    theta_b - theta_a (rad), in space about `axis`; or
    x, y, z  of b's point along a's axes (m); give exactly one
    axis     in space, axis of the angle, in the axes of both markers: "x", "y", "z" or 3 numbers

    It drives that coordinate only. For a pin with a driven angle, add a Revolute and a Motion about the same axis.

    >>> from pliant.model import Ground, Link, Ramp
    >>> drive = Motion(Ground().at(0, 0), Link("crank", length=0.1, mass=0.2).at(s=0), angle=Ramp(0.0, 6.28, 0.0, 2.0))
    >>> drive.coordinate, drive.value
    ('angle', Ramp(start=0.0, end=6.28, t0=0.0, t1=2.0, smooth=True))
    """

    units: ClassVar = {"angle": "rad", "x": "m", "y": "m", "z": "m"}
    in_space: ClassVar[tuple[str, ...]] = ("z", "axis")
    drawing: ClassVar[str] = "none"

    _: KW_ONLY
    angle: SignalLike | None = None
    x: SignalLike | None = None
    y: SignalLike | None = None
    z: SignalLike | None = None
    axis: Axis = "z"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [key for key in COORDINATES if getattr(self, key) is not None]
        if len(given) != 1:
            raise ModelError(
                f"{self.owner}: {' and '.join(given) or 'no coordinate'} given; a Motion drives exactly one of "
                f"{', '.join(COORDINATES)}. Add one Motion for each driven coordinate."
            )
        self._set_signals(given[0])
        if self.angle is None and self.axis != "z":
            raise ModelError(f"{self.owner}: axis is for a driven angle; {given[0]} is along an axis of marker a.")

    def conditions(self, spatial: bool) -> list[Condition]:
        turning = self.coordinate == "angle"
        term = Term("angle", "z") if turning else Term("place", self.coordinate)
        period = 2.0 * pi if turning else 0.0
        return [Condition((term,), signal=self.value, quantity=self.coordinate, period=period)]

    @property
    def coordinate(self) -> str:
        """The driven coordinate: "angle", "x", "y" or "z"."""
        return next(key for key in COORDINATES if getattr(self, key) is not None)

    @property
    def value(self) -> SignalLike:
        """The signal that the coordinate follows."""
        return getattr(self, self.coordinate)


COORDINATES = ("x", "y", "z", "angle")
