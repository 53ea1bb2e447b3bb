"""A shaft in a sleeve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model.axes import Axial, Axis, rail
from pliant.model.bodies.outlines import Track
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Cylindrical(Axial, Joint):
    """A shaft in a sleeve: b slides along the axis and turns about it. Four conditions, in space only.

    axis  in the axes of both markers: "x", "y", "z" or 3 numbers

    >>> from pliant.model import Body, Ground
    >>> Cylindrical(Ground().at(0, 0, 0), Body("piston", mass=1.0, inertia=0.1).at(), axis="x").locks
    ('x', 'y', 'rx', 'ry')
    """

    spatial_only: ClassVar[bool] = True
    locks: ClassVar[tuple[str, ...]] = ("x", "y", "rx", "ry")
    stoppable: ClassVar[str] = "travel"
    rubs: ClassVar[str] = "shaft"
    drawing: ClassVar[str] = "slide"

    axis: Axis = field(default="z", kw_only=True)

    def tracks(self, spatial: bool) -> list[Track]:
        return [rail(self, spatial)]
