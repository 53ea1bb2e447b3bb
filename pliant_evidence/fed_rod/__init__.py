"""Rods that are fed through a sleeve."""
