"""Equilibria in axes that turn steadily with the mechanism."""
