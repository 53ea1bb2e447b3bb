"""Small models that several examples of the documentation begin with."""

from __future__ import annotations

import pliant as pl


def driven_pendulum() -> pl.Model:
    """Make a link "arm" that hangs from the origin, with a motor there.

    >>> driven_pendulum()
    <Model "pendulum": 1 rigid body, 0 beams, 1 joint, 2 forces>
    """
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-90 * pl.DEG))
    motor = pl.Motor("motor", ground.at(0, 0), arm.at(s=0), torque=0.0)
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), motor, pl.Gravity())
    return m


def lever(angle: float) -> pl.Model:
    """Make a bar that a spring pushes to the left or to the right, from an angle (rad).

    >>> lever(0.5)
    <Model "lever": 1 rigid body, 0 beams, 1 joint, 1 force>
    """
    m = pl.Model("lever")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0, angle=angle))
    spring = pl.Spring("spring", ground.at(0, 1.5), bar.at(s=1), stiffness=50.0, rest_length=1.2, damping=5.0)
    m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)), spring)
    return m


def two_links() -> pl.Model:
    """Make links "upper" and "lower" of 1 m, turned by drives "shoulder" and "elbow".

    >>> two_links()
    <Model "arm": 2 rigid bodies, 0 beams, 4 joints, 0 forces>
    """
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    upper, lower = m.add(*(pl.Link(name, length=1.0, mass=1.0) for name in ("upper", "lower")))
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=0)))
    m.add(pl.Motion(ground.at(0, 0), upper.at(s=0), angle=0.5, name="shoulder"))
    m.add(pl.Motion(upper.at(s=1), lower.at(s=0), angle=0.5, name="elbow"))
    return m


def column() -> pl.Model:
    """Make a clamped strip of steel, "beam", pressed along itself by a force "load".

    >>> column()
    <Model "column": 0 rigid bodies, 1 beam, 1 joint, 1 force>
    """
    m = pl.Model("column")
    strip = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-1.0, name="load"))
    return m
