"""Clamped rods with channels, and the silicone arm whose poses others have measured."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import numpy as np

import pliant as pl

LENGTH, AXIAL, SHEAR, BENDING, TORSION = 0.3, 2e4, 8e3, 0.02, 0.015
"""Of the rods (SI)."""


def rod(
    channels: Sequence[tuple[Any, Any]],
    *,
    force: Sequence[float] = (),
    plane: str | None = None,
    mass: float = 0.05,
    **rubbing: Any,
) -> pl.Model:
    """Build a rod clamped along x with channels (offset, tension) that may rub, perhaps a tip force; mass in kg/m."""
    model = pl.Model("tendon-driven rod", plane=plane)
    ground = model.add(pl.Ground())
    section = pl.Section(
        axial_stiffness=AXIAL,
        shear_stiffness=SHEAR,
        bending_stiffness=BENDING,
        mass_per_length=mass,
        bending_stiffness_y=BENDING,
        torsional_stiffness=TORSION,
        shear_stiffness_z=SHEAR,
    )
    arm = model.add(pl.Beam("arm", length=LENGTH, section=section))
    model.add(pl.Weld(ground.at(0, 0), arm.at(s=0)))
    for k, (offset, tension) in enumerate(channels, 1):
        model.add(pl.ChannelTendon(f"tendon {k}", arm, offset=offset, tension=tension, **rubbing))
    if force:
        x, y, z = force
        model.add(pl.Force(arm.at(s=1), x=x, y=y, z=z))
    return model


MEASURED = Path(__file__).with_name("soft_arm_one_tendon.csv")
"""Tensions (N) and places of four markers (m) in 14 poses: SoRoMoX, TU Delft, 2026; the data are its authors'."""
AUTHORS = (0.0113, 0.0184, 0.0192, 0.0356)
"""RMS distances (m) of the authors' own model to the markers, after their fit."""
TENDONS = (30.0, 150.0)
MARKERS = ((0.1291, 0.025), (0.2195, -0.021), (0.2800, 0.020))


def measured() -> tuple[np.ndarray, np.ndarray]:
    """Return (14, 2) tensions and (14, 4, 3) places of the markers."""
    table = np.loadtxt(MEASURED, delimiter=",", skiprows=1)
    return table[:, :2], table[:, 2:].reshape(-1, 4, 3)


DENSITY = 1317.66  # kg/m^3, as the authors fitted it
LINEAR = pl.Material("silicone", youngs_modulus=315_094.0, poisson_ratio=0.45, density=DENSITY)
"""As the authors fitted it to their own model."""
NEO_HOOKEAN = pl.Hyperelastic("silicone", youngs_modulus=254.3e3, density=DENSITY)
"""One number fitted to all poses, markers 2 to 4."""


def soft_arm(silicone: pl.Material = LINEAR) -> pl.Model:
    """Build the arm, hanging down; x of its sections points to -z, z to +x."""
    down = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    model = pl.Model("soft arm", plane=None)
    ground = model.add(pl.Ground())
    one = model.add(pl.Beam("link 1", length=0.305, section=pl.Circle(radius=(15.41e-3, 6.42e-3), material=silicone)))
    two = model.add(pl.Beam("link 2", length=0.055, section=pl.Circle(radius=(6.42e-3, 4.80e-3), material=silicone)))
    model.add(pl.Weld(ground.at(0, 0, 0, orientation=down), one.at(s=0)), pl.Weld(one.at(s=1), two.at(s=0)))
    model.add(pl.Gravity(y=0.0, z=-9.81))
    for k, angle in enumerate(TENDONS, 1):
        y, z = cos(radians(angle)), sin(radians(angle))
        offset = tuple((r * y, r * z) for r in (0.0114, 0.0114 - 0.0295 * 0.305))
        model.add(pl.ChannelTendon(f"tendon {k}", one, offset=offset, tension=0.0))
    for k, (s, aside) in enumerate(MARKERS, 1):
        model.add(one.at(s=s / 0.305, z=aside, name=f"p{k}"))
    model.add(two.at(s=1, x=0.008, name="p4"))
    return model
