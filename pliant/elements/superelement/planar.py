"""Superelements in the plane: see law.py."""

from pliant.elements.superelement.law import add, energy, gyroscopic, power
from pliant.elements.superelement.rows import Arrays, pack

__all__ = ["Arrays", "add", "energy", "gyroscopic", "pack", "power"]
