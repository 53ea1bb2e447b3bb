"""A slide that does not turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model.axes import Axial, Axis, rail
from pliant.model.bodies.outlines import Track
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Prismatic(Axial, Joint):
    """b slides along a's x axis and does not turn against a. Two conditions:
    ``e_y(a) . (r_b - r_a) = 0``, and ``theta_b - theta_a`` constant.

    axis  in space, the direction of sliding in marker a's axes: "x", "y", "z" or 3 numbers. Five conditions

    The angle between the markers is given by the guesses of the bodies; without guesses the markers are aligned. Turn
    the sliding line with the angle of marker a.

    >>> from pliant.model import Body, Ground
    >>> Prismatic(Ground().at(0, 0, angle=0.5), Body("slider", mass=1.0, inertia=0.1).at()).name
    'prismatic ground(0, 0) - slider(0, 0)'
    """

    locks: ClassVar[tuple[str, ...]] = ("y", "z", "rx", "ry", "rz")
    along: ClassVar[str] = "x"
    stoppable: ClassVar[str] = "travel"
    rubs: ClassVar[str] = "guide"
    drawing: ClassVar[str] = "slide"

    axis: Axis = field(default="x", kw_only=True)

    def tracks(self, spatial: bool) -> list[Track]:
        return [rail(self, spatial)]
