"""Uncertain parameters: what is known of how quantities scatter."""
