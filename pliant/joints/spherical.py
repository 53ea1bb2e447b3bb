"""A ball in a socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball in a socket: the two points coincide, b may turn in any way. Three conditions, in space only.

    >>> from pliant.model import Ground, Link
    >>> Spherical(Ground().at(0, 0, 1), Link("rod", length=0.1, mass=0.2).at(s=0)).name
    'spherical ground(0, 0, 1) - rod/base'
    """

    spatial_only: ClassVar[bool] = True
    locks: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    rubs: ClassVar[str] = "ball"
