"""Joints: one file each, a mask of what is locked and a docstring."""

from pliant.joints.distance import Distance
from pliant.joints.motion import Motion
from pliant.joints.prismatic import Prismatic
from pliant.joints.revolute import Revolute
from pliant.joints.slider import Slider
from pliant.joints.weld import Weld
from pliant.model.parts import Joint

__all__ = ["Joint", "Revolute", "Prismatic", "Slider", "Weld", "Distance", "Motion"]
