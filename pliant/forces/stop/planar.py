"""Stops of angles in the plane."""

from pliant.forces._turns import IN_PLANE
from pliant.forces.stop.ends import Arrays, kernels, pack, places, touches

__all__ = ["Arrays", "add", "energy", "openings", "pack", "places", "power", "touches", "touching"]

add, energy, power, touching, openings = kernels(*IN_PLANE)
