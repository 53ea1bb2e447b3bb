"""Derivatives of equilibria, eigenvalues and motions by parameters."""
