"""Furuta's pendulum: a pole on a hinge at the end of an arm that a motor turns about the vertical (K. Furuta 1992)."""

from __future__ import annotations

import pliant as pl

REACH, ARM_INERTIA = 0.2, 2e-3  # of the arm: m, kg m^2 about the vertical
MASS, LENGTH, AXIAL = 0.1, 0.3, 1e-5  # of the pole: kg, m, kg m^2 about itself
GRAVITY = 9.81


def model(*, upright: bool = False) -> pl.Model:
    """Make the pendulum, hanging or upright; pins "base" and "hinge", input "motor/torque".

    >>> model()
    <Model "furuta": 2 rigid bodies, 0 beams, 2 joints, 2 forces>
    """
    m = pl.Model("furuta", plane=None)
    half, across = (-0.5 if upright else 0.5) * LENGTH, MASS * LENGTH**2 / 12.0
    ground, arm, pole = m.add(
        pl.Ground(),
        pl.Body("arm", mass=0.1, inertia=(1e-4, ARM_INERTIA, ARM_INERTIA)),
        pl.Body("pole", mass=MASS, inertia=(across, across, AXIAL), position=(REACH, 0.0, -half)),
    )
    m.add(pl.Revolute(ground.at(0, 0, 0), arm.at(0, 0, 0), axis="z", name="base"))
    m.add(pl.Revolute(arm.at(REACH, 0, 0), pole.at(0, 0, half), axis="x", name="hinge"))
    m.add(pl.Motor("motor", ground.at(0, 0, 0), arm.at(0, 0, 0), 0.0, axis="z"), pl.Gravity(z=-GRAVITY))
    return m
