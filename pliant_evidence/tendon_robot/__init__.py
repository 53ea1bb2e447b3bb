"""Rods bent by tendons in channels: exact arcs, a boundary value problem written separately, a measured arm."""
