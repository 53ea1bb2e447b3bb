"""Cable-driven finger: three phalanges on elastic hinges, closed by one tendon."""

from __future__ import annotations

import pliant as pl
from pliant.model.signals.base import SignalLike

PHALANGES = {"proximal": 0.045, "middle": 0.03, "distal": 0.025}  # m
HINGES = 0.05, 0.03, 0.02  # N m/rad
ASIDE = 8e-3  # m: from the middle of the phalanges to the tendon's guides


def model(*, tension: SignalLike = 0.0) -> pl.Model:
    """Make the finger on its palm, the ground; the tendon runs below the finger and bends it downwards."""
    m = pl.Model("cable-driven finger")
    before = m.add(pl.Ground()).at(0.0, 0.0)
    guides = [before.body.at(-0.01, -ASIDE)]
    for (name, length), stiffness in zip(PHALANGES.items(), HINGES, strict=True):
        bone = m.add(pl.Link(name, length=length, mass=200.0 * length * 2e-3, angle=0.0))
        m.add(pl.Revolute(before, bone.at(s=0), name=f"hinge of {name}"))
        m.add(pl.TorsionSpring(f"flexure of {name}", before, bone.at(s=0), stiffness=stiffness))
        guides += [bone.at(s=0.3, y=-ASIDE), bone.at(s=0.7, y=-ASIDE)]
        before = bone.at(s=1)
    m.add(pl.Tendon("tendon", guides[-1], guides[0], guides=tuple(guides[-2:0:-1]), tension=tension))
    return m
