"""A brake with variable torque."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import tanh
from typing import ClassVar

from pliant.forces._law import PointLaw
from pliant.model import checks
from pliant.model.axes import Axial, Axis
from pliant.model.markers import Marker
from pliant.model.parts import Between
from pliant.model.signals.base import Constant, SignalLike


@dataclass(frozen=True, eq=False)
class Brake(Axial, Between, PointLaw):
    """Dry friction against the rotation of marker b relative to marker a, of variable strength: ``T tanh(w / speed)``.

    torque  T (N m), not negative; may change in time: 0 releases the brake
    speed   at which it has 76 % of its torque (rad/s): a part that it holds creeps at most this fast
    axis    in space, of the shaft in the axes of both markers: "x", "y", "z" or 3 numbers

    At rest it has no torque: an equilibrium ignores it. For small motions set ``friction="stuck"`` or ``"free"``.

    >>> from pliant.model import Expression, Ground, Link
    >>> arm = Link("arm", length=0.1, mass=0.2)
    >>> Brake("brake", Ground().at(0, 0), arm.at(s=0), Expression("where(t < 0.5, 0.0, 2.0)")).speed
    0.01
    """

    units: ClassVar = {"torque": "N m", "speed": "rad/s"}
    measures: ClassVar[tuple[str, ...]] = ("angle",)
    numbers: ClassVar[tuple[str, ...]] = ("speed",)
    inputs: ClassVar[tuple[str, ...]] = ("torque",)
    only_in_motion: ClassVar[bool] = True
    rubs_below: ClassVar[str] = "speed"

    name: str
    a: Marker
    b: Marker
    torque: SignalLike
    speed: float = field(default=1e-2, kw_only=True)
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_signals("torque")
        if isinstance(self.torque, Constant):
            checks.not_negative(self.owner, "torque", float(self.torque))
        self._set(speed=checks.positive(self.owner, "speed", self.speed))

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """Write f and df/dw."""
        side = tanh(rate[0] / p[0])
        f[0] = u[0] * side
        f_rate[0, 0] = u[0] * (1.0 - side * side) / p[0]
