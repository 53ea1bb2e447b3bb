"""Rigid links and bodies, and point masses. Each body gives markers with ``.at(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.model import checks, rotations
from pliant.model.bodies import inertias
from pliant.model.bodies.beams import Beam
from pliant.model.bodies.carriers import Carrier, Ground, Movable
from pliant.model.bodies.outlines import Outline
from pliant.model.markers import OFF_BODY, Marker
from pliant.model.parts import USE_AT, Part
from pliant.model.rotations import Orientation

__all__ = ["Beam", "Body", "Carrier", "Ground", "Link", "Movable", "PointMass", "RigidBody"]


class Massive(Part, abstract=True):
    """Base of parts with a mass (kg) and an inertia (kg m^2)."""

    units: ClassVar = {"mass": "kg", "inertia": "kg m^2"}

    mass: float
    inertia: Any  # given as an InertiaLike; kept as a number, in space as an Inertia

    def _check_mass(self) -> None:
        self._set(
            mass=checks.not_negative(self.owner, "mass", self.mass, hint="Give it in kilograms."),
            inertia=inertias.inertia(self.owner, self.inertia),
        )

    @property
    def inertia_matrix(self) -> rotations.Array:
        """Return the (3, 3) inertia in space."""
        return inertias.matrix(self.inertia)

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        if not spatial and not isinstance(self.inertia, float):
            raise ModelError(
                f"{self.owner}: inertia = {self.inertia} is for a body in space, but the model is planar. Give one "
                "number, about the axis across the plane."
            )


class RigidBody(Massive, Movable, abstract=True):
    """A rigid part that moves, with its inertia about its centre of mass."""

    @property
    def centre_of_mass(self) -> tuple[float, float]:
        """Return the centre of mass in the body's frame (m), x and y; z is 0."""
        return 0.0, 0.0


@dataclass(frozen=True, eq=False)
class Link(RigidBody):
    """A rigid bar. Its frame sits at the base (s = 0), x towards the tip (s = 1).

    length       m
    mass         kg
    inertia      about the centre of mass (kg m^2); m L^2 / 12, a slender uniform bar, unless given. In space a number
                 holds about y and z, with none about the bar's own axis; or three numbers, or a matrix
    centre       place s of the centre of mass
    angle        guess of the orientation (rad), turned about z; None: found from the joints
    orientation  the same in space, as a rotation
    position     guess of the base point (x, y) or (x, y, z) (m); None: found from the joints
    free         True for a body that is connected to nothing on purpose
    shape        what it looks like, if not a bar: a `Polygon`, `Box`, `Cylinder`, `Sphere` or `Mesh`, or several

    >>> crank = Link("crank", length=0.1, mass=0.2)
    >>> f"{crank.inertia:.3e} kg m^2", crank.at(s=1).x, crank.at(x=0.02, y=0.01)
    ('1.667e-04 kg m^2', 0.1, <Marker crank(0.02, 0.01)>)
    """

    units: ClassVar = {"length": "m", "centre": "1"}

    name: str
    _: KW_ONLY
    length: float
    mass: float
    inertia: Any = None  # filled below
    centre: float = 0.5
    angle: float | None = None
    position: tuple[float, ...] | None = None
    free: bool = False
    orientation: Orientation | None = None  # any form of a rotation; kept as a rotation vector
    shape: Outline | Sequence[Outline] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        length = checks.positive(self.owner, "length", self.length, hint="Give it in metres.")
        self._set(length=length, centre=checks.fraction(self.owner, "centre", self.centre))
        if self.inertia is None:
            self._set(inertia=checks.not_negative(self.owner, "mass", self.mass) * length**2 / 12.0)
        self._check_mass()
        self._check_guess()
        self._check_shape()

    @property
    def inertia_matrix(self) -> rotations.Array:
        """Return the (3, 3) inertia in space; one number is a slender bar, without inertia about its own axis."""
        full = super().inertia_matrix
        return full * (np.arange(3) > 0) if isinstance(self.inertia, float) else full

    @property
    def centre_of_mass(self) -> tuple[float, float]:
        return self.centre * self.length, 0.0

    def at(
        self,
        s: float = 0.0,
        *,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        angle: float = 0.0,
        orientation: Orientation | None = None,
        name: str | None = None,
    ) -> Marker:
        """Return the marker at fraction s of the length, offset by x, y, z in the link's frame (m)."""
        s = checks.fraction(f"Marker on {self.owner}", "s", s, hint=OFF_BODY)
        offset = {"x": x, "y": y, "z": z}
        x, y, z = (checks.number(f"Marker on {self.owner}", key, value) for key, value in offset.items())
        along = s * self.length + x
        off_axis = y != 0.0 or z != 0.0
        place = None if off_axis else s if x == 0.0 else 0.0 if along == 0.0 else None
        return Marker(self, along, y, angle, place, name, z, orientation)

    def _place(self, marker: Marker) -> dict[str, float]:
        return super()._place(marker) if marker.s is None else {"s": marker.s}


@dataclass(frozen=True, eq=False)
class Body(RigidBody):
    """A rigid body of any shape. Its frame sits at the centre of mass.

    mass         kg
    inertia      about the centre of mass (kg m^2): a number; in space also (Jx, Jy, Jz) or a matrix, in its own axes
    position     guess of the centre (x, y) or (x, y, z) (m); None: found from the joints
    angle        guess of the orientation (rad), turned about z; None: found from the joints
    orientation  the same in space, as a rotation
    free         True for a body that is connected to nothing on purpose
    shape        what it looks like: a `Polygon`, `Box`, `Cylinder`, `Sphere` or `Mesh`, or several; without it the body
                 is drawn around its joints

    >>> Body("slider", mass=1.0, inertia=0.0).at(0.1, 0)
    <Marker slider(0.1, 0)>
    >>> Body("platform", mass=1.0, inertia=(0.01, 0.01, 0.02), position=(0, 0, 0.5)).at(0.1, 0, 0.02)
    <Marker platform(0.1, 0, 0.02)>
    """

    name: str
    _: KW_ONLY
    mass: float
    inertia: Any
    position: tuple[float, ...] | None = None
    angle: float | None = None
    free: bool = False
    orientation: Orientation | None = None  # any form of a rotation; kept as a rotation vector
    shape: Outline | Sequence[Outline] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_mass()
        self._check_guess()
        self._check_shape()

    def at(
        self,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        *,
        angle: float = 0.0,
        orientation: Orientation | None = None,
        name: str | None = None,
    ) -> Marker:
        """Return the marker at (x, y, z) from the centre of mass, in the body's frame (m)."""
        return Marker(self, x, y, angle, name=name, z=z, orientation=orientation)


@dataclass(frozen=True, eq=False)
class PointMass(Massive):
    """Mass (kg) and inertia (kg m^2) fixed to a marker of any body; in space the inertia is in the marker's axes.

    >>> tip = Link("arm", length=1.0, mass=0.0).at(s=1)
    >>> PointMass("payload", tip, mass=2.0).marker
    <Marker arm/tip>
    """

    group: ClassVar[str] = "point_mass"

    name: str
    marker: Marker
    _: KW_ONLY
    mass: float
    inertia: Any = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "marker", self.marker, Marker, USE_AT)
        self._check_mass()

    def acts_on_directions(self, spatial: bool) -> bool:
        return bool(self.inertia != 0.0)
