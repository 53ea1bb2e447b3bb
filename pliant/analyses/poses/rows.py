"""Requests along a trajectory, and the careful way to find one pose of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from pliant.analyses.poses.arrival import arrive
from pliant.analyses.poses.branch import around_corner, on_one_branch
from pliant.analyses.poses.effector import Target
from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.targets import Targets
from pliant.solvers.nonlinear.held_frame import POSE
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

CUTS = 5  # how often the way between two poses is halved


class Row(Protocol):
    """Poses, or signals, one after the other."""

    @property
    def start(self) -> State:
        """Return the start state."""

    @property
    def begin(self) -> Pose | None:
        """Return the pose at the start, if it is a completely known equilibrium."""

    @property
    def signals(self) -> np.ndarray:
        """Return (poses, all signals), with the motors if they are given."""

    @property
    def task(self) -> int:
        """Return the number of held components of the pose; 0: the motors are given."""

    @property
    def targets(self) -> Targets:
        """Return the held poses."""

    @property
    def packed(self) -> np.ndarray:
        """Return (poses, POSE) the held poses for compiled code."""

    def careful(self, k: int, before: Pose | None) -> tuple[Pose, bool]:
        """Find pose k, and whether it is on another branch however finely the way is cut."""


@dataclass(frozen=True)
class Held:
    """Poses that the motors are to hold."""

    robot: Kinetostatics
    targets: Targets
    signals: np.ndarray
    start: State
    begin: Pose | None = None

    @property
    def task(self) -> int:
        """Return the number of components that the motors hold."""
        return self.robot.effector.task

    @cached_property
    def packed(self) -> np.ndarray:
        """Return the poses for compiled code."""
        return self.targets.packed

    def careful(self, k: int, before: Pose | None) -> tuple[Pose, bool]:
        """Find a pose from the pose before, or from the start."""
        if before is None:
            return arrive(self.robot, self.targets[k], self.start, self.signals[k].copy()), False
        return self._advance(before, self.targets[k], self.signals[k], CUTS)

    def _advance(self, before: Pose, target: Target, given: np.ndarray, cuts: int) -> tuple[Pose, bool]:
        u = given.copy()
        u[self.robot.equilibria.motors] = before.motors
        pose = arrive(self.robot, target, before.state, u)
        if on_one_branch(self.robot, before, pose):
            return pose, False
        if not cuts:
            return pose, not around_corner(self.robot, before, pose)
        half = self.robot.effector.halfway(before.state.q, target)
        middle, left = self._advance(before, half, 0.5 * (before.signals + given), cuts - 1)
        pose, again = self._advance(middle, target, given, cuts - 1)
        return pose, left or again


@dataclass(frozen=True)
class Driven:
    """Motors that lead somewhere, with all other signals."""

    robot: Kinetostatics
    signals: np.ndarray
    start: State
    begin: Pose | None = None
    task: int = 0

    @property
    def targets(self) -> Targets:
        """Return as many unknown targets as signals: nothing is held."""
        return Targets.unknown(self.robot.effector.at(self.start.q), len(self.signals))

    @cached_property
    def packed(self) -> np.ndarray:
        """Return poses that are not read."""
        return np.zeros((len(self.signals), POSE))

    def careful(self, k: int, before: Pose | None) -> tuple[Pose, bool]:
        """Find a pose as `Kinetostatics.forward` does, with the way between the motors cut if it jumps."""
        if before is None:
            return self.robot.resting(self.start, self.signals[k].copy()), False
        return self._advance(before, self.signals[k], CUTS)

    def _advance(self, before: Pose, u: np.ndarray, cuts: int) -> tuple[Pose, bool]:
        pose = self.robot.resting(before.state, u.copy())
        if on_one_branch(self.robot, before, pose, driven=True):
            return pose, False
        if not cuts:
            return pose, not around_corner(self.robot, before, pose, driven=True)
        middle, left = self._advance(before, 0.5 * (before.signals + u), cuts - 1)
        pose, again = self._advance(middle, u, cuts - 1)
        return pose, left or again
