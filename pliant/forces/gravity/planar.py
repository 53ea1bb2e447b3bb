"""Gravity on everything that has mass: bodies, point masses and beams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Gravity
from pliant.forces._loads import Arrays, Entry, add, arrays, energy, power, unsymmetric

if TYPE_CHECKING:
    from pliant.system.layout import Layout

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: Layout) -> Arrays:
    """One load a body, point mass or beam node; a beam's weight goes to its nodes as ``int N_i rhoA ds``."""
    entries = []
    for gravity in layout.forces(Gravity):
        x, y = layout.signal(gravity.x, gravity, "x"), layout.signal(gravity.y, gravity, "y")
        for body in layout.rigid_bodies:
            entries.append(Entry(layout.body_node(body), 0.0, 0.0, body.mass, x, y, layout.ZERO))
        for lump in layout.model.point_masses:
            dx, dy, _ = layout.offset(lump.marker)
            entries.append(Entry(layout.node(lump.marker), dx, dy, lump.mass, x, y, layout.ZERO))
        for mesh in layout.beams:
            for node, s, length in zip(mesh.nodes, mesh.s, mesh.tributary, strict=True):
                density = mesh.beam.section_at(s).mass_per_length
                entries.append(Entry(int(node), 0.0, 0.0, density * length, x, y, layout.ZERO))
    return arrays(layout, entries)
