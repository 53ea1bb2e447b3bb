"""Gravity on everything that has mass in space: bodies, point masses and beams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.forces import Gravity
from pliant.forces._spatial_loads import NOWHERE, Arrays, Entry, add, arrays, energy, power, unsymmetric

if TYPE_CHECKING:
    from pliant.system.spatial_layout import SpatialLayout

__all__ = ["Arrays", "add", "energy", "pack", "power", "unsymmetric"]


def pack(layout: SpatialLayout) -> Arrays:
    """One load a body, point mass or beam node; a beam's weight goes to its nodes as ``int N_i rhoA ds``."""
    entries = []
    for gravity in layout.forces(Gravity):
        force = [layout.signal(getattr(gravity, axis), gravity, axis) for axis in "xyz"]
        for body in layout.rigid_bodies:
            entries.append(Entry(layout.body_node(body), NOWHERE, body.mass, force))
        for lump in layout.model.point_masses:
            node, arm = layout.node(lump.marker), layout.arm(lump.marker)
            entries.append(Entry(node, arm, lump.mass, force))
        for mesh in layout.beams:
            for node, s, length in zip(mesh.nodes, mesh.s, mesh.tributary, strict=True):
                density = mesh.beam.section_at(s).mass_per_length
                entries.append(Entry(int(node), NOWHERE, density * length, force))
    return arrays(layout, entries)
