"""Balls, capsules, convex hulls, beams and floors that cannot penetrate each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from pliant.errors import ModelError
from pliant.forces.contact import check_law
from pliant.model import Beam, checks
from pliant.model.axes import Axial, Axis, wall
from pliant.model.bodies.outlines import Outline, Sphere, Track
from pliant.model.loads import Unilateral
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT

ROUND = "round"


@dataclass(frozen=True, eq=False)
class Collisions(Axial, Unilateral):
    """Contacts between shapes on bodies and beams, and between these and floors.

    among           markers, each with a shape around it. On a rigid body or the ground it is a ball, a capsule of given
                    `length` along the marker's x axis, or a convex hull; anywhere on a beam, it is a tube along the
                    whole beam
    radius          of all shapes, or one for each marker (m); for a hull the radius of its rounded edges and corners,
                    within its faces
    length          of the capsules, between the centres of their round ends, one or one for each marker (m); 0 is a
                    ball
    shape           of the hulls, in the axes of the marker: a `Box`, `Hull`, `Polygon`, `Cylinder` (a prism, as it is
                    drawn) or `Mesh` that is convex; one for all, or one a marker: "round" is a ball or a capsule
    floors          markers of half-spaces below them: their normal is the y axis, in space the z axis
    stiffness       k (N/m^exponent) of every pair of places
    exponent, damping, friction, friction_speed, restitution   as in `Contact`
    axis            in space, the normal of the floors, in their markers' axes

    Near pairs are found by sorting in every evaluation, so distant pairs cost almost nothing. Shapes of one body or
    beam, and of two that a joint connects (other than to the ground), do not collide. A tube is straight from node to
    node. Capsules and tubes touch at the nearest points of their segments and at the ends of each segment, so that
    parallel ones rest on both ends. Hulls touch at their corners and, in space, where edges cross. The force is as in
    `Contact`, at the surface of the second shape of a pair.

    >>> from pliant.model import Body, Box
    >>> balls = [Body(f"ball {k}", mass=1.0, inertia=0.1) for k in range(3)]
    >>> Collisions("crowd", [ball.at() for ball in balls], radius=0.05, stiffness=1e5).radius
    (0.05, 0.05, 0.05)
    >>> cube = Box(0.1, 0.1, 0.1)
    >>> Collisions("boxes", [ball.at() for ball in balls], shape=cube, radius=2e-3, stiffness=1e5).shape[2].x
    0.1
    """

    units: ClassVar = {"radius": "m", "length": "m", "friction": "1", "friction_speed": "m/s"}
    thin: ClassVar[bool] = True

    name: str
    among: tuple[Marker, ...]
    _: KW_ONLY
    radius: float | Sequence[float]
    stiffness: float
    length: float | Sequence[float] = 0.0
    shape: Outline | Sequence[Outline | str] | None = None
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
        self._set(
            radius=self._each("radius", checks.positive),
            length=self._each("length", checks.not_negative),
            shape=None if self.shape is None else self._each("shape", _solid),
        )
        if not self.among or (len({each.body for each in self.among}) < 2 and not self.floors):
            raise ModelError(
                f"{self.owner}: its shapes have nothing to collide with. Give markers of two bodies, or floors."
            )
        for marker, length, shape in zip(self.among, self.lengths, self.shapes, strict=True):
            if length and isinstance(marker.body, Beam):
                raise checks.refuse(self.owner, "length", length, f"0 of {marker.body.owner}", "A tube is as long.")
            if shape is not None and isinstance(marker.body, Beam):
                raise checks.refuse(self.owner, "shape", shape, f"None of {marker.body.owner}", "It is a tube.")
            if shape is not None and length:
                raise checks.refuse(self.owner, "length", length, "0 of a hull", "A capsule has no shape=.")
        for marker in self.floors:
            if isinstance(marker.body, Beam):
                raise ModelError(f"{self.owner}: a floor is at {marker.label}. Take a rigid body or the ground.")

    def _each(self, key: str, check: object) -> tuple[Any, ...]:
        """Return one value for each marker."""
        given = getattr(self, key)
        values = tuple(given) if isinstance(given, tuple | list) else (given,) * len(self.among)
        if len(values) != len(self.among):
            raise checks.refuse(self.owner, key, given, f"one, or one for each of {len(self.among)} markers")
        return tuple(check(self.owner, key, value) for value in values)  # type: ignore[operator]

    @property
    def markers(self) -> tuple[Marker, ...]:
        return (*self.among, *self.floors)

    @property
    def radii(self) -> tuple[float, ...]:
        """Radii, one for each marker."""
        return tuple(self.radius)  # type: ignore[arg-type]

    @property
    def lengths(self) -> tuple[float, ...]:
        """Lengths, one for each marker."""
        return tuple(self.length)  # type: ignore[arg-type]

    @property
    def shapes(self) -> tuple[Outline | None, ...]:
        """Shapes, one for each marker; None for a ball or a capsule."""
        if self.shape is None:
            return (None,) * len(self.among)
        return tuple(None if each == ROUND else each for each in self.shape)  # type: ignore[union-attr,misc]

    @property
    def law(self) -> tuple[float, ...]:
        """Parameters of the force, as `contact/law.py` expects them."""
        return self.stiffness, self.exponent, self.damping, self.friction, self.friction_speed

    def figures(self, spatial: bool) -> list[tuple[Marker, Outline]]:
        each = zip(self.among, self.radii, self.lengths, self.shapes, strict=True)
        return [
            (marker, shape if shape is not None else Sphere(radius, length))
            for marker, radius, length, shape in each
            if not isinstance(marker.body, Beam)
        ]

    def tracks(self, spatial: bool) -> list[Track]:
        return [wall(self, floor, self.among, spatial) for floor in self.floors]

    def said_in_space(self) -> dict[str, object]:
        return {"axis": (0.0, 1.0, 0.0)}


def _solid(owner: str, key: str, given: Any) -> Outline | str:
    """Return a shape with corners, or the word for a shape without."""
    if given == ROUND:
        return ROUND
    hint = f'Try Box(x, y, z) or Hull(points); "{ROUND}" is a ball or a capsule.'
    if isinstance(given, Sphere):
        raise checks.refuse(owner, key, given, "a shape with corners", "A ball is radius=, a capsule has a length=.")
    found: Outline = checks.instance(owner, key, given, Outline, hint)
    return found
