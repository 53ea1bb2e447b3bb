"""Kinetostatics of robots: motor angles for poses and poses for motor angles, stiffness, workspace, trajectories."""

from pliant.analyses.poses.free_range import Room
from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.robot import Kinetostatics
from pliant.analyses.poses.stepper import PoseStepper

__all__ = ["Kinetostatics", "Pose", "PoseStepper", "Room"]
