"""The continuum Stewart-Gough robot and its path, for pliant and for shooting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.control_rate import shooting
from pliant_gallery.robots import ContinuumStewart

ROBOT = ContinuumStewart()
ELEMENTS = {"elements": pl.Exact(2, order=6)}
RODS = {"formulation": "shooting", "subintervals": 1, "order": 8, "step": 0.25, "tolerance": 1e-5}
"""Both the coarsest whose error is below that of shooting with 40 points a rod."""
POINTS, RESIDUAL = 40, 1e-6  # of the published program
THERE = np.linspace([0.0, 0.02, 0.48], [0.0, 0.12, 0.58], 101)
PATH = np.concatenate([THERE, THERE[-2::-1]])
"""(201, 3) places of the platform, 1 mm apart along y and z: there and back."""


def kinetostatics(options: Mapping[str, Any] = RODS) -> tuple[pl.Kinetostatics, pl.Pose]:
    """Return the robot, and where its path begins."""
    system = pl.compile(ROBOT.model(), **options)
    robot = pl.Kinetostatics(system, platform="platform", motors=ROBOT.motors)
    return robot, robot.inverse(PATH[0])


class Shot:
    """The robot's path by shooting, with so many points a rod."""

    def __init__(self, points: int, residual: float) -> None:
        extension, shear, _, _, bending, _ = np.diag(ROBOT.section().stiffness)
        stiffness = np.array([extension, shear, bending])
        self.robot = shooting.Robot(ROBOT.holes(), ROBOT.anchors(), stiffness, points)
        self.residual = residual
        self.poses = np.concatenate([PATH, np.tile(np.eye(3).ravel(), (len(PATH), 1))], axis=1)
        self.start = shooting.guess(self.robot, self.poses[0])
        self.start = self.follow(np.zeros((1, 6)))[0]

    def follow(self, loads: np.ndarray | None = None) -> np.ndarray:
        """Return (poses, unknowns) along the path, or the first of it, under loads (poses, 6)."""
        loads = np.zeros((len(self.poses), 6)) if loads is None else loads
        found = np.zeros((len(loads), shooting.ALL))
        done, _ = shooting.follow(self.robot, self.start.copy(), self.poses[: len(loads)], loads, self.residual, found)
        if done < len(loads):
            raise pl.errors.ConvergenceError(f"Shooting found no equilibrium of pose {done}.")
        return found

    def lengths(self, loads: np.ndarray | None = None) -> np.ndarray:
        """Return (poses, 6) of the rods."""
        return self.follow(loads)[:, shooting.OWN - 1 :: shooting.OWN]
