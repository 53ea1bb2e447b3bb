"""Markers: named frames on bodies. Joints, forces and results refer to markers, independent of the kind of body."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from pliant._frozen import quick
from pliant.errors import ModelError
from pliant.model import checks, quantities, rotations
from pliant.model.formulas import Made, Replaceable
from pliant.model.rotations import Orientation, Vector

if TYPE_CHECKING:
    from pliant.model.bodies.rigid import Carrier

OFF_BODY = "The marker would be off its body: s = 0 is the base, s = 1 the tip; use x, y, z for a rigid offset."


UNITS = {"x": "m", "y": "m", "z": "m", "angle": "rad", "s": "1"}


@quick
@dataclass(frozen=True, eq=False, repr=False)
class Marker(Replaceable):
    """A frame fixed to a body: a point and its axes. Made by ``body.at(...)``.

    body         the part that carries it
    x, y, z      point in the body's frame (m); on a beam, offset from the section at s, in that section's axes
    angle        of the marker's x axis from the body's, or from the beam's tangent, turned about z (rad)
    orientation  of the marker's axes from the axes of the body or section, in space: a rotation vector (rad)
    s            place along a link or beam, 0 at its base and 1 at its tip; None elsewhere
    name         optional, shown in the label

    A planar model takes x, y and angle; a spatial one all three coordinates, and angle or orientation.

    >>> from pliant.model import Ground, Link
    >>> crank = Link("crank", length=0.1, mass=0.2)
    >>> crank.at(s=1), crank.at(s=0.25), crank.at(s=1, name="pin"), Ground().at(0.3, 0)
    (<Marker crank/tip>, <Marker crank@0.25>, <Marker crank/pin>, <Marker ground(0.3, 0)>)
    """

    made: ClassVar[Made | None] = None  # arguments of ``at``, where they or the body depend on parameters

    body: Carrier
    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0
    s: float | None = None
    name: str | None = None
    z: float = 0.0
    orientation: Orientation | None = None  # any form of a rotation; kept as a rotation vector

    def __post_init__(self, source: Marker | None) -> None:  # type: ignore[override]
        owner = f"Marker on {self.body.owner}"
        quantities.in_si(self, UNITS)
        values = self.__dict__
        for argument in ("x", "y", "z"):
            values[argument] = checks.number(owner, argument, values[argument])
        values["angle"] = checks.angle(owner, "angle", self.angle)
        if self.orientation is not None:
            given: Any = rotations.orientation(owner, "orientation", self.orientation)
            values["orientation"] = given
            checks.one_direction(owner, self.angle, given)
        if self.s is not None:
            values["s"] = checks.fraction(owner, "s", self.s, hint=OFF_BODY)
        if self.name is not None:
            checks.name(owner, self.name)
        if source is not None and source.made is not None:
            self._keep(source)

    def _keep(self, source: Marker) -> None:
        """Keep the formulas of a replaced marker, if ``at`` with them makes this one."""
        mine, other = self.__dict__, source.__dict__
        given = {key: mine[key] for key in (*UNITS, "orientation", "name") if mine[key] is not other[key]}
        with suppress(TypeError, ModelError):
            again = self.body.at(**{**cast(Made, source.made).arguments, **given})
            if all(mine[key] == again.__dict__[key] for key in mine):
                mine["made"] = again.made

    @property
    def point(self) -> NDArray[np.float64]:
        """Return (x, y, z) in the body's frame, or in the axes of the beam's section."""
        return np.array([self.x, self.y, self.z])

    @property
    def turn(self) -> NDArray[np.float64]:
        """Return the quaternion (w, x, y, z) that takes the marker's axes to the axes of the body or section."""
        return rotations.exponential(cast("Vector | None", self.orientation) or (0.0, 0.0, self.angle))

    def check_planar(self, owner: str) -> None:
        """Refuse arguments that only a marker in space can have."""
        if self.z != 0.0:
            raise ModelError(
                f"{owner}: marker {self.label} has z = {self.z:g}, but the model is planar. Take it away, say "
                f"angle={self.z:g} if an angle was meant, or make the model spatial: Model(name, plane=None)."
            )
        if self.orientation is not None:
            raise ModelError(
                f"{owner}: marker {self.label} has an orientation, but the model is planar. Give its angle (rad), or "
                f"make the model spatial: Model(name, plane=None)."
            )

    @property
    def label(self) -> str:
        """Return short text that names the place: ``crank/tip``, ``beam@0.5``, ``ground(0.3, 0)``, ``crank/pin``."""
        body = self.body.name
        if self.name is not None:
            return f"{body}/{self.name}"
        place = (self.x, self.y, self.z) if self.z else (self.x, self.y)
        if self.s is None:
            return body + _in_brackets(place)
        station = f"{body}/base" if self.s == 0.0 else f"{body}/tip" if self.s == 1.0 else f"{body}@{self.s:.6g}"
        on_axis = self.body.rigid or not any(place)
        return station if on_axis else station + _in_brackets(place)

    def __repr__(self) -> str:
        return f"<Marker {self.label}>"


def _in_brackets(place: tuple[float, ...]) -> str:
    return f"({', '.join([f'{value + 0.0:.6g}' for value in place])})"
