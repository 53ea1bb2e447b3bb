"""A pin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model.axes import Axial, Axis
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Revolute(Axial, Joint):
    """A pin: the two points coincide, the angle is free. Two conditions, ``r_b - r_a = 0``.

    axis  in space, the common axis of the pin in the axes of both markers: "x", "y", "z" or 3 numbers. Five conditions:
          ``r_b - r_a = 0``, and the axes z of a and z of b stay parallel (no relative rotation about x and y of a), in
          frames whose z is the axis

    >>> from pliant.model import Ground, Link
    >>> Revolute(Ground().at(0, 0), Link("crank", length=0.1, mass=0.2).at(s=0)).name
    'revolute ground(0, 0) - crank/base'
    """

    locks: ClassVar[tuple[str, ...]] = ("x", "y", "z", "rx", "ry")
    stoppable: ClassVar[str] = "angle"
    rubs: ClassVar[str] = "pin"

    axis: Axis = field(default="z", kw_only=True)
