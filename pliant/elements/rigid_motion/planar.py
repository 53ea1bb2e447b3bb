"""Best rigid motions of beams in the plane."""

from __future__ import annotations

from pliant.elements._beams import Layout
from pliant.kernels.rigid_motion.planar import Groups as Arrays
from pliant.kernels.rigid_motion.planar import add, arrays, coupling, power

__all__ = ["Arrays", "add", "coupling", "pack", "power"]


def pack(layout: Layout) -> Arrays:
    """Pack beams whose alpha is relative to their own motion."""
    mine = [mesh for mesh in layout.beams if mesh.coasts and mesh.masses.plain]
    return arrays([(layout.dofs(mesh.nodes), mesh.masses, mesh.alpha) for mesh in mine])
