"""A rod that is fed through a sleeve, loaded at its tip (D. Bigoni et al., Mech. Mater. 80, 2015)."""

from __future__ import annotations

from typing import Any

import pliant as pl
from pliant.model.signals.base import SignalLike

STIFF = 1e8  # N: a rod that hardly stretches and shears
SECTION = pl.Section(
    axial_stiffness=STIFF,
    shear_stiffness=STIFF,
    bending_stiffness=1.0,
    mass_per_length=0.1,
    bending_stiffness_y=1.0,
    torsional_stiffness=0.8,
    shear_stiffness_z=STIFF,
)


def model(
    *,
    length: float = 1.0,
    stock: float = 1.0,
    feed: SignalLike | None = 0.0,
    load: tuple[float, ...] = (0.0, 0.5),
    carriage_mass: float = 0.2,
    section: pl.Section = SECTION,
) -> pl.Model:
    """Make a sleeve at the origin along x; the carriage is driven ("motor/x", m), or free if ``feed`` is None.

    length, stock  of the rod before and behind the sleeve as assembled (m)
    load           on the tip (N): two numbers in the plane, three in space
    """
    spatial = len(load) == 3
    m = pl.Model("fed rod", plane=None if spatial else "xy")
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=length, section=section))
    inertia = (1e-3, 1e-3, 1e-3) if spatial else 1e-3
    carriage = m.add(pl.Body("carriage", mass=carriage_mass, inertia=inertia, position=(0.0,) * len(load)))
    sleeve = ground.at(*(0.0,) * len(load))
    m.add(pl.Weld(sleeve, rod.at(s=0), angle=0.0), pl.Prismatic(sleeve, carriage.at(), name="slide"))
    if feed is not None:
        m.add(pl.Motion(sleeve, carriage.at(), x=feed, name="motor"))
    m.add(pl.Feed("feed", rod, guide=sleeve, carriage=carriage.at(), stock=stock))
    push: dict[str, Any] = dict(zip("xyz", load, strict=False))
    m.add(pl.Force(rod.at(s=1), name="load", **push))
    return m
