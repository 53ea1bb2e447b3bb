"""Unilateral contact with friction."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import cos, pi, sin, tan
from typing import Any, ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.model import checks, rotations
from pliant.model.axes import Axial, Axis, part_frame, wall
from pliant.model.bodies.outlines import Outline, Sphere, Track, funnel
from pliant.model.loads import Unilateral
from pliant.model.markers import Marker
from pliant.model.parts import Between

MOST_POINTS = 10_000  # of a rim: each is a separate contact
SURFACES = ("plane", "cone", "ring")


@dataclass(frozen=True, eq=False)
class Contact(Axial, Between, Unilateral):
    """Contact of a ball, a point, or a rim of balls at marker b with a surface at marker a.

    surface         "plane": half-space below the marker, with its y axis, in space its z axis, as normal; "cone": a
                    funnel about that axis, with b inside; "ring": a circular edge about that axis; cone and ring touch
                    a ball on their near and on their far side
    opening         radius of the cone at its marker, or of the ring (m)
    slope           angle of the cone's wall from its axis (rad): 0 is a bore
    radius          of the ball at b (m); 0 is a point
    rim             radius of a circle about b's axis (m) with a number of `points`, each a ball; two in the plane
    stiffness       k (N/m^exponent) of every ball
    exponent        p, at least 1; 1.5 for a Hertz contact
    damping         d (s/m), at least 0
    friction        Coulomb's coefficient mu
    friction_speed  sliding at this speed (m/s) has tanh(1) = 76 % of the friction, faster has all of it
    restitution     e, between 0 and 1, of ``transient(contact="complementarity")``, which takes no stiffness, damping
                    and friction_speed
    axis            in space, the normal of the surface and the axis of the rim, in their markers' axes

    With the gap g, where g < 0, b is pushed along the normal by ``N = k (-g)^p max(0, 1 - d g')`` (Hunt, Crossley, J.
    Appl. Mech. 42, 1975), which is continuous and never pulls, and across it by at most ``mu N`` against its sliding.

    >>> from pliant.model import Body, Ground
    >>> ball = Body("ball", mass=1.0, inertia=0.1)
    >>> Contact("floor", Ground().at(0, 0), ball.at(), radius=0.05, stiffness=1e5).friction
    0.0
    """

    units: ClassVar = {
        "friction": "1",
        "friction_speed": "m/s",
        "radius": "m",
        "rim": "m",
        "opening": "m",
        "slope": "rad",
    }

    name: str
    a: Marker
    b: Marker
    _: KW_ONLY
    stiffness: float
    exponent: float = 1.0
    damping: float = 0.0
    friction: float = 0.0
    friction_speed: float = 1e-3
    restitution: float = 0.0
    radius: float = 0.0
    rim: float = 0.0
    points: int = 12
    surface: str = "plane"
    opening: float = 0.0
    slope: float = 0.0
    axis: Axis = "z"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_law(self)
        for key in ("radius", "rim", "opening"):
            self._set(**{key: checks.not_negative(self.owner, key, getattr(self, key))})
        checks.choice(self.owner, "surface", self.surface, SURFACES)
        if isinstance(self.points, bool) or not isinstance(self.points, int) or not 2 <= self.points <= MOST_POINTS:
            raise checks.refuse(self.owner, "points", self.points, f"a whole number from 2 to {MOST_POINTS}")
        self._set(slope=checks.number(self.owner, "slope", self.slope, hint="Give it in radians."))
        if not 0.0 <= self.slope < 0.5 * pi:
            raise checks.refuse(self.owner, "slope", self.slope, "at least 0 and below pi/2", "Flat is a plane.")
        if self.surface == "plane" and (self.opening or self.slope):
            raise ModelError(f"{self.owner}: a plane has no opening and no slope. Remove them, or set surface=.")
        if self.surface == "ring" and self.slope:
            raise ModelError(f"{self.owner}: a ring has no slope. Remove it, or set surface='cone'.")
        if self.surface != "plane" and not self.opening:
            raise ModelError(f"{self.owner}: opening is missing: the radius of its {self.surface} (m).")

    @property
    def thin(self) -> bool:  # type: ignore[override]
        """True for a ring, which balls can pass; the other surfaces bound a half-space."""
        return self.surface == "ring"

    @property
    def shapes(self) -> list[tuple[float, float, float]]:
        """Radius, and cosine and sine of the wall's angle from the axis, zero for a ring, for the near and far side.

        On the axis both are equally near. At s from it the far side is as distant as the near side would be at -s.
        """
        if self.surface == "plane":
            return [(0.0, 0.0, 1.0)]
        across, up = (0.0, 0.0) if self.surface == "ring" else (cos(self.slope), sin(self.slope))
        return [(self.opening, across, up), (-self.opening, -across, up)]

    def balls(self, spatial: bool) -> np.ndarray:
        """Return (n, 3) centres of the balls in the part's frame on b, whose z axis is the rim's."""
        if self.rim == 0.0:
            return np.zeros((1, 3))
        turns = 2.0 * pi / self.points * np.arange(self.points) if spatial else np.array([0.0, pi])
        return self.rim * np.column_stack([np.cos(turns), np.sin(turns), np.zeros(turns.size)])

    def figures(self, spatial: bool) -> list[tuple[Marker, Outline]]:
        turn = tuple(rotations.logarithm(part_frame("z", self.axis, spatial)).tolist())
        at = (rotations.rotate(part_frame("z", self.axis, spatial), ball) for ball in self.balls(spatial))
        found: list[tuple[Marker, Outline]] = []
        if self.radius:
            found += [(self.b, Sphere(self.radius, position=tuple(place.tolist()))) for place in at]
        if self.surface != "plane":
            deep = 0.0 if self.surface == "ring" else self.opening
            found.append((self.a, funnel(self.opening, self.opening + deep * tan(self.slope), deep, turn, spatial)))
        return found

    def tracks(self, spatial: bool) -> list[Track]:
        return [wall(self, self.a, (self.b,), spatial)] if self.surface == "plane" else []

    def said_in_space(self) -> dict[str, object]:
        return {"axis": (0.0, 1.0, 0.0), "points": 2}  # both points of a rim stay on the marker's x axis


def check_law(part: Any) -> None:
    """Check stiffness, exponent, damping and restitution of a contact or a stop, and its friction."""
    part._set(
        stiffness=checks.positive(part.owner, "stiffness", part.stiffness),
        exponent=checks.number(part.owner, "exponent", part.exponent),
        damping=checks.not_negative(part.owner, "damping", part.damping),
        restitution=checks.fraction(part.owner, "restitution", part.restitution),
    )
    if not 1.0 <= part.exponent <= 4.0:
        raise checks.refuse(part.owner, "exponent", part.exponent, "between 1 and 4", "Hertz's contact has 1.5.")
    if hasattr(part, "friction"):
        part._set(
            friction=checks.not_negative(part.owner, "friction", part.friction),
            friction_speed=checks.positive(part.owner, "friction_speed", part.friction_speed),
        )
