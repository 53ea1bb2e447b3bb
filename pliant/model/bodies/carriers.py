"""Parts that carry markers: the ground, and the base classes of all bodies and beams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from pliant.errors import ModelError
from pliant.model import checks, rotations
from pliant.model.bodies.outlines import Outline, outlines
from pliant.model.markers import Marker
from pliant.model.parts import Part
from pliant.model.quantities import takes
from pliant.model.rotations import Orientation, Vector

ENDS = {"tip": " Its tip is the marker .at(s=1).", "base": " Its base is the marker .at(s=0)."}


class Carrier(Part, abstract=True):
    """A part that carries markers."""

    group: ClassVar[str] = "body"
    rigid: ClassVar[bool] = True
    at: Callable[..., Marker]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "at" in vars(cls):
            cls.at = takes(s="1", x="m", y="m", z="m", angle="rad")(cls.at)

    def address(self, marker: Marker) -> dict[str, object]:
        """Return the arguments of ``at`` that give this marker again."""
        if marker.made is not None:
            return dict(marker.made.arguments)
        given = {"angle": marker.angle or None, "orientation": marker.orientation, "name": marker.name or None}
        return {**self._place(marker), **{key: value for key, value in given.items() if value is not None}}

    def _check_shape(self) -> None:
        self._set(shape=outlines(self.owner, self.shape))  # type: ignore[attr-defined]

    def figures(self, spatial: bool) -> list[tuple[Marker, Outline]]:
        shapes = getattr(self, "shape", None) or ()
        at = self.frame if shapes else None
        return [(at, each) for each in shapes if at is not None]

    @property
    def frame(self) -> Marker:
        """Return the marker in whose frame the shape is given."""
        return self.at()

    def _place(self, marker: Marker) -> dict[str, float]:
        return {"x": marker.x, "y": marker.y} | ({"z": marker.z} if marker.z else {})


@dataclass(frozen=True, eq=False)
class Ground(Carrier):
    """The fixed frame. A model has one.

    shape  what it looks like: a `Polygon`, `Box`, `Cylinder`, `Sphere` or `Mesh`, or several

    >>> Ground().at(0.3, 0), Ground().at(0.3, 0, 0.1, orientation=(0.0, 0.5, 0.0))
    (<Marker ground(0.3, 0)>, <Marker ground(0.3, 0, 0.1)>)
    """

    name: str = "ground"
    shape: Outline | Sequence[Outline] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_shape()

    @property
    def frame(self) -> Marker:
        return self.at(0.0, 0.0)

    def at(
        self,
        x: float,
        y: float,
        z: float = 0.0,
        *,
        angle: float = 0.0,
        orientation: Orientation | None = None,
        name: str | None = None,
    ) -> Marker:
        """Return the marker at a point of the ground (m), turned by `angle` about z (rad), or by an orientation."""
        return Marker(self, x, y, angle, name=name, z=z, orientation=orientation)


class Movable(Carrier, abstract=True):
    """Base of parts that may move: guesses of pose, and whether the part is free on purpose."""

    units: ClassVar = {"angle": "rad", "position": "m", "orientation": "rad"}
    in_space: ClassVar[tuple[str, ...]] = ("orientation",)

    angle: float | None
    position: tuple[float, ...] | None
    orientation: Orientation | None
    free: bool

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            hint = ENDS.get(name, "") if "length" in self.__dataclass_fields__ else ""
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.{hint}", name=name, obj=self)

    def _check_guess(self) -> None:
        if self.angle is not None:
            self._set(angle=checks.angle(self.owner, "angle", self.angle, hint="A guess in radians, or None."))
        if self.orientation is not None:
            self._set(orientation=rotations.orientation(self.owner, "orientation", self.orientation))
            checks.one_direction(self.owner, self.angle, self.orientation)
        if self.position is not None:
            self._set(position=checks.point(self.owner, "position", self.position))
        self._set(free=checks.flag(self.owner, "free", self.free))

    @property
    def directed(self) -> bool:
        """Return whether a guess of the orientation is given."""
        return self.orientation is not None or self.angle is not None

    @property
    def turn(self) -> NDArray[np.float64] | None:
        """Return the guess of the orientation as a quaternion; None without one."""
        if not self.directed:
            return None
        return rotations.exponential(cast("Vector | None", self.orientation) or (0.0, 0.0, self.angle or 0.0))

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        wanted = 3 if spatial else 2
        if self.position is not None and len(self.position) != wanted:
            raise ModelError(
                f"{self.owner}: position = {self.position} has {len(self.position)} coordinates, but the model is "
                f"{'spatial' if spatial else 'planar'}. Give {'(x, y, z)' if spatial else '(x, y)'} in metres."
            )

    def said_in_space(self) -> dict[str, object]:
        return {} if self.position is None else {"position": (*self._as_given("position"), 0.0)}
