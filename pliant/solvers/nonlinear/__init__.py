"""Equilibria: Newton, load steps, branches, stability, and signals that hold a pose."""
