"""A rope over a pulley."""

from __future__ import annotations

from dataclasses import dataclass, field

from pliant.model import checks
from pliant.model.conditions import ASSEMBLED, Condition, Term
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Joint


@dataclass(frozen=True, eq=False)
class Pulley(Joint):
    """A rope from a over a pulley to b, taut, massless and without stretch: ``|a - over| + |over - b|`` as assembled.

    over  marker in the middle of the pulley, on the ground or on a body that moves (a block); the pulley is small

    One condition; its multiplier is the tension, which is negative if the rope would have to push: check it. A rope
    that stretches, goes slack or rubs (capstan) is a `Tendon` with guides. The inertia of the pulley is neglected.

    >>> from pliant.model import Body, Ground
    >>> ground, left, right = Ground(), Body("left", mass=1.0, inertia=0.0), Body("right", mass=2.0, inertia=0.0)
    >>> Pulley(left.at(), right.at(), over=ground.at(0, 1)).over
    <Marker ground(0, 1)>
    """

    over: Marker = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "over", self.over, Marker, USE_AT)
        if self.over.body in (self.a.body, self.b.body):
            raise checks.refuse(
                self.owner, "over", self.over.label, "on a part to which neither end of the rope is attached"
            )

    def conditions(self, spatial: bool) -> list[Condition]:
        ends = (Term("distance", "", 1.0, self.over, end) for end in (self.a, self.b))
        return [Condition(tuple(ends), ASSEMBLED)]
