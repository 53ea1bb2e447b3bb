"""The 6-RUS parallel continuum robot (V. Rodrigues, B. Yu, C. Stoeffler, S. Kumar, ARK 2024, arXiv 2403.19784).

Six motors on the ground turn cranks; a slender rod, curved at rest, runs from every crank to the platform. At the crank
it hangs on a universal joint, at the platform on a ball. All data of the study are in `Robot`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

import pliant as pl
from pliant_gallery import robots
from pliant_gallery.robots.legs import TITANIUM

LEGS = range(1, 7)


@dataclass(frozen=True)
class Robot:
    """Data in m and rad. Motors 1 2 | 3 4 | 5 6 and their frames are turned 0, 120, -120 degrees about z."""

    motor_spacing: float = 0.0675
    motor_side: float = 0.21841
    platform_spacing: float = 0.05374
    platform_side: float = 0.29711
    crank: float = 0.23164
    rod_length: float = 0.53
    rod_radius: float = 2e-3
    rod_curvature: float = 1.0 / 0.3
    material: pl.Material = TITANIUM

    @cached_property
    def data(self) -> robots.Robot:
        """Return the robot without load and weight, its platform half a metre high."""
        kind = robots.RodLeg(
            self.crank, self.rod_length, radius=self.rod_radius, curvature=self.rod_curvature, material=self.material
        )
        return robots.paired(
            kind,
            platform=robots.Platform((0.0, 0.0, 0.5), inertia=(0.0, 0.0, 0.0)),
            motor_spacing=self.motor_spacing,
            motor_side=self.motor_side,
            platform_spacing=self.platform_spacing,
            platform_side=self.platform_side,
            load_at=None,
        )

    def turn(self, leg: int) -> float:
        """Return the angle of a motor's frame about z."""
        return self.data.legs[leg - 1].turn

    def motor(self, leg: int) -> np.ndarray:
        """Return the (3,) place of a motor on the ground."""
        return np.array(self.data.legs[leg - 1].foot)

    def anchor(self, leg: int) -> np.ndarray:
        """Return the (3,) place of a rod's end on the platform."""
        return np.array(self.data.legs[leg - 1].anchor)

    def section(self) -> pl.Section:
        """Return a round section, shear factor 1."""
        return self.data.legs[0].kind.section()


PUBLISHED = Robot()
"""The robot of the study."""


def model(
    robot: Robot = PUBLISHED,
    *,
    height: float = 0.5,
    motors: float = 0.4,
    platform_mass: float = 0.0,
    platform_inertia: tuple[float, float, float] = (0.0, 0.0, 0.0),
    load_at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    torque: tuple[float, float, float] | None = None,
    ideal: bool = True,
    weightless: bool = False,
) -> pl.Model:
    """Make the robot with its platform level at a height, and all motors at the same angle (rad).

    load_at  point of the load on the platform, in its axes (m)
    torque  on the platform about global axes (N m); one that keeps its direction in space has no potential, which makes
            stability costly to determine: none by default
    ideal  universal joints do no work: one axis is y of the motor's frame, the other is fixed to the rod. False: there
           are also moments "twist 1/z" ... on the rods' bases about z, which hold them instead in the published study

    weightless  without gravity, as in orbit

    Signals: "motor 1/angle" ... "motor 6/angle"; the load on the platform "load/x" ... (N), "torque/x" ...

    >>> model()
    <Model "6-RUS": 7 rigid bodies, 6 beams, 30 joints, 2 forces>
    """
    given = robot.data.turned([motors] * 6)
    pose = robots.Platform((0.0, 0.0, height), mass=platform_mass, inertia=platform_inertia)
    m = replace(given, platform=pose).model()
    platform = m.part("platform")
    if not ideal:
        m.add(*(pl.Moment(m.part(f"rod {leg}").at(s=0), z=0.0, name=f"twist {leg}") for leg in LEGS))
    if not weightless:
        m.add(pl.Gravity())
    m.add(pl.Force(platform.at(*load_at), x=0.0, y=0.0, z=0.0, name="load"))
    if torque is not None:
        m.add(pl.Moment(platform.at(), x=torque[0], y=torque[1], z=torque[2], name="torque"))
    return m
