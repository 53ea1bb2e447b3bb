"""Deployable boom: a rod that is fed out of its hub with an instrument on its tip."""

from __future__ import annotations

import pliant as pl
from pliant.model.signals.base import SignalLike

TUBE = pl.Section.tube(5e-3, 4.6e-3, pl.ALUMINIUM)
STOWED, STOCK = 0.3, 1.5  # m: outside and inside of the hub, as assembled
INSTRUMENT = 0.02  # kg


def model(*, feed: SignalLike = 0.0) -> pl.Model:
    """Make the boom: its hub is fixed at the origin; "motor/x" (m) is the length fed out along x."""
    m = pl.Model("deployable boom")
    ground, boom = m.add(pl.Ground(), pl.Beam("boom", length=STOWED, section=TUBE))
    carriage = m.add(pl.Body("carriage", mass=0.1, inertia=1e-4, position=(0.0, 0.0)))
    hub = ground.at(0, 0)
    m.add(pl.Weld(hub, boom.at(s=0), angle=0.0), pl.Prismatic(hub, carriage.at(), name="slide"))
    m.add(pl.Motion(hub, carriage.at(), x=feed, name="motor"))
    m.add(pl.Feed("feed", boom, guide=hub, carriage=carriage.at(), stock=STOCK))
    m.add(pl.PointMass("instrument", boom.at(s=1), mass=INSTRUMENT), pl.Force(boom.at(s=1), name="push"))
    return m
