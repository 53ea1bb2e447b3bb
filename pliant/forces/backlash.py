"""Play between a shaft and the part that it turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pliant.forces._law import PointLaw
from pliant.model import checks
from pliant.model.axes import Axial, Axis
from pliant.model.markers import Marker
from pliant.model.parts import Between


@dataclass(frozen=True, eq=False)
class Backlash(Axial, Between, PointLaw):
    """Marker b turns freely about marker a within a gap; d beyond it teeth push with ``k d max(0, 1 + c d')``.

    gap        from end to end (rad)
    stiffness  k of the teeth and the shaft (N m/rad)
    damping    c (s/rad); teeth never pull
    middle     angle of b from a in the middle of the gap (rad)
    axis       in space, of the shaft in the axes of both markers: "x", "y", "z" or 3 numbers

    Place it between a wheel that a motor or a `Gear` turns and the link on the same axis. Within the gap there is no
    stiffness: an equilibrium there may be neutral, and a linear model is one of two separate bodies.

    >>> from pliant.model import Body, Link
    >>> wheel, arm = Body("wheel", mass=0.1, inertia=1e-4), Link("arm", length=0.1, mass=0.2)
    >>> Backlash("play", wheel.at(), arm.at(s=0), gap=0.01, stiffness=500.0).middle
    0.0
    """

    units: ClassVar = {"gap": "rad", "stiffness": "N m/rad", "damping": "s/rad", "middle": "rad"}
    connects: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ("angle",)
    numbers: ClassVar[tuple[str, ...]] = ("gap", "stiffness", "damping", "middle")
    angle_around: ClassVar[str] = "middle"

    name: str
    a: Marker
    b: Marker
    gap: float = field(kw_only=True)
    stiffness: float = field(kw_only=True)
    damping: float = field(default=0.0, kw_only=True)
    middle: float = field(default=0.0, kw_only=True)
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            gap=checks.not_negative(self.owner, "gap", self.gap),
            stiffness=checks.positive(self.owner, "stiffness", self.stiffness),
            damping=checks.not_negative(self.owner, "damping", self.damping),
            middle=checks.number(self.owner, "middle", self.middle, hint="Give it in radians."),
        )

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """Write f of the side that is touched."""
        side = 1.0 if x[0] > p[3] else -1.0
        deep = side * (x[0] - p[3]) - 0.5 * p[0]
        press = 1.0 + p[2] * side * rate[0]
        if deep > 0.0 and press > 0.0:
            f[0] = side * p[1] * deep * press
            f_x[0, 0] = p[1] * press
            f_rate[0, 0] = p[1] * deep * p[2]

    @staticmethod
    def energy(p, x, u):  # type: ignore[no-untyped-def]
        """Return V = k d^2 / 2."""
        deep = abs(x[0] - p[3]) - 0.5 * p[0]
        return 0.5 * p[1] * deep * deep if deep > 0.0 else 0.0
