"""Stops of angles in the plane."""

from pliant.forces._turns import IN_PLANE
from pliant.forces.stop.ends import Arrays, kernels, pack, touches

__all__ = ["Arrays", "add", "energy", "pack", "power", "survey", "touches", "touching"]

add, energy, power, touching, survey = kernels(*IN_PLANE)
