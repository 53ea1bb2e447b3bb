"""A point guided along a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Slider(Joint):
    """b's point stays on a's x axis and may turn: a pin in a slot. One condition, ``e_y(a) . (r_b - r_a) = 0``.

    Turn the slot with the angle of marker a.

    >>> from pliant.model import Ground, Link
    >>> Slider(Ground().at(0, 0), Link("rod", length=0.3, mass=0.2).at(s=1)).locks
    (False, True, False)
    """

    locks: ClassVar[tuple[bool, bool, bool]] = (False, True, False)
    space: ClassVar[tuple[str, ...]] = ("y", "z")
