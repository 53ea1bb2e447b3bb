"""Explicit geometric reduction: a rigid loop with one freedom as one ordinary differential equation (thesis 2.5)."""
