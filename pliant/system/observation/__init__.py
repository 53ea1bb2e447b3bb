"""Observation: from coordinates to labelled arrays."""
