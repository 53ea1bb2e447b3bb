"""Docking: a satellite drifts, misaligned, against the ring on the platform of a 6-RUS robot whose motors are held.

The misalignment of 7.5 degrees is from PACOMA's test. Robot, motors and rods are from the published study
(gallery.six_rus); platform, satellite and contact are chosen: a few kilograms, tens of kilograms, centimetres a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import acos, atan2, cos, hypot, pi, sin

import pliant as pl
from pliant_gallery import six_rus

OUTLINE = (-1, -1), (-1, 1), (1, 1), (1, -1)  # drawn corners of the satellite
HEIGHT = 0.5  # of the platform at rest (m)


@dataclass(frozen=True)
class Docking:
    """Data in SI units. The ring is on the platform, the flat docking surface on the satellite."""

    misalignment: float = 7.5 * pl.DEG
    speed: float = 0.05
    gap: float = 5e-4  # at the start, between the lowest point of the surface and the ring
    platform_mass: float = 3.0
    platform_radius: float = 0.18
    ring_radius: float = 0.12
    ring_height: float = 0.05
    ring_points: int = 24
    satellite_mass: float = 20.0
    satellite_size: float = 0.4
    stiffness: float = 2e4  # of each point of the ring
    damping: float = 4.0
    friction: float = 0.2
    friction_speed: float = 1e-3
    restitution: float = 0.5
    height: float = HEIGHT  # of the platform at rest

    @property
    def satellite_inertia(self) -> float:
        """Return the inertia of the satellite, a cube."""
        return self.satellite_mass * self.satellite_size**2 / 6.0

    @property
    def satellite(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Return centre and rotation vector at the start: turned about y, its surface above the ring."""
        tilt = self.misalignment
        above = (self.gap + self.ring_radius * abs(sin(tilt))) / cos(tilt)
        up = 0.5 * self.satellite_size
        centre = up * sin(tilt), 0.0, self.height + self.ring_height + above + up * cos(tilt)
        return centre, (0.0, tilt, 0.0)


PACOMA = Docking()
"""The docking at 7.5 degrees."""


def level(robot: six_rus.Robot = six_rus.PUBLISHED) -> float:
    """Return the angle of all motors (rad) at which the rods carry the weightless platform at HEIGHT without bending.

    The chord c of an unstressed rod reaches from the crank's tip to its anchor, at (x, y, z) in the motor's frame:
    ``y cos q + z sin q = (x^2 + y^2 + z^2 + crank^2 - c^2) / (2 crank)``.
    """
    turn = robot.turn(1)
    x, y, z = robot.anchor(1) + (0.0, 0.0, HEIGHT) - robot.motor(1)
    x, y = cos(turn) * x + sin(turn) * y, cos(turn) * y - sin(turn) * x
    chord = 2.0 / robot.rod_curvature * sin(0.5 * robot.rod_length * robot.rod_curvature)
    reach = (x * x + y * y + z * z + robot.crank**2 - chord**2) / (2.0 * robot.crank)
    return atan2(z, y) - acos(reach / hypot(y, z))


def model(docking: Docking = PACOMA, *, stiffening: float = 1.0, held: bool = False) -> pl.Model:
    """Make robot and satellite, weightless.

    stiffening  stiffness of the rods relative to the study, at the same mass
    held        whether the satellite is clamped at its start, to find the rest of the robot

    >>> model()
    <Model "6-RUS": 8 rigid bodies, 6 beams, 30 joints, 2 forces>
    """
    robot = six_rus.PUBLISHED
    soft = robot.material
    material = pl.Material(
        soft.name,
        youngs_modulus=stiffening * soft.youngs_modulus,
        poisson_ratio=soft.poisson_ratio,
        density=soft.density,
    )
    mass, radius = docking.platform_mass, docking.platform_radius
    m = six_rus.model(
        replace(robot, material=material),
        height=HEIGHT,
        motors=level(),
        platform_mass=mass,
        platform_inertia=(0.25 * mass * radius**2, 0.25 * mass * radius**2, 0.5 * mass * radius**2),
        weightless=True,
    )
    add_satellite(m, docking, held=held)
    return m


def add_satellite(m: pl.Model, docking: Docking, *, held: bool) -> None:
    """Add the ring on the platform of a robot, and the satellite above it."""
    ring = m.part("platform").at(0, 0, docking.ring_height, name="ring")
    m.add(*(m.part("platform").at(side * docking.ring_radius, 0, docking.ring_height) for side in (-1.0, 1.0)))
    satellite = _add_satellite(m, docking, ring, free=not held)
    if held:
        centre, turn = docking.satellite
        m.add(pl.Weld(m.part("ground").at(*centre, orientation=turn), satellite.at(), name="hold"))


def fixed(docking: Docking = PACOMA) -> pl.Model:
    """Make the satellite against a fixed ring."""
    m = pl.Model("fixed ring", plane=None)
    ground = m.add(pl.Ground())
    _add_satellite(m, docking, ground.at(0, 0, docking.height + docking.ring_height, name="ring"), free=True)
    return m


def _add_satellite(m: pl.Model, docking: Docking, ring: pl.Marker, free: bool) -> pl.Body:
    """Add the satellite, and the contact of its surface with the ring."""
    centre, turn = docking.satellite
    satellite = m.add(
        pl.Body(
            "satellite",
            mass=docking.satellite_mass,
            inertia=(docking.satellite_inertia,) * 3,
            position=centre,
            orientation=turn,
            free=free,
        )
    )
    half = 0.5 * docking.satellite_size
    m.add(*(satellite.at(x * half, 0, z * half) for x, z in OUTLINE))
    surface = satellite.at(0, 0, -0.5 * docking.satellite_size, orientation=(pi, 0.0, 0.0), name="surface")
    law = {key: getattr(docking, key) for key in ("stiffness", "damping", "friction", "friction_speed", "restitution")}
    m.add(pl.Contact("ring", surface, ring, rim=docking.ring_radius, points=docking.ring_points, **law))
    return satellite
