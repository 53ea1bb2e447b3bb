"""Limits of a model for the checks of analyses: strains, rotations, gaps, meshes."""
