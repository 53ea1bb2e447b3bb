"""Best rigid motions of beams in space."""

from __future__ import annotations

from pliant.elements._spatial_beams import SpatialLayout
from pliant.errors import ModelError
from pliant.kernels.rigid_motion.spatial import Groups as Arrays
from pliant.kernels.rigid_motion.spatial import add, arrays, coupling, power

__all__ = ["Arrays", "add", "coupling", "pack", "power"]


def pack(layout: SpatialLayout) -> Arrays:
    """Pack beams whose alpha is relative to their own motion."""
    mine = [mesh for mesh in layout.beams if mesh.coasts]
    for mesh in mine:
        if not mesh.masses.plain:
            raise ModelError(
                f"{mesh.beam.owner}: the mass of its elements, {type(mesh.options).__name__}, "
                f"couples points with sections, and "
                'damping relative to the beam is not known for that. Take Rayleigh(..., relative_to="ground").'
            )
    return arrays(layout, [(mesh.nodes, mesh.masses, mesh.alpha) for mesh in mine])
