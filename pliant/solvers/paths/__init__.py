"""Paths of equilibria: steps along the arc, events, branches."""
