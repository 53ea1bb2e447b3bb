"""Functions of time."""
