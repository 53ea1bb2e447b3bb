"""Ground, rigid links and bodies, point masses and beams. Each gives markers with ``.at(...)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.model import checks
from pliant.model.damping import Damping
from pliant.model.markers import OFF_BODY, Marker
from pliant.model.parts import USE_AT, Part
from pliant.model.rest_shape import rest_pose
from pliant.model.sections import Section, between


class Carrier(Part, abstract=True):
    """A part that carries markers."""

    group: ClassVar[str] = "body"
    rigid: ClassVar[bool] = True
    at: Callable[..., Marker]

    def address(self, marker: Marker) -> dict[str, Any]:
        """Arguments of ``at`` that give this marker again."""
        turned = {"angle": marker.angle} if marker.angle else {}
        named = {"name": marker.name} if marker.name else {}
        return self._place(marker) | turned | named

    def _place(self, marker: Marker) -> dict[str, float]:
        return {"x": marker.x, "y": marker.y}


@dataclass(frozen=True, eq=False)
class Ground(Carrier):
    """The fixed frame. A model has one.

    >>> Ground().at(0.3, 0)
    <Marker ground(0.3, 0)>
    """

    name: str = "ground"

    def at(self, x: float, y: float, angle: float = 0.0, name: str | None = None) -> Marker:
        """Marker at a point of the ground (m), its x axis turned by `angle` (rad)."""
        return Marker(self, x, y, angle, name=name)


class Movable(Carrier, abstract=True):
    """What may move: guesses of pose, and whether it is meant to be tied to nothing."""

    angle: float | None
    position: tuple[float, float] | None
    free: bool

    def _check_guess(self) -> None:
        if self.angle is not None:
            self._set(angle=checks.angle(self.owner, "angle", self.angle, hint="A guess in radians, or None."))
        if self.position is not None:
            self._set(position=checks.point(self.owner, "position", self.position))
        self._set(free=checks.flag(self.owner, "free", self.free))


class RigidBody(Movable, abstract=True):
    """A rigid part that moves: mass (kg), inertia about its centre of mass (kg m^2)."""

    mass: float
    inertia: float

    @property
    def centre_of_mass(self) -> tuple[float, float]:
        """Centre of mass in the body's frame (m)."""
        return 0.0, 0.0


@dataclass(frozen=True, eq=False)
class Link(RigidBody):
    """A rigid bar. Its frame sits at the base (s = 0), x towards the tip (s = 1).

    length    m
    mass      kg
    inertia   about the centre of mass (kg m^2); m L^2 / 12, a slender uniform bar, unless given
    centre    place s of the centre of mass
    angle     guess of the orientation (rad); None: found from the joints
    position  guess of the base point (x, y) (m); None: found from the joints
    free      True if it is meant to fly, tied to nothing

    >>> crank = Link("crank", length=0.1, mass=0.2)
    >>> f"{crank.inertia:.3e} kg m^2", crank.at(s=1).x, crank.at(x=0.02, y=0.01)
    ('1.667e-04 kg m^2', 0.1, <Marker crank(0.02, 0.01)>)
    """

    name: str
    _: KW_ONLY
    length: float
    mass: float
    inertia: float = None  # type: ignore[assignment]  # filled below
    centre: float = 0.5
    angle: float | None = None
    position: tuple[float, float] | None = None
    free: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        length = checks.positive(self.owner, "length", self.length, hint="Give it in metres.")
        mass = checks.not_negative(self.owner, "mass", self.mass, hint="Give it in kilograms.")
        uniform = mass * length**2 / 12.0
        inertia = uniform if self.inertia is None else checks.not_negative(self.owner, "inertia", self.inertia)
        self._set(length=length, mass=mass, inertia=inertia, centre=checks.fraction(self.owner, "centre", self.centre))
        self._check_guess()

    @property
    def centre_of_mass(self) -> tuple[float, float]:
        return self.centre * self.length, 0.0

    def at(
        self, s: float = 0.0, *, x: float = 0.0, y: float = 0.0, angle: float = 0.0, name: str | None = None
    ) -> Marker:
        """Marker at fraction s of the length, plus a rigid offset x, y in the link's frame (m)."""
        s = checks.fraction(f"Marker on {self.owner}", "s", s, hint=OFF_BODY)
        x, y = (checks.number(f"Marker on {self.owner}", key, value) for key, value in (("x", x), ("y", y)))
        along = s * self.length + x
        place = s if x == 0.0 and y == 0.0 else 0.0 if along == 0.0 and y == 0.0 else None
        return Marker(self, along, y, angle, place, name)

    def _place(self, marker: Marker) -> dict[str, float]:
        return super()._place(marker) if marker.s is None else {"s": marker.s}


@dataclass(frozen=True, eq=False)
class Body(RigidBody):
    """A rigid body of any shape. Its frame sits at the centre of mass.

    mass            kg
    inertia         about the centre of mass (kg m^2)
    position, angle guess of the centre (x, y) (m) and of the orientation (rad); None: found from the joints
    free            True if it is meant to fly, tied to nothing

    >>> Body("slider", mass=1.0, inertia=0.0).at(0.1, 0)
    <Marker slider(0.1, 0)>
    """

    name: str
    _: KW_ONLY
    mass: float
    inertia: float
    position: tuple[float, float] | None = None
    angle: float | None = None
    free: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            mass=checks.not_negative(self.owner, "mass", self.mass, hint="Give it in kilograms."),
            inertia=checks.not_negative(self.owner, "inertia", self.inertia),
        )
        self._check_guess()

    def at(self, x: float = 0.0, y: float = 0.0, angle: float = 0.0, name: str | None = None) -> Marker:
        """Marker at (x, y) from the centre of mass, in the body's frame (m)."""
        return Marker(self, x, y, angle, name=name)


@dataclass(frozen=True, eq=False)
class PointMass(Part):
    """Mass (kg) and inertia (kg m^2) fixed to a marker of any body.

    >>> tip = Link("arm", length=1.0, mass=0.0).at(s=1)
    >>> PointMass("payload", tip, mass=2.0).marker
    <Marker arm/tip>
    """

    group: ClassVar[str] = "point_mass"

    name: str
    marker: Marker
    _: KW_ONLY
    mass: float
    inertia: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "marker", self.marker, Marker, USE_AT)
        self._set(
            mass=checks.not_negative(self.owner, "mass", self.mass, hint="Give it in kilograms."),
            inertia=checks.not_negative(self.owner, "inertia", self.inertia),
        )


@dataclass(frozen=True, eq=False)
class Beam(Movable):
    """A flexible beam, straight or curved at rest.

    length    arc length at rest (m)
    section   stiffness and mass per length, at the base if it changes
    taper     further sections at equally spaced places up to the tip, stiffness and mass linear between; (tip,) is the
              simplest. Empty: the same section everywhere
    curvature of the unstressed beam (1/m), positive turning left: a number, or values at equally spaced s from base to
              tip, linear between
    angle     guess of the tangent's direction at the base (rad); None: found from the joints
    position  guess of the base point (x, y) (m); None: found from the joints
    damping   Rayleigh(...) or None
    free      True if it is meant to fly, tied to nothing

    >>> from pliant.model import STEEL, Section
    >>> leaf = Beam("leaf", length=0.5, section=Section.rectangle(0.02, 0.001, STEEL), curvature=(0.0, 2.0))
    >>> leaf.at(s=0.5)
    <Marker leaf@0.5>
    >>> leaf.rest_pose([0.0, 1.0]).round(4)
    array([[0.    , 0.    , 0.    ],
           [0.4876, 0.0819, 0.5   ]])
    """

    rigid: ClassVar[bool] = False

    name: str
    _: KW_ONLY
    length: float
    section: Section
    curvature: float | tuple[float, ...] = 0.0
    angle: float | None = None
    position: tuple[float, float] | None = None
    damping: Damping | None = None
    free: bool = False
    taper: tuple[Section, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(length=checks.positive(self.owner, "length", self.length, hint="Give it in metres."))
        self._set(taper=(self.taper,) if isinstance(self.taper, Section) else tuple(self.taper))
        for name, section in (("section", self.section), *(("taper", section) for section in self.taper)):
            checks.instance(self.owner, name, section, Section, "Try Section.rectangle(...).")
        if isinstance(self.curvature, (Sequence, np.ndarray)):
            self._set(curvature=checks.numbers(self.owner, "curvature", self.curvature, least=2))
        else:
            self._set(curvature=checks.number(self.owner, "curvature", self.curvature, hint="Give it in 1/m."))
        if self.damping is not None:
            checks.instance(self.owner, "damping", self.damping, Damping, "Try Rayleigh.of_modes(0.01).")
        self._check_guess()

    def at(self, s: float, *, x: float = 0.0, y: float = 0.0, angle: float = 0.0, name: str | None = None) -> Marker:
        """Marker on the section at fraction s of the length, plus a rigid offset x, y in the section's axes (m)."""
        return Marker(self, x, y, angle, checks.fraction(f"Marker on {self.owner}", "s", s, hint=OFF_BODY), name)

    def _place(self, marker: Marker) -> dict[str, float]:
        offset = super()._place(marker) if marker.x or marker.y else {}
        return {"s": marker.s or 0.0} | offset

    @property
    def sections(self) -> tuple[Section, ...]:
        """Sections at equally spaced places from base to tip; one if it does not change."""
        return (self.section, *self.taper)

    def section_at(self, s: float) -> Section:
        """Section at fraction s of the length."""
        return between(self.sections, s)

    @property
    def mass(self) -> float:
        """Mass of the whole beam (kg)."""
        density = [section.mass_per_length for section in self.sections]
        return self.length * float(np.mean(density if len(density) == 1 else np.add(density[:-1], density[1:]) / 2.0))

    def rest_pose(self, s: ArrayLike) -> NDArray[np.float64]:
        """Pose (x, y, theta) of the sections at s, unstressed, with the base at the origin and its tangent along x.

        ``theta' = curvature``, ``x' = cos theta``, ``y' = sin theta``. Shape (n, 3).
        """
        places = [checks.fraction(self.owner, "s", value) for value in np.atleast_1d(s)]
        return rest_pose(self.length, self.curvature, np.array(places))
