"""Margins of a robot's pose: motors, strain, tendons, clearance, stability."""

from __future__ import annotations

from typing import NamedTuple

from pliant.analyses.poses import Kinetostatics, Pose
from pliant_gallery.robots.clearance import clearance
from pliant_gallery.robots.robot import Robot


class PoseMargins(NamedTuple):
    """Margins at a pose; none may be negative, no tendon slack, no leaves in touch.

    motor      to the nearest limit of a motor (rad); infinite without limits
    strain     remaining share of the strain limit; 1 without a limit
    tension    smallest tension of the tendons (N)
    clearance  smallest distance of two leaves (m)
    stable     whether the platform stays there with the motors held; None if unknown
    """

    motor: float
    strain: float
    tension: float
    clearance: float
    stable: bool | None

    @property
    def usable(self) -> bool:
        """Return whether the robot may work there."""
        return bool(self.stable) and min(self.motor, self.strain) >= 0.0 and min(self.tension, self.clearance) > 0.0


def pose_margins(robot: Robot, kinetostatics: Kinetostatics, pose: Pose) -> PoseMargins:
    """Return margins at a pose that `Kinetostatics` found for a robot with leaves in space."""
    seen = kinetostatics.result(pose)
    limit = kinetostatics.strain_limit
    return PoseMargins(
        motor=float(pose.limit_margin),
        strain=1.0 if limit is None else 1.0 - float(pose.strain) / limit,
        tension=float(seen.tension.min()),
        clearance=float(clearance(robot, seen).min()),
        stable=pose.stable,
    )
