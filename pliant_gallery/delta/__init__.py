"""Delta robot with flexible rods: three driven arms, six thin rods in pairs, a platform that only translates."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

import pliant as pl

BASE, ARM, ROD, PLATE, PAIR = 0.12, 0.15, 0.35, 0.05, 0.06  # m: radius, arms, rods, radius, between the rods of a pair
HEIGHT = -0.3  # m: of the platform as assembled
SECTION = pl.Section.tube(2e-3, 1.5e-3, pl.ALUMINIUM)
MOTORS = tuple(f"motor {k}/angle" for k in (1, 2, 3))


def arm_angle(place: np.ndarray, turn: float) -> float:
    """Return the angle of a driven arm below the horizontal (rad), for rigid rods: a circle meets a sphere."""
    out = np.array([cos(turn), sin(turn), 0.0])
    x, y, z = out @ place + PLATE - BASE, np.array([-sin(turn), cos(turn), 0.0]) @ place, place[2]
    reach = (x * x + y * y + z * z + ARM**2 - ROD**2) / (2.0 * ARM)
    return float(np.arctan2(-z, x) - np.arccos(reach / np.hypot(x, z)))


def model() -> pl.Model:
    """Make the robot on its base, the ground, z up; an arm's angle is measured from its assembled pose."""
    m = pl.Model("delta with flexible rods", plane=None)
    ground, home = m.add(pl.Ground()), np.array([0.0, 0.0, HEIGHT])
    plate = m.add(
        pl.Body("platform", mass=0.1, inertia=(1e-4, 1e-4, 2e-4), position=tuple(home), orientation=(0, 0, 0))
    )
    for k in range(3):
        turn = 2.0 * pi * k / 3.0
        out, aside = np.array([cos(turn), sin(turn), 0.0]), np.array([-sin(turn), cos(turn), 0.0])
        angle = arm_angle(home, turn)
        along = cos(angle) * out - sin(angle) * np.array([0.0, 0.0, 1.0])
        axes = np.column_stack((along, aside, np.cross(along, aside)))  # x along the arm, y along the motor's axis
        arm = m.add(pl.Link(f"arm {k + 1}", length=ARM, mass=0.05, position=tuple(BASE * out), orientation=axes))
        hip = ground.at(*(BASE * out), orientation=axes)
        m.add(pl.Revolute(hip, arm.at(s=0), axis="y", name=f"hip {k + 1}"))
        m.add(pl.Motion(hip, arm.at(s=0), angle=0.0, axis="y", name=f"motor {k + 1}"))
        elbow, edge = BASE * out + ARM * along, home + PLATE * out
        way = (edge - elbow) / ROD
        rod_axes = np.column_stack((way, aside, np.cross(way, aside)))
        for side in (-0.5, 0.5):
            shift = side * PAIR * aside
            name = f"rod {k + 1}{'ab'[side > 0]}"
            rod = m.add(pl.Beam(name, length=ROD, section=SECTION, position=tuple(elbow + shift), orientation=rod_axes))
            m.add(
                pl.Universal(arm.at(s=1, y=side * PAIR), rod.at(s=0, orientation=np.eye(3)), name=f"{name} elbow"),
                pl.Spherical(rod.at(s=1), plate.at(*(PLATE * out + shift)), name=f"{name} ball"),
            )
    m.add(pl.Force(plate.at(), name="load"))
    return m
