"""Numerics on arrays: sparse factorisation, Newton, time integration, eigenvalues; no mechanics."""
