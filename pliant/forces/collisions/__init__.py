"""Balls, capsules, beams and floors that cannot enter each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from pliant.errors import ModelError
from pliant.forces.contact import check_law
from pliant.model import Beam, checks
from pliant.model.axes import Axial, Axis, wall
from pliant.model.loads import Unilateral
from pliant.model.markers import Marker
from pliant.model.outlines import Outline, Sphere, Track
from pliant.model.parts import USE_AT


@dataclass(frozen=True, eq=False)
class Collisions(Axial, Unilateral):
    """Shapes of bodies and beams none of which can enter another, nor a floor.

    among           markers, each with a shape about it. On a rigid body or the ground it is a ball, or a capsule of
                    some `length` along the marker's x axis; on a beam, wherever, a tube along all of the beam
    radius          of all shapes, or one a marker (m)
    length          of the capsules between the centres of their round ends, likewise (m); 0 is a ball
    floors          markers of half-spaces below them: their normal is the y axis, in space the z axis
    stiffness       k (N/m^exponent) of every pair of places
    exponent, damping, friction, friction_speed, restitution   as of `Contact`
    axis            in space, the normal of the floors, in their markers' axes

    Which pairs are near is found in every evaluation by sorting, so that those far apart cost nothing. Shapes of one
    body or beam, and of two that a joint joins (other than to the ground), do not collide. A tube is straight from node
    to node. Capsules and tubes touch by the nearest points of their pieces, and by each end of a piece besides, so that
    parallel ones rest on both ends. The force is that of `Contact`, at the surface of the second of a pair.

    >>> from pliant.model import Body
    >>> balls = [Body(f"ball {k}", mass=1.0, inertia=0.1) for k in range(3)]
    >>> Collisions("crowd", [ball.at() for ball in balls], radius=0.05, stiffness=1e5).radius
    (0.05, 0.05, 0.05)
    """

    units: ClassVar = {"radius": "m", "length": "m", "friction": "1", "friction_speed": "m/s"}

    name: str
    among: tuple[Marker, ...]
    _: KW_ONLY
    radius: float | Sequence[float]
    stiffness: float
    length: float | Sequence[float] = 0.0
    floors: tuple[Marker, ...] = ()
    exponent: float = 1.0
    damping: float = 0.0
    friction: float = 0.0
    friction_speed: float = 1e-3
    restitution: float = 0.0
    axis: Axis = "z"

    def __post_init__(self) -> None:
        for key in ("among", "floors"):
            given = getattr(self, key)
            if not isinstance(given, tuple | list) or not all(isinstance(each, Marker) for each in given):
                raise checks.refuse(self.owner, key, given, "a sequence of markers", USE_AT)
            self._set(**{key: tuple(given)})
        super().__post_init__()
        check_law(self)
        self._set(radius=self._each("radius", checks.positive), length=self._each("length", checks.not_negative))
        if not self.among or (len({each.body for each in self.among}) < 2 and not self.floors):
            raise ModelError(
                f"{self.owner}: there is nothing that its shapes could meet. Give markers of two bodies, or floors."
            )
        for marker, length in zip(self.among, self.lengths, strict=True):
            if length and isinstance(marker.body, Beam):
                raise checks.refuse(self.owner, "length", length, f"0 of {marker.body.owner}", "A tube is as long.")
        for marker in self.floors:
            if isinstance(marker.body, Beam):
                raise ModelError(f"{self.owner}: a floor is at {marker.label}. Take a rigid body or the ground.")

    def _each(self, key: str, check: object) -> tuple[float, ...]:
        """One number a marker."""
        given = getattr(self, key)
        values = tuple(given) if isinstance(given, tuple | list) else (given,) * len(self.among)
        if len(values) != len(self.among):
            raise checks.refuse(self.owner, key, given, f"one number, or one for each of {len(self.among)} markers")
        return tuple(check(self.owner, key, value) for value in values)  # type: ignore[operator]

    @property
    def markers(self) -> tuple[Marker, ...]:
        return (*self.among, *self.floors)

    @property
    def radii(self) -> tuple[float, ...]:
        """One a marker."""
        return tuple(self.radius)  # type: ignore[arg-type]

    @property
    def lengths(self) -> tuple[float, ...]:
        """One a marker."""
        return tuple(self.length)  # type: ignore[arg-type]

    @property
    def law(self) -> tuple[float, ...]:
        """Numbers of the force, as `contact/law.py` takes them."""
        return self.stiffness, self.exponent, self.damping, self.friction, self.friction_speed

    def figures(self, spatial: bool) -> list[tuple[Marker, Outline]]:
        each = zip(self.among, self.radii, self.lengths, strict=True)
        return [
            (marker, Sphere(radius, length)) for marker, radius, length in each if not isinstance(marker.body, Beam)
        ]

    def tracks(self, spatial: bool) -> list[Track]:
        return [wall(self, floor, self.among, spatial) for floor in self.floors]

    def said_in_space(self) -> dict[str, object]:
        return {"axis": (0.0, 1.0, 0.0)}
