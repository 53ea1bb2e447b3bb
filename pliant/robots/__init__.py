"""Parallel robots as data: legs, joints, platform, anchors; `Robot.model()` makes a Model of them."""

from __future__ import annotations

from pliant.robots.arrangements import paired, planar
from pliant.robots.clearance import clearance
from pliant.robots.concentric_tubes import ConcentricTubes, CurvedTube
from pliant.robots.drives import GearedDrive
from pliant.robots.legs import LeafLeg, LegKind, RodLeg
from pliant.robots.pose_margins import PoseMargins, pose_margins
from pliant.robots.pretension import Pretension, alone, pretension, straightened
from pliant.robots.robot import Base, Leg, Platform, Robot
from pliant.robots.standing import Standing, loosen, stand
from pliant.robots.stewart_continuum import ContinuumStewart
from pliant.robots.tendon_arm import TendonArm, TendonSegment

__all__ = [
    *(
        "Base",
        "ConcentricTubes",
        "ContinuumStewart",
        "CurvedTube",
        "GearedDrive",
        "LeafLeg",
        "Leg",
        "LegKind",
        "Platform",
        "PoseMargins",
        "Pretension",
        "Robot",
        "RodLeg",
        "Standing",
        "TendonArm",
        "TendonSegment",
    ),
    *("alone", "clearance", "loosen", "paired", "planar", "pose_margins", "pretension", "stand", "straightened"),
]
