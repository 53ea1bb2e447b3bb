"""Equilibria, paths of equilibria, stiffness."""
