"""Rods in space by every formulation that takes them: finite elements, shooting, chains of links, from one model."""
