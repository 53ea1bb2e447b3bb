"""Robots as data: a platform on legs that stand on a base; and the Model made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from math import cos, sin
from typing import Any

import numpy as np

from pliant.errors import ModelError
from pliant.forces import Force, Gravity, Moment, Motor
from pliant.joints import Motion, Perpendicular, Weld
from pliant.model import Body, Ground, Link, Model, checks, rotations
from pliant.model.bodies.carriers import Carrier
from pliant.model.parameters import to_numbers
from pliant.model.signals.base import SignalLike
from pliant_gallery.robots import frames
from pliant_gallery.robots.drives import GearedDrive
from pliant_gallery.robots.legs import LegKind, Site

DRIVES = ("angle", "torque")
APART = 1e-9  # over the reach of the legs, and rad: nearer anchors are equal


@dataclass(frozen=True)
class Platform:
    """The rigid platform. Points have two coordinates in the plane, three in space.

    mass, inertia  kg, kg m^2 about its centre: a number in the plane, (Jx, Jy, Jz) or a matrix in space
    position       of its centre as assembled (m); unless it is held, statics finds its rest
    turn           of its axes then: an angle (rad) in the plane, a rotation in space
    held           True: welded to the ground, as in a jig
    """

    position: tuple[float, ...]
    _: KW_ONLY
    mass: float = 0.0
    inertia: Any = 0.0
    turn: Any = 0.0
    held: bool = False

    def axes(self) -> np.ndarray:
        """Return its (3, 3) axes as assembled, as columns."""
        return rotations.matrix(rotations.exponential(rotations.orientation("Platform", "turn", self._rotation())))

    def _rotation(self) -> Any:
        return (0.0, 0.0, self.turn) if np.ndim(self.turn) == 0 and not isinstance(self.turn, str) else self.turn


@dataclass(frozen=True)
class Base:
    """A base that moves: a rigid body at the origin that carries the motors.

    mass, inertia  kg, kg m^2 about the origin of its axes, which is its centre
    x, y, z        displacement of its centre (m), and
    angle          rotation about global z (rad): functions of time, or None if free. In space a driven base turns about
                   z only
    """

    mass: float
    inertia: Any
    _: KW_ONLY
    x: SignalLike | None = None
    y: SignalLike | None = None
    z: SignalLike | None = None
    angle: SignalLike | None = None


@dataclass(frozen=True)
class Leg:
    """A leg of some kind, and its place.

    foot    of its motor on the base (m): numbers or `Parameter`s
    anchor  where it is tied to the platform, in the platform's axes (m); also numbers or `Parameter`s
    turn    of the motor's frame about z (rad). In the plane its x is the crank's direction at the angle zero; in space
            the motor turns about its x, and the crank lies along its y at the angle zero
    angle   of the crank: its drive, or its assembled angle if the motor gives a torque (rad)
    torque  of the motor (N m), if it gives one
    """

    kind: LegKind
    foot: tuple[float, ...]
    anchor: tuple[float, ...]
    _: KW_ONLY
    turn: float = 0.0
    angle: float = 0.0
    torque: float = 0.0


@dataclass(frozen=True)
class Robot:
    """A platform on legs. `model` makes the mechanism.

    drive    "angle": cranks are driven (signals "motor 1/angle" ...); "torque": by motors ("motor 1/torque" ...)
    gear     drive between motors and cranks; None: nothing. Motors that give torques then have currents as signals
             ("motor 1/current" ...)
    base     moving base instead of the ground
    gravity  m/s^2 along the axes; None: none
    load_at  point of a load on the platform, in its axes (m): signals "load/x" ... (N) and, in the plane,
             "torque/value" (N m); None: no load

    Parts of the model: "platform", "crank 1", "rod 1" or "leaf 1", "tendon 1", ... and "base".

    >>> from pliant_gallery.robots import LeafLeg, planar
    >>> robot = planar(LeafLeg(), legs=3, platform=Platform((0.0, 0.0), mass=2.0, inertia=0.02))
    >>> robot.model()
    <Model "three-leg planar robot": 4 rigid bodies, 3 beams, 12 joints, 5 forces>
    """

    name: str
    platform: Platform
    legs: tuple[Leg, ...]
    _: KW_ONLY
    base: Base | None = None
    gravity: tuple[float, ...] | None = None
    load_at: tuple[float, ...] | None = ()
    drive: str = "angle"
    gear: GearedDrive | None = None

    def __post_init__(self) -> None:
        owner = f'Robot "{self.name}"'
        if not isinstance(self.legs, Sequence):
            raise checks.refuse(owner, "legs", self.legs, "a sequence: (Leg(kind, foot, anchor), ...)")
        object.__setattr__(self, "legs", tuple(self.legs))
        checks.choice(owner, "drive", self.drive, DRIVES)
        checks.instance(owner, "platform", self.platform, Platform)
        checks.point(owner, "position of the platform", self.platform.position)
        if not self.spatial:
            checks.number(owner, "turn of the platform", self.platform.turn, hint="In the plane it is an angle (rad).")
        for what, part, kind in (("base", self.base, Base), ("gear", self.gear, GearedDrive)):
            if part is not None:
                checks.instance(owner, what, part, kind)
        if not self.legs:
            raise ModelError(f"{owner}: it has no legs. Give legs=(Leg(kind, foot, anchor), ...).")
        for k, leg in enumerate(self.legs, 1):
            self._check(owner, k, leg)
        self._check_apart(owner)
        for what, row in (("gravity", self.gravity), ("load_at", self.load_at or None)):
            if row is not None and len(checks.point(owner, what, row)) != self.axes:
                raise checks.refuse(owner, what, row, f"{self.axes} numbers, one an axis, or None")

    @property
    def axes(self) -> int:
        """Return 2 in the plane, 3 in space."""
        return len(self.platform.position)

    @property
    def spatial(self) -> bool:
        """Return whether it is in space."""
        return self.axes == 3

    @property
    def motors(self) -> tuple[str, ...]:
        """Return the names of the signals of its motors."""
        what = "current" if self.gear is not None and self.drive == "torque" else self.drive
        return tuple(f"motor {k}/{what}" for k in range(1, len(self.legs) + 1))

    @property
    def tendons(self) -> tuple[str, ...]:
        """Return the names of the signals that pull its tendons (N, in addition to their elastic force)."""
        bent = [k for k, leg in enumerate(self.legs, 1) if leg.kind.member == "leaf"]
        return tuple(f"tendon {k}/tension" for k in bent)

    def goal(self, leg: Leg) -> np.ndarray:
        """Return the (3,) end of a leg as assembled."""
        return _in_space(self.platform.position) + self.platform.axes() @ _in_space(leg.anchor)

    def turned(self, angles: Any) -> Robot:
        """Return the robot with its cranks at other angles (rad)."""
        return replace(self, legs=self._with("angle", angles))

    def loosened(self, torques: Any) -> Robot:
        """Return the robot with motors that give torques (N m) instead of driving angles."""
        return replace(self, legs=self._with("torque", torques), drive="torque")

    def _with(self, what: str, values: Any) -> tuple[Leg, ...]:
        """Return its legs with one number each replaced."""
        found = checks.numbers(f'Robot "{self.name}"', f"{what}s", values)
        if len(found) != len(self.legs):
            raise checks.refuse(f'Robot "{self.name}"', f"{what}s", values, f"{len(self.legs)} numbers, one a leg")
        changes: list[dict[str, Any]] = [{what: value} for value in found]
        return tuple(replace(leg, **change) for leg, change in zip(self.legs, changes, strict=True))

    def model(self) -> Model:
        """Make the mechanism with platform and cranks as assembled."""
        m = Model(self.name, plane=None if self.spatial else "xy")
        ground = m.add(Ground())
        base = ground if self.base is None else self._add_base(m, ground, self.base)
        p = self.platform
        pose = {"orientation": rotations.orientation("Platform", "turn", p._rotation())}
        turn = pose if self.spatial else {"angle": float(p.turn)}
        platform = m.add(Body("platform", mass=p.mass, inertia=p.inertia, position=p.position, **turn))
        if p.held:
            m.add(Weld(ground.at(*p.position, **turn), platform.at(), name="jig"))
        for k, leg in enumerate(self.legs, 1):
            self._add_leg(m, k, leg, base, platform)
        if self.gravity is not None:
            pull: dict[str, Any] = dict(zip("xyz", self.gravity, strict=False))
            m.add(Gravity(**pull))
        if self.load_at is not None:
            m.add(Force(platform.at(*self.load_at), name="load"))
        if self.load_at is not None and not self.spatial:
            m.add(Moment(platform.at(), 0.0, name="torque"))
        return m

    def _add_leg(self, m: Model, k: int, leg: Leg, base: Carrier, platform: Body) -> None:
        frame = frames.about_z(leg.turn)
        if self.spatial:
            motor = base.at(*leg.foot, orientation=frame)
            across = base.at(*leg.foot, orientation=frame @ frames.about_z(0.5 * np.pi))
        else:
            motor = across = base.at(*leg.foot, angle=leg.turn)
        anchor, middle = platform.at(*leg.anchor), 0.5 * _in_space(self.platform.position)
        site = Site(k, motor, across, frame, _in_space(leg.foot), anchor, self.goal(leg), leg.angle, middle)
        crank: Link = leg.kind.put_up(m, site)
        axis: dict[str, Any] = {"axis": "x"} if self.spatial else {}
        pivot = crank.at(s=0, orientation=frames.ON_CRANK) if self.spatial else crank.at(s=0)
        if self.gear is not None:
            self.gear.put_up(m, site, pivot, None if self.drive == "angle" else leg.torque)
        elif self.drive == "angle":
            m.add(Motion(motor, pivot, angle=leg.angle, name=f"motor {k}", **axis))
        else:
            m.add(Motor(f"motor {k}", motor, pivot, leg.torque, **axis))

    def _add_base(self, m: Model, ground: Ground, base: Base) -> Body:
        origin = (0.0,) * self.axes
        driven = {key: getattr(base, key) for key in ("x", "y", "z", "angle") if getattr(base, key) is not None}
        body = m.add(Body("base", mass=base.mass, inertia=base.inertia, position=origin, angle=0.0, free=not driven))
        for key, signal in driven.items():
            m.add(Motion(ground.at(*origin), body.at(), name=f"base {key}", **{key: signal}))
        if driven and self.spatial:  # its z stays the ground's
            upright = body.at(orientation=rotations.rotation(x=-90 * np.pi / 180))  # y of the marker is z of the base
            m.add(Perpendicular(ground.at(*origin), upright, name="base upright x"))
            turned = ground.at(*origin, orientation=frames.about_z(0.5 * np.pi))
            m.add(Perpendicular(turned, upright, name="base upright y"))
        return body

    def _check(self, owner: str, k: int, leg: Leg) -> None:
        checks.instance(owner, f"legs[{k - 1}]", leg, Leg)
        checks.instance(f"{owner}, leg {k}", "kind", leg.kind, LegKind, hint="Try LeafLeg() or RodLeg().")
        for what in ("turn", "angle", "torque"):
            checks.number(f"{owner}, leg {k}", what, getattr(leg, what))
        name = f"{owner}, leg {k}"
        foot, anchor = (
            checks.point(name, what, to_numbers(getattr(leg, what), name, what, "m")) for what in ("foot", "anchor")
        )
        for what, point in (("foot", foot), ("anchor", anchor)):
            if len(point) != self.axes:
                raise checks.refuse(
                    f"{owner}, leg {k}", what, point, f"a point of {self.axes} coordinates, as the platform's position"
                )
        distance = float(np.linalg.norm(self.goal(leg) - _in_space(foot)))
        short = distance > leg.kind.reach
        if short or distance < leg.kind.crank_length - leg.kind.length:
            raise ModelError(
                f"{owner}: leg {k} cannot reach: from its motor to its anchor on the platform it is {distance:.4g} m, "
                f"its crank is {leg.kind.crank_length:.4g} m long and its {leg.kind.member} {leg.kind.length:.4g} m. "
                f"Move the platform {_in_words(self.platform.position)}, the motor {_in_words(foot)} or the anchor "
                f"{_in_words(anchor)}, or make it {'longer' if short else 'shorter'}."
            )

    def _check_apart(self, owner: str) -> None:
        reach = max((leg.kind.reach for leg in self.legs), default=1.0)
        places: dict[str, Any] = {
            "anchor": lambda leg: _in_space(leg.anchor) / reach,
            "foot": lambda leg: (*(_in_space(leg.foot) / reach), leg.turn),
        }
        for what, place in places.items():
            for j, one in enumerate(self.legs):
                for k, other in enumerate(self.legs[:j]):
                    if np.max(np.abs(np.subtract(place(one), place(other)))) < APART:
                        raise ModelError(
                            f"{owner}: legs {k + 1} and {j + 1} have the same {what}, {_in_words(getattr(one, what))}. "
                            "Set them apart."
                        )


def _in_space(point: Any) -> np.ndarray:
    """Return a (3,) point, its z zero in the plane."""
    return np.array([*to_numbers(tuple(point), "Robot", "point", "m"), 0.0][:3], float)


def _in_words(point: Any) -> str:
    """Describe a point."""
    return f"({', '.join(f'{x:.4g}' for x in to_numbers(tuple(point), 'Robot', 'point', 'm'))})"


def direction(angle: float) -> np.ndarray:
    """Return a unit vector in the plane."""
    return np.array([cos(angle), sin(angle)])
