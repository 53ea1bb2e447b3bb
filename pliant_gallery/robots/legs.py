"""Kinds of legs: a motor turns a crank, and a slender member runs from the crank's tip to the platform."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.forces import Tendon
from pliant.joints import Perpendicular, Revolute, Spherical
from pliant.model import Beam, Link, Marker, Material, Model, Rayleigh, Section, checks
from pliant.model.bodies.beams import BOWS
from pliant_gallery.robots import frames

TITANIUM = Material("titanium alloy", youngs_modulus=110.3e9, poisson_ratio=0.31, density=4428.8)
LEAF_TITANIUM = Material("titanium of the leaf", youngs_modulus=120e9, poisson_ratio=0.35, density=4502.0)
NO_ROOM = 1e-9  # of a member's length: nearer ends have no direction between them
NO_SIDE = 1e-6  # of a member's length: a leg nearer to the robot's middle has no outside
SIDES = (*BOWS, "out", "in")
STATIONS = (0.0, 0.25, 0.5, 0.75, 1.0)
MIDDLE = (0.5,)
"""Fractions of a leaf's length at which results have its place and axes, in space."""


@dataclass(frozen=True)
class Site:
    """Place of a leg: the markers and points of its motor and of its anchor on the platform."""

    number: int
    motor: Marker
    across: Marker  # the motor's marker; in space with x along y of its frame
    frame: np.ndarray  # (3, 3) axes of the motor; in the plane its x is the crank's zero
    point: np.ndarray  # of the motor
    anchor: Marker
    goal: np.ndarray  # point of the anchor
    angle: float  # of the crank
    middle: np.ndarray  # of the robot, between its base and its platform


@dataclass(frozen=True)
class LegKind(ABC):
    """Base of legs: a crank on a motor and a slender member, hinged to the crank and to the platform.

    crank_length, crank_mass  m, kg; a uniform bar
    crank_radius              of the bar (m), for its inertia about its own axis in space
    length                    of the member (m)
    damping                   ratio in the member's first two pinned modes; 0: none

    In the plane both hinges are pins. In space the member hangs on a universal joint at the crank, one of whose axes is
    y of the motor's frame while the other is fixed to the member, and on a ball at the platform.
    """

    member: ClassVar[str] = "rod"

    crank_length: float
    length: float
    _: KW_ONLY
    crank_mass: float = 0.0
    crank_radius: float = 0.01
    damping: float = 0.0

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for key in ("crank_length", "length"):
            checks.positive(owner, key, getattr(self, key), hint="Give it in metres.")
        for key in ("crank_mass", "crank_radius", "damping"):
            checks.not_negative(owner, key, getattr(self, key))

    @property
    def reach(self) -> float:
        """Return the largest distance from motor to platform (m)."""
        return self.crank_length + self.length

    @abstractmethod
    def section(self) -> Section:
        """Return the section of the member."""

    def tip(self, site: Site, spatial: bool) -> np.ndarray:
        """Return the end of the crank."""
        way = (
            (0.0, np.cos(site.angle), np.sin(site.angle)) if spatial else (np.cos(site.angle), np.sin(site.angle), 0.0)
        )
        return np.asarray(site.point + self.crank_length * site.frame @ way)

    def put_up(self, m: Model, site: Site) -> Link:
        """Add crank, member and hinges to a model; return the crank, whose motor the robot adds."""
        add = self._in_space if m.spatial else self._in_plane
        tip = self.tip(site, m.spatial)
        way = site.goal - tip
        distance = float(np.linalg.norm(way))
        if not distance > NO_ROOM * self.length:
            raise ModelError(
                f"Leg {site.number}: its crank ends on its anchor {tuple(site.goal.round(4).tolist())}, which leaves "
                f"no place for its {self.member}. Turn the crank (angle = {site.angle:g} rad) or move the motor."
            )
        return add(m, site, tip, way)

    def beam(self, number: int, **place: Any) -> Beam:
        """Return the member."""
        damped = Rayleigh.of_modes(self.damping, "pinned-pinned") if self.damping else None
        return Beam(f"{self.member} {number}", length=self.length, section=self.section(), damping=damped, **place)

    def _in_plane(self, m: Model, site: Site, tip: np.ndarray, way: np.ndarray) -> Link:
        k = site.number
        turn = float(np.arctan2(site.frame[1, 0], site.frame[0, 0])) + site.angle
        crank = m.add(Link(f"crank {k}", length=self.crank_length, mass=self.crank_mass, angle=turn))
        member = m.add(
            self.beam(k, angle=float(np.arctan2(way[1], way[0])) - 0.5 * self._bend, **self._planar_shape(site))
        )
        m.add(
            Revolute(site.motor, crank.at(s=0), name=f"pivot {k}"),
            Revolute(crank.at(s=1), member.at(s=0), name=f"hip {k}"),
            Revolute(member.at(s=1), site.anchor, name=f"ball {k}"),
        )
        return crank

    def _in_space(self, m: Model, site: Site, tip: np.ndarray, way: np.ndarray) -> Link:
        k = site.number
        axes = frames.crank(site.frame, site.angle)
        mass, along, across = self.crank_mass, 0.5 * self.crank_radius**2, self.crank_length**2 / 12.0
        inertia = (mass * along, mass * (across + 0.5 * along), mass * (across + 0.5 * along))
        crank = m.add(Link(f"crank {k}", length=self.crank_length, mass=mass, inertia=inertia, orientation=axes))
        member = m.add(self.beam(k, position=tuple(tip), **self._spatial_shape(site, way)))
        m.add(
            Revolute(site.motor, crank.at(s=0, orientation=frames.ON_CRANK), axis="x", name=f"pivot {k}"),
            Spherical(crank.at(s=1), member.at(s=0), name=f"hip {k}"),
            Perpendicular(site.across, self._cross(member), name=f"cross {k}"),
            Spherical(member.at(s=1), site.anchor, name=f"ball {k}"),
        )
        return crank

    @property
    def _bend(self) -> float:
        """Return the member's rotation from base to tip, at rest (rad)."""
        return 0.0

    def _planar_shape(self, site: Site) -> dict[str, Any]:
        return {}

    def _spatial_shape(self, site: Site, way: np.ndarray) -> dict[str, Any]:
        return {"orientation": frames.rod(site.frame, way, bend=self._bend)}

    def _cross(self, member: Beam) -> Marker:
        """Return the marker whose y is the axis of the universal joint that is fixed to the member."""
        return member.at(s=0)


@dataclass(frozen=True)
class RodLeg(LegKind):
    """A round rod, curved at rest (Rodrigues, Yu, Stoeffler, Kumar, ARK 2024); default values from the study.

    radius     m
    curvature  1/m; in the plane to the left on its way to the platform, in space about the axis y of its section

    >>> RodLeg().section().bending_stiffness.__round__(4)
    1.3861
    """

    crank_length: float = 0.23164
    length: float = 0.53
    _: KW_ONLY
    radius: float = 2e-3
    curvature: float = 1.0 / 0.3
    material: Material = TITANIUM

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.positive("RodLeg", "radius", self.radius)
        checks.number("RodLeg", "curvature", self.curvature)

    def section(self) -> Section:
        """Return a round section, shear factor 1."""
        return Section.circle(self.radius, self.material, shear_factor=1.0)

    @property
    def _bend(self) -> float:
        return self.length * self.curvature

    def _planar_shape(self, site: Site) -> dict[str, Any]:
        return {"curvature": self.curvature}

    def _spatial_shape(self, site: Site, way: np.ndarray) -> dict[str, Any]:
        return super()._spatial_shape(site, way) | {"curvature": (0.0, self.curvature, 0.0)}


@dataclass(frozen=True)
class LeafLeg(LegKind):
    """PACOMA's titanium leaf, straight at rest, bent by a tendon beside it (thesis, table 5.2; ERRATA thesis 18).

    width, thickness    m
    tendon_stiffness    N/m; the tendon runs from the crank's tip to the platform
    tendon_rest_length  m
    tendon_damping      N s/m: 1500 on the prototype, 15 in studies of control
    bow                 side to which the leaf bows when its ends come nearer: "left" or "right" on its way to the
                        platform (in space along y of its section, or against it), "out" of the robot or "in"

    Signals of a leg's tendon: "tendon 1/rest_length", and "tendon 1/tension" for a force of an actuator in addition to
    its elastic force (N).

    >>> LeafLeg().section().bending_stiffness.__round__(4)
    1.3306
    """

    member: ClassVar[str] = "leaf"

    crank_length: float = 0.12
    length: float = 0.50
    _: KW_ONLY
    crank_mass: float = 1.0
    damping: float = 0.01
    width: float = 0.077
    thickness: float = 0.0012
    material: Material = LEAF_TITANIUM
    tendon_stiffness: float = 269.430
    tendon_rest_length: float = 0.169670
    tendon_damping: float = 15.0
    bow: str = "left"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.choice("LeafLeg", "bow", self.bow, SIDES)
        for key in ("width", "thickness", "tendon_stiffness", "tendon_rest_length"):
            checks.positive("LeafLeg", key, getattr(self, key))
        checks.not_negative("LeafLeg", "tendon_damping", self.tendon_damping)

    def section(self) -> Section:
        """Return a section weak about z."""
        return Section.rectangle(self.width, self.thickness, self.material)

    def put_up(self, m: Model, site: Site) -> Link:
        crank = super().put_up(m, site)
        m.add(*(m.part(f"leaf {site.number}").at(s=s) for s in (STATIONS if m.spatial else MIDDLE)))
        m.add(
            Tendon(
                f"tendon {site.number}",
                crank.at(s=1),
                site.anchor,
                stiffness=self.tendon_stiffness,
                rest_length=self.tendon_rest_length,
                damping=self.tendon_damping,
                tension=0.0,
            )
        )
        return crank

    def leftward(self, site: Site, spatial: bool) -> np.ndarray:
        """Return the unit vector to the left of the straight leaf: y of its section."""
        way = site.goal - self.tip(site, spatial)
        if spatial:
            return np.asarray((frames.rod(site.frame, way) @ frames.AS_LEAF)[:, 1])
        return np.array([-way[1], way[0], 0.0]) / float(np.linalg.norm(way))

    def bows(self, site: Site, spatial: bool) -> str:
        """Return "left" or "right": `bow`, where "out" is away from the robot's middle."""
        if self.bow in BOWS:
            return self.bow
        tip = self.tip(site, spatial)
        away, span = 0.5 * (tip + site.goal) - site.middle, float(np.linalg.norm(site.goal - tip))
        out = float(self.leftward(site, spatial) @ away)
        if abs(out) < NO_SIDE * span:
            raise ModelError(
                f'Leg {site.number}: its leaf cannot bow "{self.bow}": where it bends it moves along the robot\'s '
                f"middle {tuple(site.middle.round(4).tolist())}, neither away from it nor towards it. Turn its "
                f'motor\'s frame (turn), move its foot or anchor, or give bow="left" or "right".'
            )
        return "left" if (out > 0.0) == (self.bow == "out") else "right"

    def _planar_shape(self, site: Site) -> dict[str, Any]:
        return {"bow": self.bows(site, False)}

    def _spatial_shape(self, site: Site, way: np.ndarray) -> dict[str, Any]:
        return {"orientation": frames.rod(site.frame, way) @ frames.AS_LEAF, "bow": self.bows(site, True)}

    def _cross(self, member: Beam) -> Marker:
        return member.at(s=0, orientation=np.transpose(frames.AS_LEAF))
