"""Kinetostatics of robots: motor angles for poses and poses for motor angles, stiffness, workspace, trajectories."""

from pliant.analyses.kinetostatics.pose import Pose
from pliant.analyses.kinetostatics.robot import Kinetostatics
from pliant.analyses.kinetostatics.room import Room
from pliant.analyses.kinetostatics.stepper import PoseStepper

__all__ = ["Kinetostatics", "Pose", "PoseStepper", "Room"]
