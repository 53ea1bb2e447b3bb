"""Shooting in space."""
