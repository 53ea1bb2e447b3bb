"""Cantilever beam: clamped at its left end, a force at its tip, with or without weight (thesis, chapter 3)."""

from __future__ import annotations

from pliant.forces import Force, Gravity
from pliant.joints import Weld
from pliant.model import Beam, Ground, Material, Model, Section
from pliant.model.damping import Damping
from pliant.model.signals.base import SignalLike

__all__ = ["ALLOY", "TEST_STEEL", "model"]

ALLOY = Material("alloy", youngs_modulus=70e9, poisson_ratio=0.33, density=2600.0)
"""Thesis, table 3.3."""
TEST_STEEL = Material("test steel", youngs_modulus=480e9, poisson_ratio=1e-6, density=7700.0)
"""Thesis, section 3.8."""


def model(
    *,
    length: float = 0.15,
    width: float = 2.5e-3,
    height: float = 5e-3,
    material: Material = ALLOY,
    shear_factor: float | str = 5 / 6,
    tip_force: SignalLike = -5.0,
    gravity: bool = False,
    damping: Damping | None = None,
) -> Model:
    """Make the beam of table 3.3 by default; ``tip_force`` (N) acts along y, ``height`` lies in the plane.

    >>> model(gravity=True)
    <Model "cantilever": 0 rigid bodies, 1 beam, 1 joint, 2 forces>
    """
    m = Model("cantilever")
    ground = m.add(Ground())
    section = Section.rectangle(width, height, material, shear_factor=shear_factor)
    beam = m.add(Beam("beam", length=length, section=section, damping=damping))
    m.add(Weld(ground.at(0, 0), beam.at(s=0)), Force(beam.at(s=1), y=tip_force))
    if gravity:
        m.add(Gravity())
    return m
