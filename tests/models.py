"""Planar mechanisms of rigid links that several tests compute."""

from __future__ import annotations

from math import cos, inf, sin
from typing import Any

import pliant as pl


def tree() -> pl.Model:
    """Build links, a branch, an off-centre body, a spring, gravity and a follower force."""
    m = pl.Model("tree")
    ground = m.add(pl.Ground())
    links = [m.add(pl.Link(f"l{k}", length=0.3 + 0.1 * k, mass=0.5, angle=-0.4 * k, centre=0.4)) for k in range(3)]
    head = m.add(pl.Body("head", mass=0.2, inertia=0.01, position=(0.5, -0.2), angle=0.3))
    m.add(pl.Revolute(ground.at(0.1, 0.2), links[0].at(s=0)), pl.Revolute(links[0].at(s=1), links[1].at(s=0)))
    m.add(pl.Revolute(links[2].at(s=0), links[0].at(s=0.5), name="branch"))
    m.add(pl.Weld(links[1].at(s=1), head.at(0.05, 0.02), name="neck"), pl.Gravity())
    m.add(pl.TorsionSpring("flexure", links[0].at(s=1), links[1].at(s=0), 2.0, rest_angle=0.3, damping=0.05))
    m.add(pl.Force(head.at(0, 0.1), x=0.5, y=pl.Sine(1.0, 2.0), follower=True, name="jet"))
    m.add(pl.PointMass("load", links[2].at(s=1), mass=0.3, inertia=0.002))
    return m


def driven_slot() -> pl.Model:
    """Build a crank that is driven, with a rod on a slot of the crank."""
    m = pl.Model("driven")
    ground, crank, rod = m.add(
        pl.Ground(), pl.Link("crank", length=0.4, mass=0.5, angle=0.3), pl.Link("rod", length=0.7, mass=0.8, angle=-0.6)
    )
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Slider(crank.at(s=1, angle=0.4), rod.at(s=0)))
    m.add(pl.Motion(ground.at(0, 0), crank.at(s=0), angle=pl.Expression("0.3 + 0.5*sin(3*t)")))
    m.add(pl.Distance(ground.at(0.9, 0.1), rod.at(s=1)), pl.Gravity())
    return m


def parallel_cranks(length: float = 0.6) -> pl.Model:
    """Build three equal cranks under one bar of some length (m): a row too many, and still one freedom."""
    m = pl.Model("parallel")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=length, mass=1.0, angle=0.0))
    for k in range(3):
        crank = m.add(pl.Link(f"crank {k}", length=0.3, mass=0.2, angle=1.0))
        m.add(pl.Revolute(ground.at(length * k / 2, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), bar.at(s=k / 2)))
    m.add(pl.Gravity())
    return m


def parallelogram(angle: float = 1.0) -> pl.Model:
    """Build two equal cranks under a bar as long as the ground: at 0 and pi all pins are in line, it could cross."""
    m = pl.Model("parallelogram")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0, angle=0.0))
    for k in range(2):
        crank = m.add(pl.Link(f"crank {k}", length=0.3, mass=0.2, angle=angle))
        m.add(pl.Revolute(ground.at(k, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), bar.at(s=k)))
    m.add(pl.Gravity())
    return m


def slider_crank() -> pl.Model:
    """Build crank, rod and slider."""
    m = pl.Model("slider-crank")
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.1, mass=0.2, angle=0.7))
    rod = m.add(pl.Link("rod", length=0.3, mass=0.3, angle=-0.2))
    slider = m.add(pl.Body("slider", mass=0.5, inertia=1e-4, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=0)))
    m.add(pl.Revolute(rod.at(s=1), slider.at(0, 0)), pl.Prismatic(ground.at(0, 0), slider.at(0, 0)), pl.Gravity())
    return m


def light_coupler() -> pl.Model:
    """Build a four-bar whose coupler has no mass."""
    m = pl.Model("light coupler")
    ground, crank, rocker = m.add(
        pl.Ground(),
        pl.Link("crank", length=0.1, mass=0.2, angle=1.0),
        pl.Link("rocker", length=0.2, mass=0.3, angle=1.3),
    )
    coupler = m.add(pl.Body("coupler", mass=0.0, inertia=0.0, angle=0.2))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(ground.at(0.3, 0), rocker.at(s=0)), pl.Gravity())
    m.add(pl.Revolute(crank.at(s=1), coupler.at(0, 0), name="pin"), pl.Revolute(coupler.at(0.3, 0), rocker.at(s=1)))
    return m


def incline(space: bool, angle: float, **friction: Any) -> pl.Model:
    """Build a block of 2 kg on a rough guide that falls off along x."""
    m = pl.Model("incline", plane=None if space else "xy")
    ground = m.add(pl.Ground())
    if space:
        block = m.add(pl.Body("block", mass=2.0, inertia=(0.1, 0.2, 0.3)))
        axis = (cos(angle), 0.0, -sin(angle))
        guide = m.add(pl.Prismatic(ground.at(0, 0, 0), block.at(), axis=axis, name="guide"))
        m.add(pl.Gravity(x=0.0, y=0.0, z=-9.81))
    else:
        block = m.add(pl.Body("block", mass=2.0, inertia=0.1, angle=-angle))
        guide = m.add(pl.Prismatic(ground.at(0, 0, angle=-angle), block.at(), name="guide"))
        m.add(pl.Gravity())
    m.add(pl.Friction(guide, length=inf, **friction))
    return m
