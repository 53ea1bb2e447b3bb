"""Limits of a model: strains, rotations, gaps, meshes; what analyses check."""
