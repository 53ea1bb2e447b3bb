"""Friction of a joint, in proportion to its reaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from math import hypot, inf, pi
from operator import attrgetter
from typing import ClassVar, NamedTuple

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.conditions import LOCKS, Term
from pliant.model.kinds import kinds_of
from pliant.model.parts import Joint, Load

ROUND = "pin", "ball", "shaft", "thread"  # surfaces of joints that have a radius
LONG = "guide", "shaft", "thread"  # surfaces whose length must be known
SLIDE: dict[str, str] = {
    **{"radius": "m", "length": "m", "coefficient": "1", "breakaway": "1"},
    **{"constant": "N", "viscous": "N s/m", "stribeck_speed": "m/s", "speed": "m/s"},
}
PIN: dict[str, str] = SLIDE | {
    **{"constant": "N m", "viscous": "N m s/rad", "stribeck_speed": "rad/s", "speed": "rad/s"},
}


class Sliding(NamedTuple):
    """A rate that friction resists: the rate of a measure, or the angular velocity along an axis of the ground
    (``spins``); ``arm`` times it is the speed of the surface.
    """

    term: Term
    arm: float = 1.0
    spins: bool = False


@dataclass(frozen=True, eq=False)
class Friction(Load):
    """Coulomb friction of a Revolute, Prismatic, Slider, Cylindrical, Screw or Spherical joint,

        F = (F_0 + mu N) (1 + (breakaway - 1) exp(-(v / stribeck_speed)^2)),    N from the joint's own reaction

    joint           joint with the friction
    coefficient     mu, of the normal force N
    radius          of a pin, shaft or ball (m), at which mu N acts; of a thread its mean radius
    length          of a pin or guide (m), with marker b in its middle: its ends carry R/2 + M/l and R/2 - M/l, with the
                    moment M across it, and N is the sum of their magnitudes. inf: the moment causes no friction.
                    Required for Prismatic, Cylindrical and Screw; inf by default for a Revolute in space
    constant        F_0, independent of the load of the joint: N m if it only turns, otherwise N
    breakaway       ratio of friction at rest to friction in motion, 1 or more
    stribeck_speed  at which 37 % of the excess is left; ten times ``speed`` unless given
    viscous         additional friction per speed (N s/m or N m s/rad)
    speed           v_0, rad/s if it only turns, otherwise m/s: in smooth methods friction is ``F tanh(v / v_0)``, so a
                    sticking joint creeps at no more than this speed. With ``method="Moreau"`` a sticking joint does not
                    move

    Results contain its ``slip_speed``, ``joint_friction`` (of the same sign; magnitudes if a surface slides in more
    than one direction) and ``friction_limit``, the largest friction at that speed, along ``friction``.

    In space a force along a Revolute's axis acts on a collar of the same radius, and a Prismatic's moment about its own
    axis is neglected. Friction of a shaft that turns and slides opposes the velocity of its surface. In smooth methods
    friction vanishes at rest: `statics` finds the equilibrium without it, or at the edge of slipping (``friction=``);
    `rest_band` finds the loads that friction can hold.

    >>> from pliant.model import Ground, Link
    >>> from pliant.joints import Revolute
    >>> pin = Revolute(Ground().at(0, 0), Link("arm", length=0.1, mass=0.2).at(s=0), name="pin")
    >>> Friction(pin, 0.2, radius=5e-3).name
    'friction pin'
    """

    units: ClassVar = SLIDE
    idles: ClassVar[bool] = True
    listed_along: ClassVar[str] = "friction"
    results: ClassVar = {"slip_speed": "m/s", "joint_friction": "N", "friction_limit": "N"}

    joint: Joint
    coefficient: float = 0.0
    _: KW_ONLY
    radius: float = 0.0
    length: float | None = None
    constant: float = 0.0
    breakaway: float = 1.0
    stribeck_speed: float | None = None
    viscous: float = 0.0
    speed: float = 1e-3
    name: str = ""

    def __post_init__(self) -> None:
        if not getattr(self.joint, "rubs", ""):
            known = ", ".join(kind.__name__ for kind in kinds_of(Joint) if kind.rubs)
            raise checks.refuse("Friction", "joint", self.joint, f"a {known}", "Others have no surface that rubs.")
        super().__post_init__()
        for key in ("coefficient", "radius", "constant", "viscous"):
            self._set(**{key: checks.not_negative(self.owner, key, getattr(self, key))})
        if not checks.number(self.owner, "breakaway", self.breakaway) >= 1.0:
            raise checks.refuse(self.owner, "breakaway", self.breakaway, "1 or more: friction at rest over that moving")
        speed = checks.positive(self.owner, "speed", self.speed)
        stribeck = 10.0 * speed if self.stribeck_speed is None else self.stribeck_speed
        stribeck = checks.positive(self.owner, "stribeck_speed", stribeck)
        self._set(speed=speed, stribeck_speed=stribeck)
        self._check_surface()

    def _check_surface(self) -> None:
        """Check that radius and length are given if the surface needs them, and only then."""
        what, surface = type(self.joint).__name__, self.joint.rubs
        if self.coefficient and not self.radius and surface in ROUND:
            raise ModelError(f"{self.owner}: a {what} needs the radius= of its {surface}, at which mu N acts.")
        if self.radius and surface not in ROUND:
            raise checks.refuse(self.owner, "radius", self.radius, f"left out: a {what} has none")
        if self.length is None and self.coefficient and surface in LONG:
            raise ModelError(
                f"{self.owner}: a {what} needs the length= of its guide, at whose ends its moment rubs; length=inf "
                "leaves the moment out."
            )
        if self.length is not None and surface not in (*LONG, "pin"):
            raise checks.refuse(self.owner, "length", self.length, f"left out: a {what} carries no moment")
        if self.length is not None and self.length != inf:
            self._set(length=checks.positive(self.owner, "length", self.length))

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        if not spatial and self.joint.rubs == "pin" and self.length is not None:
            raise checks.refuse(self.owner, "length", self.length, "left out: a pin of the plane carries no moment")

    @property
    def own_units(self) -> Mapping[str, str]:
        """Units for a joint that slides, or for a joint that only turns."""
        return PIN if getattr(self.joint, "rubs", "") in ("pin", "ball") else SLIDE

    @property
    def result_units(self) -> Mapping[str, str]:
        """Units of its results."""
        return dict(zip(self.results, ("rad/s", "N m", "N m"), strict=True)) if self.turns_only else self.results

    @property
    def turns_only(self) -> bool:
        """True if its joint turns and does not slide."""
        return self.joint.rubs in ("pin", "ball")

    def surface(self, spatial: bool) -> list[Sliding]:
        """Return the rates at which the surface slides."""
        if self.joint.rubs == "ball":
            return [Sliding(Term("point", axis), 1.0, True) for axis in "xyz"]
        along = next((word for word in LOCKS[:3] if word not in self.joint.locks), "")
        travel, turn = Sliding(Term("place", along)), Sliding(Term("angle", "z"))
        if self.joint.rubs in ("slot", "guide"):
            return [travel]
        return [turn] if self.turns_only else [travel, turn._replace(arm=self.radius)]

    @property
    def slip(self) -> tuple[float, ...] | None:
        """Unit velocity of the surface for a growing coordinate of the joint (for a thread: its angle); None if any
        direction is possible.
        """
        if self.joint.rubs == "thread":
            climb = float(getattr(self.joint, "pitch", 0.0)) / (2.0 * pi)
            return climb / hypot(climb, self.radius), self.radius / hypot(climb, self.radius)
        return None if self.joint.rubs in ("ball", "shaft") else (1.0,)

    @property
    def law(self) -> tuple[float, ...]:
        """mu (times the radius of a pin), F_0, breakaway - 1, Stribeck's speed, viscous, speed; 1 / length; factor of
        the normal force of a force along the axis.
        """
        arm = self.radius if self.turns_only else 1.0
        lever = 1.0 / self.length if self.length else 0.0
        pitch = float(getattr(self.joint, "pitch", 0.0))  # of a thread, whose normal is perpendicular to its slope
        climb = hypot(1.0, pitch / (2.0 * pi * self.radius)) if self.radius else 1.0
        numbers = self.coefficient * arm, self.constant, self.breakaway - 1.0, self.stribeck_speed or 1.0
        return *numbers, self.viscous, self.speed, lever, climb

    def default_name(self) -> str:
        return f"friction {self.joint.name}"

    @property
    def has_default_name(self) -> bool:
        return self.name == self.default_name()

    markers = property(attrgetter("joint.markers"), doc="Markers of its joint.")
    a = property(attrgetter("joint.a"), doc="Marker a of its joint.")
    b = property(attrgetter("joint.b"), doc="Marker b of its joint.")
