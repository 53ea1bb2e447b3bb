"""Parallel robots as data: legs, joints, platform, anchors; `Robot.model()` makes a Model."""

from __future__ import annotations

from pliant_gallery.robots.arrangements import paired, planar
from pliant_gallery.robots.clearance import clearance
from pliant_gallery.robots.concentric_tubes import ConcentricTubes, CurvedTube
from pliant_gallery.robots.drives import GearedDrive
from pliant_gallery.robots.legs import LeafLeg, LegKind, RodLeg
from pliant_gallery.robots.pose_margins import PoseMargins, pose_margins
from pliant_gallery.robots.pretension import Pretension, alone, pretension, straightened
from pliant_gallery.robots.robot import Base, Leg, Platform, Robot
from pliant_gallery.robots.standing import Standing, loosen, stand
from pliant_gallery.robots.stewart_continuum import ContinuumStewart
from pliant_gallery.robots.tendon_arm import TendonArm, TendonSegment

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
