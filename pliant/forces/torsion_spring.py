"""Spring and damper about a pin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.forces._law.linear import LinearLaw
from pliant.model import checks
from pliant.model.axes import Axial, Axis
from pliant.model.markers import Marker
from pliant.model.parts import Between


@dataclass(frozen=True, eq=False)
class TorsionSpring(Axial, Between, LinearLaw):
    """Linear torsion spring and damper; marker b feels the moment ``-k (phi - phi0) - c phi'``, marker a the opposite.

    phi         angle of marker b relative to marker a (rad)
    stiffness   k (N m/rad)
    rest_angle  phi0 (rad)
    damping     c (N m s/rad)
    axis        in space, axis of phi, in the axes of both markers: "x", "y", "z" or 3 numbers; phi is then within half
                a turn of phi0, and a result in which it turns further is not ok

    >>> from pliant.model import Ground, Link
    >>> crank = Link("crank", length=0.1, mass=0.2)
    >>> TorsionSpring("flexure", Ground().at(0, 0), crank.at(s=0), stiffness=0.4).rest_angle
    0.0
    """

    units: ClassVar = {"stiffness": "N m/rad", "rest_angle": "rad", "damping": "N m s/rad"}
    connects: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ("angle",)
    numbers: ClassVar[tuple[str, ...]] = ("stiffness", "rest_angle", "damping")
    angle_around: ClassVar[str] = "rest_angle"
    idles: ClassVar[bool] = False

    name: str
    a: Marker
    b: Marker
    stiffness: float
    rest_angle: float = 0.0
    damping: float = 0.0
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            stiffness=checks.not_negative(self.owner, "stiffness", self.stiffness),
            rest_angle=checks.angle(self.owner, "rest_angle", self.rest_angle, hint="Give it in radians."),
            damping=checks.not_negative(self.owner, "damping", self.damping),
        )
