"""The 6-RUS parallel continuum robot (G. Rodrigues, Y. Yu, C. Stoeffler, S. Kumar, ARK 2024, arXiv 2403.19784).

Six motors on the ground turn cranks; a slender rod, curved at rest, runs from every crank to the platform. At the crank
it hangs on a universal joint, at the platform on a ball. All data of the study are in `Robot`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

import pliant as pl

LEGS = range(1, 7)
TITANIUM = pl.Material("titanium alloy", youngs_modulus=110.3e9, poisson_ratio=0.31, density=4428.8)
ON_CRANK = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
"""The motor's axes (columns) in those of its crank, whose x runs along it, at the angle zero."""


@dataclass(frozen=True)
class Robot:
    """Lengths in m, angles in rad. Motors 1 2 | 3 4 | 5 6 and their frames are turned 0, 120, -120 degrees about z."""

    motor_spacing: float = 0.0675
    motor_side: float = 0.21841
    platform_spacing: float = 0.05374
    platform_side: float = 0.29711
    crank: float = 0.23164
    rod_length: float = 0.53
    rod_radius: float = 2e-3
    rod_curvature: float = 1.0 / 0.3
    material: pl.Material = TITANIUM

    def turn(self, leg: int) -> float:
        """Angle of a motor's frame about z."""
        return (0.0, 2.0 * pi / 3.0, -2.0 * pi / 3.0)[(leg - 1) // 2]

    def motor(self, leg: int) -> np.ndarray:
        """(3,) where a motor is on the ground."""
        side = 1.0 if leg % 2 else -1.0
        return _about_z(self.turn(leg)) @ (side * self.motor_spacing, 2 / 3 * self.motor_side * cos(pi / 6), 0.0)

    def anchor(self, leg: int) -> np.ndarray:
        """(3,) where a rod is tied to the platform."""
        right = np.array([self.platform_spacing, -2 / 3 * self.platform_side * cos(pi / 6), 0.0])
        left = right * (-1.0, 1.0, 1.0)
        third = 2.0 * pi / 3.0
        given = {
            1: (third, right),
            2: (-third, left),
            3: (-third, right),
            4: (0.0, left),
            5: (0.0, right),
            6: (third, left),
        }
        angle, point = given[leg]
        return _about_z(angle) @ point

    def section(self) -> pl.Section:
        """A round rod, shear factor 1."""
        return pl.Section.circle(self.rod_radius, self.material, shear_factor=1.0)


PUBLISHED = Robot()
"""The robot of the study."""


def model(
    robot: Robot = PUBLISHED,
    *,
    height: float = 0.5,
    motors: float = 0.4,
    platform_mass: float = 0.0,
    platform_inertia: tuple[float, float, float] = (0.0, 0.0, 0.0),
    torque: tuple[float, float, float] | None = None,
    ideal: bool = True,
) -> pl.Model:
    """The robot with its platform level at a height, and all motors at the same angle (rad).

    torque  on the platform about global axes (N m); one that keeps its direction in space has no potential, which makes
            stability dear to judge: none unless given
    ideal  universal joints do no work: one axis is y of the motor's frame, the other is fixed to the rod. False: there
           are also moments "twist 1/z" ... on the rods' bases about z, by which the published study holds them instead

    Signals: "motor 1/angle" ... "motor 6/angle"; the load on the platform "load/x" ... (N), "torque/x" ...

    >>> model()
    <Model "6-RUS": 7 rigid bodies, 6 beams, 30 joints, 2 forces>
    """
    m = pl.Model("6-RUS", plane=None)
    ground = m.add(pl.Ground())
    platform = m.add(
        pl.Body(
            "platform", mass=platform_mass, inertia=platform_inertia, position=(0, 0, height), orientation=(0, 0, 0)
        )
    )
    for leg in LEGS:
        rod = _add_leg(m, robot, leg, ground, platform, motors)
        if not ideal:
            m.add(pl.Moment(rod.at(s=0), z=0.0, name=f"twist {leg}"))
    m.add(pl.Gravity(), pl.Force(platform.at(), x=0.0, y=0.0, z=0.0, name="load"))
    if torque is not None:
        m.add(pl.Moment(platform.at(), x=torque[0], y=torque[1], z=torque[2], name="torque"))
    return m


def _add_leg(m: pl.Model, robot: Robot, leg: int, ground: pl.Ground, platform: pl.Body, angle: float) -> pl.Beam:
    """Motor, crank, rod and the joints between them."""
    turn = robot.turn(leg)
    frame = _about_z(turn)
    crank = m.add(pl.Link(f"crank {leg}", length=robot.crank, mass=0.0, orientation=_crank(frame, angle)))
    tip = robot.motor(leg) + robot.crank * frame @ (0.0, cos(angle), sin(angle))
    rod = m.add(
        pl.Beam(
            f"rod {leg}",
            length=robot.rod_length,
            section=robot.section(),
            curvature=(0.0, robot.rod_curvature, 0.0),
            position=tuple(tip),
            orientation=_rod(robot, frame, robot.anchor(leg) + platform.position - tip),
        )
    )
    motor = ground.at(*robot.motor(leg), orientation=frame)
    pivot = crank.at(s=0, orientation=ON_CRANK)
    m.add(
        pl.Revolute(motor, pivot, axis="x", name=f"pivot {leg}"),
        pl.Motion(motor, pivot, angle=angle, axis="x", name=f"motor {leg}"),
        pl.Spherical(crank.at(s=1), rod.at(s=0), name=f"hip {leg}"),
        pl.Perpendicular(
            ground.at(*robot.motor(leg), orientation=frame @ _about_z(pi / 2)), rod.at(s=0), name=f"cross {leg}"
        ),
        pl.Spherical(rod.at(s=1), platform.at(*robot.anchor(leg)), name=f"ball {leg}"),
    )
    return rod


def _about_z(angle: float) -> np.ndarray:
    return np.array([[cos(angle), -sin(angle), 0.0], [sin(angle), cos(angle), 0.0], [0.0, 0.0, 1.0]])


def _crank(frame: np.ndarray, angle: float) -> np.ndarray:
    """Axes of a crank, x along it, that has turned by an angle about x of its motor."""
    turned = np.array([[1.0, 0.0, 0.0], [0.0, cos(angle), -sin(angle)], [0.0, sin(angle), cos(angle)]])
    return np.asarray(frame @ turned @ np.transpose(ON_CRANK))


def _rod(robot: Robot, frame: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Axes of a rod's base, x along it, for which its unstressed chord points the given way.

    ``R0 = R_motor Ry(q2) Rx(q3)`` of the study, where z runs along the rod: its chord turns by q3, then by q2.
    """
    bend = robot.rod_length * robot.rod_curvature
    chord = np.array([0.0, cos(bend) - 1.0, sin(bend)])
    x, y, z = frame.T @ way * np.linalg.norm(chord) / np.linalg.norm(way)
    q3 = np.arctan2(np.hypot(x, z), y) - np.arctan2(chord[2], chord[1])
    q2 = np.arctan2(x, z)
    about_y = np.array([[cos(q2), 0.0, sin(q2)], [0.0, 1.0, 0.0], [-sin(q2), 0.0, cos(q2)]])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cos(q3), -sin(q3)], [0.0, sin(q3), cos(q3)]])
    return np.asarray((frame @ about_y @ about_x)[:, [2, 0, 1]])
