"""Uncertain parameters: how quantities scatter."""
