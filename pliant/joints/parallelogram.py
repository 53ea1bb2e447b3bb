"""A linkage of four equal bars that passes an angle on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.joints.gear import Gear
from pliant.model import checks
from pliant.model.conditions import Condition


@dataclass(frozen=True, eq=False)
class Parallelogram(Gear):
    """Two parallel shafts a and b that a parallelogram linkage (or a belt over equal wheels) turns together: the
    difference of their angles relative to the part that carries them is constant. One condition.

    carrier  marker on the part in which both shafts turn
    offset   angle of a minus angle of b (rad); None: as assembled
    axis     in space, of both shafts in the axes of all three markers: "x", "y", "z" or 3 numbers

    The bars have no mass. In the pose in which they lie in one line a real linkage may turn over; this joint does not.

    >>> from pliant.model import Body, Ground, Link
    >>> motor, arm, tool = Body("motor", mass=0.2, inertia=1e-4), Link("arm", length=0.3, mass=0.5), Ground()
    >>> Parallelogram(motor.at(), arm.at(s=0), carrier=tool.at(0, 0)).ratio
    -1.0
    """

    units: ClassVar = {"offset": "rad"}

    teeth_a: int = field(default=1, kw_only=True)
    teeth_b: int = field(default=-1, kw_only=True)
    offset: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.teeth_a, self.teeth_b) != (1, -1):
            given = (self.teeth_a, self.teeth_b)
            raise checks.refuse(self.owner, "teeth", given, "1 and -1: both shafts turn alike", "Take a Gear.")
        if self.offset is not None:
            checks.number(self.owner, "offset", self.offset)

    def conditions(self, spatial: bool) -> list[Condition]:
        (alike,) = super().conditions(spatial)
        return [alike if self.offset is None else alike._replace(kept=self.offset)]
