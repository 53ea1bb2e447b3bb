"""Walking linkage: a crank drives a foot along a nearly straight step, by a coupler that bends (P.L. Chebyshev)."""

from __future__ import annotations

import numpy as np

import pliant as pl
from pliant.model.signals.base import SignalLike

CRANK = 0.04  # m; ground 2, rocker 2.5, coupler 5 of it, pinned at its middle
COUPLER = pl.Section.rectangle(10e-3, 3e-3, pl.ALUMINIUM)


def foot(angle: float) -> np.ndarray:
    """Return the foot's place in a rigid linkage (m), the crank at an angle."""
    pin, pivot = CRANK * np.array([np.cos(angle), np.sin(angle)]), np.array([2.0 * CRANK, 0.0])
    way = pivot - pin
    half, span = 0.5 * float(np.hypot(*way)), 2.5 * CRANK
    rise = np.sqrt(span**2 - half**2) / (2.0 * half) * np.array([way[1], -way[0]])
    return np.asarray(pin + 2.0 * (0.5 * way + rise))


def model(*, angle: SignalLike = 0.0, load: tuple[float, float] = (0.0, 0.0)) -> pl.Model:
    """Make the linkage, its crank at the origin driven ("motor/angle"); a load (N) acts on the foot, below."""
    m = pl.Model("walking linkage")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=CRANK, mass=0.02, angle=0.0))
    pin, end = np.array([CRANK, 0.0]), foot(0.0)
    lean = float(np.arctan2(*(end - pin)[::-1]))
    coupler = m.add(pl.Beam("coupler", length=5.0 * CRANK, section=COUPLER, angle=lean, position=tuple(pin)))
    middle, pivot = 0.5 * (pin + end), np.array([2.0 * CRANK, 0.0])
    way = middle - pivot
    rocker = m.add(pl.Link("rocker", length=2.5 * CRANK, mass=0.04, angle=float(np.arctan2(way[1], way[0]))))
    m.add(
        pl.Revolute(ground.at(0, 0), crank.at(s=0), name="hip"),
        pl.Motion(ground.at(0, 0), crank.at(s=0), angle=angle, name="motor"),
        pl.Revolute(crank.at(s=1), coupler.at(s=0), name="crank pin"),
        pl.Revolute(ground.at(*pivot), rocker.at(s=0), name="pivot"),
        pl.Revolute(rocker.at(s=1), coupler.at(s=0.5), name="knee"),
        pl.Force(coupler.at(s=1), x=load[0], y=load[1], name="load"),
    )
    return m
