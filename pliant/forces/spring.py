"""Spring and damper along a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pliant.forces._law.linear import LinearLaw
from pliant.model import checks
from pliant.model.markers import Marker
from pliant.model.parts import Between


@dataclass(frozen=True, eq=False)
class Spring(Between, LinearLaw):
    """Linear spring and damper along the line between two markers. It pulls with ``k (l - l0) + c l'``.

    stiffness    k (N/m)
    rest_length  l0 (m)
    damping      c (N s/m)

    >>> from pliant.model import Ground, Link
    >>> crank = Link("crank", length=0.1, mass=0.2)
    >>> Spring("return", crank.at(s=1), Ground().at(0, 0.3), stiffness=200.0, rest_length=0.1).damping
    0.0
    """

    units: ClassVar = {"stiffness": "N/m", "rest_length": "m", "damping": "N s/m"}
    connects: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ("distance",)
    numbers: ClassVar[tuple[str, ...]] = ("stiffness", "rest_length", "damping")
    idles: ClassVar[bool] = False

    name: str
    a: Marker
    b: Marker
    stiffness: float
    rest_length: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("stiffness", "rest_length", "damping"):
            self._set(**{key: checks.not_negative(self.owner, key, getattr(self, key))})

    @property
    def may_vanish(self) -> bool:
        return self.rest_length == 0.0
