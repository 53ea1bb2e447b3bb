"""A point guided along a line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model.axes import Axial, Axis, rail
from pliant.model.bodies.outlines import Track
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Slider(Axial, Joint):
    """b's point stays on a's x axis and may turn: a pin in a slot. One condition, ``e_y(a) . (r_b - r_a) = 0``.

    axis  in space, the line that the point stays on, in marker a's axes: "x", "y", "z" or 3 numbers. Two conditions, a
          ball in a groove

    Turn the slot with the angle of marker a.

    >>> from pliant.model import Ground, Link
    >>> Slider(Ground().at(0, 0), Link("rod", length=0.3, mass=0.2).at(s=1)).locks
    ('y', 'z')
    """

    locks: ClassVar[tuple[str, ...]] = ("y", "z")
    along: ClassVar[str] = "x"
    stoppable: ClassVar[str] = "travel"
    rubs: ClassVar[str] = "slot"

    axis: Axis = field(default="x", kw_only=True)

    def tracks(self, spatial: bool) -> list[Track]:
        return [rail(self, spatial)]
