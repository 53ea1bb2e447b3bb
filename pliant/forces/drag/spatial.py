"""Drag along beams in space."""

from pliant.forces.drag.nodes import Arrays, add, pack, power

__all__ = ["Arrays", "add", "pack", "power"]
