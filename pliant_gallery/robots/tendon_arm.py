"""Tendon-driven continuum robots as data: a backbone in segments, disks along it, tendons that bend it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ModelError, OptionError
from pliant.forces import ChannelTendon, Force, Gravity
from pliant.joints import Weld
from pliant.model import STEEL, Beam, Ground, Model, PointMass, Section, checks
from pliant_gallery.robots.stewart_continuum import UP

ROD = Section.circle(0.7e-3, STEEL)


@dataclass(frozen=True)
class TendonSegment:
    """A segment of the backbone at whose end some tendons are fixed.

    length       m
    tendons      number of tendons that end there, evenly around the backbone
    offset       of their channels from the axis of the backbone (m)
    angle        of the first of them about the backbone, from the y axis of its sections (rad)
    disks        number of disks along it, evenly, the last at its end; 0: none
    disk_radius  of the disks (m): no channel lies outside
    disk_mass    of each (kg)

    >>> TendonSegment(length=0.2, offset=8e-3).offsets().round(4).tolist()
    [[0.008, 0.0], [-0.004, 0.0069], [-0.004, -0.0069]]
    """

    _: KW_ONLY
    length: float
    tendons: int = 3
    offset: float = 8e-3
    angle: float = 0.0
    disks: int = 4
    disk_radius: float = 10e-3
    disk_mass: float = 1e-3

    def __post_init__(self) -> None:
        owner = "TendonSegment"
        for key in ("length", "offset", "disk_radius"):
            checks.positive(owner, key, getattr(self, key), hint="Give it in metres.")
        checks.not_negative(owner, "disk_mass", self.disk_mass, hint="Give it in kilograms.")
        checks.number(owner, "angle", self.angle)
        for key, least in (("tendons", 1), ("disks", 0)):
            value = getattr(self, key)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise checks.refuse(owner, key, value, f"a whole number from {least} on")
        if self.offset > self.disk_radius:
            raise checks.refuse(
                owner, "offset", self.offset, f"at most the radius of the disks, {self.disk_radius:g} m"
            )

    def offsets(self) -> np.ndarray:
        """Return the (tendons, 2) offsets of the channels, in the axes y and z of the sections (m)."""
        angles = [self.angle + 2.0 * pi * k / self.tendons for k in range(self.tendons)]
        return self.offset * np.array([(cos(each), sin(each)) for each in angles])


@dataclass(frozen=True)
class TendonArm:
    """A backbone that stands along z on the ground, bent by tendons in channels of its disks; tendons of a segment run
    through all segments before it (`ChannelTendon`).

    segments  from the base on
    section   of the backbone; default: a steel rod of 1.4 mm
    pulled    tensions of the tendons (N), in the order of `motors`; None: none
    gravity   m/s^2 along the axes; None: none
    friction  Coulomb's coefficient of all tendons in their channels, in motion

    Parts: "backbone", "tendon 1.1" (segment, tendon), ..., "disk 1", ..., "load" on the tip. A motor's signal is the
    tension of its tendon (N). Ends of segments are markers "end 1", ...; "backbone/tip" is the last.

    Forward is `statics` of the compiled model, inverse `Kinetostatics` over as many motors as coordinates are given;
    `stiffness`, `modal` and `transient` work as for any other system.

    >>> arm = TendonArm(segments=(TendonSegment(length=0.2), TendonSegment(length=0.2, angle=1.0)))
    >>> arm.model()
    <Model "tendon arm": 0 rigid bodies, 1 beam, 1 joint, 7 forces>
    >>> arm.motors[3], arm.tensions(((0.0, 2.0), (0.0, 0.0)), least=1.0).round(3).tolist()
    ('tendon 2.1/tension', [10.9, 1.0, 1.0, 1.0, 1.0, 1.0])
    """

    _: KW_ONLY
    segments: Sequence[TendonSegment]
    section: Section = ROD
    pulled: Sequence[float] | None = None
    gravity: tuple[float, float, float] | None = None
    friction: float = 0.0

    def __post_init__(self) -> None:
        checks.not_negative("TendonArm", "friction", self.friction)
        checks.instance("TendonArm", "section", self.section, Section, "Try pl.Section.circle(0.7e-3, pl.STEEL).")
        if not self.segments:
            raise ModelError("TendonArm: it has no segments. Give at least one TendonSegment(length=...).")
        for each in self.segments:
            checks.instance("TendonArm", "segments", each, TendonSegment, "Try TendonSegment(length=0.2).")
        if self.pulled is not None and len(self.pulled) != len(self.motors):
            raise ModelError(
                f"TendonArm: {len(self.pulled)} tensions for {len(self.motors)} tendons. Give one for each."
            )

    @property
    def length(self) -> float:
        """Return the length of the backbone (m)."""
        return sum(segment.length for segment in self.segments)

    @property
    def ends(self) -> tuple[float, ...]:
        """Return the ends of the segments, as fractions of the backbone."""
        lengths = np.cumsum([segment.length for segment in self.segments]) / self.length
        return (*lengths[:-1].tolist(), 1.0)

    @property
    def motors(self) -> tuple[str, ...]:
        """Return the names of the signals of its motors."""
        names = ((k, i) for k, segment in enumerate(self.segments, 1) for i in range(1, segment.tendons + 1))
        return tuple(f"tendon {k}.{i}/tension" for k, i in names)

    def tensions(self, curvatures: ArrayLike, *, least: float = 0.0) -> np.ndarray:
        """Return the (motors,) tensions that bend the segments to arcs, without other loads on the backbone.

        curvatures  (segments, 2) about the y and z axes of the sections (1/m)
        least       least tension of every tendon (N)

        In every segment ``EI kappa = sum T (-z, y)`` over the tendons that run through it. Of all such tensions the
        least sum of squares is taken, and every segment tightened evenly until none is below ``least``.
        """
        wanted = np.array(curvatures, float)
        if wanted.shape != (len(self.segments), 2) or not np.all(np.isfinite(wanted)):
            raise OptionError(
                f"curvatures={curvatures!r:.60}: give two finite numbers for each of the {len(self.segments)} segments."
            )
        stiffness = np.diagonal(self.section.stiffness)[4:]
        moments, found = wanted * stiffness, []
        for segment, own in zip(self.segments, moments - np.vstack((moments[1:], np.zeros(2))), strict=True):
            if segment.tendons < 3:
                raise OptionError(f"TendonArm: {segment.tendons} tendons cannot bend a segment either way; give three.")
            y, z = segment.offsets().T
            pulls = np.linalg.pinv(np.stack((-z, y))) @ own
            found.append(pulls + max(0.0, least - float(np.min(pulls))))
        return np.concatenate(found)

    def model(self) -> Model:
        """Make the mechanism."""
        m = Model("tendon arm", plane=None)
        ground = m.add(Ground())
        rod = m.add(Beam("backbone", length=self.length, section=self.section, position=(0, 0, 0), orientation=UP))
        m.add(Weld(ground.at(0.0, 0.0, 0.0, orientation=UP), rod.at(s=0), name="base"))
        pulls = iter([0.0] * len(self.motors) if self.pulled is None else self.pulled)
        for k, (segment, end) in enumerate(zip(self.segments, self.ends, strict=True), 1):
            for i, offset in enumerate(segment.offsets().tolist(), 1):
                m.add(
                    ChannelTendon(
                        f"tendon {k}.{i}", rod, offset=tuple(offset), end=end, tension=float(next(pulls)),
                        disk_radius=min(each.disk_radius for each in self.segments[:k]), friction=self.friction,
                        sliding=0,
                    )
                )  # fmt: skip
            if end < 1.0:
                m.add(rod.at(s=end, name=f"end {k}"))
        self._add_disks(m, rod)
        if self.gravity is not None:
            x, y, z = self.gravity
            m.add(Gravity(x=x, y=y, z=z))
        m.add(Force(rod.at(s=1), name="load"))
        return m

    def _add_disks(self, m: Model, rod: Beam) -> None:
        start, count = 0.0, 0
        for segment, end in zip(self.segments, self.ends, strict=True):
            across = 0.25 * segment.disk_mass * segment.disk_radius**2
            for s in np.linspace(start, end, segment.disks + 1)[1:].tolist():
                count += 1
                if segment.disk_mass:
                    inertia = (2.0 * across, across, across)
                    m.add(PointMass(f"disk {count}", rod.at(s=s), mass=segment.disk_mass, inertia=inertia))
            start = end
