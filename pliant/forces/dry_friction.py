"""Friction in a pin or a slide whose normal force is a preload: seals, brakes, geared motors."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, tanh
from typing import ClassVar

from pliant.errors import ModelError
from pliant.forces._law import PointLaw
from pliant.model import checks
from pliant.model.axes import Axial, Axis
from pliant.model.markers import Marker
from pliant.model.parts import Between


class DryLaw(PointLaw, abstract=True):
    """Coulomb, Stribeck and viscous friction against the rate v of one measure,

        f = (F_c + (F_s - F_c) exp(-(v / v_s)^2)) tanh(v / v_0) + c v

    `numbers` are F_c, F_s, v_s, c and v_0 (B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, Automatica 30, 1994,
    1083-1138; with tanh for the jump at v = 0).
    """

    only_in_motion: ClassVar[bool] = True
    rubs_below: ClassVar[str] = "speed"

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """Write f, and df/dv."""
        v = rate[0]
        more = (p[1] - p[0]) * exp(-((v / p[2]) ** 2))
        side = tanh(v / p[4])
        f[0] = (p[0] + more) * side + p[3] * v
        f_rate[0, 0] = (p[0] + more) * (1.0 - side * side) / p[4] - 2.0 * v / p[2] ** 2 * more * side + p[3]


@dataclass(frozen=True, eq=False)
class PinFriction(Axial, Between, DryLaw):
    """Friction against the rotation of marker b relative to marker a, as in a `Revolute` or `Cylindrical` between them:
    ``T = (torque + (breakaway - torque) exp(-(w / stribeck_speed)^2)) tanh(w / speed) + viscous w``.

    torque          while it turns (N m), whatever the load on the pin
    breakaway       at rest (N m); ``torque`` unless given. Above it, friction falls with speed (Stribeck)
    stribeck_speed  at which 37 % of the difference is left (rad/s); ten times ``speed`` unless given
    viscous         per speed (N m s/rad)
    speed           at which Coulomb friction has 76 % of its size (rad/s): a pin that sticks creeps at most this fast
    axis            in space, of the pin in the axes of both markers: "x", "y", "z" or 3 numbers

    At rest it has no torque: an equilibrium ignores friction. For small motions set ``friction="stuck"``, which locks
    the pin, or ``"free"``, which omits all but ``viscous``.

    >>> from pliant.model import Ground, Link
    >>> PinFriction("seal", Ground().at(0, 0), Link("arm", length=0.1, mass=0.2).at(s=0), 0.02, viscous=1e-3).breakaway
    0.02
    """

    units: ClassVar = {
        "torque": "N m",
        "breakaway": "N m",
        "stribeck_speed": "rad/s",
        "viscous": "N m s/rad",
        "speed": "rad/s",
    }
    measures: ClassVar[tuple[str, ...]] = ("angle",)
    numbers: ClassVar[tuple[str, ...]] = ("torque", "breakaway", "stribeck_speed", "viscous", "speed")

    name: str
    a: Marker
    b: Marker
    torque: float = 0.0
    breakaway: float | None = field(default=None, kw_only=True)
    stribeck_speed: float | None = field(default=None, kw_only=True)
    viscous: float = field(default=0.0, kw_only=True)
    speed: float = field(default=1e-2, kw_only=True)
    axis: Axis = field(default="z", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check(self, "torque")


@dataclass(frozen=True, eq=False)
class SlideFriction(Axial, Between, DryLaw):
    """Friction against the sliding of marker b along marker a's x axis, as in a `Prismatic` or `Slider` between them:
    ``F = (force + (breakaway - force) exp(-(v / stribeck_speed)^2)) tanh(v / speed) + viscous v``.

    force, breakaway  while it slides, and at rest (N); as in `PinFriction`, speeds in m/s and ``viscous`` in N s/m
    speed             required: a low speed depends on the size of the mechanism
    axis              in space, the direction of sliding in marker a's axes: "x", "y", "z" or 3 numbers

    >>> from pliant.model import Body, Ground
    >>> cart = Body("cart", mass=1.0, inertia=0.1)
    >>> SlideFriction("brake", Ground().at(0, 0), cart.at(), 2.0, speed=1e-3).stribeck_speed
    0.01
    """

    units: ClassVar = {
        "force": "N",
        "breakaway": "N",
        "stribeck_speed": "m/s",
        "viscous": "N s/m",
        "speed": "m/s",
    }
    measures: ClassVar[tuple[str, ...]] = ("x",)
    numbers: ClassVar[tuple[str, ...]] = ("force", "breakaway", "stribeck_speed", "viscous", "speed")
    along: ClassVar[str] = "x"

    name: str
    a: Marker
    b: Marker
    force: float = 0.0
    breakaway: float | None = field(default=None, kw_only=True)
    stribeck_speed: float | None = field(default=None, kw_only=True)
    viscous: float = field(default=0.0, kw_only=True)
    speed: float = field(kw_only=True)
    axis: Axis = field(default="x", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check(self, "force")


def _check(part: PinFriction | SlideFriction, sliding: str) -> None:
    """Check the parameters; friction at rest equals sliding friction unless given."""
    least = checks.not_negative(part.owner, sliding, getattr(part, sliding))
    most = least if part.breakaway is None else checks.not_negative(part.owner, "breakaway", part.breakaway)
    if most < least:
        raise ModelError(
            f"{part.owner}: breakaway = {most:g} is not allowed; friction at rest must be at least the sliding "
            f"{sliding} = {least:g}."
        )
    speed = checks.positive(part.owner, "speed", part.speed)
    stribeck = 10.0 * speed if part.stribeck_speed is None else part.stribeck_speed
    positive = {"speed": speed, "stribeck_speed": checks.positive(part.owner, "stribeck_speed", stribeck)}
    viscous = checks.not_negative(part.owner, "viscous", part.viscous)
    part._set(**{sliding: least, "breakaway": most, "viscous": viscous}, **positive)
