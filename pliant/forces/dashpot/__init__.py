"""Dashpot to the ground."""

from __future__ import annotations

from dataclasses import dataclass

from pliant.model import checks
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Load


@dataclass(frozen=True, eq=False)
class Dashpot(Load):
    """Viscous resistance against the motion of a marker through space: ``-(c_x x', c_y y')`` and ``-c_turn angle'``.

    x, y  c_x, c_y (N s/m), in global axes
    turn  c_turn (N m s/rad)

    >>> from pliant.model import Link
    >>> Dashpot("air", Link("arm", length=1.0, mass=1.0).at(s=1), x=0.2, y=0.2).turn
    0.0
    """

    name: str
    marker: Marker
    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "marker", self.marker, Marker, USE_AT)
        for key in ("x", "y", "turn"):
            self._set(**{key: checks.not_negative(self.owner, key, getattr(self, key))})
