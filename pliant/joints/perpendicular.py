"""Two axes at a right angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Perpendicular(Joint):
    """Keeps x of marker a and y of marker b at a right angle; their points are free. One condition, in space only.

    A Universal is a Spherical and a Perpendicular. Alone it restricts the rotation of a body that is held elsewhere.

    >>> from pliant.model import Body, Ground
    >>> Perpendicular(Ground().at(0, 0), Body("gimbal", mass=1.0, inertia=0.1).at()).locks
    ('rz',)
    """

    spatial_only: ClassVar[bool] = True
    locks: ClassVar[tuple[str, ...]] = ("rz",)
