"""Joints: one file each, with its docstring and the directions it locks in the plane and in space."""

from pliant.joints.cylindrical import Cylindrical
from pliant.joints.distance import Distance
from pliant.joints.motion import Motion
from pliant.joints.perpendicular import Perpendicular
from pliant.joints.planar import Planar
from pliant.joints.prismatic import Prismatic
from pliant.joints.revolute import Revolute
from pliant.joints.slider import Slider
from pliant.joints.spherical import Spherical
from pliant.joints.support import Support
from pliant.joints.universal import Universal
from pliant.joints.weld import Weld
from pliant.model.parts import Joint

__all__ = [
    *("Joint", "Revolute", "Prismatic", "Slider", "Weld", "Distance", "Motion"),
    *("Spherical", "Universal", "Cylindrical", "Planar", "Perpendicular", "Support"),
]
