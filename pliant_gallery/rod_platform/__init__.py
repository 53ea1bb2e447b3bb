"""Upright rods clamped to the ground carry a platform: the six-leg robot without its joints, and any number of legs.

Weightless and at rest until a force pushes the platform to and fro. It sways like a storey of a building: rods of
length L with clamped ends have the stiffness ``12 EI / L^3`` each, as long as the sway is small.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, pi, sin

import numpy as np

import pliant as pl

STEEL = pl.Material("steel", youngs_modulus=2.1e11, poisson_ratio=0.3, density=7850.0)
UPRIGHT = ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
"""Axes (columns) of a rod: x up, y as that of the ground."""


@dataclass(frozen=True)
class Stand:
    """Lengths in m, mass in kg, inertia in kg m^2."""

    length: float = 0.5
    radius: float = 0.15  # of the circle of the rods' feet
    platform_mass: float = 1.0
    platform_inertia: tuple[float, float, float] = (0.005, 0.005, 0.01)
    section: pl.Section = field(default_factory=lambda: pl.Section.circle(2e-3, STEEL, shear_factor=0.9))

    def foot(self, leg: int, legs: int) -> tuple[float, float, float]:
        """Return the foot of a rod."""
        angle = 2.0 * pi * leg / legs
        return self.radius * cos(angle), self.radius * sin(angle), 0.0

    def sway_stiffness(self, legs: int) -> float:
        """Return the stiffness (N/m) of rods without shear and axial force."""
        return legs * 12.0 * self.section.bending_stiffness / self.length**3


STAND = Stand()
PUSH = pl.Sine(30.0, frequency_hz=2.0)
"""N; it makes six rods sway by 29 mm, a seventeenth of their length."""


def model(stand: Stand = STAND, *, legs: int = 6, push: pl.Sine | float = PUSH) -> pl.Model:
    """Make rods and platform, pushed along x with this force for every six legs.

    >>> model()
    <Model "six-leg stand": 1 rigid body, 6 beams, 12 joints, 1 force>
    """
    m = pl.Model("six-leg stand" if legs == 6 else f"stand with {legs} legs", plane=None)
    ground = m.add(pl.Ground())
    height = np.array([0.0, 0.0, stand.length])
    platform = m.add(
        pl.Body(
            "platform",
            mass=stand.platform_mass,
            inertia=stand.platform_inertia,
            position=tuple(height),
            orientation=(0, 0, 0),
        )
    )
    for leg in range(legs):
        foot = stand.foot(leg, legs)
        rod = m.add(
            pl.Beam(f"rod {leg + 1}", length=stand.length, section=stand.section, position=foot, orientation=UPRIGHT)
        )
        m.add(
            pl.Weld(ground.at(*foot, orientation=UPRIGHT), rod.at(s=0), name=f"foot {leg + 1}"),
            pl.Weld(rod.at(s=1), platform.at(*foot, orientation=UPRIGHT), name=f"top {leg + 1}"),
        )
    m.add(pl.Force(platform.at(), x=push, y=0.0, z=0.0, name="push"))
    return m
