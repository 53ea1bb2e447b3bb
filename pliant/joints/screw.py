"""A nut on a screw."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi
from typing import ClassVar

from pliant.model import checks
from pliant.model.axes import Axial, Axis
from pliant.model.conditions import ASSEMBLED, Condition, Term
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Screw(Axial, Joint):
    """A nut on a screw: b slides along the axis while it turns about it. Five conditions, in space only: the four of a
    Cylindrical, and ``z - pitch phi / (2 pi)`` as assembled, z the travel and phi the angle of b against a.

    pitch  travel a turn (m), negative for a left-handed thread
    axis   in the axes of both markers: "x", "y", "z" or 3 numbers

    phi is known up to whole turns, so that z is kept to the nearest thread: time steps are reduced before they turn so
    far.

    >>> from pliant.model import Body, Ground
    >>> Screw(Ground().at(0, 0, 0), Body("nut", mass=1.0, inertia=0.1).at(), pitch=2e-3).name
    'screw ground(0, 0) - nut(0, 0)'
    """

    units: ClassVar = {"pitch": "m"}
    spatial_only: ClassVar[bool] = True
    locks: ClassVar[tuple[str, ...]] = ("x", "y", "rx", "ry")
    rubs: ClassVar[str] = "thread"

    pitch: float = field(kw_only=True)
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(pitch=checks.number(self.owner, "pitch", self.pitch))
        if self.pitch == 0.0:
            raise checks.refuse(self.owner, "pitch", self.pitch, "not zero", "A Revolute turns without sliding.")

    def conditions(self, spatial: bool) -> list[Condition]:
        thread = Term("place", "z"), Term("angle", "z", -self.pitch / (2.0 * pi))
        return [*super().conditions(spatial), Condition(thread, ASSEMBLED, period=abs(self.pitch))]
