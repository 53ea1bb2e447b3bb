"""A plate on a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model.axes import Axial, Axis
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Planar(Axial, Joint):
    """A plate on a table: b moves in the plane across the axis and turns about it. Three conditions, in space only.

    axis  normal of the plane in the axes of both markers: "x", "y", "z" or 3 numbers

    >>> from pliant.model import Body, Ground
    >>> Planar(Ground().at(0, 0, 0), Body("puck", mass=1.0, inertia=0.1).at()).locks
    ('z', 'rx', 'ry')
    """

    spatial_only: ClassVar[bool] = True
    locks: ClassVar[tuple[str, ...]] = ("z", "rx", "ry")

    axis: Axis = field(default="z", kw_only=True)
