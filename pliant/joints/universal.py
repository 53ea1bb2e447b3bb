"""A Cardan joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """A Cardan joint: the two points coincide and b turns about x of a and y of b, the arms of its cross, which stay
    at a right angle. Four conditions, in space only.

    >>> from pliant.model import Ground, Link, rotation
    >>> rod = Link("rod", length=0.1, mass=0.2)
    >>> Universal(Ground().at(0, 0, 1), rod.at(s=0, orientation=rotation(z=0.5))).locks
    ('x', 'y', 'z', 'rz')
    """

    spatial_only: ClassVar[bool] = True
    locks: ClassVar[tuple[str, ...]] = ("x", "y", "z", "rz")
