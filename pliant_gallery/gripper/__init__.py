"""Compliant gripper: two jaws on parallel leaf springs that close upon an object."""

from __future__ import annotations

import pliant as pl

LEAF = pl.Section.rectangle(12e-3, 0.4e-3, pl.STEEL)
LENGTH, APART, OPEN = 0.06, 0.02, 0.03  # m: of the leaves, between a jaw's leaves, between the jaws
OBJECT = 400.0  # N/m: stiffness of the object


def model(*, grip: float = 0.0, gripped: bool = True) -> pl.Model:
    """Make the gripper on leaves along x from the ground; equal forces "grip" (N) pull the jaws together."""
    m = pl.Model("compliant gripper")
    ground, jaws = m.add(pl.Ground()), {}
    for name, side in (("lower", -1.0), ("upper", 1.0)):
        middle = side * 0.5 * (OPEN + APART)
        jaw = m.add(pl.Body(f"{name} jaw", mass=0.02, inertia=2e-6, position=(LENGTH, middle), angle=0.0))
        for which, shift in (("inner", -0.5 * side * APART), ("outer", 0.5 * side * APART)):
            leaf = m.add(
                pl.Beam(f"{name} {which}", length=LENGTH, section=LEAF, position=(0.0, middle + shift), angle=0.0)
            )
            m.add(pl.Weld(ground.at(0.0, middle + shift), leaf.at(s=0), angle=0.0))
            m.add(pl.Weld(leaf.at(s=1), jaw.at(0.0, shift), angle=0.0))
        m.add(pl.Force(jaw.at(), y=-side * grip, name=f"pull on {name}"))
        jaws[name] = jaw.at(0.0, -0.5 * side * APART)
    if gripped:
        m.add(pl.Spring("object", jaws["lower"], jaws["upper"], stiffness=OBJECT, rest_length=OPEN))
    return m
