"""Concentric tubes against the equations of the literature, integrated separately."""
