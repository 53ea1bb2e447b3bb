"""Planar four-bar that moves under its weight, with a rigid or a flexible coupler (thesis, chapter 2).

Geometry and masses: table 2.2. The linkage is non-Grashof: no bar turns all the way round.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import pliant as pl
from pliant.errors import OptionError

CRANK_BASE = (0.150, 0.0)
ROCKER_BASE = (0.0, 0.400)
LENGTHS = (0.12, 0.50, 0.19)
START = 0.0, 0.4899
"""Angles of crank and rocker at the start (rad); the rocker's is rounded in the source and serves as a guess."""

TITANIUM = pl.Material("titanium of the leaf", youngs_modulus=120e9, poisson_ratio=0.35, density=4502.0)
THICKNESS = 0.0012
LEAF = pl.Section.rectangle(0.077, THICKNESS, TITANIUM)
"""Strip 77 mm wide and 1.2 mm thick: the leaf of the leg (thesis, table 5.2)."""


def model(
    *,
    coupler: str = "rigid",
    damping: float = 0.0,
    thickness: float = THICKNESS,
    mass: float = 1.0,
    gravity: float = 9.81,
) -> pl.Model:
    """Make the four-bar at q1 = 0.

    coupler    "rigid", or "flexible": a titanium leaf of the same length, 77 mm x 1.2 mm (0.20 kg instead of 1 kg)
    damping    ratio of the leaf's first bending mode, 0.01 for one percent; the swing of the whole is not damped
    thickness  of the leaf (m)
    mass       of each rigid bar (kg)
    gravity    m/s^2, along -y

    >>> model()
    <Model "four-bar": 3 rigid bodies, 0 beams, 4 joints, 1 force>
    """
    if coupler not in ("rigid", "flexible"):
        raise OptionError(f"coupler={coupler!r}: choose 'rigid' or 'flexible'.")
    m = pl.Model("four-bar" if coupler == "rigid" else "flexible four-bar", plane="xy")
    ground = m.add(pl.Ground())
    first, second, third = LENGTHS
    closing = _direction(_tip(CRANK_BASE, first, START[0]), _tip(ROCKER_BASE, third, START[1]))
    crank = m.add(pl.Link("crank", length=first, mass=mass, angle=START[0]))
    rocker = m.add(pl.Link("rocker", length=third, mass=mass, angle=START[1]))
    bar: pl.Link | pl.Beam
    if coupler == "rigid":
        bar = m.add(pl.Link("coupler", length=second, mass=mass, angle=closing))
    else:
        leaf = pl.Section.rectangle(0.077, thickness, TITANIUM)
        first_mode = (
            pi**2 * sqrt(leaf.bending_stiffness / leaf.mass_per_length) / second**2
        )  # rad/s, pinned at both ends
        rayleigh = pl.Rayleigh(stiffness=2.0 * damping / first_mode) if damping else None
        bar = m.add(pl.Beam("coupler", length=second, section=leaf, angle=closing, damping=rayleigh))
    m.add(
        pl.Revolute(ground.at(*CRANK_BASE), crank.at(s=0)),
        pl.Revolute(crank.at(s=1), bar.at(s=0)),
        pl.Revolute(bar.at(s=1), rocker.at(s=1)),
        pl.Revolute(ground.at(*ROCKER_BASE), rocker.at(s=0)),
        pl.Gravity(y=-gravity),
    )
    return m


def _tip(base: tuple[float, float], length: float, angle: float) -> tuple[float, float]:
    return base[0] + length * cos(angle), base[1] + length * sin(angle)


def _direction(start: tuple[float, float], end: tuple[float, float]) -> float:
    return atan2(end[1] - start[1], end[0] - start[0])
