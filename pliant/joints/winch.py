"""A drum that winds up a rope."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi
from typing import ClassVar

from pliant.model import checks
from pliant.model.axes import Axial, Axis
from pliant.model.conditions import ASSEMBLED, Condition, Term
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Joint


@dataclass(frozen=True, eq=False)
class Winch(Axial, Joint):
    """A drum a that winds up the rope to b: ``|exit - b| + radius phi`` as assembled, phi its angle. One condition.

    exit    marker on the part that carries the drum, where the rope leaves it; its frame is the reference of the angle
    radius  of the drum (m); negative if the drum winds up when it turns backwards
    axis    in space, of the drum in the axes of both markers: "x", "y", "z" or 3 numbers

    The rope is taut, massless and without stretch; its tension is the multiplier, negative if it would push. The drum's
    bearing and its motor are separate parts: the motor feels the moment ``radius`` times the tension.

    >>> from pliant.model import Body, Ground
    >>> ground, drum, load = Ground(), Body("drum", mass=1.0, inertia=1e-3), Body("load", mass=2.0, inertia=0.0)
    >>> Winch(drum.at(), load.at(), exit=ground.at(0, 0), radius=0.05).radius
    0.05
    """

    units: ClassVar = {"radius": "m"}

    exit: Marker = field(kw_only=True)
    radius: float = field(kw_only=True)
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "exit", self.exit, Marker, USE_AT)
        if self.exit.body in (self.a.body, self.b.body):
            raise checks.refuse(self.owner, "exit", self.exit.label, "on the part that carries the drum")
        if checks.number(self.owner, "radius", self.radius, hint="Give it in metres.") == 0.0:
            raise checks.refuse(self.owner, "radius", self.radius, "not zero")

    def conditions(self, spatial: bool) -> list[Condition]:
        rope, wound = Term("distance", "", 1.0, self.exit, self.b), Term("angle", "z", self.radius, self.exit, self.a)
        return [Condition((rope, wound), ASSEMBLED, period=2.0 * pi * abs(self.radius))]
