"""Robots of other programs: URDF, MJCF, SDF."""
