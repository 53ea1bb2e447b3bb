"""Optimisation: designs whose best is known, or checked by another formulation."""
