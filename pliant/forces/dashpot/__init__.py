"""Dashpot to the ground."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model import checks
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Load


@dataclass(frozen=True, eq=False)
class Dashpot(Load):
    """Viscous resistance to the absolute motion of a marker: ``-(c_x x', c_y y')`` and ``-c_turn angle'``.

    x, y, z  c_x, c_y, c_z (N s/m), in global axes; z in space only
    turn     c_turn (N m s/rad); in space against the whole angular velocity

    >>> from pliant.model import Link
    >>> Dashpot("air", Link("arm", length=1.0, mass=1.0).at(s=1), x=0.2, y=0.2).turn
    0.0
    """

    units: ClassVar = {"x": "N s/m", "y": "N s/m", "z": "N s/m", "turn": "N m s/rad"}
    in_space: ClassVar[tuple[str, ...]] = ("z",)

    name: str
    marker: Marker
    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0
    z: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "marker", self.marker, Marker, USE_AT)
        for key in ("x", "y", "z", "turn"):
            self._set(**{key: checks.not_negative(self.owner, key, getattr(self, key))})
