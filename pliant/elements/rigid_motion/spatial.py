"""Best rigid motions of beams in space."""

from __future__ import annotations

from pliant.elements._spatial_beams import SpatialLayout
from pliant.errors import ModelError
from pliant.kernels.rigid_motion.masses import Masses
from pliant.kernels.rigid_motion.spatial import Groups as Arrays
from pliant.kernels.rigid_motion.spatial import add, arrays, coupling, power

__all__ = ["Arrays", "add", "coupling", "pack", "power"]


def pack(layout: SpatialLayout) -> Arrays:
    """Beams whose alpha is relative to their own motion."""
    mine = [(mesh, Masses.of(mesh.inertia, 6)) for mesh in layout.beams if mesh.coasts]
    for mesh, masses in mine:
        if not masses.plain:
            raise ModelError(
                f"{mesh.beam.owner}: the mass of its elements, {mesh.options!r:.60}, couples points with sections, and "
                'damping relative to the beam is not known for that. Take Rayleigh(..., relative_to="ground").'
            )
    return arrays(layout, [(mesh.nodes, masses, mesh.alpha) for mesh, masses in mine])
