"""A pair of gear wheels."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi

from pliant.model import checks
from pliant.model.axes import Axial, Axis
from pliant.model.conditions import ASSEMBLED, Condition, Term
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Joint


@dataclass(frozen=True, eq=False)
class Gear(Axial, Joint):
    """Two wheels in mesh: ``phi_a + (teeth_b / teeth_a) phi_b`` as assembled, with the angles of both wheels against
    the part that carries them. One condition; the bearings are separate joints.

    carrier           marker on the part in which both wheels turn: the ground, a housing, an arm
    teeth_a, teeth_b  whole numbers; a negative one for a wheel with its teeth inside
    axis              in space, of both wheels in the axes of all three markers: "x", "y", "z" or 3 numbers

    It transmits torque; the reaction of the teeth on the bearings is not reported.

    >>> from pliant.model import Body, Ground
    >>> ground, pinion, wheel = Ground(), Body("pinion", mass=1.0, inertia=0.1), Body("wheel", mass=4.0, inertia=1.0)
    >>> Gear(pinion.at(), wheel.at(), carrier=ground.at(0, 0), teeth_a=17, teeth_b=51).ratio
    3.0
    """

    carrier: Marker = field(kw_only=True)
    teeth_a: int = field(kw_only=True)
    teeth_b: int = field(kw_only=True)
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "carrier", self.carrier, Marker, USE_AT)
        if self.carrier.body in (self.a.body, self.b.body):
            raise checks.refuse(self.owner, "carrier", self.carrier.label, "on a part other than the two wheels")
        for key in ("teeth_a", "teeth_b"):
            teeth = getattr(self, key)
            if not isinstance(teeth, int) or isinstance(teeth, bool) or teeth == 0:
                raise checks.refuse(self.owner, key, teeth, "a whole number, not zero")

    @property
    def ratio(self) -> float:
        """Turns of a per turn of b, both relative to the carrier."""
        return self.teeth_b / self.teeth_a

    def conditions(self, spatial: bool) -> list[Condition]:
        one = Term("angle", "z", 1.0, self.carrier, self.a)
        other = Term("angle", "z", self.ratio, self.carrier, self.b)
        return [Condition((one, other), ASSEMBLED, period=2.0 * pi / abs(self.teeth_a))]
