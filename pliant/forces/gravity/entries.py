"""Gravity as loads on everything that has mass: bodies, point masses and beams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pliant.forces import Gravity
from pliant.forces._loads import Entry


def entries(layout: Any) -> Iterator[Entry]:
    """Yield one load a body, point mass or beam node; beams and sleeves have ``int N_i rhoA ds`` at their nodes."""
    for gravity in layout.forces(Gravity):
        force = [layout.signal(getattr(gravity, axis), gravity, axis) for axis in layout.space.axes]
        for body in layout.rigid_bodies:
            yield Entry(layout.body_node(body), body.mass, force)
        for lump in layout.model.point_masses:
            yield Entry(layout.node(lump.marker), lump.mass, force, arm=layout.arm(lump.marker))
        for mesh in layout.beams:
            for node, mass, arm in zip(mesh.nodes, mesh.carried_mass, mesh.carried_arms, strict=True):
                yield Entry(int(node), mass, force, arm=arm)
        for part in layout.model.forces:
            for node, mass in part.carried(layout):
                yield Entry(node, mass, force)
