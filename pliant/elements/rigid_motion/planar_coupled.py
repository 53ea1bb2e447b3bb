"""Best rigid motions of beams in the plane whose mass couples points with sections."""

from __future__ import annotations

from pliant.elements._beams import Layout
from pliant.kernels.rigid_motion.planar_coupled import Groups as Arrays
from pliant.kernels.rigid_motion.planar_coupled import add, arrays, coupling, power

__all__ = ["Arrays", "add", "coupling", "pack", "power"]


def pack(layout: Layout) -> Arrays:
    """Pack beams whose alpha is relative to their own motion, with such a mass."""
    mine = [mesh for mesh in layout.beams if mesh.coasts and not mesh.masses.plain]
    return arrays([(layout.dofs(mesh.nodes), mesh.inertia.csr(), mesh.alpha) for mesh in mine])
