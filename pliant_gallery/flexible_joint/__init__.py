"""An arm behind an elastic gear: a motor turns a rotor, a torsion spring the link (M. W. Spong 1987)."""

from __future__ import annotations

import pliant as pl

ROTOR, STIFFNESS, DAMPING = 0.02, 40.0, 0.05  # kg m^2, N m/rad, N m s/rad
MASS, LENGTH, GRAVITY = 1.0, 0.5, 9.81


def model() -> pl.Model:
    """Make the hanging link; pins "shaft" and "joint", input "motor/torque".

    >>> model()
    <Model "flexible joint": 2 rigid bodies, 0 beams, 2 joints, 3 forces>
    """
    m = pl.Model("flexible joint")
    down = -90 * pl.DEG
    ground, rotor, link = m.add(
        pl.Ground(),
        pl.Body("rotor", mass=0.5, inertia=ROTOR, angle=down),
        pl.Link("link", length=LENGTH, mass=MASS, angle=down),
    )
    base = ground.at(0, 0)
    m.add(pl.Revolute(base, rotor.at(0, 0), name="shaft"), pl.Revolute(base, link.at(s=0), name="joint"))
    m.add(pl.TorsionSpring("gear", rotor.at(0, 0), link.at(s=0), STIFFNESS, damping=DAMPING))
    m.add(pl.Motor("motor", base, rotor.at(0, 0), 0.0), pl.Gravity(y=-GRAVITY))
    return m
