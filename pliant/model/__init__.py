"""Model description: bodies, markers, sections, damping, signals, and the model that holds them."""

from pliant.model.bodies.outlines import Box, Cylinder, Hull, Mesh, Outline, Polygon, Sphere
from pliant.model.bodies.rigid import Beam, Body, Carrier, Ground, Link, PointMass, RigidBody
from pliant.model.damping import Damping, Rayleigh
from pliant.model.markers import Marker
from pliant.model.model import Model
from pliant.model.parameters import Parameter
from pliant.model.parts import Between, Joint, Load, Part
from pliant.model.rotations import rotation
from pliant.model.scales import Scales, axial_velocity, flexural_velocity
from pliant.model.sections.laws import FibreLaw
from pliant.model.sections.materials import ALUMINIUM, STEEL, TITANIUM, Hyperelastic, Material
from pliant.model.sections.profiles import Circle, LinearStiffness, Rectangle, SectionFunction, Tube
from pliant.model.sections.sections import Profile, Section
from pliant.model.signals.base import (
    Constant,
    Expression,
    Function,
    Ramp,
    Rescaled,
    Signal,
    SignalLike,
    Sine,
    Table,
    as_signal,
)
from pliant.model.signals.limited import Limited
from pliant.model.signals.noise import WhiteNoise
from pliant.model.signals.shaping import Shaped
from pliant.model.spin import Spin

__all__ = [
    *("Model", "Part", "Between", "Joint", "Load", "Marker", "Parameter"),
    *("Outline", "Polygon", "Box", "Cylinder", "Sphere", "Hull", "Mesh"),
    *("Carrier", "Ground", "RigidBody", "Link", "Body", "PointMass", "Beam"),
    *("Material", "Hyperelastic", "FibreLaw", "STEEL", "ALUMINIUM", "TITANIUM", "Damping", "Rayleigh"),
    *("Profile", "Section", "Circle", "Rectangle", "Tube", "LinearStiffness", "SectionFunction"),
    *(
        "Signal",
        "SignalLike",
        "Constant",
        "Sine",
        "Ramp",
        "Table",
        "Expression",
        "Function",
        "Limited",
        "WhiteNoise",
        "Shaped",
    ),
    *("Rescaled", "as_signal", "rotation", "Spin", "Scales", "axial_velocity", "flexural_velocity"),
]
