"""Both architectures of the thesis, section 6.4, on the planar six-leg robot and on the 6-RUS.

Motors give torques; what holds the cranks at rest are the torques found by statics. Centralised: one LQR with observer
on the platform and the slow flexible modes of all legs. Decentralised: an LQR for the platform on the rigidified model,
one for each leg that damps what the leg does besides, designed with the platform held.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant import robots
from pliant.control.comparison import settling_time
from pliant.control.controller import Controller
from pliant.control.linear_model import LinearModel
from pliant.control.platform import PlatformModel
from pliant.gallery import six_leg
from pliant.results import Result

SAMPLE_TIME = 1e-3  # s
WHERE = six_leg.WHERE


class Study(NamedTuple):
    """What differs between the robots: the robot, its mesh, what counts as much as what, the modes that are kept."""

    robot: robots.Robot
    elements: Any
    motor: float  # N m
    tendon: float  # N
    wrench: tuple[float, float]  # N, N m: what counts as much as 10 mm or 0.05 rad of the platform
    modes: int
    start: tuple[float, ...]  # displacements of the cranks (rad)
    leg_rate: float  # rad/s of a crank that counts as much as `motor`, for the legs' regulators
    bound: float  # N m, of a motor


PLANAR = Study(
    six_leg.robot(drive="torque"), six_leg.ELEMENTS, 1.0, 20.0, (5.0, 0.5), 15, (0.1, -0.2, -0.05, 0.15, -0.2, -0.05), 5.0, 3.0
)
RODS = Study(
    robots.paired(
        robots.RodLeg(crank_mass=0.1, damping=0.01),
        platform=robots.Platform((0.0, 0.0, 0.5), mass=0.5, inertia=(2e-3, 2e-3, 4e-3)),
        gravity=(0.0, 0.0, -9.81),
        drive="torque",
    ),
    pl.Exact(2, order=2), 0.2, 0.0, (2.0, 0.2), 18, (0.02, 0.01, -0.01, 0.005, 0.01, -0.02), 1.0, 1.0,
)
