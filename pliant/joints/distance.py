"""A massless rod with pins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pliant.model import checks
from pliant.model.conditions import ASSEMBLED, Condition, Term
from pliant.model.markers import Marker
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """A massless rigid rod with a pin at each end. One condition, ``|r_b - r_a| = length``.

    length  m; None: as assembled

    >>> from pliant.model import Body, Ground
    >>> Distance(Ground().at(0, 0), Body("bob", mass=1.0, inertia=0.0).at(), length=0.5).length
    0.5
    """

    units: ClassVar = {"length": "m"}

    length: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is not None:
            hint = "For two points that coincide use Revolute."
            self._set(length=checks.positive(self.owner, "length", self.length, hint=hint))

    def conditions(self, spatial: bool) -> list[Condition]:
        return [Condition((Term("distance"),), ASSEMBLED if self.length is None else self.length)]

    @property
    def line(self) -> tuple[Marker, ...]:
        return self.markers
