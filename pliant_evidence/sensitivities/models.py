"""Mechanisms with parameters whose derivatives are known, and any model with a parameter in the place of a number."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

import pliant as pl
from pliant.model.copies import copy_part, marker_on


def cantilever(plane: str | None, *, load: float = -1e-3, density: bool = False) -> pl.Model:
    """Build a steel strip with a force at its tip: h, L, E, F; and rho, if its density is a parameter too."""
    h, length = pl.Parameter("h", 2e-3, unit="m"), pl.Parameter("L", 0.5, unit="m")
    modulus, force = pl.Parameter("E", 210e9, unit="Pa"), pl.Parameter("F", load, unit="N")
    m = pl.Model("cantilever", plane=plane)
    rho = pl.Parameter("rho", 7850.0, unit="kg/m^3") if density else 7850.0
    metal = pl.Material("metal", youngs_modulus=modulus, density=rho)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=pl.Section.rectangle(0.02, h, metal)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"), pl.Force(beam.at(s=1), y=force))
    return m


def pendulum(plane: str | None) -> pl.Model:
    """Build a point on a string: L, g."""
    length, g = pl.Parameter("L", 2.0, unit="m"), pl.Parameter("g", 9.81, unit="m/s^2")
    m = pl.Model("pendulum", plane=plane)
    below = (0.0, -length) if plane else (0.0, 0.0, -length)
    bob = m.add(pl.Body("bob", mass=1.0, inertia=0.0, position=below))
    ground = m.add(pl.Ground())
    if plane:
        m.add(pl.Revolute(ground.at(0, 0), bob.at(0, length), name="pin"), pl.Gravity(y=-g))
    else:
        m.add(pl.Universal(ground.at(0, 0, 0), bob.at(0, 0, length), name="pin"), pl.Gravity(z=-g))
    return m


def oscillator() -> pl.Model:
    """Build a slide on a spring and a damper: m, k, c."""
    mass, k, c = pl.Parameter("m", 2.0), pl.Parameter("k", 50.0), pl.Parameter("c", 3.0)
    m = pl.Model("oscillator")
    ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=mass, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), slide.at()), pl.Spring("s", ground.at(0, 0), slide.at(), k, 1.0, damping=c))
    return m


def slider_crank() -> pl.Model:
    """Build a crank held at an angle, a rod and a slide: r, l, angle."""
    r, length, angle = pl.Parameter("r", 0.1), pl.Parameter("l", 0.3), pl.Parameter("angle", 0.7)
    m = pl.Model("slider-crank")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=r, mass=0.2, angle=0.7))
    rod, slide = m.add(pl.Link("rod", length=length, mass=0.3, angle=-0.2), pl.Body("slide", mass=0.5, inertia=1e-4))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Motion(ground.at(0, 0), crank.at(s=0), angle=angle))
    m.add(pl.Revolute(crank.at(s=1), rod.at(s=0)), pl.Revolute(rod.at(s=1), slide.at()))
    m.add(pl.Prismatic(ground.at(0, 0), slide.at()), pl.Gravity())
    return m


def column() -> pl.Model:
    """Build a clamped strip under a force along it, which a shift of its point bends: E, L, shift."""
    modulus, length = pl.Parameter("E", 210e9), pl.Parameter("L", 0.5)
    m = pl.Model("column")
    strip = pl.Section.rectangle(0.02, 2e-3, pl.Material("metal", youngs_modulus=modulus, density=7850.0))
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=strip))
    point = beam.at(s=1, y=pl.Parameter("shift", 0.0, scale=0.01))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(point, x=-1.0, name="load"))
    return m


def truss() -> pl.Model:
    """Build two springs that a force pushes through: k, a, H (half the span, height)."""
    k, a, height = pl.Parameter("k", 1000.0), pl.Parameter("a", 1.0), pl.Parameter("H", 0.2)
    m, rest, up = pl.Model("truss"), np.sqrt(a**2 + height**2), np.pi / 2.0
    ground, top = m.add(pl.Ground(), pl.Body("top", mass=1.0, inertia=1.0, position=(0.0, 0.2), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0, angle=up), top.at(angle=up)), pl.Force(top.at(), y=-1.0, name="push"))
    for name, x in (("left", -a), ("right", a)):
        m.add(pl.Spring(name, ground.at(x, 0), top.at(), k, rest))
    return m


def chain() -> pl.Model:
    """Build two strips one after the other that swing: ten parameters."""
    m = pl.Model("chain")
    ground = m.add(pl.Ground())
    at = ground.at(0, 0)
    for name, joint in (("first", pl.Weld), ("second", pl.Revolute)):
        length, h = pl.Parameter(f"{name}_L", 0.3), pl.Parameter(f"{name}_h", 2e-3)
        modulus, rho = pl.Parameter(f"{name}_E", 70e9), pl.Parameter(f"{name}_rho", 2700.0)
        strip = pl.Section.rectangle(0.02, h, pl.Material(name, youngs_modulus=modulus, density=rho))
        beam = m.add(pl.Beam(name, length=length, section=strip, damping=pl.Rayleigh(0.1, 1e-5)))
        m.add(joint(at, beam.at(s=0)))
        at = beam.at(s=1)
    m.add(pl.Gravity(y=-pl.Parameter("g", 9.81)), pl.Force(at, y=pl.Parameter("F", -0.5)))
    return m


def ziegler(damping: float) -> pl.Model:
    """Build Ziegler's pendulum, as `pliant_gallery.buckling.double_pendulum`: k, l, and c if it is damped."""
    k, length = pl.Parameter("k", 1.0), pl.Parameter("l", 1.0)
    c = pl.Parameter("c", damping) if damping else 0.0
    m = pl.Model("double pendulum")
    ground, first = m.add(pl.Ground(), pl.Link("first", length=length, mass=2.0, inertia=0.0, centre=1.0, angle=0.0))
    second = m.add(pl.Link("second", length=length, mass=1.0, inertia=0.0, centre=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), first.at(s=0)), pl.Revolute(first.at(s=1), second.at(s=0)))
    m.add(pl.TorsionSpring("base", ground.at(0, 0), first.at(s=0), stiffness=k, damping=c))
    m.add(pl.TorsionSpring("knee", first.at(s=1), second.at(s=0), stiffness=k, damping=c))
    m.add(pl.Force(second.at(s=1), x=0.0, follower=True, name="load"))
    return m


def named(model: pl.Model, *places: str) -> pl.Model:
    """Build a model with parameters in the place of numbers: "leaf.length", "leaf.section.bending_stiffness"."""
    twin, known = pl.Model(model.name, plane=model.plane), dict[Any, Any]()
    for part in model:
        changed: dict[str, Any] = {}
        for place in places:
            name, _, key = place.rpartition(".")
            if name == part.name:
                value = getattr(part, key)
                changed[key] = pl.Parameter(_word(f"{name}_{key}"), getattr(value, "value", value))
            if isinstance(part, pl.Beam) and place == f"{part.name}.section.bending_stiffness":
                EI = pl.Parameter(_word(f"{part.name}_EI"), part.section.bending_stiffness)
                changed["section"] = replace(part.section, bending_stiffness=EI)
        known[part] = twin.add(copy_part(part, known, **changed))
        known[part]._set(name=part.name)
    for marker in model.watched:
        twin.add(marker_on(marker, known))
    return twin


def _word(name: str) -> str:
    """Return a name as of a variable of Python."""
    return re.sub(r"\W", "_", name)
